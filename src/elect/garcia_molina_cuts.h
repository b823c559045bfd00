// elect/garcia_molina_cuts.h -- what Garcia-Molina's election must keep: assertions 1 and 2, and
// the four consistent cuts of figure 10.8.
//
// A cut goes through each member's last answer, not through the instant at which the organiser has
// collected them: a member may have crashed since, or been called by somebody higher. So c3 and c4
// ask what a member has been through, which its notices tell; c1 and c2 what all nodes are in.
#pragma once
#include <algorithm>
#include <optional>
#include <string>

#include "core/property.h"
#include "core/small.h"
#include "core/value.h"
#include "elect/election.h"
#include "elect/garcia_molina_messages.h"

namespace conclave::garcia_molina {

// The newest run in which each node has reorganized, and in which it has gone to work.
struct History {
    struct Past {
        NodeId node{};
        Run reorganized, worked;
    };
    Small<Past, 8> pasts;  // by node

    Past of(NodeId node) const {
        const auto at = std::ranges::lower_bound(pasts, node, {}, &Past::node);
        return at != pasts.end() && at->node == node ? *at : Past{};
    }
    void observe(NodeId node, const StatusIs& told) {
        auto at = std::ranges::lower_bound(pasts, node, {}, &Past::node);
        if (at == pasts.end() || at->node != node) at = pasts.insert(at, {node, {}, {}});
        if (told.status == Status::reorganization) at->reorganized = told.run;
        if (told.status == Status::normal) at->worked = told.run;
    }
};

template <class P> bool is_in(const Standing<P>& node, Status status) {
    return node.up && node.state->status == status;
}
template <class P> bool has_coordinator(const Standing<P>& node) {
    return is_in(node, Status::reorganization) || is_in(node, Status::normal);
}
template <class P> std::string saying(const Standing<P>& node) {
    return election::name(node.node) + " is in " + to_text(node.state->status) + " under " +
           election::name(node.state->coordinator);
}

// Assertion 1.1: those who are normal or reorganizing agree on the coordinator.
template <class P> std::optional<std::string> one_coordinator(const View<P>& view) {
    const Standing<P>* first = nullptr;
    for (const auto& node : view.nodes) {
        if (!has_coordinator(node)) continue;
        if (first == nullptr) first = &node;
        if (first->state->coordinator == node.state->coordinator) continue;
        return saying(*first) + ", " + saying(node);
    }
    return std::nullopt;
}

// Assertion 1.2: those who are normal agree on the definition.
template <class P> std::optional<std::string> one_definition(const View<P>& view) {
    const Standing<P>* first = nullptr;
    for (const auto& node : view.nodes) {
        if (!is_in(node, Status::normal)) continue;
        if (first == nullptr) first = &node;
        if (first->state->definition == node.state->definition) continue;
        return election::name(first->node) + " works by " + to_text(first->state->definition) +
               ", " + election::name(node.node) + " by " + to_text(node.state->definition);
    }
    return std::nullopt;
}

// Assertion 2: somebody is normal under itself, and all others that live are normal under it.
template <class P> std::optional<std::string> one_group(const View<P>& view) {
    std::optional<NodeId> leader;
    for (const auto& node : view.nodes) {
        if (node.up && node.state->elected(node.now) == node.node) leader = node.node;
    }
    for (const auto& node : view.nodes) {
        if (!node.up || (leader && node.state->elected(node.now) == leader)) continue;
        return election::name(leader) + " leads, but " + saying(node);
    }
    return std::nullopt;
}

// What Check is for: the definition is made for all that live, and nobody else.
template <class P> std::optional<std::string> group_is_accurate(const View<P>& view) {
    NodeSet living;
    for (const auto& node : view.nodes) {
        if (node.up) living.insert(node.node);
    }
    for (const auto& node : view.nodes) {
        if (!node.up || node.state->definition.members == living) continue;
        return election::name(node.node) + " works with " +
               to_text(node.state->definition.members) + ", alive are " + to_text(living);
    }
    return std::nullopt;
}

// What an organiser knows while it has passed a cut and has not been stopped.
template <class P, class HasPassed, class Wrong>
std::optional<std::string> known(const View<P>& view, HasPassed has_passed, Wrong wrong) {
    for (const auto& organiser : view.nodes) {
        if (!organiser.up || !has_passed(organiser)) continue;
        for (const auto& node : view.nodes) {
            if (node.node == organiser.node || !wrong(organiser, node)) continue;
            return election::name(organiser.node) + " has passed it, but " + saying(node);
        }
    }
    return std::nullopt;
}
template <Phase phase>
constexpr auto in_phase = [](const auto& organiser) { return organiser.state->phase == phase; };

// Cut c1: no higher node is normal. By a live attribute this holds of the instant of each answer
// only: who worked below me may have risen above me since, and is about to be halted.
template <class P> std::optional<std::string> nobody_higher_works(const View<P>& view) {
    if (view.config.live_attribute) return std::nullopt;
    return known(view, in_phase<Phase::halt>, [&](const auto& organiser, const auto& node) {
        const bool higher = view.members.key(node.node) > view.members.key(organiser.node);
        return higher && is_in(node, Status::normal);
    });
}
// Cut c2: nobody is normal, and nobody reorganizes, but under me.
template <class P> std::optional<std::string> nobody_works(const View<P>& view) {
    return known(
        view, in_phase<Phase::set_coordinator>, [](const auto& organiser, const auto& node) {
            if (is_in(node, Status::normal)) return true;
            return is_in(node, Status::reorganization) && node.state->coordinator != organiser.node;
        });
}
// Cut c3: all of up have reorganized under me.
template <class P> std::optional<std::string> all_reorganized(const View<P>& view) {
    return known(view, in_phase<Phase::new_state>, [&](const auto& organiser, const auto& node) {
        return organiser.state->up.contains(node.node) &&
               view.history.of(node.node).reorganized != organiser.state->halted;
    });
}
// Cut c4: all of up have gone to work under me.
template <class P> std::optional<std::string> all_went_to_work(const View<P>& view) {
    const auto leads = [](const auto& node) { return node.state->elected(node.now) == node.node; };
    return known(view, leads, [&](const auto& organiser, const auto& node) {
        return organiser.state->up.contains(node.node) &&
               view.history.of(node.node).worked != organiser.state->halted;
    });
}

}  // namespace conclave::garcia_molina
