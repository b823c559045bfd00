// detect/ping.h -- asks everybody every period; no answer within T = 2 Tm + Tp means failed.
//
// Ensures  where Tm and Tp bound every message and every answer: Failed is true, and comes exactly
//          T after the first question that the dead node did not answer.
// Breaks   if an answer is late: a live node is declared failed. BoundBroken tells when it shows.
#pragma once
#include <array>
#include <span>
#include <variant>
#include <vector>

#include "detect/detection.h"

namespace conclave {

struct Ping {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::restart};
    static constexpr Claim claim{
        Kind::detector,
        "Garcia-Molina 1982; lectures 002, 004",
        "failed means failed, within one period + T of the crash",
        "an answer later than T: a live node is declared failed",
        "2N(N-1) per period",
        "T = 2Tm + Tp after the question",
    };
    struct Config {
        FixSet fixes{};
        Duration period{};
        Duration answer{};  // T, with as much slop as the real world needs on top
        bool reliable = true;
    };
    static Config configure(const Settings& s) { return {{}, 4 * s.tm, s.round_trip(), true}; }
    template <class F> static void each_option(Config& config, F option) {
        option("period", config.period);
        option("answer", config.answer);
        option("reliable", config.reliable);
    }
    static Duration settles_within(const Config& config, std::size_t) {
        return 2 * (config.period + config.answer);
    }

    struct AreYouAlive {
        Nonce nonce;
    };
    struct IAm {  // the incarnation tells a restart from a late answer
        Nonce nonce;
        Incarnation incarnation;
    };
    using Message = std::variant<AreYouAlive, IAm>;
    struct NextRound {};
    struct NoAnswer {
        NodeId peer{};
    };
    using Timer = std::variant<NextRound, NoAnswer>;
    using Request = std::variant<None>;
    using Notice = std::variant<Suspected, Trusted, Failed, Restarted, BoundBroken>;
    using Durable = None;
    using Turn = conclave::Turn<Ping>;
    using History = VerdictHistory;

    struct Peer {
        NodeId node{};
        Incarnation incarnation{};  // of its last answer; zero: it never answered
        bool suspected = false;
    };
    std::vector<Peer> peers;
    Nonce nonce{};
    Incarnation incarnation{};  // my own

    bool suspects(NodeId node) const {
        const Peer* peer = find(node);
        return peer && peer->suspected;
    }
    const Peer* find(NodeId node) const {
        for (const Peer& peer : peers) {
            if (peer.node == node) return &peer;
        }
        return nullptr;
    }
    static std::span<const Property<Ping>> properties();

    void on(Turn& turn, const Booted<Ping>&) {
        incarnation = turn.seat.incarnation;
        for (const Member& member : turn.seat.members) {
            if (member.node != turn.seat.self) peers.push_back(Peer{member.node});
        }
        on(turn, NextRound{});
    }
    void on(Turn& turn, NextRound) {
        nonce = nonce.next();
        for (const Peer& peer : peers) {
            turn.send(peer.node, AreYouAlive{nonce});
            if (!peer.suspected) turn.arm(NoAnswer{peer.node}, turn.config().answer);
        }
        turn.arm(NextRound{}, std::max(turn.config().period, turn.config().answer));
    }
    void on(Turn& turn, NodeId from, AreYouAlive question) {
        turn.send(from, IAm{question.nonce, incarnation});
    }
    void on(Turn& turn, NodeId from, IAm answer) {
        for (Peer& peer : peers) {
            if (peer.node == from) answered(turn, peer, answer);
        }
    }
    void on(Turn& turn, NoAnswer silent) {
        for (Peer& peer : peers) {
            if (peer.node != silent.peer || peer.suspected) continue;
            peer.suspected = true;
            if (turn.config().reliable) {
                turn.tell(Failed{peer.node});
            } else {
                turn.tell(Suspected{peer.node});
            }
        }
    }
    void on(Turn&, Restarted) {}  // its answers will say so

private:
    void answered(Turn& turn, Peer& peer, IAm answer) {
        const bool another_life = answer.incarnation > peer.incarnation;
        const bool known = peer.incarnation > Incarnation{};
        if (answer.incarnation < peer.incarnation) return;  // of a life that is over
        if (answer.nonce == nonce) turn.disarm(NoAnswer{peer.node});
        peer.incarnation = answer.incarnation;
        if (peer.suspected && turn.config().reliable && known && !another_life) {
            return turn.tell(BoundBroken{peer.node});
        }
        const bool was_suspected = std::exchange(peer.suspected, false);
        if (another_life && known) turn.tell(Restarted{peer.node});
        if (was_suspected) turn.tell(Trusted{peer.node});
    }
};
static_assert(Protocol<Ping>);

namespace detection {

// Failed is accurate: whoever is declared failed is down, or back in another life.
inline std::optional<std::string> failed_is_true(const View<Ping>& view) {
    for (const auto& observer : view.nodes) {
        for (const auto& subject : view.nodes) {
            const auto* peer = observer.up ? observer.state->find(subject.node) : nullptr;
            if (!peer || !peer->suspected || !subject.up) continue;
            if (peer->incarnation != subject.state->incarnation) continue;
            return std::to_string(number(observer.node)) + " declares " +
                   std::to_string(number(subject.node)) + " failed, which lives";
        }
    }
    return std::nullopt;
}

}  // namespace detection

inline std::span<const Property<Ping>> Ping::properties() {
    static constexpr std::array list{
        Property<Ping>{"failed is true", Demand::always, detection::failed_is_true},
        Property<Ping>{"completeness", Demand::settled, detection::complete<Ping>},
        Property<Ping>{"accuracy", Demand::settled, detection::accurate<Ping>},
    };
    return list;
}

}  // namespace conclave
