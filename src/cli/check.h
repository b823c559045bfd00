// cli/check.h -- `conclave check`: every interleaving of a small world.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct CheckOptions {
    std::string algorithm;
    std::vector<std::pair<std::string, std::string>> settings;  // as typed
    bool compact = false;                                       // 64 bits of each state
    bool depth_first = false;                                   // rather than breadth first
    bool single_states = false;                                 // and no endless runs
    bool one_leader = false;                                    // demand it
    std::vector<std::string> judged;                            // these properties only
    std::string svg, script;                                    // files for the counterexample
};

Exit run_check(const Terminal& terminal, const CheckOptions& options);

}  // namespace conclave
