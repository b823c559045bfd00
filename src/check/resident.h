// check/resident.h -- one node with all that is local to it, in the one form that equals have.
//
// Times are counted from now: an instant in a node's state is how far away it is, so that two
// moments that differ only in what the clock shows are one state. A past instant is kept as far as
// the longest wait of the configuration; nobody compares it with more.
#pragma once
#include <algorithm>
#include <cstdint>

#include "check/budget.h"
#include "check/face.h"
#include "core/node_set.h"
#include "core/section.h"
#include "core/stack.h"
#include "core/value.h"
#include "sim/world.h"

namespace conclave {

template <class P> struct Resident {
    Node<P> node{};
    NodeSet suspects{};       // whom the oracle has told it of
    NodeSet outlived{};       // those of them of whom a newer life has spoken since
    std::uint32_t place = 0;  // in the member list
    std::uint8_t since = 0;   // ticks since it came or went, as far as the oracle cares
    std::uint8_t calls = 0;   // how often it may still ask on its own
    [[no_unique_address]] IfTakesTurns<P, Order::Place> turn{};
};

// The request of the node at that place was granted or is gone: it is in nobody's past any more.
template <class P> void drop_request(Packet<P>& packet, std::uint32_t of) {
    if constexpr (TakesTurns<Top<P>>) packet.past.drop(std::uint64_t{1} << of);
}
template <class P> void drop_request(Resident<P>& resident, std::uint32_t of) {
    if constexpr (TakesTurns<Top<P>>) {
        resident.turn.past.drop(std::uint64_t{1} << of);
        resident.turn.before.drop(std::uint64_t{1} << of);
        for (auto& held : resident.node.held) {
            if (auto* packet = std::get_if<Packet<P>>(&held)) drop_request(*packet, of);
        }
    }
}

namespace detail {

template <class P> void settle_timers(Node<P>& node, const Pace& pace) {
    for (Armed<P>& armed : node.timers) {
        if (!pace.counts()) {
            armed.due = Instant{};
            continue;
        }
        // A clock that drifts was rounded up by a nanosecond: that is not worth a tick.
        const std::int64_t tick = pace.tick.count();
        const std::int64_t due = armed.due.time_since_epoch().count() - (node.clock.ppm != 0);
        armed.due = Instant(Duration(std::max<std::int64_t>(0, (due + tick - 1) / tick * tick)));
    }
    // The order of arming tells nobody anything.
    std::ranges::sort(node.timers, {}, [](const Armed<P>& armed) {
        return std::pair(armed.due, hash_value(armed.timer));
    });
    node.stamps = 0;
    for (Armed<P>& armed : node.timers) armed.stamp = ++node.stamps;
}

}  // namespace detail

// Makes equals equal: what no rule can tell apart becomes the same.
template <class P> void settle(Resident<P>& resident, const Pace& pace) {
    detail::settle_timers(resident.node, pace);
    if (!resident.node.up) {  // it will be told again
        resident.suspects.clear();
        resident.outlived.clear();
    }
    for (auto& held : resident.node.held) {
        if (auto* packet = std::get_if<Packet<P>>(&held)) packet->sent = packet->due = Instant{};
    }
}

// A tick of true time, as this node's clock shows it.
template <class P> void pass_tick(Resident<P>& resident, const Pace& pace) {
    Node<P>& node = resident.node;
    const Duration shown = node.clock.read(Instant(pace.tick)) - node.clock.read(Instant{});
    const Instant oldest = node.clock.read(Instant{}) - pace.past;
    const auto pass = [&](Instant& at) { at = std::max(at - shown, std::min(at, oldest)); };
    for_each_leaf(node.state, pass);
    for_each_leaf(node.durable, pass);
    for (Armed<P>& armed : node.timers) {
        armed.due = std::max(armed.due - pace.tick, Instant{});
    }
    if (resident.since < pace.verdict_most) ++resident.since;
}

namespace detail {

struct Counting {
    const Bounds& bounds;
    bool beyond = false;

    void operator()(const Epoch& epoch) {  // some are made of a round and a node
        const std::uint64_t round = epoch.value >> 32;
        beyond = beyond || (round > 0 ? round > bounds.rounds : epoch.value > bounds.epochs);
    }
    void operator()(const Round& round) { beyond = beyond || round.value > bounds.rounds; }
    void operator()(
        const Nonce& nonce) {  // some begin anew in every life, with its number in front
        beyond = beyond || (nonce.value & UINT32_MAX) > bounds.nonces;
    }
};

}  // namespace detail

template <class P>
Face face_of(const Resident<P>& resident, const MemberList& members, const Pace& pace,
             const Bounds& bounds) {
    const Node<P>& node = resident.node;
    Face face{.life = static_cast<std::uint32_t>(node.incarnation.value),
              .since = resident.since,
              .calls = resident.calls,
              .up = node.up,
              .paused = node.paused,
              .reborn = !node.restarted.empty()};
    for (std::size_t at = 0; at < node.timers.size(); ++at) {
        const bool due = !pace.counts() || node.timers[at].due <= Instant{};
        if (node.up && !node.paused && due) face.timers |= 1U << at;
    }
    for (NodeId peer : resident.suspects) face.suspects |= 1U << members.index_of(peer);
    for (NodeId peer : resident.outlived) face.outlived |= 1U << members.index_of(peer);
    detail::Counting counting{bounds};
    for_each_leaf(node.state, counting);
    for_each_leaf(node.durable, counting);
    face.beyond = counting.beyond;
    face.nonces = nonces_in(node);
    if constexpr (TakesTurns<Top<P>>) {
        if (node.up) face.section = top(node.state).section(node.clock.read(Instant{}));
    }
    return face;
}

}  // namespace conclave
