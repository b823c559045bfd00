// library/place.h -- an application's place in a group.
#pragma once
#include <memory>
#include <string>

#include "library/candidate.h"

namespace conclave {

struct Group::Place {
    std::shared_ptr<Node::Core> core;
    std::string name;
    Duration margin{};

    Mandate::Candidate::Plan plan() const;  // of a campaign; throws if there can be none
};

}  // namespace conclave
