// cli/script_file.h -- `conclave sim FILE` and `conclave replay TRACE`: a script against what it
// expects.
#pragma once
#include <string>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

enum class Script {
    test,     // well if it does what it expects, be that a violation
    judge,    // and no property may be violated
    rewrite,  // what it does becomes what it expects
};
Exit run_script_file(const Terminal& terminal, const std::string& path, Script how);

}  // namespace conclave
