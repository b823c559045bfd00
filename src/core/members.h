// core/members.h -- who belongs to a group: one list, shared by every seat, in ring order.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/types.h"

namespace conclave {

enum class Role : std::uint8_t {
    voter,    // votes and may lead
    witness,  // votes, keeps durable state, never leads
    learner,  // neither votes nor leads; hears who does
};

struct Member {
    NodeId node{};
    Attribute priority = 0;  // known to all, unlike a live attribute
    Role role = Role::voter;
    std::uint32_t weight = 1;
};

// The order given is the order of the ring. Look-ups take constant time where ids are consecutive
// (a million simulated nodes) and a binary search otherwise.
class MemberList {
public:
    MemberList() = default;
    explicit MemberList(std::vector<Member> members) : members_(std::move(members)) {
        consecutive_ = !members_.empty();
        for (std::size_t at = 0; at < members_.size(); ++at) {
            if (number(members_[at].node) != number(members_[0].node) + at) consecutive_ = false;
        }
        if (consecutive_) return;
        for (std::uint32_t at = 0; at < members_.size(); ++at) by_id_.push_back(at);
        std::ranges::sort(by_id_, {}, [this](std::uint32_t at) { return members_[at].node; });
    }

    std::size_t size() const { return members_.size(); }
    const Member& operator[](std::size_t index) const { return members_[index]; }
    auto begin() const { return members_.begin(); }
    auto end() const { return members_.end(); }

    std::optional<std::size_t> find(NodeId node) const {
        if (!consecutive_) return search(node);
        const std::size_t at = number(node) - number(members_[0].node);
        return at < members_.size() ? std::optional(at) : std::nullopt;
    }
    bool contains(NodeId node) const { return find(node).has_value(); }
    std::size_t index_of(NodeId node) const {
        const auto found = find(node);
        assert(found);
        return *found;
    }
    const Member& at(NodeId node) const { return members_[index_of(node)]; }
    Key key(NodeId node) const { return {at(node).priority, node}; }

    // Positions on the ring: `steps` may be negative.
    NodeId around(NodeId from, std::ptrdiff_t steps) const {
        const auto count = static_cast<std::ptrdiff_t>(members_.size());
        const auto place = (static_cast<std::ptrdiff_t>(index_of(from)) + steps) % count;
        return members_[static_cast<std::size_t>(place < 0 ? place + count : place)].node;
    }

private:
    std::optional<std::size_t> search(NodeId node) const {
        auto found = std::ranges::lower_bound(
            by_id_, node, {}, [this](std::uint32_t at) { return members_[at].node; });
        if (found == by_id_.end() || members_[*found].node != node) return std::nullopt;
        return *found;
    }

    std::vector<Member> members_;
    std::vector<std::uint32_t> by_id_;  // unless they are consecutive
    bool consecutive_ = false;
};

}  // namespace conclave
