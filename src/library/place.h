// library/place.h -- an application's place in a group.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "library/candidate.h"

namespace conclave {

struct Group::Place {
    std::shared_ptr<Node::Core> core;
    std::string name;
    Duration margin{};
    std::optional<Attribute> priority;  // of its campaigns

    void expect_a_lease() const;  // throws if nobody could say until when one leads
    Mandate::Candidate::Plan plan() const;
};

}  // namespace conclave
