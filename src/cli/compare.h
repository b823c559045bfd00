// cli/compare.h -- `conclave compare`: measured messages and time beside the formulas.
#pragma once
#include <string>
#include <vector>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct CompareOptions {
    std::vector<std::string> algorithms;  // empty: all elections
    std::string nodes = "4..64";
    std::string svg;
};
Exit run_compare(const Terminal& terminal, const CompareOptions& options);

}  // namespace conclave
