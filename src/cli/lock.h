// cli/lock.h -- `conclave lock`: runs a command while it holds a lock.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/ask.h"
#include "cli/exit.h"

namespace conclave {

struct LockOptions {
    std::string name;
    bool shared = false;
    std::uint32_t slots = 0;       // of a semaphore; 0: it is a lock
    std::string wait;              // a duration; empty: for ever
    bool at_once = false;          // not if somebody has it
    std::optional<int> busy_code;  // the exit code for that
    std::string ttl;               // a duration: how long it is held without contact
    std::string grace;             // a duration: between asking the command to end and killing it
    std::string mutex;  // one of the node's classic algorithms, instead of the lock service
    std::vector<std::string> command;  // none: hold it until the end of input, and print the token
};

// The command's own exit code, if it ended by itself.
Exit run_lock(const Terminal& terminal, const Endpoint& endpoint, const LockOptions& options);

}  // namespace conclave
