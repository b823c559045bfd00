// cli/compare.h -- `conclave compare`: measured messages and time beside the formulas.
#pragma once
#include <string>
#include <vector>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct CompareOptions {
    std::vector<std::string> algorithms;  // empty: all
    std::string nodes = "4..64";
    bool mutex = false;       // mutual exclusion instead of elections
    bool contention = false;  // against how many want in at once, instead of against nodes
    std::string svg;
};
Exit run_compare(const Terminal& terminal, const CompareOptions& options);

}  // namespace conclave
