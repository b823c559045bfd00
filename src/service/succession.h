// service/succession.h -- a leadership that passes on by the clock: all that a service may expect
// of an election, and nothing else.
//
// Ensures  epoch k is the k-th member's, and is over before the next begins; the last one's never
//          ends. Whether and when the others hear of it is a matter of the network.
// Breaks   nothing of the kind happens in production. It is a world small enough to explore
//          everything that stands on it; with the quorum election below, that would be too large.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "core/protocol.h"

namespace conclave {

struct Succession {
    static constexpr Model assumes{Links::hostile, Timing::drifting, Faults::partition};
    static constexpr Claim claim{Kind::election, "this file",     "one leader at a time",
                                 "nothing",      "N-1 per epoch", "0"};
    static constexpr std::array<Fix, 0> fixes{};
    struct Config {
        FixSet fixes{};
        Duration reign{};         // of each but the last; clocks that drift lose a part of it
        Duration pause{};         // between two
        std::size_t leaders = 0;  // the others only follow; 0: all lead
    };
    static Config configure(const Settings& settings) {
        return {{}, 10 * settings.round_trip(), settings.tm, 0};
    }
    template <class F> static void each_option(Config& config, F option) {
        option("reign", config.reign);
        option("pause", config.pause);
        option("leaders", config.leaders);
    }

    struct Reigns {
        Epoch epoch;
    };
    using Message = std::variant<Reigns>;
    struct Begins {};
    struct Ends {};
    using Timer = std::variant<Begins, Ends>;
    using Request = std::variant<None>;
    using Notice = std::variant<LeaderIs>;
    using Durable = None;
    using Turn = conclave::Turn<Succession>;

    std::optional<Instant> until;  // I lead
    Epoch heard{};

    void expire(Turn& turn) {
        if (until && turn.now >= *until) abdicate(turn);
    }
    void on(Turn& turn, const Booted<Succession>&) {
        if (rank(turn) >= leaders(turn)) return;
        if (turn.seat.incarnation > Incarnation{1})
            return;  // its epoch may have been another life's
        const Duration turn_of_mine = (turn.config().reign + turn.config().pause) * rank(turn);
        turn_of_mine == Duration{} ? on(turn, Begins{}) : turn.arm(Begins{}, turn_of_mine);
    }
    void on(Turn& turn, Begins) {
        const Epoch mine{static_cast<std::uint64_t>(rank(turn)) + 1};
        const bool last = rank(turn) + 1 == leaders(turn);
        heard = mine;
        if (!last) {
            until = turn.now + turn.config().reign;
            turn.arm(Ends{}, turn.config().reign);
        }
        turn.tell(LeaderIs{turn.seat.self, mine});
        for (const Member& member : turn.seat.members) {
            if (member.node != turn.seat.self) turn.send(member.node, Reigns{mine});
        }
    }
    void on(Turn& turn, Ends) {
        if (until && turn.now >= *until) abdicate(turn);
    }
    void on(Turn& turn, NodeId from, Reigns said) {
        if (said.epoch <= heard) return;
        heard = said.epoch;
        if (until) abdicate(turn);
        turn.tell(LeaderIs{from, said.epoch});
    }

private:
    static std::int64_t leaders(const Turn& turn) {
        const std::size_t all = turn.seat.members.size(), some = turn.config().leaders;
        return static_cast<std::int64_t>(some == 0 ? all : std::min(some, all));
    }
    static std::int64_t rank(const Turn& turn) {
        std::int64_t before = 0;
        for (const Member& member : turn.seat.members) before += member.node < turn.seat.self;
        return before;
    }
    void abdicate(Turn& turn) {
        until.reset();
        turn.disarm(Ends{});
        turn.tell(LeaderIs{std::nullopt, heard});
    }
};
static_assert(Protocol<Succession>);

}  // namespace conclave
