// elect/garcia_molina.h -- Garcia-Molina's own bully election: first stop everybody, then lead.
//
// Ensures  in every state, nodes at work or about to be agree on the coordinator, and nodes at work
//          agree on the definition; at rest the best live node leads all that live.
// Breaks   if a message is lost or takes longer than Tm: a higher node that is merely slow counts
//          as dead, and two coordinators work at once.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "core/node_set.h"
#include "elect/definition.h"
#include "elect/election.h"
#include "elect/garcia_molina_cuts.h"
#include "elect/garcia_molina_messages.h"
#include "elect/garcia_molina_options.h"

namespace conclave::garcia_molina {

struct GarciaMolina {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::restart};
    static constexpr Claim claim{
        Kind::election,
        "Garcia-Molina 1982; lecture 002, listings 10.16 to 10.21",
        "always one coordinator and one definition at work; at rest the best node leads",
        "a late or lost message makes two coordinators at once",
        "1 + 6(N-2) called by the best, (N-1)^2 + 6(N-2) by the worst, 6(N-1) by the top node",
        "2T + 4, 2T + 5, T + 4",
    };
    static constexpr auto& fixes = garcia_molina::fixes;
    using Config = garcia_molina::Config;
    static Config configure(const Settings& settings) { return garcia_molina::configure(settings); }
    static Duration lingers(const Config& config) { return 2 * config.silence(); }  // two Checks
    static Duration settles_within(const Config& config, std::size_t) {
        return garcia_molina::settles_within(config);
    }
    template <class F> static void each_option(Config& config, F option) {
        garcia_molina::each_option(config, option);
    }

    using Message = garcia_molina::Message;
    using Timer = garcia_molina::Timer;
    using Request = std::variant<Campaign, Planned>;
    using Notice = std::variant<LeaderIs, StopProcessing, PlanWanted, Defined, StatusIs>;
    struct Durable {
        Round round;  // of my own runs
        Epoch epoch;  // the newest seen
    };
    using Turn = conclave::Turn<GarciaMolina>;
    using History = garcia_molina::History;

    Status status = Status::down;
    Phase phase = Phase::idle;
    std::optional<NodeId> coordinator;
    Definition definition;
    Run halted;        // the run that halted me, or my own
    Key rank;          // its organiser's, frozen when it began
    NodeSet up;        // who has answered my run: the group to be
    NodeSet answered;  // my question
    NodeSet strays;    // found by a check: alive, yet not at work under me
    std::optional<std::string> plan;
    Durable seen{};
    Nonce nonce{};

    // A coordinator in Reorganization does not lead yet: it may lose a member and begin anew, and
    // nobody has been told what to work on.
    std::optional<NodeId> elected(Instant) const {
        return status == Status::normal ? coordinator : std::nullopt;
    }
    static std::span<const Property<GarciaMolina>> properties();

    // What makes a node elect, or look whether it must (listings 10.18 and 10.19). A detector's
    // opinion may be wrong: it is a reason to look, never to act.
    void on(Turn& turn, const Booted<GarciaMolina>& booted) {
        seen = booted.durable;
        nonce = {turn.seat.incarnation.value << 32};  // none of an earlier life comes again
        turn.tell(StatusIs{status, halted});
        if (turn.config().join == Join::call) elect(turn);
    }
    void on(Turn& turn, Campaign) {
        if (status == Status::down || status == Status::normal) elect(turn);
    }
    void on(Turn& turn, Suspected peer) {
        if (waiting() && !turn.fixed(timer_everywhere)) return;
        const bool follows_me = leading(turn) && up.contains(peer.node);
        if (follows_me || halted.by == peer.node) look(turn);
    }
    void on(Turn& turn, Trusted peer) {
        if (leading(turn) && !up.contains(peer.node)) look(turn);
    }
    void on(Turn& turn, MembersChanged) {
        if (status != Status::down) elect(turn);
    }
    void on(Turn& turn, Look) { look(turn); }

