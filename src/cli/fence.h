// cli/fence.h -- `conclave fence check`: what a resource asks before it lets somebody write.
#pragma once
#include <string>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct FenceOptions {
    std::string file, token;
};
// 0: admitted, and remembered; 77: a larger token was seen before.
Exit run_fence_check(const Terminal& terminal, const FenceOptions& options);

}  // namespace conclave
