// cli/up.h -- `conclave up`: a whole cluster of real processes on this machine.
#pragma once
#include <cstdint>
#include <string>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct UpOptions {
    std::uint32_t nodes = 3;
    std::string algorithm = "quorum";
    std::string folder;  // kept; empty: a temporary one, gone at the end
    bool record = false;
};
// Until Ctrl-C, SIGTERM, or all nodes have ended; leaves nothing behind.
Exit run_up(const Terminal& terminal, const UpOptions& options);

}  // namespace conclave
