// elect/ring_list.h -- the ring election that collects a list of the living (lectures 003, 004).
//
// Ensures  once the ring is quiet, every live node names the best live node and the same members.
// Breaks   if a live node is taken for dead: it is left out until it hears of the result. See
//          scenarios/ring_list_false_suspicion_skips_the_best.txt.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "elect/ring_list_messages.h"
#include "elect/ring_parts.h"

namespace conclave {

struct RingList {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::restart};
    static constexpr Claim claim{
        Kind::election,
        "lectures 003, 004",
        "at rest every live node names the best live node, and the same members",
        "a false suspicion leaves the best node out, or makes two leaders at once",
        "2m, m of the N live; 2 more per dead node that nobody knows of",
        "2m, and 2T more per dead node that nobody knows of",
    };
    enum FixIndex : std::size_t {
        convert,
        order,
        acks,
        overdue,
        skipped,
        resend,
        patience,
        outdated,
    };
    static constexpr std::array fixes{
        Fix{"convert", "whoever first finds itself in the list ends the collection (RGT-6)"},
        Fix{"order", "the result of an older run never replaces that of a newer one (RGT-7)"},
        Fix{"ack", "a successor that does not acknowledge is skipped, detector or not"},
        Fix{"overdue", "a run that takes too long is begun anew"},
        Fix{"skipped", "a node that is missing in the list begins a new run (RGT-8)"},
        Fix{"resend", "a new successor is told the last result"},
        Fix{"patience", "who was skipped and acknowledges after all is given more time (RGT-8)"},
        Fix{"outdated", "whoever speaks of an older result is told the last one"},
    };
    struct Config {
        FixSet fixes{};
        Duration ack{};   // by then a live successor has acknowledged
        Duration run{};   // by then a run is over, or lost
        Duration slot{};  // how much longer each rank waits before it begins a run anew
        Direction direction = Direction::next;
        Join join = Join::call;
    };
    static Config configure(const Settings& s) {
        const Duration ack = s.round_trip(), hop = s.tm + s.tp;
        const auto hops = static_cast<Duration::rep>(2 * s.nodes);
        return {{}, ack, hops * (hop + ack) + 4 * ack, hop, s.direction, s.join};
    }
    static Duration settles_within(const Config& config, std::size_t nodes) {
        return settling_time_of_ring(config, nodes);
    }
    template <class F> static void each_option(Config& config, F option) {
        option("ack", config.ack);
        option("run", config.run);
        option("slot", config.slot);
    }

    using List = ring_list::List;
    using Lap = ring_list::Lap;
    using Hop = ring_list::Hop;
    using Election = ring_list::Election;
    using Coordinator = ring_list::Coordinator;
    using Ack = ring_list::Ack;
    using Message = std::variant<Election, Coordinator, Ack>;

    struct Unacked {  // the successor is silent
        Run run;
        Lap lap;
    };
    struct Overdue {};  // the run should be over by now
    struct Again {};    // my turn to begin a new one, if it is still needed
    using Timer = std::variant<Unacked, Overdue, Again>;

    struct MembersAre {  // who was found alive
        Epoch epoch;
        Small<NodeId, 8> nodes;
    };
    using Request = std::variant<Campaign>;
    using Notice = std::variant<LeaderIs, MembersAre>;
    struct Durable {
        Round round;  // the largest seen: a restarted node must not repeat one
    };
    using Turn = conclave::Turn<RingList>;
    using History = RunsWon;

    struct Office {
        Run run;
        Key leader;
        friend auto operator<=>(const Office&, const Office&) = default;
    };
    Durable seen{};
    Round spent{};                 // rounds of an earlier life
    ring_list::Trips trips;        // of this round
    ring_list::Hops hops;          // and what I sent on in it
    std::optional<Office> office;  // the last result
    List members;                  // as of the last result
    std::optional<Run> awaited;    // the newest run that came by and has no result yet
    Doubling attempts;             // runs in a row that came to nothing
    Doubling lenience;             // successors that turned out to be slow, not dead
    LivingRing ring;

    std::optional<NodeId> elected(Instant) const {
        return office && !awaited ? std::optional(office->leader.node) : std::nullopt;
    }
    static std::span<const Property<RingList>> properties();

