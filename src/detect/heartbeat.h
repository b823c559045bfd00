// detect/heartbeat.h -- "P is here" to all every T; suspected after a silence of T + E.
//
// Ensures  a crashed node is suspected for ever; once delays stay bounded, mistakes end, because
//          each one widens the margin. Its own pauses are not blamed on others.
// Breaks   nothing: an opinion may be wrong at any time, and whoever builds safety on it is.
//          With `reliable` it says Failed after T + A, which is true only if A bounds every delay.
#pragma once
#include <array>
#include <span>
#include <variant>
#include <vector>

#include "detect/detection.h"
#include "detect/estimator.h"

namespace conclave {

struct Heartbeat {
    static constexpr Model assumes{Links::hostile, Timing::drifting, Faults::partition};
    static constexpr Claim claim{
        Kind::detector,
        "lectures 000, 003; Jacobson 1988; Chen, Toueg, Aguilera 2002; Hayashibara 2004",
        "who crashed is suspected for ever; once delays stay bounded nobody else is",
        "a verdict may be wrong at any time; no safety may depend on it",
        "N(N-1) per period",
        "T + E after the last heartbeat",
    };
    enum FixIndex : std::size_t { stall_guard, widening };
    static constexpr std::array fixes{
        Fix{"stall-guard", "a pause of its own moves every deadline instead of accusing everybody"},
        Fix{"widening", "a wrong suspicion enlarges the margin"},
    };
    enum class Rule : std::uint8_t { fixed, jacobson, chen, bertier, accrual };
    struct Config {
        FixSet fixes{};
        Duration period{};     // T
        Duration margin{};     // E, or A where the model is synchronous
        Rule estimator{};      // how E follows what is observed
        double threshold = 8;  // phi, for the accrual rule
        bool reliable = false;
    };
    static Config configure(const Settings& s) {
        const Duration latency = s.tm + s.tp;
        return {{}, 4 * s.tm, latency + latency / 4, Rule::accrual, 8, false};
    }
    template <class F> static void each_option(Config& config, F option) {
        option("period", config.period);
        option("margin", config.margin);
        option("estimator", config.estimator);
        option("threshold", config.threshold);
        option("reliable", config.reliable);
    }
    // Each mistake widens the margin by a quarter of a period: so many, and then a detection.
    static Duration settles_within(const Config& config, std::size_t) {
        return 80 * config.period + 8 * config.margin;
    }

    struct Beat {  // I am here
        std::uint64_t seq = 0;
    };
    using Message = std::variant<Beat>;
    struct NextBeat {};
    struct Silent {
        NodeId peer{};
    };
    using Timer = std::variant<NextBeat, Silent>;
    using Request = std::variant<None>;
    using Notice = std::variant<Suspected, Trusted, Failed, BoundBroken>;
    using Durable = None;
    using Turn = conclave::Turn<Heartbeat>;
    using History = VerdictHistory;

    struct Peer {
        NodeId node{};
        Estimator estimator{};
        Instant life{};  // when anything at all was heard from it
        bool suspected = false;
    };
    std::vector<Peer> peers;
    std::uint64_t seq = 0;
    Instant beat_due{};  // when our own next heartbeat is due: later than that, we were asleep

    bool suspects(NodeId node) const {
        for (const Peer& peer : peers) {
            if (peer.node == node) return peer.suspected;
        }
        return false;
    }
    static std::span<const Property<Heartbeat>> properties();

    void on(Turn& turn, const Booted<Heartbeat>&) {
        for (const Member& member : turn.seat.members) {
            if (member.node == turn.seat.self) continue;
            Peer& peer = peers.emplace_back(Peer{member.node, chosen(turn.config()), turn.now});
            watch(peer.estimator, turn.now, turn.config().period);
            await(turn, peer);
        }
        on(turn, NextBeat{});
    }
    void on(Turn& turn, NextBeat) {
        ++seq;
        for (const Peer& peer : peers) turn.send(peer.node, Beat{seq});
        beat_due = turn.now + turn.config().period;
        turn.arm(NextBeat{}, turn.config().period);
    }
    void on(Turn& turn, NodeId from, Beat beat) {
        Peer* peer = find(from);
        if (!peer) return;
        heard(peer->estimator, turn.now, beat.seq, turn.config().period);
        alive(turn, *peer);
    }
    // Any message is a sign of life, but only numbered ones teach anything about delays.
    void on(Turn& turn, Heard sign) {
        if (Peer* peer = find(sign.node)) alive(turn, *peer);
    }
    void on(Turn& turn, Silent silent) {
        Peer* peer = find(silent.peer);
        if (!peer || peer->suspected) return;
        if (deadline(turn, *peer) > turn.now) return await(turn, *peer);  // it was moved meanwhile
        peer->suspected = true;
        if (turn.config().reliable) {
            turn.tell(Failed{peer->node});
        } else {
            turn.tell(Suspected{peer->node});
        }
    }
    // A new life: nothing that was learnt about the old one holds, least of all a verdict.
    void on(Turn& turn, Restarted peer_back) {
        Peer* peer = find(peer_back.node);
        if (!peer) return;
        watch(peer->estimator, turn.now, turn.config().period);
        peer->life = turn.now;
        if (std::exchange(peer->suspected, false)) turn.tell(Trusted{peer->node});
        await(turn, *peer);
    }

    // We should have been awake at beat_due. What came in while we slept is still to be read.
    void expire(Turn& turn) {
        if (beat_due == Instant{} || !turn.fixed(stall_guard)) return;
        const Duration asleep = turn.now - beat_due;
        if (asleep <= turn.config().period / 4) return;
        beat_due = turn.now;
        for (Peer& peer : peers) {
            shift(peer.estimator, asleep);
            if (!peer.suspected) await(turn, peer);
        }
    }

private:
    static Estimator chosen(const Config& config) {
        switch (config.estimator) {
            case Rule::fixed:
                return Fixed{.margin = config.margin};
            case Rule::jacobson:
                return Jacobson{.granularity = config.margin / 2};
            case Rule::chen:
                return Chen{.alpha = config.margin};
            case Rule::bertier:
                return Bertier{};
            case Rule::accrual:
                return Accrual{.threshold = config.threshold};
        }
        return Fixed{};
    }
    Peer* find(NodeId node) {
        for (Peer& peer : peers) {
            if (peer.node == node) return &peer;
        }
        return nullptr;
    }
    static Instant deadline(const Turn& turn, const Peer& peer) {
        return std::max(conclave::deadline(peer.estimator),
                        peer.life + turn.config().period + turn.config().margin);
    }
    void await(Turn& turn, const Peer& peer) {
        turn.arm(Silent{peer.node}, std::max(deadline(turn, peer) - turn.now, Duration{1}));
    }
    void alive(Turn& turn, Peer& peer) {
        peer.life = turn.now;
        if (peer.suspected && turn.config().reliable) return turn.tell(BoundBroken{peer.node});
        if (std::exchange(peer.suspected, false)) {
            if (turn.fixed(widening)) mistaken(peer.estimator);
            turn.tell(Trusted{peer.node});
        }
        await(turn, peer);
    }
};
static_assert(Protocol<Heartbeat>);

inline std::span<const Property<Heartbeat>> Heartbeat::properties() {
    static constexpr std::array list{
        Property<Heartbeat>{"completeness", Demand::settled, detection::complete<Heartbeat>},
        Property<Heartbeat>{"accuracy", Demand::settled, detection::accurate<Heartbeat>},
    };
    return list;
}

}  // namespace conclave
