// cli/node.h -- `conclave node`: one node, until it is told to stop.
#pragma once
#include <string>
#include <vector>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct NodeOptions {
    std::string config = "/etc/conclave/conclave.toml";
    std::vector<std::string> overrides;  // section.key=value
    bool check = false;                  // say what is wrong and what follows, and do not start
};
Exit run_node(const Terminal& terminal, const NodeOptions& options);

}  // namespace conclave
