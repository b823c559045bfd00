// cli/lead.h -- `conclave lead`: campaigns, and runs a command while it leads.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/ask.h"
#include "cli/exit.h"

namespace conclave {

struct LeadOptions {
    std::string group;
    std::string wait;                // a duration: to be elected; empty: for ever
    bool at_once = false;            // not if somebody else leads
    std::optional<int> not_elected;  // the exit code for that
    std::string grace;               // a duration: between asking the command to end and killing it
    bool restart = false;
    std::optional<std::int64_t>
        priority;  // among all who campaign; none: as the node is configured
    std::vector<std::string> command;
};

// The command's own exit code, if it ended by itself.
Exit run_lead(const Endpoint& endpoint, const LeadOptions& options);

}  // namespace conclave
