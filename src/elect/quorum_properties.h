// elect/quorum_properties.h -- Q1 to Q8 of the quorum election, and what it comes to at rest.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "elect/quorum.h"

namespace conclave::quorum {

using Judgement = std::optional<std::string>;

inline Judgement blame(const std::optional<History::Slip>& slip, const char* what) {
    if (!slip) return std::nullopt;
    return election::name(slip->node) + what + std::to_string(slip->epoch.value);
}

inline Judgement one_winner(const View<Quorum>& view) {
    const auto& doubled = view.history.elections.doubled;
    if (!doubled) return std::nullopt;
    return "epoch " + std::to_string(doubled->epoch.value) + " won again, by " +
           election::name(doubled->node);
}
// Judged in true time, each lease on its owner's clock.
inline Judgement one_lease(const View<Quorum>& view) {
    const Standing<Quorum>* first = nullptr;
    for (const auto& node : view.nodes) {
        if (!node.up || !node.state->lease_valid(node.now)) continue;
        if (first != nullptr) {
            return election::name(first->node) + " and " + election::name(node.node) +
                   " both have a valid lease";
        }
        first = &node;
    }
    return std::nullopt;
}
inline Judgement promises_only_grow(const View<Quorum>& view) {
    return blame(view.history.went_back, " went back to epoch ");
}
inline Judgement leases_in_order(const View<Quorum>& view) {
    for (const auto& node : view.nodes) {
        if (!node.up || !node.state->lease_valid(node.now)) continue;
        if (node.state->office->epoch >= view.history.highest) continue;
        return election::name(node.node) + " leads in epoch " +
               std::to_string(node.state->office->epoch.value) + " after epoch " +
               std::to_string(view.history.highest.value) + " was won";
    }
    return std::nullopt;
}
inline Judgement promises_are_kept(const View<Quorum>& view) {
    return blame(view.history.broke_word, " broke its promise to vote in epoch ");
}
inline Judgement released_is_over(const View<Quorum>& view) {
    for (const auto& node : view.nodes) {
        if (!node.up || !node.state->lease_valid(node.now)) continue;
        const Epoch released = view.history.released_by(node.node);
        if (node.state->office->epoch > released) continue;
        return election::name(node.node) + " acts in epoch " +
               std::to_string(node.state->office->epoch.value) + " which it released";
    }
    return std::nullopt;
}
inline Judgement every_win_is_higher(const View<Quorum>& view) {
    return blame(view.history.out_of_turn, " won late, in epoch ");
}

// The list of members that a node goes by.
inline const ConfigVersion& version_of(const Standing<Quorum>& node) {
    return node.state->voter.record.config;
}
inline Electorate list_of(const View<Quorum>& view, const Standing<Quorum>& node) {
    const Roster& changed = node.state->voter.record.members;
    return changed.empty() ? Electorate(view.members) : Electorate(changed);
}
// Whether by this one's list somebody can still be elected: a quorum of it has no newer one.
inline bool can_elect(const View<Quorum>& view, const Standing<Quorum>& holder) {
    NodeSet willing;
    for (const auto& node : view.nodes) {
        if (node.up && version_of(node) <= version_of(holder)) willing.insert(node.node);
    }
    return is_quorum(list_of(view, holder), willing);
}
// Two quorums, one of each list, without a voter in common. Everybody is given to one side or the
// other: `best[w]` is the most that the other can have while the one has w. Exact, unlike the test
// that a leader makes, which this is to judge.
inline bool can_be_disjoint(const Electorate& one, const Electorate& other) {
    std::vector<std::uint64_t> best{0};
    const auto give = [&](std::uint64_t here, std::uint64_t there) {
        std::vector<std::uint64_t> then(best.size() + here, 0);
        for (std::size_t had = 0; had < best.size(); ++had) {
            then[had] = std::max(then[had], best[had] + there);
            then[had + here] = std::max(then[had + here], best[had]);
        }
        best = std::move(then);
    };
    for (const Member& member : one) give(one.weight(member.node), other.weight(member.node));
    for (const Member& member : other) {
        if (one.find(member.node) == nullptr) give(0, other.weight(member.node));
    }
    for (std::size_t had = 0; had < best.size(); ++had) {
        if (2 * had > one.weight() && 2 * best[had] > other.weight()) return true;
    }
    return false;
}
inline Judgement lists_that_elect_meet(const View<Quorum>& view) {
    for (const auto& first : view.nodes) {
        if (!first.up || version_of(first) == ConfigVersion{} || !can_elect(view, first)) continue;
        for (const auto& second : view.nodes) {
            if (!second.up || version_of(second) >= version_of(first)) continue;
            if (!can_be_disjoint(list_of(view, first), list_of(view, second))) continue;
            if (!can_elect(view, second)) continue;
            return "by the list of " + election::name(first.node) + " and by that of " +
                   election::name(second.node) + " two can be elected";
        }
    }
    return std::nullopt;
}

// Somebody could lead: a live voter that can talk, both ways, to live voters of enough weight, by
// the newest list among them.
inline bool could_lead(const View<Quorum>& view, const Standing<Quorum>& candidate) {
    NodeSet reached;
    const Standing<Quorum>* newest = &candidate;
    for (const auto& other : view.nodes) {
        if (!other.up || !view.linked(candidate, other)) continue;
        reached.insert(other.node);
        if (version_of(other) > version_of(*newest)) newest = &other;
    }
    const Electorate members = list_of(view, *newest);
    return may_lead(members, candidate.node) && is_quorum(members, reached);
}
inline bool somebody_could_lead(const View<Quorum>& view) {
    return std::any_of(view.nodes.begin(), view.nodes.end(),
                       [&](const auto& node) { return node.up && could_lead(view, node); });
}
// At rest: where a majority is connected exactly one node leads, it may, and every live node that
// member and connected to it names it, and goes by the same list. Where none is, nobody leads.
inline Judgement one_leads_and_all_know(const View<Quorum>& view) {
    const Standing<Quorum>* leader = nullptr;
    for (const auto& node : view.nodes) {
        if (!node.up || !node.state->leading(node.now)) continue;
        if (leader != nullptr) return "two lead";
        leader = &node;
    }
    const bool possible = somebody_could_lead(view);
    if (leader == nullptr) {
        return possible ? Judgement("nobody leads, though a majority is connected") : std::nullopt;
    }
    if (!possible) return election::name(leader->node) + " leads without a majority";
    const Electorate members = list_of(view, *leader);
    if (!may_lead(members, leader->node)) return election::name(leader->node) + " may not lead";
    for (const auto& node : view.nodes) {
        if (!node.up || !view.linked(*leader, node) || members.find(node.node) == nullptr) continue;
        if (version_of(node) != version_of(*leader))
            return election::name(node.node) + " has another list of members than its leader";
        const auto named = node.state->elected(node.now);
        if (named == leader->node) continue;
        return election::name(node.node) + " names " + election::name(named) + ", " +
               election::name(leader->node) + " leads";
    }
    return std::nullopt;
}
// With graceful preemption: nobody whom the leader can reach is clearly better.
inline Judgement nobody_is_clearly_better(const View<Quorum>& view) {
    if (view.config.preempt != Preempt::graceful) return std::nullopt;
    for (const auto& leader : view.nodes) {
        if (!leader.up || !leader.state->leading(leader.now)) continue;
        const Attribute bar =
            leader.attribute - leader.state->preference.penalty + view.config.hysteresis;
        for (const auto& node : view.nodes) {
            if (!node.up || !may_lead(list_of(view, leader), node.node)) continue;
            if (!view.linked(leader, node) || node.key() <= leader.key()) continue;
            if (node.attribute - node.state->preference.penalty < bar) continue;
            return election::name(node.node) + " is better than " + election::name(leader.node);
        }
    }
    return std::nullopt;
}

inline std::span<const Property<Quorum>> Quorum::properties() {
    static constexpr std::array list{
        Property<Quorum>{"Q1 one winner per epoch", Demand::always, one_winner},
        Property<Quorum>{"Q2 at no time two valid leases", Demand::always, one_lease},
        Property<Quorum>{"Q3 promised epochs only grow", Demand::always, promises_only_grow},
        Property<Quorum>{"Q4 leases are ordered like epochs", Demand::always, leases_in_order},
        Property<Quorum>{"Q5 a promise is kept to its end", Demand::always, promises_are_kept},
        Property<Quorum>{"Q6 a released epoch is over", Demand::always, released_is_over},
        Property<Quorum>{"Q7 lists that can elect have quorums that meet", Demand::always,
                         lists_that_elect_meet},
        Property<Quorum>{"Q8 every win is above all before", Demand::always, every_win_is_higher},
        Property<Quorum>{"somebody leads", Demand::sometimes, election::somebody_leads<Quorum>},
        Property<Quorum>{"one leads and all know", Demand::settled, one_leads_and_all_know},
        Property<Quorum>{"nobody is clearly better", Demand::settled, nobody_is_clearly_better},
    };
    return list;
}

}  // namespace conclave::quorum
