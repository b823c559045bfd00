// elect/invitation_properties.h -- what the invitation algorithm must keep: Assertions 3 and 4.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/property.h"
#include "core/value.h"
#include "elect/election.h"
#include "elect/invitation_messages.h"
#include "elect/invitation_options.h"

namespace conclave::invitation {

struct History {
    struct Words {  // of one node
        NodeId node{};
        Round formed{};                // its newest number
        std::optional<NodeId> leader;  // whom it named last
    };
    Small<Words, 8> words;
    std::optional<Group> reused;  // the first number that was taken again

    void observe(NodeId node, const Formed& formed) {
        Words& mine = of(node);
        if (formed.group.round <= mine.formed && !reused) reused = formed.group;
        mine.formed = formed.group.round;
    }
    void observe(NodeId node, const LeaderIs& told) { of(node).leader = told.leader; }

    Words& of(NodeId node) {
        for (Words& one : words) {
            if (one.node == node) return one;
        }
        return words.emplace_back(Words{node, {}, {}});
    }
    std::optional<NodeId> named_by(NodeId node) const {
        for (const Words& one : words) {
            if (one.node == node) return one.leader;
        }
        return std::nullopt;
    }
};

template <class P> std::string saying(const Standing<P>& node) {
    return election::name(node.node) + " is " + to_text(node.state->phase) + " in group " +
           election::name(node.state->group.by) + "|" + to_text(node.state->group.round);
}

template <class P, class F> std::optional<std::string> each_pair(const View<P>& view, F broken) {
    for (std::size_t a = 0; a < view.nodes.size(); ++a) {
        if (!view.nodes[a].up) continue;
        for (std::size_t b = a + 1; b < view.nodes.size(); ++b) {
            if (!view.nodes[b].up || view.nodes[a].state->group != view.nodes[b].state->group) {
                continue;
            }
            if (broken(*view.nodes[a].state, *view.nodes[b].state)) {
                return saying(view.nodes[a]) + ", " + saying(view.nodes[b]);
            }
        }
    }
    return std::nullopt;
}

// Assertion 3.1: those in one group who are normal or reorganizing have one coordinator. The group
// number names it, so nothing else can be the case.
template <class P> std::optional<std::string> one_coordinator(const View<P>& view) {
    return each_pair(view, [](const P& a, const P& b) {
        return status_of(a.phase) != Status::election && status_of(b.phase) != Status::election &&
               a.group.by != b.group.by;
    });
}

// Assertion 3.2: those in one group who are normal work by one definition.
template <class P> std::optional<std::string> one_definition(const View<P>& view) {
    return each_pair(view, [](const P& a, const P& b) {
        return status_of(a.phase) == Status::normal && status_of(b.phase) == Status::normal &&
               a.definition != b.definition;
    });
}

template <class P> std::optional<std::string> numbers_never_reused(const View<P>& view) {
    if (!view.history.reused) return std::nullopt;
    return election::name(view.history.reused->by) + " formed group " +
           to_text(view.history.reused->round) + " again";
}

// What a node tells its application is what its group says, and nobody else.
template <class P> std::optional<std::string> coordinator_is_the_groups(const View<P>& view) {
    for (const auto& node : view.nodes) {
        if (!node.up) continue;
        const NodeId coordinator = node.state->group.by;
        const auto named = view.history.named_by(node.node);
        const bool normal = status_of(node.state->phase) == Status::normal;
        if (normal ? named == coordinator : !named) continue;
        return saying(node) + " but named " + election::name(named);
    }
    return std::nullopt;
}

// Who is normal has the definition of exactly this group, and is in it.
template <class P> std::optional<std::string> normal_is_ready(const View<P>& view) {
    for (const auto& node : view.nodes) {
        if (!node.up || status_of(node.state->phase) != Status::normal) continue;
        const Definition& definition = node.state->definition;
        if (definition.run == node.state->group && definition.members.contains(node.node)) continue;
        return saying(node) + " but works by " + to_text(definition);
    }
    return std::nullopt;
}

// Who is invited works on until it is let in: nobody stops for a group that has not waited for it
// (IVT-4). Some options have it leave first.
template <class P> std::optional<std::string> nobody_leaves_for_nothing(const View<P>& view) {
    if (view.config.accept != Acceptance::tentative) return std::nullopt;
    for (const auto& node : view.nodes) {
        if (!node.up || node.state->phase != Phase::leaving) continue;
        const Group& target = node.state->target;
        const auto& host = view.nodes[view.members.index_of(target.by)];
        const bool waits =
            host.state->phase == Phase::inviting || host.state->up.contains(node.node);
        if (host.up && host.state->group == target && waits) continue;
        return saying(node) + ", which does not wait for it";
    }
    return std::nullopt;
}

// A coordinator does not leave those behind who have done all they should, whatever others have
// failed to do (IVT-6).
template <class P> std::optional<std::string> nobody_is_given_up(const View<P>& view) {
    for (const auto& node : view.nodes) {
        const Group& followed = node.state->group;
        if (!node.up || followed.by == node.node) continue;
        if (status_of(node.state->phase) != Status::normal) continue;
        const auto& coordinator = view.nodes[view.members.index_of(followed.by)];
        if (!coordinator.up || coordinator.state->lost != followed) continue;
        return saying(node) + ", which " + election::name(followed.by) + " has given up";
    }
    return std::nullopt;
}

// For each live node the live ones it can talk with, itself included.
template <class P> Small<NodeSet, 16> neighbours(const View<P>& view) {
    NodeSet living;
    for (const auto& node : view.nodes) {
        if (node.up) living.insert(node.node);
    }
    Small<NodeSet, 16> near;
    for (const auto& node : view.nodes) near.push_back(node.up ? living : NodeSet{});
    for (const auto& [from, to] : view.cuts.links) {
        near[view.members.index_of(from)].erase(to);
        near[view.members.index_of(to)].erase(from);
    }
    return near;
}

// Judges every set of live nodes that is closed under communication: all of them can talk with each
// other and with nobody else. Chains and one-way links belong to no such set; nothing that is
// demanded of one of their cliques could be granted to the next (IVT-13).
template <class P, class F> std::optional<std::string> each_closed(const View<P>& view, F broken) {
    const auto near = neighbours(view);
    NodeSet seen;
    for (std::size_t at = 0; at < view.nodes.size(); ++at) {
        if (!view.nodes[at].up || seen.contains(view.nodes[at].node)) continue;
        bool closed = true;
        for (NodeId other : near[at]) {
            closed = closed && near[view.members.index_of(other)] == near[at];
        }
        if (!closed) continue;
        seen |= near[at];
        if (auto what = broken(view, near[at])) return what;
    }
    return std::nullopt;
}

// Assertion 4: one of them is normal under itself, and all others are normal under it.
template <class P> std::optional<std::string> one_group_each(const View<P>& view) {
    return each_closed(view, [](const View<P>& all, const NodeSet& set) {
        const auto& first = all.nodes[all.members.index_of(set.front())];
        const auto coordinator = first.state->elected(first.now);
        for (NodeId member : set) {
            const auto& node = all.nodes[all.members.index_of(member)];
            const bool follows = node.state->elected(node.now) == coordinator &&
                                 node.state->group == first.state->group;
            if (coordinator && set.contains(*coordinator) && follows) continue;
            return std::optional(saying(first) + ", " + saying(node));
        }
        return std::optional<std::string>();
    });
}

// ... and it is the best of them, where the options bind it to be.
template <class P> std::optional<std::string> best_of_each_group(const View<P>& view) {
    if (!best_coordinates(view.config)) return std::nullopt;
    return each_closed(view, [](const View<P>& all, const NodeSet& set) {
        const Standing<P>* best = nullptr;
        for (NodeId member : set) {
            const auto& node = all.nodes[all.members.index_of(member)];
            if (best == nullptr || best->key() < node.key()) best = &node;
        }
        if (best->state->elected(best->now) == best->node) return std::optional<std::string>();
        return std::optional(saying(*best) + " and is the best of " + to_text(set));
    });
}

template <class P> std::span<const Property<P>> properties_of() {
    static constexpr std::array list{
        Property<P>{"somebody leads", Demand::sometimes, election::somebody_leads<P>},
        Property<P>{"assertion 3.1", Demand::always, one_coordinator<P>},
        Property<P>{"assertion 3.2", Demand::always, one_definition<P>},
        Property<P>{"group numbers are never reused", Demand::always, numbers_never_reused<P>},
        Property<P>{"coordinator is the group's", Demand::always, coordinator_is_the_groups<P>},
        Property<P>{"normal is ready", Demand::always, normal_is_ready<P>},
        Property<P>{"nobody leaves for nothing", Demand::always, nobody_leaves_for_nothing<P>},
        Property<P>{"nobody is given up", Demand::always, nobody_is_given_up<P>},
        Property<P>{"assertion 4", Demand::settled, one_group_each<P>},
        Property<P>{"the best of each group coordinates", Demand::settled, best_of_each_group<P>},
    };
    return list;
}

}  // namespace conclave::invitation