    void on(Turn& turn, const Booted<RingList>& booted) {
        seen = booted.durable;
        spent = seen.round;
        if (turn.config().join == Join::call) begin(turn);
    }
    void on(Turn& turn, Campaign) {
        if (!awaited) begin(turn);  // at most one at a time
    }
    void on(Turn& turn, Suspected peer) {
        const bool moved = ring.suspect(turn, peer.node);
        while (Hop* lost = hops.find(peer.node)) pass_by(turn, lost);
        if (moved && turn.fixed(resend)) tell_result(turn, ring.successor(turn));
        look_after(turn);
    }
    void on(Turn& turn, Trusted peer) {
        const bool moved = ring.trust(turn, peer.node);
        if (moved && turn.fixed(resend)) tell_result(turn, ring.successor(turn));
    }
    // What was under way to its old life is lost.
    void on(Turn& turn, Restarted peer) {
        ring.trust(turn, peer.node);
        if (!turn.fixed(resend)) return;
        for (const Hop& hop : hops.list) {
            if (hop.to != peer.node) continue;
            std::visit([&](const auto& one) { turn.resend(hop.to, one); }, hop.message);
        }
        if (ring.successor(turn) == peer.node) tell_result(turn, peer.node);
    }

    // Acknowledged last: once I say that I have it, what I saved and sent must be safe.
    void on(Turn& turn, NodeId from, const Election& election) {
        if (enter(turn, from, election.run)) collect(turn, election);
        acknowledge(turn, from, election.run, Lap::collecting);
    }
    void on(Turn& turn, NodeId from, const Coordinator& result) {
        if (enter(turn, from, result.run)) {
            hear(turn, result);
            if (office && result.leader < office->leader) enlighten(turn, from);
        }
        acknowledge(turn, from, result.run, Lap::announcing);
    }
    void on(Turn& turn, NodeId from, Ack ack) {
        Hop* hop = hops.find(ack.run, ack.lap);
        if (hop == nullptr) return;
        if (hop->to != from) {  // I took it for dead too soon
            if (turn.fixed(patience)) lenience.once_more(6);
            return;
        }
        hop->acked = true;
        turn.disarm(timer_of(*hop));
        if (ack.lap == Lap::announcing) hops.list.erase(hop);  // the result itself is kept
    }

    void on(Turn& turn, Unacked silent) {
        if (Hop* hop = hops.find(silent.run, silent.lap)) pass_by(turn, hop);
    }
    void on(Turn& turn, Overdue) {
        if (awaited) begin_again(turn, awaited->by);
    }
    void on(Turn& turn, Again) {
        if (awaited || leader_is_gone()) begin(turn);  // else it was a false alarm
    }

private:
    // False if the run is of an old round.
    bool enter(Turn& turn, NodeId from, Run heard) {
        if (heard.round > seen.round) renew(turn, heard.round);
        if (heard.round == seen.round || !turn.fixed(order)) return true;
        enlighten(turn, from);
        return false;
    }
    void enlighten(Turn& turn, NodeId from) {
        if (awaited || !turn.fixed(outdated)) return;
        if (office) return tell_result(turn, from);
        begin(turn);  // I know only that it is outdated
    }
    void renew(Turn& turn, Round newer) {
        if (awaited) attempts.once_more(3);
        seen.round = newer;
        turn.save(seen);
        trips = {};
        while (!hops.list.empty()) forget_hop(turn, &hops.list.back());
        turn.disarm(Overdue{});
        turn.disarm(Again{});
    }
    void begin(Turn& turn) {
        renew(turn, seen.round.next());
        const Run mine{seen.round, turn.seat.self};
        trips.note(mine, Lap::collecting);
        await(turn, mine);
        pass(turn, Election{mine, {turn.seat.key()}});
    }
    void collect(Turn& turn, Election election) {
        if (!ring_list::lists(election.list, turn.seat.self)) {
            if (trips.has(election.run, Lap::collecting)) return;  // a copy
            trips.note(election.run, Lap::collecting);
            await(turn, election.run);
            election.list.push_back(turn.seat.key());
            return pass(turn, std::move(election));
        }
        if (trips.has(election.run, Lap::announcing)) return;  // a copy
        if (election.run.by != turn.seat.self && !turn.fixed(convert)) {
            return pass(turn, std::move(election));
        }
        const Key best = *std::ranges::max_element(election.list);
        hear(turn, Coordinator{election.run, best, std::move(election.list)});
    }

    // Within a run there is one result, unless somebody was taken for dead: then the better one.
    bool supersedes(const Coordinator& result) const {
        const Office other{result.run, result.leader};
        if (!office || *office != other) return !office || *office < other;
        return !awaited && members.size() < result.list.size();
    }
    void hear(Turn& turn, const Coordinator& result) {
        const bool better = turn.fixed(order) && supersedes(result);
        if (trips.has(result.run, Lap::announcing) && !better) return;  // it has gone round
        trips.note(result.run, Lap::announcing);
        forget_hop(turn, hops.find(result.run, Lap::collecting));  // it has come through
        if (turn.fixed(order) && !better) return pass(turn, result);
        if (result.leader.node == turn.seat.self && result.run.round <= spent) {
            return begin(turn);  // an earlier life of mine won: I know of nothing
        }
        if (turn.fixed(skipped) && !ring_list::lists(result.list, turn.seat.self)) {
            pass(turn, result);
            return begin(turn);
        }
        accept(turn, result);
        pass(turn, result);
    }

