// elect/ring.h -- the ring election of Chang and Roberts (1979), as lectures 000 and 001 retell it.
//
// Ensures  once the ring is quiet, every live node names the best live node.
// Breaks   if a live node is taken for dead, or the ring falls apart: a leader in each part, until
//          the detector takes it back. See scenarios/ring_false_suspicion_skips_the_best.txt.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "elect/ring_parts.h"

namespace conclave {

struct Ring {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::restart};
    static constexpr Claim claim{
        Kind::election,
        "Chang and Roberts 1979; lectures 000, 001",
        "at rest every live node names the best live node",
        "a false suspicion or a partition makes two leaders at once",
        "3N - 1 worst, 2N best",
        "3N - 1 worst, 2N best",
    };
    enum FixIndex : std::size_t {
        swallow,
        per_run_flag,
        rounds,
        orphan,
        frozen_key,
        resend,
        late_drop,
        skipped,
        heir,
        outdated,
    };
    static constexpr std::array fixes{
        Fix{"swallow",
            "a participant swallows what cannot win (000:76 answers with its own key, RGT-1)"},
        Fix{"per-run-flag", "having taken part is forgotten when a new run comes (RGT-2, RGT-3)"},
        Fix{"rounds", "runs have growing, durable numbers: old ones block nobody (RGT-4, RGT-11)"},
        Fix{"orphan", "a run whose winner died, or that takes too long, is begun anew (RGT-5)"},
        Fix{"frozen-key", "a node keeps the key it entered the run with (RGT-9)"},
        Fix{"resend", "whoever gets a new successor tells it where the run stands (RGT-5)"},
        Fix{"late-drop",
            "what comes late from a finished run or an earlier life is dropped (RGT-10, RGT-11)"},
        Fix{"skipped", "a node that was passed over and is better begins a new run (RGT-8)"},
        Fix{"heir", "watch=neighbour: if the neighbour is dead too, the next one stands in"},
        Fix{"outdated", "whoever speaks of an old run is told who leads now"},
    };
    enum class Watch : std::uint8_t {
        neighbour,  // only the next on the ring acts on the failure of the would-be leader (001)
        any,        // anybody may, the next on the ring first
    };
    struct Config {
        FixSet fixes{};
        Duration run{};   // by then a run is over, or lost
        Duration slot{};  // how much longer each rank waits before it begins a run anew
        Direction direction = Direction::next;
        Join join = Join::call;
        bool initiators = false;  // 001: runs carry their initiator, higher ones suppress lower
        Watch watch = Watch::any;
    };
    static Config configure(const Settings& s) {
        // 3N - 1 after its initiator began, who did so before it heard of me: N more at most.
        const auto hops = static_cast<Duration::rep>(4 * s.nodes);
        const Duration hop = s.tm + s.tp;
        return {{}, hops * hop + 4 * s.round_trip(), hop, s.direction, s.join, false, Watch::any};
    }
    static Duration settles_within(const Config& config, std::size_t nodes) {
        return settling_time_of_ring(config, nodes);
    }
    template <class F> static void each_option(Config& config, F option) {
        option("run", config.run);
        option("slot", config.slot);
        option("initiators", config.initiators);
        option("watch", config.watch);
    }

    struct Election {  // is anybody better than this one?
        Run run;
        Key key;             // the best so far
        std::uint32_t hops;  // places on the ring since its owner's, empty ones counted
    };
    struct Elected {  // nobody was
        Run run;
        Key leader;
    };
    using Message = std::variant<Election, Elected>;

    struct Overdue {};  // the run should be over by now
    struct Again {};    // my turn to begin a new one, if it is still needed
    using Timer = std::variant<Overdue, Again>;

    using Request = std::variant<Campaign>;
    using Notice = std::variant<LeaderIs>;
    struct Durable {
        Round round;  // the largest seen: a restarted node must not take part twice
    };
    using Turn = conclave::Turn<Ring>;
    using History = RunsWon;

    struct Passed {
        Key key;
        std::uint32_t hops = 0;
    };
    Durable seen{};
    Round spent{};               // rounds of an earlier life
    Run run{};                   // the largest heard of: 001's cache
    Key key{};                   // mine in this run
    std::optional<Passed> best;  // what I sent on in this run: present while it lasts
    std::optional<Key> leader;   // who won it
    bool participant = false;    // 000's state, 001's "has forwarded an election message"
    bool timed = false;          // Overdue is armed: once per round, not per initiator
    Doubling attempts;           // runs in a row that came to nothing
    LivingRing ring;

