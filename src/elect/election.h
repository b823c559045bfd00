// elect/election.h -- the election problem: what is asked, what is told, what must hold.
//
// Every election names a leader through `elected(now)`: nobody (the sources' bottom) while an
// election is in progress. E1 and E2 of the sources are the properties below.
#pragma once
#include <compare>
#include <optional>
#include <string>
#include <variant>

#include "core/property.h"
#include "core/protocol.h"
#include "core/small.h"

namespace conclave {

// One attempt to elect or to organise, and whose it is. Everybody counts rounds durably, so no two
// attempts of one node are ever equal.
struct Run {
    Round round{};
    NodeId by{};
    friend auto operator<=>(const Run&, const Run&) = default;
};

// What an application may ask for.
struct Campaign {};  // call an election (at most one at a time per node)
struct Resign {      // stop leading; to a named node if one is given
    std::optional<NodeId> to;
};
struct Appoint {  // a person's choice
    NodeId leader{};
    Epoch epoch{};
};

struct Retire {};  // stand no more, hand over if in office: drained, unhealthy, nobody to lead for
struct Return {};  //   until this
struct Depart {};  // a clean stop of the node: promise nothing any more

// What an election tells beside LeaderIs.
struct Refused {  // a request that cannot be served is answered
    enum class Why : std::uint8_t { not_leader, not_eligible, stale_epoch, unreachable, busy };
    Why why{};
};
struct Departed {};        // nothing promised is left: the node may stop
struct StopProcessing {};  // the coordinator is no longer defined: stop before anything else starts

// Who took office, by epoch: the newest few epochs are enough, because numbers only grow.
struct ElectionHistory {
    struct Win {
        Epoch epoch;
        NodeId node;
        friend bool operator==(const Win&, const Win&) = default;
    };
    Small<Win, 4> wins;
    std::optional<Win> doubled;  // the second winner of an epoch, if there ever was one

    void observe(NodeId node, const LeaderIs& told) {
        if (told.leader != node) return;
        const Win win{told.epoch, node};
        for (const Win& earlier : wins) {
            if (earlier == win) return;
            if (earlier.epoch == win.epoch) doubled = win;
        }
        constexpr std::size_t remembered = 16;
        if (wins.size() == remembered) wins.erase(wins.begin());
        wins.push_back(win);
    }
};

namespace election {

inline std::string name(std::optional<NodeId> node) {
    return node ? std::to_string(number(*node)) : "nobody";
}

// Safety by number: an epoch, a round, a group number is won once.
template <class P> std::optional<std::string> one_winner_per_epoch(const View<P>& view) {
    if (!view.history.doubled) return std::nullopt;
    return "epoch " + std::to_string(view.history.doubled->epoch.value) + " won twice, also by " +
           name(view.history.doubled->node);
}

// E2: nobody stays without a leader.
template <class P> std::optional<std::string> somebody_leads(const View<P>& view) {
    for (const auto& node : view.nodes) {
        if (node.up && node.state->elected(node.now) == node.node) return std::nullopt;
    }
    return "nobody leads";
}

// E1 and E2 at rest: every live node names the same live node.
template <class P> std::optional<std::string> all_agree(const View<P>& view) {
    const Standing<P>* first = nullptr;
    for (const auto& node : view.nodes) {
        if (!node.up) continue;
        if (first == nullptr) first = &node;
        const auto mine = node.state->elected(node.now);
        const auto theirs = first->state->elected(first->now);
        if (mine && mine == theirs) continue;
        return name(first->node) + " names " + name(theirs) + ", " + name(node.node) + " names " +
               name(mine);
    }
    return std::nullopt;
}

// E1: and it is the best of them.
template <class P> std::optional<std::string> best_leads(const View<P>& view) {
    const Standing<P>* best = nullptr;
    for (const auto& node : view.nodes) {
        if (node.up && (best == nullptr || best->key() < node.key())) best = &node;
    }
    for (const auto& node : view.nodes) {
        if (!node.up) continue;
        const auto named = node.state->elected(node.now);
        if (named == best->node) continue;
        return name(node.node) + " names " + name(named) + ", the best is " + name(best->node);
    }
    return std::nullopt;
}

}  // namespace election

}  // namespace conclave