    // To the next that lives. What nobody else is left to take comes back to me at once.
    void pass(Turn& turn, std::variant<Election, Coordinator> message) {
        pass_on(turn, {turn.seat.self, std::move(message)});
    }
    void pass_on(Turn& turn, Hop hop) {
        const NodeId to = ring.after(turn, hop.to).node;
        if (to == turn.seat.self) {
            const auto* election = std::get_if<Election>(&hop.message);
            return election ? collect(turn, *election) : void();
        }
        std::visit([&](const auto& one) { hop.acked ? turn.resend(to, one) : turn.send(to, one); },
                   hop.message);
        forget_hop(turn, hops.find(hop.run(), hop.lap()));
        hops.list.push_back({to, std::move(hop.message)});
        if (!turn.fixed(acks)) return;
        turn.arm(timer_of(hops.list.back()), lenience.of(turn.config().ack));
    }
    void pass_by(Turn& turn, Hop* silent) {
        Hop hop = *silent;
        forget_hop(turn, silent);
        pass_on(turn, std::move(hop));
    }
    void forget_hop(Turn& turn, Hop* hop) {
        if (hop == nullptr) return;
        if (!hop->acked) turn.disarm(timer_of(*hop));
        hops.list.erase(hop);
    }
    static Unacked timer_of(const Hop& hop) { return {hop.run(), hop.lap()}; }

    void acknowledge(Turn& turn, NodeId from, Run run, Lap lap) const {
        if (turn.fixed(acks)) turn.send(from, Ack{run, lap});
    }
    void tell_result(Turn& turn, NodeId to) const {
        if (!office || awaited || to == turn.seat.self) return;
        turn.resend(to, Coordinator{office->run, office->leader, members});
    }

    void await(Turn& turn, Run run) {
        if (office && run < office->run) return;  // it will not count
        if (elected(turn.now)) turn.tell(LeaderIs{std::nullopt, epoch_of(run)});
        if (turn.fixed(overdue) && !(awaited && awaited->round == run.round)) {
            turn.arm(Overdue{}, attempts.of(turn.config().run));
        }
        if (!awaited || *awaited < run) awaited = run;
    }
    void accept(Turn& turn, const Coordinator& result) {
        awaited.reset();
        attempts = {};
        turn.disarm(Overdue{});
        turn.disarm(Again{});
        members = result.list;
        const Office now{result.run, result.leader};
        const Epoch epoch = epoch_of(result.run);
        if (std::exchange(office, now) != now) turn.tell(LeaderIs{now.leader.node, epoch});
        MembersAre found{epoch, {}};
        for (const Key& member : members) found.nodes.push_back(member.node);
        turn.tell(std::move(found));
        look_after(turn);
    }

    bool leader_is_gone() const { return office && ring.suspects(office->leader.node); }
    void look_after(Turn& turn) {
        if (leader_is_gone() && !awaited) begin_again(turn, office->leader.node);
    }
    void begin_again(Turn& turn, NodeId gone) {
        turn.arm(Again{}, ring.my_turn(turn, gone, attempts.of(turn.config().slot)));
    }
};
static_assert(Protocol<RingList>);

// RG-17: everybody knows the same group.
inline std::optional<std::string> same_members(const View<RingList>& view) {
    const Standing<RingList>* first = nullptr;
    for (const auto& node : view.nodes) {
        if (!node.up) continue;
        if (first == nullptr) first = &node;
        if (node.state->members == first->state->members) continue;
        return election::name(first->node) + " and " + election::name(node.node) +
               " know different members";
    }
    return std::nullopt;
}

inline std::span<const Property<RingList>> RingList::properties() {
    static constexpr std::array list{
        Property<RingList>{"somebody leads", Demand::sometimes, election::somebody_leads<RingList>},
        Property<RingList>{"nobody wins a run twice", Demand::always,
                           election::one_winner_per_epoch<RingList>},
        Property<RingList>{"all agree", Demand::settled, election::all_agree<RingList>},
        Property<RingList>{"the best leads", Demand::settled, election::best_leads<RingList>},
        Property<RingList>{"all know the same members", Demand::settled, same_members},
    };
    return list;
}

}  // namespace conclave
