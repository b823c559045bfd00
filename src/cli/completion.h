// cli/completion.h -- `conclave completion bash|zsh|fish`: made from the command line's own words.
#pragma once
#include <string>
#include <vector>

#include "cli/exit.h"

namespace conclave {

struct CompletedCommand {
    std::string name, what;
    std::vector<std::string> flags;  // "--nodes", "-o"
    std::vector<std::string> verbs;  // "init" of `cert init`
};

Exit run_completion(const std::string& shell, const std::vector<CompletedCommand>& commands);

}  // namespace conclave