    // My own questions, answered or not. The phases of listing 10.20 follow each other here.
    void on(Turn& turn, Late) {
        switch (phase) {
            case Phase::check:
                return judge_check(turn);
            case Phase::ask_higher:
                return halt_lower(turn);
            case Phase::halt:
                return take_office(turn);
            case Phase::set_coordinator:
                if (answered == up) return hand_out(turn);  // only the plan is missing
                return elect(turn);
            default:
                elect(turn);  // without the coordinator, or the member, that is dead
        }
    }
    void on(Turn& turn, NodeId from, UpAnswer answer) {
        if (!mine(turn, answer.nonce)) return;
        if (phase == Phase::ask_higher) return wait(turn);  // let the higher one lead
        if (phase != Phase::probe || coordinator != from) return;
        if (turn.fixed(answer_state) && !(in_office(answer.status) && answer.run == halted)) {
            return elect(turn);
        }
        heard_coordinator(turn);
    }
    void on(Turn& turn, NodeId from, NormalAnswer answer) {
        if (phase != Phase::check || !mine(turn, answer.nonce)) return;
        answered.insert(from);
        if (!answer.normal || !up.contains(from)) strays.insert(from);
    }
    void on(Turn& turn, NodeId from, EnterAnswer answer) {
        if (phase != Phase::halt || !mine(turn, answer.run)) return;
        up.insert(from);
        seen.epoch = std::max(seen.epoch, answer.epoch);
        if (!turn.fixed(full_wait) && up == below(turn)) take_office(turn);
    }
    void on(Turn& turn, NodeId from, SetAnswer answer) {
        if (phase != Phase::set_coordinator || !mine(turn, answer.run)) return;
        answered.insert(from);
        if (answered == up && plan) hand_out(turn);
    }
    void on(Turn& turn, Planned planned) {
        if (phase != Phase::set_coordinator || planned.round != halted.round) return;
        plan = std::move(planned.plan);
        if (answered == up) hand_out(turn);
    }
    void on(Turn& turn, NodeId from, StateAnswer answer) {
        if (phase != Phase::new_state || !mine(turn, answer.run)) return;
        answered.insert(from);
        if (answered == up) work(turn);
    }
    void on(Turn& turn, NodeId, Rejected rejected) {
        if (electing() && mine(turn, rejected.run)) elect(turn);
    }

    // The questions of others (the monitor, listing 10.21).
    void on(Turn& turn, NodeId from, AreYouUp asked) {
        const bool above_me = turn.config().live_attribute && asked.candidate > turn.seat.key();
        if (above_me) return;  // else only those below me ask
        turn.send(from, UpAnswer{asked.nonce, status, halted});
        if (!asked.candidate || !turn.fixed(higher_starts)) return;
        if (status == Status::down || leading(turn)) return elect(turn);
        if (status == Status::normal) look(turn);
    }
    void on(Turn& turn, NodeId from, AreYouNormal asked) {
        const bool yours = asked.run == halted || !turn.fixed(answer_state);
        const bool normal = status == Status::normal && yours;
        turn.send(from, NormalAnswer{asked.nonce, normal});
        if (normal && coordinator == from) heard_coordinator(turn);
    }
    void on(Turn& turn, NodeId from, EnterElection enter) {
        const bool known = enter.run.by == halted.by;
        if (turn.fixed(eid) && known && enter.run.round <= halted.round) return;  // an older one
        if (turn.fixed(reject_lower) && status == Status::election && !known && rank > enter.rank) {
            return turn.send(from, Rejected{enter.run});
        }
        halted = enter.run;
        rank = enter.rank;
        become(turn, Status::election);
        wait(turn);
        turn.send(from, EnterAnswer{enter.run, seen.epoch});
    }
    void on(Turn& turn, NodeId from, SetCoordinator set) {
        const bool accepted = status == Status::election && mine(turn, set.run);
        if (accepted) {
            coordinator = from;
            seen.epoch = set.epoch;
            turn.save(seen);
            become(turn, Status::reorganization);
            turn.arm(Look{}, turn.config().wait);
        }
        reply(turn, from, accepted, SetAnswer{set.run});
    }
    void on(Turn& turn, NodeId from, const NewState& state) {
        const bool accepted = status == Status::reorganization && coordinator == from &&
                              mine(turn, state.definition.run);
        if (accepted) {
            definition = state.definition;
            become(turn, Status::normal);
            heard_coordinator(turn);
        }
        reply(turn, from, accepted, StateAnswer{state.definition.run});
    }

private:
    static bool in_office(Status status) {
        return status == Status::reorganization || status == Status::normal;
    }
    bool leading(const Turn& turn) const { return elected(turn.now) == turn.seat.self; }
    bool electing() const { return phase >= Phase::ask_higher; }
    bool waiting() const { return status == Status::election && phase == Phase::idle; }
    bool mine(const Turn& turn, Run run) const {  // the source knows its sender only
        return turn.fixed(eid) ? run == halted : run.by == halted.by;
    }
    bool mine(const Turn& turn, Nonce asked) const { return !turn.fixed(eid) || asked == nonce; }
    // Those others whose rank is so. By a live attribute it may be any of them: whoever is below
    // does not answer the question, and whoever is above does not obey the order.
    template <class Picks> static NodeSet others(const Turn& turn, Picks picks) {
        NodeSet set;
        for (const Member& member : turn.seat.members) {
            if (member.node == turn.seat.self) continue;
            const Key known{member.priority, member.node};
            if (turn.config().live_attribute || picks(known)) set.insert(member.node);
        }
        return set;
    }
    NodeSet above(const Turn& turn) const {
        return others(turn, [&](Key other) { return other > rank; });
    }
    NodeSet below(const Turn& turn) const {
        return others(turn, [&](Key other) { return other < rank; });
    }
    static NodeSet everybody_else(const Turn& turn) {
        return others(turn, [](Key) { return true; });
    }

