// elect/ring_parts.h -- what the ring elections share: runs, the ring of the living, who won what.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>

#include "elect/election.h"

namespace conclave {

// Within a round the higher initiator prevails; the same order in one number: the epoch of whoever
// wins that run.
constexpr Epoch epoch_of(Run run) { return {run.round.value << 32 | number(run.by)}; }

// The ring as one node sees it: the members in their order, without those it suspects.
struct LivingRing {
    struct Next {
        NodeId node;
        std::uint32_t steps;  // places on the ring, empty ones counted
    };
    // A sorted list, not a NodeSet: few of a million are suspected, and a set that knows the
    // millionth takes a million bits.
    Small<NodeId, 2> suspected;

    bool suspects(NodeId node) const {
        return !suspected.empty() && std::ranges::binary_search(suspected, node);
    }
    // True: my successor is another one now.
    template <class P> bool suspect(const Turn<P>& turn, NodeId node) {
        const NodeId before = successor(turn);
        const auto place = std::ranges::lower_bound(suspected, node);
        if (place == suspected.end() || *place != node) suspected.insert(place, node);
        return successor(turn) != before;
    }
    template <class P> bool trust(const Turn<P>& turn, NodeId node) {
        const NodeId before = successor(turn);
        erase_if(suspected, [node](NodeId one) { return one == node; });
        return successor(turn) != before;
    }

    // The first node after `from` that is not suspected; I, at the latest, am not.
    template <class P> Next after(const Turn<P>& turn, NodeId from) const {
        Next next{from, 0};
        do {
            next.node = turn.seat.members.around(
                next.node, static_cast<std::ptrdiff_t>(turn.config().direction));
            ++next.steps;
        } while (next.node != turn.seat.self && suspects(next.node));
        return next;
    }
    template <class P> Next next(const Turn<P>& turn) const { return after(turn, turn.seat.self); }
    template <class P> NodeId successor(const Turn<P>& turn) const { return next(turn).node; }

    // How many of the living come before me if one counts from just behind `gone`.
    template <class P> std::size_t rank(const Turn<P>& turn, NodeId gone) const {
        const MemberList& members = turn.seat.members;
        if (gone == turn.seat.self || !members.contains(gone)) return 0;
        const std::size_t mine = steps(turn, gone, turn.seat.self);
        std::size_t before_me = mine - 1;
        for (NodeId node : suspected) {
            if (!members.contains(node)) continue;
            const std::size_t theirs = steps(turn, gone, node);
            before_me -= theirs > 0 && theirs < mine;
        }
        return before_me;
    }
    // When to begin a run anew because of `gone`: one after the other, so that the first one's run
    // reaches the next before it begins its own.
    template <class P> Wait my_turn(const Turn<P>& turn, NodeId gone, Duration slot) const {
        const auto before_me = static_cast<Duration::rep>(rank(turn, gone));
        return {before_me * slot, before_me * slot * 3 / 2};
    }
    // From one place on the ring to another, in places, whether anybody lives there or not.
    template <class P> static std::size_t steps(const Turn<P>& turn, NodeId from, NodeId to) {
        const MemberList& members = turn.seat.members;
        const std::size_t a = members.index_of(from), b = members.index_of(to);
        const std::size_t ahead = b >= a ? b - a : b + members.size() - a;
        const bool forward = turn.config().direction == Direction::next;
        return forward || ahead == 0 ? ahead : members.size() - ahead;
    }
};

// A wait that doubles whenever it has proved too short.
struct Doubling {
    std::uint8_t times = 0;

    void once_more(std::uint8_t at_most) { times = std::min<std::uint8_t>(times + 1U, at_most); }
    Duration of(Duration wait) const { return wait * (1 << times); }
};
// The longest of the doubled waits, and one run.
template <class Config> Duration settling_time_of_ring(const Config& config, std::size_t nodes) {
    return 10 * config.run + 12 * static_cast<Duration::rep>(nodes) * config.slot;
}

// Who won which run. That two nodes win the same round is nothing a ring can rule out: they may
// never have been up at the same time. That one node wins it twice is a flaw (RGT-1, RGT-11).
struct RunsWon {
    Small<ElectionHistory::Win, 4> wins;  // the newest few are enough: runs only grow
    std::optional<ElectionHistory::Win> doubled;

    void observe(NodeId node, const LeaderIs& told) {
        if (told.leader != node) return;
        const ElectionHistory::Win win{told.epoch, node};
        if (wins.contains(win)) doubled = win;
        constexpr std::size_t remembered = 16;
        if (wins.size() == remembered) wins.erase(wins.begin());
        wins.push_back(win);
    }
};

}  // namespace conclave
