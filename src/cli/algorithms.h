// cli/algorithms.h -- `conclave algorithms`: the catalog.
#pragma once
#include <string>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

// All of them, or one in detail.
Exit run_algorithms(const Terminal& terminal, const std::string& name);

}  // namespace conclave