    std::optional<NodeId> elected(Instant) const {
        return leader ? std::optional(leader->node) : std::nullopt;
    }
    static std::span<const Property<Ring>> properties();

    void on(Turn& turn, const Booted<Ring>& booted) {
        seen = booted.durable;
        run.round = spent = seen.round;
        if (turn.config().join == Join::call) begin(turn);
    }
    void on(Turn& turn, Campaign) {
        if (!best) begin(turn);  // at most one at a time
    }
    void on(Turn& turn, Suspected peer) {
        if (ring.suspect(turn, peer.node)) mend(turn);
        look_after(turn);
    }
    void on(Turn& turn, Trusted peer) {
        if (ring.trust(turn, peer.node)) mend(turn);
    }
    // It lives, but it has forgotten this run. (A leader that has is told so by its predecessor.)
    void on(Turn& turn, Restarted peer) {
        ring.trust(turn, peer.node);
        if (ring.successor(turn) == peer.node) mend(turn);
        if (best && best->key.node == peer.node) begin_again(turn, peer.node);
    }

    void on(Turn& turn, NodeId from, Election election) {
        if (!enter(turn, election.run)) return enlighten(turn, from);
        if (over(turn)) return;
        if (turn.fixed(swallow) && cannot_win(election)) return;
        const Key mine = own_key(turn);
        if (election.key == mine) return lead(turn, mine);
        if (turn.fixed(orphan) && seen_before(election)) {
            return begin_again(turn, election.key.node);  // it has missed its owner's place
        }
        if (election.key > mine) return pass(turn, election.key, election.hops);
        if (participant && turn.fixed(swallow)) return;
        pass(turn, mine, 0);
    }
    void on(Turn& turn, NodeId from, Elected elected) {
        if (!enter(turn, elected.run)) return enlighten(turn, from);
        if (elected.leader.node == turn.seat.self) {
            if (!leading(turn)) begin(turn);  // an earlier life of mine won: I know of nothing
            return;                           // else it has gone round
        }
        if (leader && turn.fixed(rounds)) {
            if (elected.leader == *leader) return;  // a copy
            if (elected.leader < *leader) return enlighten(turn, from);
        }
        if (elected.leader < own_key(turn) && turn.fixed(skipped)) return begin(turn);
        follow(turn, elected.leader);
        announce(turn);
    }

    void on(Turn& turn, Overdue) {
        timed = false;
        if (best) begin_again(turn, best->key.node);
    }
    void on(Turn& turn, Again) {
        if (!best && !(leader && ring.suspects(leader->node))) return;  // it was a false alarm
        begin(turn);
    }

private:
    bool leading(const Turn& turn) const { return leader && leader->node == turn.seat.self; }
    Key own_key(const Turn& turn) const {
        return best && turn.fixed(frozen_key) ? key : turn.seat.key();
    }
    bool over(const Turn& turn) const {
        if (!turn.fixed(late_drop) || !turn.fixed(rounds)) return false;
        return leader || run.round <= spent;
    }
    bool cannot_win(const Election& election) const {
        if (!best || election.key > best->key) return false;
        return election.key < best->key || election.hops <= best->hops;  // else a second turn
    }
    bool seen_before(const Election& election) const {
        return best && election.key == best->key && election.hops > best->hops;
    }

