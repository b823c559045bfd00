// detect/ping.h -- asks everybody every period; no answer within T = 2 Tm + Tp means failed.
//
// Ensures  where Tm and Tp bound every message and every answer: Failed is true, and comes exactly
//          T after the first question that the dead node did not answer.
// Breaks   if an answer is late: a live node is declared failed. BoundBroken tells when it shows.
//          The real world needs some slop on top of T, and has no bound that slop could reach.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>
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
        const auto usable = [](Duration length) {
            return length > Duration{} && length <= std::chrono::hours(1);
        };
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
    std::vector<Peer> peers;    // by id
    Nonce nonce{};              // of this round's question
    Instant due{};              // of its answers
    Incarnation incarnation{};  // my own

    const Peer* find(NodeId node) const {
        const auto found = std::ranges::lower_bound(peers, node, {}, &Peer::node);
        return found != peers.end() && found->node == node ? &*found : nullptr;
    }
    Status status(NodeId node) const {
        const Peer* peer = find(node);
        return peer ? peer->status : Status::unsuspected;
    }
    bool suspects(NodeId node) const { return status(node) != Status::unsuspected; }
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
        std::erase_if(peers, [&](const Peer& peer) {
            if (turn.seat.members.contains(peer.node)) return false;
            turn.disarm(NoAnswer{peer.node});
            return true;
        });
        for (const Member& member : turn.seat.members) {
            if (member.node == turn.seat.self || find(member.node)) continue;
            const auto place = std::ranges::lower_bound(peers, member.node, {}, &Peer::node);
            peers.insert(place, Peer{member.node});  // asked in the next round
        }
    }
    void on(Turn& turn, NextRound) {
        nonce = nonce.next();
        due = turn.now + turn.config().wait();
        for (const Peer& peer : peers) {
            turn.send(peer.node, question());
            if (peer.status == Status{}) turn.arm(NoAnswer{peer.node}, turn.config().wait());
        }
        turn.arm(NextRound{}, std::max(turn.config().period, turn.config().wait()));
    }
    void on(Turn& turn, NodeId from, AreYouAlive question) {
        turn.send(from, IAm{question, incarnation});
        Peer* peer = known(from);
        if (!peer || !meet(turn, *peer, question.incarnation)) return;
        if (peer->status >= Status::failed) alive(turn, *peer);  // the dead do not ask
    }
    void on(Turn& turn, NodeId from, IAm answer) {
        Peer* peer = known(from);
        if (!peer || !meet(turn, *peer, answer.incarnation)) return;
        if (answer.question == question()) turn.disarm(NoAnswer{from});
        alive(turn, *peer);
    }
    void on(Turn& turn, NoAnswer silent) {
        Peer* peer = known(silent.peer);
        if (!peer || peer->status != Status::unsuspected) return;
        const Duration late = turn.now - due;
        if (turn.fixed(stall_guard) && late > turn.config().wait() / 4) {
            // The answer may lie unread before us, or was lost while it waited there.
            turn.tell(Slept{late});
            return turn.arm(silent, turn.config().wait());
        }
        if (turn.config().reliable) {
            peer->status = Status::failed;
            turn.tell(Failed{peer->node});
        } else {
            peer->status = Status::suspected;
            turn.tell(Suspected{peer->node});
        }
    }
    // The driver has heard of it first, and has told everybody.
    void on(Turn& turn, Restarted back) {
        Peer* peer = known(back.node);
        if (!peer) return;
        peer->incarnation = {};
        new_life(turn, *peer);
    }

private:
    AreYouAlive question() const { return {nonce, incarnation}; }
    Peer* known(NodeId node) { return const_cast<Peer*>(find(node)); }

    // Notices another life. False: the message is from one that is over.
    bool meet(Turn& turn, Peer& peer, Incarnation shown) {
        if (!turn.fixed(incarnations)) return true;
        if (shown < peer.incarnation) return false;
        const Incarnation before = std::exchange(peer.incarnation, shown);
        if (before > Incarnation{} && shown > before) {
            new_life(turn, peer);
            turn.tell(Restarted{peer.node});
        } else if (before == Incarnation{} && peer.status == Status::failed) {
            new_life(turn, peer);  // whoever did not answer, it was not this one
        }
        return true;
    }
    // Neither a verdict nor a question to the old one concerns it.
    void new_life(Turn& turn, Peer& peer) {
        turn.disarm(NoAnswer{peer.node});
        const bool accused = std::exchange(peer.status, Status::unsuspected) != Status{};
        if (accused) turn.tell(Trusted{peer.node});
    }
    void alive(Turn& turn, Peer& peer) {
        if (peer.status >= Status::failed) {
            const bool first = std::exchange(peer.status, Status::disproved) == Status::failed;
            if (first) turn.tell(BoundBroken{peer.node});
        } else if (std::exchange(peer.status, Status::unsuspected) != Status{}) {
            turn.tell(Trusted{peer.node});
        }
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
