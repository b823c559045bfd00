// detect/ping.h -- asks everybody every period; no answer within T = 2 Tm + Tp means failed.
//
// Ensures  where Tm and Tp bound every message and every answer: Failed is true, and comes exactly
//          T after the first question that the dead node did not answer.
// Breaks   if an answer is late: a live node is declared failed. BoundBroken tells when it shows.
//          The real world needs some slop on top of T, and has no bound that slop could reach.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "detect/peers.h"

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
    enum FixIndex : std::size_t { incarnations, stall_guard };
    static constexpr std::array fixes{
        Fix{"incarnation", "a restart is told from a late answer, within the timeout too (FDT-1)"},
        Fix{"stall-guard", "who looks at the clock too late asks again instead of accusing"},
    };
    struct Config {
        FixSet fixes{};
        Duration period{};
        Duration answer{};     // T
        Duration slop{};       // what the real world needs on top of it
        bool reliable = true;  // says Failed and means it; else Suspected

        Duration wait() const { return answer + slop; }
    };
    static Config configure(const Settings& s) { return {{}, 4 * s.tm, s.round_trip(), {}, true}; }
    template <class F> static void each_option(Config& config, F option) {
        option("period", config.period);
        option("answer", config.answer);
        option("slop", config.slop);
        option("reliable", config.reliable);
    }
    static std::optional<std::string> refuse(const Config& config) {
        using detection::usable;
        if (!usable(config.period)) return "period must be more than 0 and at most an hour";
        if (!usable(config.answer)) return "answer must be more than 0 and at most an hour";
        if (config.slop < Duration{} || !usable(config.wait())) {
            return "slop must be at least 0 and at most an hour";
        }
        return std::nullopt;
    }
    static Duration settles_within(const Config& config, std::size_t) {
        return 2 * (std::max(config.period, config.wait()) + config.wait());
    }

    struct AreYouAlive {
        Nonce nonce;
        Incarnation incarnation;  // of the sender
        friend bool operator==(const AreYouAlive&, const AreYouAlive&) = default;
    };
    struct IAm {
        AreYouAlive question;  // echoed, so that neither another round nor another life takes it
        Incarnation incarnation;
    };
    using Message = std::variant<AreYouAlive, IAm>;
    struct NextRound {};
    struct NoAnswer {
        NodeId peer{};
    };
    using Timer = std::variant<NextRound, NoAnswer>;
    using Request = std::variant<None>;
    using Notice = std::variant<Suspected, Trusted, Failed, Restarted, BoundBroken, Slept>;
    using Durable = None;
    using Turn = conclave::Turn<Ping>;
    using History = VerdictHistory;

    struct Peer {
        NodeId node{};
        Status status{};
        Incarnation incarnation{};  // of its last message; zero: not known yet
    };
    Peers<Peer> peers;
    Nonce nonce{};              // of this round's question
    Instant due{};              // of its answers
    Incarnation incarnation{};  // my own

    // Question and answer must both get through: it measures the round trip.
    static bool reaches(const View<Ping>& view, const Standing<Ping>& subject,
                        const Standing<Ping>& observer) {
        return view.linked(subject, observer);
    }
    static std::span<const Property<Ping>> properties();

    void on(Turn& turn, const Booted<Ping>&) {
        incarnation = turn.seat.incarnation;
        on(turn, MembersChanged{});
        on(turn, NextRound{});
    }
    void on(Turn& turn, MembersChanged) {
        const auto ignore = [&](const Peer& peer) { turn.disarm(NoAnswer{peer.node}); };
        const auto welcome = [](const Peer&) {};  // it is asked in the next round
        peers.follow(turn.seat.members, turn.seat.self, ignore, welcome);
    }
    void on(Turn& turn, NextRound) {
        nonce = nonce.next();
        due = turn.now + turn.config().wait();
        for (const Peer& peer : peers.list) {
            turn.send(peer.node, question());
            if (peer.status == Status{}) turn.arm(NoAnswer{peer.node}, turn.config().wait());
        }
        turn.arm(NextRound{}, std::max(turn.config().period, turn.config().wait()));
    }
    void on(Turn& turn, NodeId from, AreYouAlive question) {
        turn.send(from, IAm{question, incarnation});
        Peer* peer = peers.find(from);
        if (!peer || !meet(turn, *peer, question.incarnation)) return;
        if (peer->status >= Status::failed) alive(turn, *peer);  // the dead do not ask
    }
    void on(Turn& turn, NodeId from, IAm answer) {
        Peer* peer = peers.find(from);
        if (!peer || !meet(turn, *peer, answer.incarnation)) return;
        if (answer.question == question()) turn.disarm(NoAnswer{from});
        alive(turn, *peer);
    }
    void on(Turn& turn, NoAnswer silent) {
        Peer* peer = peers.find(silent.peer);
        if (!peer || peer->status != Status::unsuspected) return;
        const Duration late = turn.now - due;
        if (turn.fixed(stall_guard) && late > turn.config().wait() / 4) {
            // The answer may lie unread before us, or was lost while it waited there.
            turn.tell(Slept{late});
            return turn.arm(silent, turn.config().wait());
        }
        detection::accuse(turn, *peer);
    }
    // The driver has heard of it first, and has told everybody.
    void on(Turn& turn, Restarted back) {
        Peer* peer = peers.find(back.node);
        if (!peer) return;
        peer->incarnation = {};
        new_life(turn, *peer);
    }

private:
    AreYouAlive question() const { return {nonce, incarnation}; }

    bool meet(Turn& turn, Peer& peer, Incarnation shown) {
        if (!turn.fixed(incarnations)) return true;
        return detection::meet(turn, peer, shown, [&] { new_life(turn, peer); });
    }
    // Neither a verdict nor a question to the old one concerns it.
    void new_life(Turn& turn, Peer& peer) {
        turn.disarm(NoAnswer{peer.node});
        detection::absolve(turn, peer);
    }
    void alive(Turn& turn, Peer& peer) {
        if (!detection::disproves(turn, peer)) detection::absolve(turn, peer);
    }
};
static_assert(Protocol<Ping>);

inline std::span<const Property<Ping>> Ping::properties() {
    static constexpr std::array list{
        Property<Ping>{"failed is true", Demand::always, detection::failed_is_true<Ping>},
        Property<Ping>{"completeness", Demand::settled, detection::complete<Ping>},
        Property<Ping>{"accuracy", Demand::settled, detection::accurate<Ping>},
    };
    return list;
}

}  // namespace conclave
