// cli/algorithms.h -- `conclave algorithms`: the catalog.
#pragma once
#include <cstdint>
#include <string>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct AlgorithmsOptions {
    std::string name;         // empty: all of them
    std::uint32_t nodes = 5;  // what its settings are for
};
Exit run_algorithms(const Terminal& terminal, const AlgorithmsOptions& options);

}  // namespace conclave
