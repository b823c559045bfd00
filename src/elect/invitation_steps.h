// elect/invitation_steps.h -- what the rules of the invitation election do.
#pragma once
#include <utility>

#include "elect/invitation.h"

namespace conclave::invitation {

inline bool Invitation::coordinating(const Turn& turn) const { return group.by == turn.seat.self; }
inline bool Invitation::at_work() const { return told && phase != Phase::accepting; }
inline bool Invitation::has_accepted() const {
    return phase == Phase::accepting || phase == Phase::leaving;
}
inline Post Invitation::post(const Turn& turn, Group asking) const {
    if (asking == group) return Post::yours;
    if (!coordinating(turn)) return Post::participant;
    return at_work() ? Post::coordinator : Post::busy;
}
inline bool Invitation::echoes(const Turn& turn, Nonce nonce) {
    if (nonce != question.nonce) return false;
    question.time(turn.config(), turn.now, turn.config().answer);
    return true;
}
inline bool Invitation::counts(const Turn& turn, bool echo) {
    return echo || !turn.fixed(match_replies);
}
inline bool Invitation::may_follow(const Turn& turn, Key other) {
    return turn.config().coordinates == Coordinates::initiator || other > turn.seat.key();
}
// A coordinator decides for itself; a participant goes where its coordinator sends it, or where a
// fellow calls it who has lost that coordinator.
inline bool Invitation::consents(const Turn& turn, NodeId from, const Invite& invited) const {
    return coordinating(turn) || from == group.by || invited.lost == group || !turn.fixed(consent);
}

// The only place where the phase changes, and where the application is told who leads.
inline void Invitation::stay(Turn& turn, Phase next) {
    if (std::exchange(timed, false) && next != phase) turn.disarm(Over{phase});
    phase = next;
    const auto leader = elected(turn.now);
    const auto working = leader ? std::optional(group) : std::nullopt;
    if (working == told) return;
    if (told) turn.tell(StopProcessing{});
    turn.tell(LeaderIs{leader, Epoch{group.round.value}});
    if (working) turn.tell(Defined{definition});
    told = working;
}
inline void Invitation::await(Turn& turn, Phase next, Wait wait) {
    stay(turn, next);
    timed = true;
    turn.arm(Over{phase}, wait);
}
// ... for messages that are said to take so long.
inline void Invitation::await(Turn& turn, Phase next, Duration said) {
    await(turn, next, exactly(question.wait(turn.config(), said)));
}
inline void Invitation::look_around(Turn& turn) {
    if (phase == Phase::idle) return check(turn);
    if (phase == Phase::following) ask(turn, Phase::asking);
}
// Somebody acts as a coordinator. If it was one of my group, it may have lost our coordinator.
inline void Invitation::notice(Turn& turn, NodeId coordinator, bool worth_merging) {
    if (!coordinating(turn)) {
        if (definition.members.contains(coordinator)) look_around(turn);
    } else if (worth_merging && !search.shunned.contains(coordinator)) {
        search.noted.insert(coordinator);
        look_around(turn);
    }
}

inline void Invitation::rest(Turn& turn) {
    search.others.clear();
    search.noted -= up;
    if (!search.noted.empty()) return check(turn);
    await(turn, Phase::idle, exactly(search.pause(turn.config())));
}
inline void Invitation::check(Turn& turn) {  // listing 10.23
    search.begin();
    question.put(turn.now);
    await(turn, Phase::checking, turn.config().answer);
    for (const Member& member : turn.seat.members) {
        if (member.node == turn.seat.self) continue;
        turn.send(member.node, AreYouCoordinator{group, question.nonce, turn.seat.key()});
    }
}
inline void Invitation::conclude(Turn& turn) {
    if (const NodeSet unheard = search.ask_again(turn.seat.self); !unheard.empty()) {
        question.repeat(turn.now);
        await(turn, Phase::checking, turn.config().answer);
        for (NodeId node : unheard) {
            turn.resend(node, AreYouCoordinator{group, question.nonce, turn.seat.key()});
        }
        return;
    }
    search.choose();
    const bool torn = turn.fixed(member_pings) && !(up - search.mates).empty();
    if (search.others.empty() && !torn) return rest(turn);
    if (torn) up -= search.answered - search.mates;  // those went elsewhere
    merge_in_turn(turn, search.above.size());
}
inline void Invitation::merge_in_turn(Turn& turn, std::size_t rank) {
    const Wait delay = turn.fixed(rank_slots)
                           ? search.delay(turn.config(), question, rank)
                           : Search::printed_delay(turn.config(), turn.seat.key());
    delay.most == Duration{} ? merge(turn) : await(turn, Phase::delaying, delay);
}
inline void Invitation::merge(Turn& turn) {  // listing 10.26
    const NodeSet invited = search.others | up;
    take_number(turn);
    up.clear();
    if (invited.empty()) return reorganize(turn);
    question.put(turn.now);
    const Config& config = turn.config();
    await(turn, Phase::inviting, turn.fixed(collect_time) ? config.collect : config.answer);
    const Invite invite{group, turn.seat.key(), lost, question.slow};
    for (NodeId node : invited) turn.send(node, invite);
}
inline void Invitation::reorganize(Turn& turn) {
    search.collected(up);
    if (turn.config().plan == PlanBy::own || plan) return hand_out(turn);
    turn.tell(PlanWanted{group, up | NodeSet{turn.seat.self}});
    await(turn, Phase::planning, exactly(turn.config().plan_wait));
}
inline void Invitation::hand_out(Turn& turn) {
    definition = {group, up | NodeSet{turn.seat.self}, plan.value_or("")};
    plan.reset();
    awaited = up;
    for (NodeId node : up) turn.send(node, Ready{definition});
    awaited.empty() ? rest(turn) : await(turn, Phase::confirming, turn.config().answer);
}
inline void Invitation::leave_out_silent(Turn& turn) {
    if (!turn.fixed(keep_responders)) return recover(turn);
    for (NodeId node : awaited) turn.resend(node, Disband{group});
    search.others.clear();
    search.shunned |= awaited;
    up -= awaited;
    merge(turn);
}

inline void Invitation::follow(Turn& turn) {
    await(turn, Phase::following, exactly(turn.config().watch));
}
inline void Invitation::ask(Turn& turn, Phase next) {  // listing 10.24
    question.put(turn.now);
    turn.send(group.by, AreYouThere{group, question.nonce});
    await(turn, next, turn.config().answer);
}
inline void Invitation::go_back(Turn& turn) {
    if (!turn.fixed(recovery_else)) {
        form_alone(turn);
        return stay(turn, Phase::joining);  // as printed: reorganizing, alone, for ever
    }
    if (phase == Phase::leaving) return recover(turn);
    coordinating(turn) ? rest(turn) : ask(turn, Phase::asking);
}
inline void Invitation::lose_coordinator(Turn& turn) {
    const NodeSet gone{group.by, turn.seat.self};
    const NodeSet fellows = told == group ? definition.members - gone : NodeSet{};
    form_alone(turn);
    turn.config().quick_regroup ? regroup(turn, fellows) : check(turn);
}
// The fellows are known, there is no need to check; but as each of them knows that, by rank.
inline void Invitation::regroup(Turn& turn, const NodeSet& fellows) {
    std::size_t rank = 0;
    for (NodeId node : fellows) {
        const bool higher = turn.seat.members.key(node) > turn.seat.key();
        if (higher) ++rank;
        if (!higher || !best_coordinates(turn.config())) search.others.insert(node);
    }
    search.others.empty() ? check(turn) : merge_in_turn(turn, rank);
}

inline void Invitation::enter(Group into) {
    group = into;
    up.clear();
    search = {};
    plan.reset();
}
inline void Invitation::take_number(Turn& turn) {
    durable.counter = durable.counter.next();
    if (turn.fixed(durable_counter)) turn.save(durable);
    group = {durable.counter, turn.seat.self};
    turn.tell(Formed{group});
}
inline void Invitation::form_alone(Turn& turn) {  // listing 10.25
    lost = group;
    enter({});
    take_number(turn);
    definition = defined_by_members(group, {turn.seat.self});
}
inline void Invitation::recover(Turn& turn) {
    form_alone(turn);
    check(turn);
}

}  // namespace conclave::invitation
