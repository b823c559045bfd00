// elect/quorum_steps.h -- what the rules of the quorum election do, one transition in one place.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "elect/quorum.h"

namespace conclave::quorum {

inline Key Quorum::key(const Turn& turn) const {
    return {turn.seat.attribute - preference.penalty, turn.seat.self};
}
inline void Quorum::learn(Epoch epoch) { seen = std::max(seen, epoch); }
inline void Quorum::hear(Key from) {
    preference.learn(from);
    preference.gone.erase(from.node);  // who speaks is there
}
inline Epoch Quorum::next_epoch() const { return std::max(seen, voter.record.promised).next(); }

// The one place where the application hears who leads.
inline void Quorum::name(Turn& turn, Named whom) {
    if (whom.leader || turn.fixed(clear_leader_view)) followed = whom.leader;
    if (named == whom) return;
    named = whom;
    turn.tell(LeaderIs{named.leader, named.epoch});
}
inline void Quorum::name_nobody(Turn& turn) { name(turn, {std::nullopt, named.epoch}); }

// Voting.

inline std::optional<Refusal> Quorum::objects(const Turn& turn, const Ask& ask) const {
    auto objection = voter.objection(turn.config(), members(turn), turn.now, ask);
    if (objection) return objection;
    if (office) return voter.refusal(Why::lease, office->lease_end - turn.now);
    // My own vote is a promise as well. It ends with the campaign, which is closed for ever then.
    if (candidacy && candidacy->stage == Stage::campaigning) return voter.refusal(Why::lease);
    return std::nullopt;
}
inline bool Quorum::insists(const Turn& turn, Key candidate) const {
    return preference.insists(turn.config(), members(turn), candidate, key(turn), willing(turn),
                              turn.now);
}
inline void Quorum::refuse(Turn& turn, NodeId candidate, Nonce question, Refusal refusal) const {
    refusal.nonce = question;
    turn.send(candidate, refusal);
    if (refusal.why == Why::config) push_list(turn, candidate);
}
inline void Quorum::be_raised(Turn& turn, Epoch epoch) {
    if (epoch <= voter.record.promised) return;
    voter.record.promised = epoch;
    voter.record.voted_for.reset();
    save(turn);
}
inline void Quorum::save(Turn& turn) const {
    Durable record = voter.record;
    if (!turn.fixed(durable_vote)) record.promised = {}, record.voted_for.reset();
    turn.save(record);
}
inline void Quorum::bind(Turn& turn, NodeId to, bool new_record) {
    const bool broken = voter.promise && voter.promise->to != to;
    if (new_record) save(turn);
    if (new_record || broken) turn.tell(Promised{voter.record.promised, to, broken});
    if (!voter.promise) turn.disarm(Stand{});
    voter.bind(to, turn.now + turn.config().lease);
    turn.arm(PromiseOver{}, voter.promise->until - turn.now);
}
// The promise is over, was released or handed on.
inline void Quorum::unbind(Turn& turn, Duration head_start) {
    voter.release();
    turn.disarm(PromiseOver{});
    vacate(turn, head_start);
    if (voter.departing) close_books(turn);  // at once: nothing else may happen here for long
}
inline void Quorum::follow(Turn& turn, NodeId winner, Epoch epoch) {
    attempts = 0;
    preference.leaderless_since.reset();
    if (!turn.fixed(stop_renewing)) turn.disarm(RenewDue{});
    name(turn, {winner, epoch});
}

// Running.

inline bool Quorum::stands(const Turn& turn) const {
    return may_lead(members(turn), turn.seat.self) && !retired;
}
// I would, if it were my turn now.
inline bool Quorum::willing(const Turn& turn) const {
    return stands(turn) && !voter.silent() && !preference.abstains_until;
}
// Nobody leads, as far as I can see. Somebody else may have a head start.
inline void Quorum::vacate(Turn& turn, Duration head_start) {
    if (!preference.leaderless_since) preference.leaderless_since = turn.now;
    name_nobody(turn);
    stand_after(turn, my_slots(turn) + head_start);
}
// The best first: a slot for each who should come before me.
inline Duration Quorum::my_slots(const Turn& turn) const {
    const auto rank = preference.rank(turn.config(), members(turn), key(turn));
    return static_cast<std::int64_t>(rank) * turn.config().slot;
}
inline void Quorum::stand_after(Turn& turn, Duration wait) {
    if (!stands(turn) || voter.frozen || voter.departing) return;
    if (voter.quiet_until) wait = std::max(wait, *voter.quiet_until - turn.now);
    if (preference.abstains_until) wait = std::max(wait, *preference.abstains_until - turn.now);
    const std::int64_t spread = 1 << std::min(attempts, 4U);  // who collide part in the end
    turn.arm(Stand{}, Wait{wait, wait + spread * turn.config().jitter});
}
inline void Quorum::canvass(Turn& turn) {
    if (!turn.config().prevote) return campaign(turn, std::nullopt);
    start_round(turn, Stage::canvassing, next_epoch(), key(turn));
    ask_voters(turn, PreVote{candidacy->epoch, candidacy->key, nonce, voter.record.config});
    if (is_quorum(members(turn), candidacy->granted)) campaign(turn, std::nullopt);
}
inline void Quorum::campaign(Turn& turn, std::optional<Transfer> transfer) {
    seen = next_epoch();
    start_round(turn, Stage::campaigning, seen, candidacy ? candidacy->key : key(turn));
    vote_for_myself(turn, seen);
    lease.start();
    lease.sent(turn.seat.self, turn.config(), nonce, turn.now);
    ask_voters(turn, RequestVote{seen, candidacy->key, nonce, transfer, voter.record.config});
    count(turn);
}
inline void Quorum::start_round(Turn& turn, Stage stage, Epoch epoch, Key frozen) {
    nonce = nonce.next();
    candidacy = Candidacy{stage, epoch, nonce, frozen, {turn.seat.self}, {}, {}};
    turn.disarm(Stand{});
    turn.arm(NoAnswer{}, turn.config().answer);
}
inline void Quorum::vote_for_myself(Turn& turn, Epoch epoch) {
    voter.vote(turn.seat.self, epoch, turn.config().lease);
    save(turn);
    turn.tell(Promised{epoch, turn.seat.self, false});
}
template <class M> void Quorum::ask_voters(Turn& turn, const M& question) {
    for (const Member& member : members(turn)) {
        if (member.node != turn.seat.self && votes(member)) turn.send(member.node, question);
    }
}
inline bool Quorum::asked(Nonce answered, Stage stage) const {
    return candidacy && candidacy->nonce == answered && candidacy->stage == stage;
}
inline void Quorum::count(Turn& turn) {
    if (!is_quorum(members(turn), candidacy->granted)) return;
    const Instant end = *lease_end(turn);
    if (turn.now >= end - turn.config().guard) return give_up(turn);  // stillborn
    take_office(turn, end);
}
inline void Quorum::reconsider(Turn& turn) {
    if (candidacy && candidacy->hopeless(members(turn), preference)) give_up(turn);
}
inline void Quorum::stop_running(Turn& turn) {
    if (!candidacy) return;
    candidacy.reset();
    turn.disarm(NoAnswer{});
}
// Safe for the same reason as a resignation: the epoch is closed, late votes are dropped. To all,
// for a vote may have been lost: who can be heard but cannot hear must not bind voters for ever.
inline void Quorum::give_up(Turn& turn) {
    const Candidacy failed = *candidacy;
    stop_running(turn);
    ++attempts;
    stand_after(turn, failed.retry_after.value_or(my_slots(turn)));
    if (failed.stage != Stage::campaigning || !turn.fixed(withdraw)) return;
    for (const Member& member : members(turn)) {
        if (member.node == turn.seat.self || failed.refused.contains(member.node)) continue;
        if (votes(member)) turn.resend(member.node, Release{failed.epoch});
    }
}

// Leading.

inline void Quorum::take_office(Turn& turn, Instant lease_end) {
    office = Office{};
    office->won = office->epoch = candidacy->epoch;
    office->since = turn.now;
    stop_running(turn);
    attempts = 0;
    preference.leaderless_since.reset();
    preference.challenger.reset();
    name(turn, {turn.seat.self, office->epoch});
    prolong(turn, lease_end);
    voter.record.config == ConfigVersion{} ? renew(turn) : write_anew(turn);
}
// While an epoch bump is under way the request for votes takes the place of the renewal: whoever
// would renew grants it, and a stranded voter does so, too.
inline void Quorum::renew(Turn& turn, const std::optional<NodeSet>& only) {
    nonce = nonce.next();
    lease.sent(turn.seat.self, turn.config(), nonce, turn.now);
    const auto& config = voter.record.config;
    for_others(turn, [&](const Member& member) {
        if (only && !only->contains(member.node)) return;
        if (office && office->bump && votes(member)) {
            turn.send(member.node,
                      RequestVote{*office->bump, key(turn), nonce, std::nullopt, config});
        } else {
            turn.send(member.node, Renew{named.epoch, nonce, key(turn), config});
        }
    });
    if (office) push_on(turn);
    turn.arm(RenewDue{}, turn.config().renewal_period());
    if (office) extend(turn);  // my own promise is one of them
}
// Sparing, I ask whom I did not ask the last time, and more if those are no quorum with me. From
// one who has not answered by its next turn I expect nothing: it is asked every time, and does not
// count, so a round fails when somebody falls silent, and the next one does not. Whoever is there
// hears of me every other period, and there are four in a lease. Nothing: everybody.
inline std::optional<NodeSet> Quorum::whose_turn(const Turn& turn) const {
    if (!turn.config().sparing || !office || office->bump || reform.open) return std::nullopt;
    const Duration fresh = turn.config().usable(turn.config().lease);
    const Duration period = turn.config().renewal_period();
    NodeSet asked, expected{turn.seat.self};
    for_others(turn, [&](const Member& member) {
        const Duration age = fresh - lease.left(member.node, turn.now);
        if (age * 2 < period * 3) return;
        asked.insert(member.node);
        if (age * 2 < period * 5) expected.insert(member.node);
    });
    for_others(turn, [&](const Member& member) {
        if (is_majority(turn, expected) || asked.contains(member.node)) return;
        asked.insert(member.node);
        expected.insert(member.node);
    });
    return asked;
}
inline void Quorum::extend(Turn& turn) {
    const auto end = lease_end(turn);
    if (end && *end > office->lease_end) prolong(turn, *end);
    if (reform.open) go_on(turn);
}
inline void Quorum::prolong(Turn& turn, Instant lease_end) {
    office->lease_end = lease_end;
    office->until = lease_end - turn.config().guard;
    turn.arm(LeaseOver{}, office->until - turn.now);
}
inline std::optional<Key> Quorum::best_follower(const Turn& turn) const {
    return preference.successor(turn.config(), members(turn), turn.seat.self,
                                [&](NodeId node) { return lease.holds(node, turn.now); });
}
// Who waits for its slot leaves the group without a leader for that long; who is named does not.
inline std::optional<NodeId> Quorum::successor(const Turn& turn) const {
    const auto best = best_follower(turn);
    return best ? std::optional(best->node) : std::nullopt;
}
inline bool Quorum::challenged(const Turn& turn) {
    if (turn.config().preempt != Preempt::graceful) return false;
    return preference.challenged(turn.config(), best_follower(turn), key(turn), turn.now) &&
           turn.now - office->since >= turn.config().min_tenure;
}
// A voter is stranded in a later epoch, which a failed campaign has left behind: fetch it by an
// election that only I can win, while I lead on. Not more than once per lease; but while I ask for
// votes I go as high as I must, or a voter that runs again and again stays ahead of me for ever.
inline void Quorum::fetch(Turn& turn, Epoch stranded, Epoch at_least) {
    if (stranded < at_least || !turn.fixed(epoch_bump)) return;
    const bool lately = office->bumped && turn.now < *office->bumped + turn.config().lease;
    if (lately && !office->bump) return;
    seen = next_epoch();
    office->bump = seen;
    office->bumped = turn.now;
    office->granted = {turn.seat.self};
    vote_for_myself(turn, seen);
    renew(turn);
}
// The promise is to the node, not to the epoch: it counts for the lease in any case.
inline void Quorum::count_bump(Turn& turn, NodeId from, const Grant& grant) {
    if (!lease.answered(from, turn.config(), grant.nonce, grant.lease, turn.now)) return;
    extend(turn);
    office->granted.insert(from);
    if (!is_majority(turn, office->granted)) return;
    turn.tell(EpochChanged{office->epoch, *office->bump});
    office->epoch = *office->bump;
    office->bump.reset();
    name(turn, {turn.seat.self, office->epoch});
    renew(turn);
}
inline void Quorum::leave_office(Turn& turn) {
    office.reset();
    lease.start();
    stop_reforming(turn);
    turn.disarm(LeaseOver{});
    if (turn.fixed(stop_renewing)) turn.disarm(RenewDue{});
    vacate(turn);
}
inline void Quorum::lose(Turn& turn) {
    if (turn.config().penalty > 0) {
        preference.penalty = std::max(turn.config().penalty, 2 * preference.penalty);
        turn.arm(Forgiven{}, turn.config().forgive);
    }
    leave_office(turn);
}
// The order is the whole argument: stop first, release afterwards, never resume.
inline void Quorum::step_aside(Turn& turn, std::optional<NodeId> successor) {
    const Epoch closed = office->bump.value_or(office->epoch);  // a bump is above what it bumps
    preference.abstains_until = turn.now + turn.config().pref_window;
    if (turn.fixed(stop_before_handover)) leave_office(turn);
    turn.tell(Released{closed});
    for_others(turn, [&](const Member& member) { turn.send(member.node, Release{closed}); });
    if (successor) turn.send(*successor, Appoint{closed});
}
// Nothing of mine is left that somebody could vote for.
inline void Quorum::withdraw_from_office(Turn& turn) {
    if (office) step_aside(turn, successor(turn));
    if (candidacy) give_up(turn);
    turn.disarm(Stand{});
}
// Once the last promise has run out: the next start finds nothing outstanding.
inline void Quorum::close_books(Turn& turn) {
    if (voter.promise) return;
    if (voter.settle()) save(turn);
    if (!std::exchange(books_closed, true)) turn.tell(Departed{});
}
// Impossible while all clocks keep their bounds: whatever I believe, I stop, and vote no more.
inline void Quorum::sound_alarm(Turn& turn, Epoch epoch) {
    turn.tell(Alarm{epoch});
    voter.frozen = true;
    lose(turn);
}

}  // namespace conclave::quorum
