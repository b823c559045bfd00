// elect/invitation.h -- the invitation election (Garcia-Molina 1982; Chow and Johnson, listings
// 10.22-10.28): groups that can talk with each other merge, whatever the network does.
//
// Ensures  a group number means one coordinator and one definition, for ever. Once the network is
//          quiet, nodes that can all talk with each other are one group, and by default their best
//          node coordinates it.
// Breaks   nothing that it promises; but there is one coordinator per connected group, not one.
//
// Here are the state and the rules; invitation_steps.h has what the rules do.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "core/node_set.h"
#include "elect/definition.h"
#include "elect/election.h"
#include "elect/invitation_messages.h"
#include "elect/invitation_options.h"
#include "elect/invitation_properties.h"
#include "elect/invitation_question.h"
#include "elect/invitation_search.h"

namespace conclave::invitation {

struct Invitation {
    static constexpr Model assumes{Links::hostile, Timing::asynchronous, Faults::partition};
    static constexpr Claim claim{
        Kind::election,
        "Garcia-Molina 1982; lectures 000, 004; Chow and Johnson 1997 (002)",
        "one coordinator per connected group; group numbers never repeat",
        "coordinators of groups that cannot talk with each other exist side by side",
        "2(N - 1) to check + 5(m - 1) to merge into m",
        "T + T_collect + 2 = 7",
    };
    static constexpr auto& fixes = invitation::fixes;
    using Config = invitation::Config;
    static Config configure(const Settings& settings) { return invitation::configure(settings); }
    static Duration settles_within(const Config& config, std::size_t nodes) {
        return invitation::settles_within(config, nodes);
    }
    template <class F> static void each_option(Config& config, F option) {
        invitation::each_option(config, option);
    }

    using Message = invitation::Message;
    using Timer = std::variant<Over>;
    using Request = std::variant<Campaign, Planned>;
    using Notice = std::variant<LeaderIs, StopProcessing, Defined, PlanWanted, Formed>;
    struct Durable {
        Round counter;  // of the groups I formed
    };
    using Turn = conclave::Turn<Invitation>;
    using History = invitation::History;

    Durable durable{};
    Group group;
    Definition definition;
    Phase phase = Phase::idle;
    bool timed = false;         // the phase has an end
    std::optional<Group> told;  // the group my application works in
    Question question{};        // my last one
    Group target;               // the group I am about to join
    Group lost;                 // the group I was in before I formed one alone
    // As a coordinator:
    NodeSet up;       // my participants
    NodeSet awaited;  // of them, those that have not answered Ready
    Search search;
    std::optional<std::string> plan;

    std::optional<NodeId> elected(Instant) const {
        if (status_of(phase) != Status::normal) return std::nullopt;
        return group.by;
    }
    static std::span<const Property<Invitation>> properties() {
        return properties_of<Invitation>();
    }

    void on(Turn& turn, const Booted<Invitation>& booted) {
        durable = booted.durable;
        form_alone(turn);
        turn.config().join == Join::stay ? stay(turn, Phase::idle) : check(turn);
    }
    void on(Turn& turn, Campaign) { look_around(turn); }
    void on(Turn& turn, const Planned& planned) {
        if (!coordinating(turn) || planned.round != group.round) return;  // for an older group
        if (phase != Phase::planning && !at_work()) return;
        plan = planned.plan;
        phase == Phase::planning ? hand_out(turn) : merge(turn);  // a new plan, a new number
    }
    // A detector's opinion is a reason to ask, never a verdict.
    void on(Turn& turn, Suspected peer) {
        if (peer.node == group.by || up.contains(peer.node)) look_around(turn);
    }
    void on(Turn& turn, Trusted peer) {
        if (coordinating(turn) && !up.contains(peer.node)) look_around(turn);
    }

    void on(Turn& turn, NodeId from, const AreYouCoordinator& asked) {
        const bool lower = asked.key < turn.seat.key();
        if (asked.group != group) notice(turn, from, lower && turn.config().note_lower);
        if (lower && turn.config().ignore_lower_queries && asked.group != group) return;
        std::optional<NodeId> coordinator;
        if (turn.config().answer_with_coordinator) coordinator = group.by;
        turn.send(from, CoordinatorAnswer{asked.group, asked.nonce, post(turn, asked.group),
                                          turn.seat.key(), coordinator});
    }
    void on(Turn& turn, NodeId from, const CoordinatorAnswer& answer) {
        const bool echo = echoes(turn, answer.nonce) && answer.asked == group;
        if (phase != Phase::checking || !counts(turn, echo)) return;
        search.hear(from, answer, turn.seat.key(), turn.config().only_lower);
    }
    void on(Turn& turn, NodeId from, const AreYouThere& asked) {
        const bool there = coordinating(turn) && asked.group == group && up.contains(from);
        turn.send(from, ThereAnswer{asked.group, asked.nonce, there, turn.seat.key()});
    }
    void on(Turn& turn, NodeId, const ThereAnswer& answer) {
        const bool asking = phase == Phase::asking || phase == Phase::doubting;
        const bool echo = echoes(turn, answer.nonce) && answer.group == group && asking;
        if (coordinating(turn) || !counts(turn, echo)) return;
        if (!answer.there) return lose_coordinator(turn);
        if (phase == Phase::doubting) return await(turn, Phase::joining, turn.config().ready);
        if (phase != Phase::asking) return;
        may_follow(turn, answer.key) ? follow(turn) : lose_coordinator(turn);
    }

