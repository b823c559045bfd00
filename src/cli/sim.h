// cli/sim.h -- `conclave sim`: worlds from the command line or from a file.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct SimOptions {
    std::string what;                                           // an algorithm's name, or a script
    std::vector<std::pair<std::string, std::string>> settings;  // in the order given
    std::string detector = "oracle";
    std::uint64_t runs = 1;
    bool claimed = false;  // random worlds within what the algorithm assumes
    bool rewrite = false;  // a script's expected output
    std::string trace, svg;
};

Exit run_sim(const Terminal& terminal, const SimOptions& options);

}  // namespace conclave
