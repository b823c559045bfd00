// cli/deeds.h -- the commands that ask a node to do something: resign, appoint, drain, undrain,
// release.
#pragma once
#include <string>

#include "cli/ask.h"
#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct HandOverOptions {
    std::string group;
    std::string to;  // empty for `resign`: whoever is next
};
Exit run_resign(const Terminal& terminal, const Endpoint& endpoint, const HandOverOptions& options);
Exit run_appoint(const Terminal& terminal, const Endpoint& endpoint,
                 const HandOverOptions& options);
Exit run_drain(const Terminal& terminal, const Endpoint& endpoint, bool drained);

struct ReleaseOptions {
    std::string lock;
    bool force = false;
};
Exit run_release(const Terminal& terminal, const Endpoint& endpoint, const ReleaseOptions& options);

}  // namespace conclave
