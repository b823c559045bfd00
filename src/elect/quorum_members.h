// elect/quorum_members.h -- whose votes count: the member list that somebody goes by, and how two
// lists relate.
//
// There is one list at a time, in one register: a version and the members. The first one, 0:0, is
// what the nodes were started with and is kept nowhere. A later one is part of the voter's record.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/members.h"
#include "core/node_set.h"
#include "core/small.h"
#include "core/types.h"

namespace conclave::quorum {

// The epoch of the leader that wrote the list, and a number within it: later is larger. No two
// lists have the same, because an epoch has one winner.
using ConfigVersion = std::pair<Epoch, std::uint64_t>;

using Roster = Small<Member, 1>;  // in ring order; hardly ever there, so it takes little room

// What an operator may ask of the leader.
struct Admit {  // a new member, or another role or weight for one
    NodeId node{};
    Role role = Role::voter;
    std::uint32_t weight = 1;
    std::optional<Attribute> priority{};  // as it was, unless given
};
struct Expel {
    NodeId node{};
};

inline bool votes(const Member& member) { return member.role != Role::learner; }
inline bool may_lead(const Member& member) { return member.role == Role::voter; }

// A list of members to look at, whoever keeps it.
class Electorate {
public:
    Electorate(const MemberList& list) : members_(list.begin(), list.end()), indexed_(&list) {}
    Electorate(const Roster& list) : members_(list.begin(), list.end()) {}

    auto begin() const { return members_.begin(); }
    auto end() const { return members_.end(); }
    const Member* find(NodeId node) const {
        if (indexed_ != nullptr) {
            const auto place = indexed_->find(node);
            return place ? &members_[*place] : nullptr;
        }
        const auto found = std::ranges::find(members_, node, &Member::node);
        return found == members_.end() ? nullptr : &*found;
    }
    // How much the vote of this one counts.
    std::uint64_t weight(NodeId node) const {
        const Member* member = find(node);
        return member != nullptr && votes(*member) ? member->weight : 0;
    }
    std::uint64_t weight() const {
        std::uint64_t all = 0;
        for (const Member& member : members_) all += votes(member) ? member.weight : 0;
        return all;
    }
    Roster copy() const {
        Roster copied;
        for (const Member& member : members_) copied.push_back(member);
        return copied;
    }

private:
    std::span<const Member> members_;
    const MemberList* indexed_ = nullptr;  // finds faster
};

inline bool may_lead(const Electorate& members, NodeId node) {
    const Member* member = members.find(node);
    return member != nullptr && may_lead(*member);
}
// More than half of all the weight there is: any two such sets have a voter in common.
inline bool is_quorum(const Electorate& members, const NodeSet& nodes) {
    std::uint64_t all = 0, theirs = 0;
    for (const Member& member : members) {
        if (!votes(member)) continue;
        all += member.weight;
        if (nodes.contains(member.node)) theirs += member.weight;
    }
    return 2 * theirs > all;
}
// Whether every quorum of one list has a voter in common with every quorum of the other: if two had
// none, their weights together would be no more than what there is of each voter. Says no to some
// lists that would do, never yes to any that would not.
inline bool quorums_meet(const Electorate& one, const Electorate& other) {
    std::uint64_t most = 0;
    for (const Member& member : one) {
        most += std::max(one.weight(member.node), other.weight(member.node));
    }
    for (const Member& member : other) {
        if (one.find(member.node) == nullptr) most += other.weight(member.node);
    }
    return other.weight() > 0 && one.weight() / 2 + 1 + other.weight() / 2 + 1 > most;
}

}  // namespace conclave::quorum