    void on(Turn& turn, NodeId from, const Invite& invited) {
        if (!at_work() || invited.group == group) return;
        if (!may_follow(turn, invited.key)) {
            return notice(turn, invited.group.by, true);  // the other way round
        }
        if (!consents(turn, from, invited)) return;
        const NodeSet forward = coordinating(turn) ? up : NodeSet{};
        const bool stays = turn.fixed(tentative) && turn.config().accept == Acceptance::tentative;
        target = invited.group;
        if (!stays) group = target;
        question.put(turn.now);
        question.slow = question.slow || invited.slow;
        await(turn, stays ? Phase::accepting : Phase::leaving, turn.config().answer);
        for (NodeId node : forward) turn.send(node, invited);
        turn.send(target.by, Accept{target, question.nonce});
    }
    void on(Turn& turn, NodeId from, const Accept& accept) {
        const bool in_time = phase == Phase::inviting || up.contains(from);
        const bool accepted = coordinating(turn) && accept.group == group && in_time;
        if (accepted) up.insert(from);
        if (accept.group == group && !in_time) {
            question.time(turn.config(), turn.now, turn.config().collect);
        }
        turn.send(from, AcceptAnswer{accept.group, accept.nonce, accepted});
    }
    void on(Turn& turn, NodeId, const AcceptAnswer& answer) {
        const bool echo = echoes(turn, answer.nonce) && answer.group == target;
        if (!has_accepted() || !counts(turn, echo)) return;
        if (!answer.accepted) return go_back(turn);
        enter(target);
        if (!turn.fixed(ready_timeout)) return stay(turn, Phase::joining);
        await(turn, Phase::joining, turn.config().ready);
    }
    void on(Turn& turn, NodeId from, const Ready& ready) {
        const Group& formed = ready.definition.run;
        const bool joining = phase == Phase::joining || phase == Phase::doubting;
        const bool early = has_accepted() && turn.fixed(ready_implies_accept);
        if ((joining && formed == group) || (early && formed == target)) {
            enter(formed);
            definition = ready.definition;
            follow(turn);
            turn.send(from, ReadyAnswer{formed, true});
        } else if (told == formed) {
            turn.resend(from, ReadyAnswer{formed, true});  // it came twice
        } else {
            turn.send(from, ReadyAnswer{formed, false});
        }
    }
    void on(Turn& turn, NodeId from, const ReadyAnswer& answer) {
        if (phase != Phase::confirming || answer.group != group || !answer.in_group) return;
        awaited.erase(from);
        if (awaited.empty()) rest(turn);
    }
    void on(Turn& turn, NodeId, const Disband& disband) {
        if (disband.group == group && !coordinating(turn)) recover(turn);
    }

    void on(Turn& turn, const Over& over) {
        timed = false;
        switch (over.phase) {
            case Phase::idle:
                return check(turn);
            case Phase::checking:
                return conclude(turn);
            case Phase::delaying:
                return merge(turn);
            case Phase::inviting:
                return reorganize(turn);
            case Phase::planning:
                return hand_out(turn);  // without a plan
            case Phase::confirming:
                return leave_out_silent(turn);
            case Phase::following:
                return ask(turn, Phase::asking);
            case Phase::joining:
                return ask(turn, Phase::doubting);
            case Phase::accepting:
            case Phase::leaving:
                return go_back(turn);
            case Phase::asking:
            case Phase::doubting:
                return lose_coordinator(turn);
        }
    }

private:
    // What I am, and whom I listen to.
    bool coordinating(const Turn&) const;
    bool at_work() const;
    bool has_accepted() const;
    Post post(const Turn&, Group asking) const;
    bool echoes(const Turn&, Nonce);
    static bool counts(const Turn&, bool echo);
    static bool may_follow(const Turn&, Key other);
    bool consents(const Turn&, NodeId from, const Invite&) const;

    // From one phase to the next.
    void stay(Turn&, Phase next);
    void await(Turn&, Phase next, Wait);
    void await(Turn&, Phase next, Duration said);
    void look_around(Turn&);
    void notice(Turn&, NodeId coordinator, bool worth_merging);

    // A coordinator rests, checks and merges.
    void rest(Turn&);
    void check(Turn&);
    void conclude(Turn&);
    void merge_in_turn(Turn&, std::size_t rank);
    void merge(Turn&);
    void reorganize(Turn&);
    void hand_out(Turn&);
    void leave_out_silent(Turn&);

    // A participant follows and asks, and in the end is on its own again.
    void follow(Turn&);
    void ask(Turn&, Phase next);
    void go_back(Turn&);
    void lose_coordinator(Turn&);
    void regroup(Turn&, const NodeSet& fellows);

    void enter(Group);
    void take_number(Turn&);
    void form_alone(Turn&);
    void recover(Turn&);
};
static_assert(Protocol<Invitation>);

}  // namespace conclave::invitation

namespace conclave {
using invitation::Invitation;
}

#include "elect/invitation_steps.h"