    void become(Turn& turn, Status next) {
        if (next == status) return;
        if (status == Status::normal) {
            turn.tell(StopProcessing{});
            turn.tell(LeaderIs{std::nullopt, seen.epoch});
        }
        status = next;
        turn.tell(StatusIs{status, halted});
        if (status != Status::normal) return;
        turn.tell(Defined{definition});
        turn.tell(LeaderIs{coordinator, seen.epoch});
    }
    template <class M> void ask(Turn& turn, Phase question, const NodeSet& whom, M message) {
        phase = question;
        answered.clear();
        for (NodeId node : whom) turn.send(node, message);
        turn.disarm(Look{});
        turn.arm(Late{}, turn.config().answer);
    }
    void ask_nothing(Turn& turn) {
        phase = Phase::idle;
        turn.disarm(Late{});
        turn.disarm(Look{});
    }
    void heard_coordinator(Turn& turn) {
        ask_nothing(turn);
        turn.arm(Look{}, turn.config().silence());
    }
    void wait(Turn& turn) {  // for somebody higher
        ask_nothing(turn);
        up.clear();
        if (turn.fixed(timer_everywhere)) turn.arm(Look{}, turn.config().wait);
    }
    template <class M> void reply(Turn& turn, NodeId to, bool accepted, M answer) {
        if (accepted || !turn.fixed(conditional_answers)) return turn.send(to, answer);
        turn.send(to, Rejected{answer.run});
    }

    void look(Turn& turn) {
        if (status == Status::election) return elect(turn);
        if (!in_office(status)) return;
        nonce = nonce.next();
        if (coordinator != turn.seat.self) {
            return ask(turn, Phase::probe, {*coordinator}, AreYouUp{nonce, std::nullopt});
        }
        if (!leading(turn)) return;
        strays.clear();
        ask(turn, Phase::check, everybody_else(turn), AreYouNormal{nonce, halted});
    }
    void judge_check(Turn& turn) {
        NodeSet missing = up - answered;
        if (!turn.fixed(check_condition)) missing = everybody_else(turn) - (up & answered);
        if (!missing.empty() || !strays.empty()) return elect(turn);
        ask_nothing(turn);
        turn.arm(Look{}, turn.config().check);
    }

    void elect(Turn& turn) {
        seen.round = seen.round.next();
        halted = {seen.round, turn.seat.self};
        rank = turn.config().live_attribute ? turn.seat.key() : turn.seat.members.key(halted.by);
        become(turn, Status::election);
        turn.save(seen);
        up.clear();
        plan.reset();
        nonce = nonce.next();
        const NodeSet higher = above(turn);
        ask(turn, Phase::ask_higher, higher, AreYouUp{nonce, rank});
        if (higher.empty()) halt_lower(turn);
    }
    void halt_lower(Turn& turn) {  // cut c1: no higher node is at work
        const NodeSet lower = below(turn);
        ask(turn, Phase::halt, lower, EnterElection{halted, rank});
        if (lower.empty()) take_office(turn);
    }
    void take_office(Turn& turn) {  // cut c2: nobody is at work
        coordinator = turn.seat.self;
        seen.epoch = seen.epoch.next();
        turn.save(seen);
        become(turn, Status::reorganization);
        if (turn.config().plan == PlanBy::own) {
            plan.emplace();
        } else {
            turn.tell(PlanWanted{halted, up | NodeSet{turn.seat.self}});
        }
        ask(turn, Phase::set_coordinator, up, SetCoordinator{halted, seen.epoch});
        if (up.empty() && plan) hand_out(turn);
    }
    void hand_out(Turn& turn) {  // cut c3: all of up have taken me
        definition = {halted, up | NodeSet{turn.seat.self}, plan.value_or("")};
        ask(turn, Phase::new_state, up, NewState{definition});
        if (up.empty()) work(turn);
    }
    void work(Turn& turn) {  // cut c4: all of up are at work
        ask_nothing(turn);
        become(turn, Status::normal);
        turn.arm(Look{}, turn.config().check);
    }
};
static_assert(Protocol<GarciaMolina>);

inline std::span<const Property<GarciaMolina>> GarciaMolina::properties() {
    using P = GarciaMolina;
    static constexpr std::array list{
        Property<P>{"assertion 1.1", Demand::always, one_coordinator<P>},
        Property<P>{"assertion 1.2", Demand::always, one_definition<P>},
        Property<P>{"cut c1", Demand::always, nobody_higher_works<P>},
        Property<P>{"cut c2", Demand::always, nobody_works<P>},
        Property<P>{"cut c3", Demand::always, all_reorganized<P>},
        Property<P>{"cut c4", Demand::always, all_went_to_work<P>},
        Property<P>{"somebody leads", Demand::sometimes, election::somebody_leads<P>},
        Property<P>{"assertion 2", Demand::settled, one_group<P>},
        Property<P>{"the best leads", Demand::settled, election::best_leads<P>},
        Property<P>{"the group is accurate", Demand::settled, group_is_accurate<P>},
    };
    return list;
}

}  // namespace conclave::garcia_molina

namespace conclave {
using garcia_molina::GarciaMolina;
}
