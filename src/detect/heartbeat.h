// detect/heartbeat.h -- "P is here" to all every T; suspected after a silence of T + E.
//
// Ensures  a crashed node is suspected for ever. Once delays stay bounded, mistakes end: E follows
//          what is observed, and each mistake widens it. Its own pauses are not blamed on others,
//          and a peer's pause looks like lost heartbeats, not like slow ones.
// Breaks   nothing: an opinion may be wrong at any time, and whoever builds safety on it is.
//          With `reliable` it says Failed after T + A, which is true only if A bounds every delay.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "detect/estimator.h"
#include "detect/peers.h"

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
    // Periods are counted from birth and deadlines learnt: no wait in Config says how far.
    static constexpr bool looks_far_back = true;
    enum FixIndex : std::size_t { incarnations, stall_guard, widening };
    static constexpr std::array fixes{
        Fix{"incarnation", "a crash and restart within the timeout is noticed (FDT-1)"},
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
        // No heartbeat to whom we have said something else lately, and none for which we would wake
        // when we are awake shortly before: what sleeps longer costs less.
        bool sparing = false;

        // Whom we told so recently we need not tell now: the gap grows by so much at most, and half
        // the margin is left.
        Duration lately() const { return std::min(period, margin / 2); }
        // How long before it is due a heartbeat may go out.
        Duration early() const { return std::min(period, margin) * 2 / 3; }
        // The others learn, too, but are wrong now and then before they have learnt enough: how
        // long that goes on is a matter of luck.
        bool foresees() const { return estimator == Rule::accrual; }
    };
    static Config configure(const Settings& s) {
        const Duration latency = s.tm + s.tp;
        return {{}, 4 * s.tm, latency + latency / 4, Rule::accrual, 8, false, false};
    }
    template <class F> static void each_option(Config& config, F option) {
        option("period", config.period);
        option("margin", config.margin);
        option("estimator", config.estimator);
        option("threshold", config.threshold);
        option("reliable", config.reliable);
        option("sparing", config.sparing);
    }
    static std::optional<std::string> refuse(const Config& config) {
        using detection::usable;
        if (!usable(config.period)) return "period must be more than 0 and at most an hour";
        if (config.margin < Duration{}) return "margin must not be negative";
        if (!(config.threshold > 0) || config.threshold > 100) return "threshold must be 0 to 100";
        if (config.reliable && config.sparing)
            return "sparing does not go with reliable, which counts on every heartbeat";
        return std::nullopt;
    }
    // Each mistake widens the margin by a quarter of a period: so many, and then a detection.
    static Duration settles_within(const Config& config, std::size_t) {
        return 80 * config.period + 8 * config.margin;
    }

    struct Beat {                               // I am here
        static constexpr bool can_wait = true;  // until I would be accused
        std::uint64_t seq = 0;  // of the period that has begun: who slept through some skips them
        Duration period{};      // the sender's T: when the next one is due
        Incarnation incarnation;
    };
    using Message = std::variant<Beat>;
    struct NextBeat {};
    struct Silent {
        NodeId peer{};
    };
    using Timer = std::variant<NextBeat, Silent>;
    using Request = std::variant<None>;
    using Notice = std::variant<Suspected, Trusted, Failed, Restarted, BoundBroken, Slept>;
    using Durable = None;
    using Turn = conclave::Turn<Heartbeat>;
    using History = VerdictHistory;

    struct Peer {
        NodeId node{};
        Status status{};
        Estimator estimator{};
        Instant life{};                 // the last sign of life that was no heartbeat
        Incarnation incarnation{};      // of its last heartbeat; zero: not known yet
        std::optional<Instant> told{};  // when we last said anything to it, and are sparing
    };
    Peers<Peer> peers;
    Instant born{}, awake{};    // our start; the last time that we did anything
    Instant beat_due{};         // later than that, we were asleep
    Incarnation incarnation{};  // my own

    // How long this peer may be silent at the moment.
    Duration patience(NodeId node) const {
        const Peer* peer = peers.find(node);
        return peer ? conclave::deadline(peer->estimator) - arrivals(*peer).at : Duration{};
    }

    // One way is enough: whoever is heard is alive, whether or not it hears us.
    static bool reaches(const View<Heartbeat>& view, const Standing<Heartbeat>& subject,
                        const Standing<Heartbeat>& observer) {
        return !view.cuts.contains(subject.node, observer.node);
    }
    static std::span<const Property<Heartbeat>> properties();

    void on(Turn& turn, const Booted<Heartbeat>&) {
        born = awake = turn.now;
        incarnation = turn.seat.incarnation;
        on(turn, MembersChanged{});
        on(turn, NextBeat{});
    }
    void on(Turn& turn, MembersChanged) {
        const auto ignore = [&](const Peer& peer) { turn.disarm(Silent{peer.node}); };
        const auto welcome = [&](Peer& peer) {
            peer.estimator = chosen(turn.config());
            start_watching(turn, peer);
        };
        peers.follow(turn.seat.members, turn.seat.self, ignore, welcome);
    }
    void on(Turn& turn, NextBeat) {
        const Duration period = turn.config().period;
        const auto periods = (std::max(turn.now, beat_due) - born) / period;
        const Beat beat{static_cast<std::uint64_t>(periods) + 1, period, incarnation};
        for (const Peer& peer : peers.list) {
            const bool knows = peer.told && turn.now - *peer.told < turn.config().lately();
            if (!knows) turn.send(peer.node, beat);
        }
        beat_due = born + (periods + 1) * period;
        turn.arm(NextBeat{}, beat_due - turn.now);
    }
    void on(Turn& turn, NodeId from, const Beat& beat) {
        Peer* peer = peers.find(from);
        if (!peer || !detection::usable(beat.period)) return;
        if (!meet(turn, *peer, beat.incarnation)) return;
        if (!turn.fixed(incarnations) && arrivals(*peer).stale(beat.seq)) {
            peer->life = turn.now;  // an old heartbeat, or a new life's: who could tell?
        }
        heard(peer->estimator, turn.now, beat.seq, beat.period);
        alive(turn, *peer);
    }
    // Any message is a sign of life, but only numbered ones teach anything about delays.
    void on(Turn& turn, Heard sign) {
        Peer* peer = peers.find(sign.node);
        if (!peer) return;
        peer->life = turn.now;
        meet(turn, *peer, peer->incarnation);
        alive(turn, *peer);
        const bool soon = beat_due - turn.now < turn.config().early();
        if (soon && turn.config().sparing) on(turn, NextBeat{});
    }
    void on(Turn& turn, Spoke said) {
        Peer* peer = turn.config().sparing ? peers.find(said.node) : nullptr;
        if (peer) peer->told = turn.now;
    }
    void on(Turn& turn, Silent silent) {
        Peer* peer = peers.find(silent.peer);
        if (!peer || peer->status != Status::unsuspected) return;
        if (deadline(turn, *peer) > turn.now) return await(turn, *peer);  // it was moved meanwhile
        detection::accuse(turn, *peer);
    }
    // The driver has heard of it first, and has told everybody.
    void on(Turn& turn, Restarted back) {
        Peer* peer = peers.find(back.node);
        if (!peer) return;
        peer->incarnation = {};
        new_life(turn, *peer);
    }

    // We should have been awake at beat_due. What came in while we slept is still to be read, or
    // was lost where it waited. When we fell asleep nobody knows: after the last thing we did.
    void expire(Turn& turn) {
        const Duration late = turn.now - beat_due;
        const Instant fell_asleep = std::exchange(awake, turn.now);
        if (late <= turn.config().period / 4 || !turn.fixed(stall_guard)) return;
        if (peers.list.empty()) return;
        beat_due = turn.now;
        turn.tell(Slept{late});
        for (Peer& peer : peers.list) {
            shift(peer.estimator, turn.now - fell_asleep);
            peer.life += turn.now - fell_asleep;
            if (peer.status == Status::unsuspected) await(turn, peer);
        }
    }

