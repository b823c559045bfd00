// elect/definition.h -- what a group works on: the application's own state, which the coordinator
// hands out whenever the group (re)organises.
//
// The sources leave open who writes it. By default the members alone are the definition, and the
// coordinator needs nobody to say so. With `plan = application` it asks its application for a plan
// and waits, but not for ever.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "core/node_set.h"
#include "core/protocol.h"
#include "elect/election.h"

namespace conclave {

struct Definition {
    Run run;
    NodeSet members;   // the coordinator included
    std::string plan;  // the application's own bytes
    friend bool operator==(const Definition&, const Definition&) = default;
};

enum class PlanBy : std::uint8_t { own, application };

// What is told.
struct Defined {  // work by this from now on
    Definition definition;
};
struct PlanWanted {  // to the coordinator's application: what shall these members do?
    Run run;
    NodeSet members;
};
// What is asked: the answer to PlanWanted. An answer to an older run comes too late.
struct Planned {
    Round round{};
    std::string plan;
};

// The members say it all.
inline Definition defined_by_members(Run run, NodeSet members) {
    return {run, std::move(members), {}};
}

}  // namespace conclave