    // Into a newer run; false if it is an older one (001: of a suppressed initiator).
    bool enter(Turn& turn, Run heard) {
        if (heard > run) renew(turn, heard);
        return heard == run;
    }
    void begin(Turn& turn) {
        const NodeId initiator = turn.config().initiators ? turn.seat.self : NodeId{};
        renew(turn, {turn.fixed(rounds) ? seen.round.next() : seen.round, initiator});
        pass(turn, turn.seat.key(), 0);
    }
    void renew(Turn& turn, Run newer) {
        if (best && run.round < newer.round) attempts.once_more(3);
        run = newer;
        best.reset();
        if (turn.fixed(per_run_flag)) participant = false;
        if (seen.round < run.round) {
            seen.round = run.round;
            turn.save(seen);
            stop_clock(turn);
        }
        vacate(turn);
        turn.disarm(Again{});
    }
    void pass(Turn& turn, Key candidate, std::uint32_t hops) {
        if (!best) take_part(turn);
        participant = true;
        if (!best || best->key <= candidate) best = Passed{candidate, hops};
        const auto [node, steps] = ring.next(turn);
        if (node != turn.seat.self) {
            turn.send(node, Election{run, candidate, hops + steps});
        } else if (candidate == key) {
            return lead(turn, key);  // nobody else is left
        }
        look_after(turn);
    }
    void take_part(Turn& turn) {
        key = turn.seat.key();
        vacate(turn);
        start_clock(turn);
    }
    void start_clock(Turn& turn) {
        if (timed || !turn.fixed(orphan)) return;
        timed = true;
        turn.arm(Overdue{}, attempts.of(turn.config().run));
    }
    void stop_clock(Turn& turn) {
        if (timed) turn.disarm(Overdue{});
        timed = false;
    }
    // My successor is a new one, which may have missed what I sent last. Whoever has it already can
    // tell: places are counted, not forwards, so a way around a gap makes no difference.
    void mend(Turn& turn) {
        if (!turn.fixed(resend)) return;
        const auto [node, steps] = ring.next(turn);
        if (node == turn.seat.self) {
            if (best && best->key == key) lead(turn, key);
        } else if (leader) {
            turn.resend(node, Elected{run, *leader});
        } else if (best) {
            turn.resend(node, Election{run, best->key, best->hops + steps});
        }
    }

    void enlighten(Turn& turn, NodeId from) {
        if (!turn.fixed(outdated) || !turn.fixed(rounds)) return;  // old is what rounds say
        if (leader) return turn.resend(from, Elected{run, *leader});
        if (!best) begin(turn);  // I know only that it is outdated
    }

    void lead(Turn& turn, Key mine) {
        follow(turn, mine);
        announce(turn);
    }
    void announce(Turn& turn) {
        const NodeId node = ring.successor(turn);
        if (node != turn.seat.self) turn.send(node, Elected{run, *leader});
    }
    void follow(Turn& turn, Key winner) {
        leader = winner;
        best.reset();
        attempts = {};
        if (!turn.config().initiators || turn.fixed(per_run_flag)) participant = false;
        stop_clock(turn);
        turn.disarm(Again{});
        tell_leader(turn);
        look_after(turn);
    }
    void vacate(Turn& turn) {
        if (!leader) return;
        leader.reset();
        tell_leader(turn);
    }
    void tell_leader(Turn& turn) const {
        const Epoch epoch = turn.config().initiators ? epoch_of(run) : Epoch{run.round.value};
        turn.tell(LeaderIs{elected(turn.now), epoch});
    }

    // Is anybody gone on whom this run, or its outcome, depends?
    void look_after(Turn& turn) {
        if (ring.suspected.empty()) return;
        if (leader) return doubt(turn, leader->node);
        if (!best) return;
        doubt(turn, best->key.node);
        if (turn.config().initiators) doubt(turn, run.by);
    }
    void doubt(Turn& turn, NodeId node) {
        if (!ring.suspects(node)) return;
        if (turn.config().watch == Watch::neighbour && !stands_next_to(turn, node)) return;
        begin_again(turn, node);
    }
    bool stands_next_to(const Turn& turn, NodeId gone) const {
        if (turn.fixed(heir)) return ring.rank(turn, gone) == 0;
        return LivingRing::steps(turn, gone, turn.seat.self) == 1;
    }
    void begin_again(Turn& turn, NodeId gone) {
        turn.arm(Again{}, ring.my_turn(turn, gone, attempts.of(turn.config().slot)));
    }
};
static_assert(Protocol<Ring>);

// RGT-5. A second lap there may be, past those who were skipped in the first.
inline std::optional<std::string> key_goes_round(const View<Ring>& view) {
    for (const auto& node : view.nodes) {
        const auto& best = node.state->best;
        if (!node.up || !best || best->hops < 2 * view.members.size()) continue;
        return election::name(node.node) + " passes on the key of " +
               election::name(best->key.node) + " after " + std::to_string(best->hops) + " places";
    }
    return std::nullopt;
}

inline std::span<const Property<Ring>> Ring::properties() {
    static constexpr std::array list{
        Property<Ring>{"somebody leads", Demand::sometimes, election::somebody_leads<Ring>},
        Property<Ring>{"nobody wins a run twice", Demand::always,
                       election::one_winner_per_epoch<Ring>},
        Property<Ring>{"no key goes round for ever", Demand::always, key_goes_round},
        Property<Ring>{"all agree", Demand::settled, election::all_agree<Ring>},
        Property<Ring>{"the best leads", Demand::settled, election::best_leads<Ring>},
    };
    return list;
}

}  // namespace conclave