private:
    static Estimator chosen(const Config& config) {
        if (config.reliable) return Fixed{.margin = config.margin};  // T + A, no opinions
        switch (config.estimator) {
            case Rule::fixed:
                return Fixed{.margin = config.margin};
            case Rule::jacobson:
                return Jacobson{.granularity = config.margin, .ceiling = 16 * config.period};
            case Rule::chen:
                return Chen{.alpha = config.margin};
            case Rule::bertier:
                return Bertier{};
            case Rule::accrual:
                return Accrual{.reach = deviations_until(config.threshold)};
        }
        return Fixed{};
    }
    static const Arrivals& arrivals(const Peer& peer) {
        return std::visit([](const auto& rule) -> const Arrivals& { return rule.arrivals; },
                          peer.estimator);
    }

    static Instant deadline(const Turn& turn, const Peer& peer) {
        return std::max(conclave::deadline(peer.estimator),
                        peer.life + arrivals(peer).period + turn.config().margin);
    }
    void await(Turn& turn, const Peer& peer) {
        turn.arm(Silent{peer.node}, std::max(deadline(turn, peer) - turn.now, Duration{1}));
    }
    void start_watching(Turn& turn, Peer& peer) {
        watch(peer.estimator, turn.now, turn.config().period);
        peer.life = turn.now;
        await(turn, peer);
    }
    bool meet(Turn& turn, Peer& peer, Incarnation shown) {
        if (!turn.fixed(incarnations)) return true;
        return detection::meet(turn, peer, shown, [&] { new_life(turn, peer); });
    }
    // Nothing that was learnt about the old one holds, least of all a verdict.
    void new_life(Turn& turn, Peer& peer) {
        start_watching(turn, peer);
        detection::absolve(turn, peer);
    }
    void alive(Turn& turn, Peer& peer) {
        if (detection::disproves(turn, peer)) return;
        if (peer.status == Status::suspected) {
            if (deadline(turn, peer) <= turn.now) return;  // too old to prove anything
            if (turn.fixed(widening)) mistaken(peer.estimator);
            detection::absolve(turn, peer);
        }
        await(turn, peer);
    }
};
static_assert(Protocol<Heartbeat>);

namespace detection {

// Mistakes end, because each of them widens E. When the last of them comes only the accrual rule
// can tell, whose E is several deviations.
inline std::optional<std::string> eventually_accurate(const View<Heartbeat>& view) {
    return view.config.foresees() ? accurate(view) : std::nullopt;
}

}  // namespace detection

inline std::span<const Property<Heartbeat>> Heartbeat::properties() {
    static constexpr std::array list{
        Property<Heartbeat>{"failed is true", Demand::always, detection::failed_is_true<Heartbeat>},
        Property<Heartbeat>{"completeness", Demand::settled, detection::complete<Heartbeat>},
        Property<Heartbeat>{"accuracy", Demand::settled, detection::eventually_accurate},
    };
    return list;
}

}  // namespace conclave
