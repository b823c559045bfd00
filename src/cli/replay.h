// cli/replay.h -- `conclave replay`: a recorded run through the same world, be it the trace of a
// simulation or what the nodes of a real cluster recorded.
#pragma once
#include <string>
#include <vector>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct ReplayOptions {
    std::vector<std::string> paths;  // one trace; or recordings, and folders of them
    std::string group;               // of the recordings, if there are several
    std::string from, to, last;      // the part that is told and drawn
    std::string svg;
};
Exit run_replay(const Terminal& terminal, const ReplayOptions& options);

}  // namespace conclave
