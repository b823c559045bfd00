// mutex/mutex.h -- the problem: one at a time in the critical section; its properties.
//
// ME1 (safety), ME2 (liveness) and ME3 (entry in the order in which requests happened before each
// other) of the sources are the properties below; an algorithm lists those that it claims.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/print.h"
#include "core/property.h"
#include "core/protocol.h"
#include "core/section.h"

namespace conclave {

// What an application asks for. An Enter while waiting or inside, and a Leave while outside, is
// stale and changes nothing.
struct Enter {};
struct Leave {};

// What it is told.
struct Entered {};   // I am in the section
struct Ousted {};    // my time in it ran out: stop before anybody else enters
struct HolderDied {  // whoever was inside crashed: what the section protects may be half-written
    NodeId node;
};

// Which request got ahead of one that had happened before it. The world, which alone sees what
// happened before what, tells it.
struct MutexHistory {
    struct Overtaking {
        NodeId winner, passed;
    };
    std::optional<Overtaking> overtaking;

    void overtook(NodeId winner, NodeId passed) {
        if (!overtaking) overtaking = Overtaking{winner, passed};
    }
};

namespace mutex {

// ME1: at most one at a time.
template <class P> std::optional<std::string> one_inside(const View<P>& view) {
    const Standing<P>* first = nullptr;
    for (const auto& node : view.nodes) {
        if (!node.up || node.state->section(node.now) != Section::inside) continue;
        if (first) return to_text(first->node) + " and " + to_text(node.node) + " are both inside";
        first = &node;
    }
    return std::nullopt;
}

// "3 waits for 1 and 2", where the algorithm can tell for whom (`waits_for`).
template <class P> std::string wait_of(const Standing<P>& node) {
    std::string whom;
    if constexpr (requires { node.state->waits_for(); }) {
        for (NodeId other : node.state->waits_for())
            whom += (whom.empty() ? "" : " and ") + to_text(other);
    }
    return to_text(node.node) + " waits for " + (whom.empty() ? "ever" : whom);
}

// ME2: nobody who lives waits for ever. At rest nobody waits at all.
template <class P> std::optional<std::string> nobody_waits(const View<P>& view) {
    std::string waits;
    for (const auto& node : view.nodes) {
        if (!node.up || node.state->section(node.now) != Section::waiting) continue;
        waits += (waits.empty() ? "" : ", ") + wait_of(node);
    }
    return waits.empty() ? std::nullopt : std::optional(waits);
}

// ME3: who asked first, as far as messages can tell, enters first.
template <class P> std::optional<std::string> order_kept(const View<P>& view) {
    const auto& overtaking = view.history.overtaking;
    if (!overtaking) return std::nullopt;
    return to_text(overtaking->winner) + " entered before " + to_text(overtaking->passed) +
           ", whose request had happened before";
}

// Guards against empty success.
template <class P> std::optional<std::string> somebody_enters(const View<P>& view) {
    for (const auto& node : view.nodes) {
        if (node.up && node.state->section(node.now) == Section::inside) return std::nullopt;
    }
    return "nobody is inside";
}

}  // namespace mutex

}  // namespace conclave
