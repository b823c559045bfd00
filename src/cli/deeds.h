// cli/deeds.h -- the commands that ask a node to do something: resign, appoint, drain, undrain,
// release, members add, members remove.
#pragma once
#include <cstdint>
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

struct MemberOptions {
    std::string name, address, role = "voter";
    std::uint32_t id = 0;
    std::string wait = "10s";
};
Exit run_add_member(const Terminal& terminal, const Endpoint& endpoint,
                    const MemberOptions& options);
Exit run_remove_member(const Terminal& terminal, const Endpoint& endpoint,
                       const MemberOptions& options);

struct ReleaseOptions {
    std::string lock;
    bool force = false;
};
Exit run_release(const Terminal& terminal, const Endpoint& endpoint, const ReleaseOptions& options);

}  // namespace conclave
