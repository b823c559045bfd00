// cli/script_file.h -- `conclave sim FILE` and `conclave replay FILE`: a script against what it
// expects.
#pragma once
#include <string>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

Exit run_script_file(const Terminal& terminal, const std::string& path, bool rewrite);

}  // namespace conclave
