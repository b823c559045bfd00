// elect/quorum.h -- votes, a master lease and a fencing epoch: the election for production.
//
// Ensures  at no time two leaders and no epoch won twice, whatever the network does; a leader as
//          long as a majority by weight can talk to each other.
// Breaks   if a clock's rate is wrong by more than drift_ppm, or a voter's disk forgets: two
//          leaders at once. See scenarios/quorum_clock_too_slow_makes_two_leaders.txt.
//
// Here are the state and the rules; quorum_steps.h has what the rules do, quorum_reform.h how the
// members change, and the parts have a header each: the voter, the lease, the candidacy, the
// preference.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "elect/quorum_candidacy.h"
#include "elect/quorum_history.h"
#include "elect/quorum_lease.h"
#include "elect/quorum_preference.h"
#include "elect/quorum_types.h"
#include "elect/quorum_voter.h"

namespace conclave {

namespace quorum {

struct Change {  // that an operator wants
    NodeId node{};
    std::optional<Member> as;  // nothing: a member no more
};
struct Reform {  // the leader's side of a change
    std::optional<Change> wanted;
    bool open = false;  // my list is not committed yet
    Roster before;      // the one that it changes; empty: none, or written anew as it was
    NodeSet acked;      // who has my list and my epoch

    std::optional<Roster> next(const Electorate& now, bool insists) const;
};

struct Quorum {
    using Config = quorum::Config;
    using Message = quorum::Message;
    using Timer = quorum::Timer;
    using Request = std::variant<Campaign, Resign, Retire, Return, Depart, Admit, Expel>;
    using Notice = quorum::Notice;
    using Durable = quorum::Durable;
    using History = quorum::History;
    using Turn = conclave::Turn<Quorum>;
    using Stage = Candidacy::Stage;
    using Why = Refusal::Why;

    static constexpr Model assumes{Links::hostile, Timing::drifting, Faults::partition};
    static constexpr Claim claim{
        Kind::election,
        "Chubby as lecture 001 tells it (Burrows 2006), with epochs, pre-vote and preference",
        "never two leaders, by time and by epoch; a leader while a majority is connected",
        "a clock that drifts more than its bound, or a disk that forgets",
        "6(N-1), without pre-vote 4(N-1)",
        "4 (+1 until all know), without pre-vote 2 (+1)",
    };
    static constexpr auto fixes = quorum::fixes;
    static Config configure(const Settings& settings) { return quorum::configure(settings); }
    template <class F> static void each_option(Config& config, F option) {
        quorum::each_option(config, option);
    }
    static Duration failover_bound(const Config& config, std::size_t nodes) {
        return quorum::failover_bound(config, nodes);
    }
    static Duration settles_within(const Config& config, std::size_t nodes) {
        return quorum::settles_within(config, nodes);
    }
    static std::span<const Property<Quorum>> properties();

    struct Office {
        Epoch won;    // the epoch of the election: answers to an earlier life of mine are older
        Epoch epoch;  // the fencing number: grows with a bump
        Instant since;
        Instant lease_end;
        Instant until;              // the lease's end less the guard: here I stop
        std::optional<Epoch> bump;  // I am asking for votes in this one, while I lead
        std::optional<Instant> bumped;
        NodeSet granted;  // in the bump
    };
    struct Named {  // as the application was told
        std::optional<NodeId> leader;
        Epoch epoch;
        friend bool operator==(const Named&, const Named&) = default;
    };

    Voter voter{};
    Lease lease{};
    Preference preference{};
    std::optional<Candidacy> candidacy;
    std::optional<Office> office;
    Reform reform{};
    Named named{};
    std::optional<NodeId> followed;  // the leader that an unrepaired pre-vote goes on defending
    Epoch seen{};                    // the largest epoch heard of
    Nonce nonce{};
    std::uint32_t attempts = 0;
    bool retired = false;       // I vote, but do not stand
    bool books_closed = false;  // nothing is promised, and the record says so

    // Functions of now: a leader that was paused must not believe what it believed before.
    bool leading(Instant now) const { return office && now < office->until; }
    bool lease_valid(Instant now) const { return office && now < office->lease_end; }
    std::optional<NodeId> elected(Instant now) const {
        if (office) return leading(now) ? named.leader : std::nullopt;
        if (!voter.promise || voter.promise->to != named.leader) return std::nullopt;
        return now < voter.promise->until ? named.leader : std::nullopt;
    }

    // Before every event: what has run out is over, however late its timer.
    void expire(Turn& turn) {
        preference.expire(turn.now);
        if (voter.quiet_until && turn.now >= *voter.quiet_until) voter.quiet_until.reset();
        if (office && turn.now >= office->until) lose(turn);
        if (voter.promise && turn.now >= voter.promise->until) {
            preference.gone.insert(voter.promise->to);
            unbind(turn);
        }
        if (voter.departing) close_books(turn);
    }

    void on(Turn& turn, const Booted<Quorum>& booted) {
        voter.boot(turn.config(), booted.durable, turn.now);
        if (turn.config().join == Join::call) vacate(turn);
    }
    void on(Turn& turn, Campaign) {
        if (!stands(turn)) return turn.tell(Refused{Refused::Why::not_eligible});
        if (office || candidacy || voter.promise || voter.silent())
            return turn.tell(Refused{Refused::Why::busy});  // no candidacy against a valid lease
        canvass(turn);
    }
    void on(Turn& turn, Resign resign) {
        if (!office) return turn.tell(Refused{Refused::Why::not_leader});
        if (!resign.to) return step_aside(turn, successor(turn));
        if (*resign.to == turn.seat.self || !may_lead(members(turn), *resign.to))
            return turn.tell(Refused{Refused::Why::not_eligible});
        if (preference.suspected.contains(*resign.to) || !lease.holds(*resign.to, turn.now))
            return turn.tell(Refused{Refused::Why::unreachable});
        step_aside(turn, resign.to);
    }
    void on(Turn& turn, Retire) {
        retired = true;
        withdraw_from_office(turn);
    }
    void on(Turn& turn, Return) {
        if (!std::exchange(retired, false) || office || voter.promise) return;
        stand_after(turn, my_slots(turn));
    }
    void on(Turn& turn, Depart) {
        if (std::exchange(voter.departing, true)) return;
        withdraw_from_office(turn);
        close_books(turn);
    }
    void on(Turn& turn, const Admit& admit) {
        const Member* known = members(turn).find(admit.node);
        const Attribute as_it_was = known != nullptr ? known->priority : 0;
        const Member as{admit.node, admit.priority.value_or(as_it_was), admit.role, admit.weight};
        want(turn, {admit.node, as});
    }
    void on(Turn& turn, Expel expel) { want(turn, {expel.node, std::nullopt}); }
    void on(Turn& turn, Suspected peer) {
        preference.suspected.insert(peer.node);
        reconsider(turn);
    }
    void on(Turn&, Trusted peer) { preference.suspected.erase(peer.node); }
    void on(Turn&, Restarted peer) { preference.suspected.erase(peer.node); }

    // The voter. A refusal changes nothing.

    void on(Turn& turn, NodeId from, const PreVote& ask) {
        hear(ask.key);
        auto objection = objects(turn, {from, ask.epoch, std::nullopt, ask.config});
        if (!objection && followed && followed != from) objection = voter.refusal(Why::lease);
        if (!objection && insists(turn, ask.key)) objection = voter.refusal(Why::better);
        if (!objection) return turn.send(from, PreGrant{ask.nonce});
        if (objection->why == Why::epoch && !turn.fixed(prevote_number)) return;
        refuse(turn, from, ask.nonce, *objection);
    }
    void on(Turn& turn, NodeId from, const RequestVote& ask) {
        hear(ask.key);
        if (const auto objection = objects(turn, {from, ask.epoch, ask.transfer, ask.config})) {
            if (!turn.fixed(refusal_changes_nothing)) be_raised(turn, ask.epoch);
            return refuse(turn, from, ask.nonce, *objection);
        }
        if (voter.handed_on(ask.transfer)) unbind(turn);
        stop_running(turn);
        if (named.leader != from) name_nobody(turn);
        bind(turn, from, voter.vote(from, ask.epoch, turn.config().lease));
        turn.send(from, Grant{ask.epoch, ask.nonce, turn.config().lease});
    }
    // A Renew proves that its sender won the epoch, also to one who is quiet or voted for a loser.
    void on(Turn& turn, NodeId from, const Renew& renewal) {
        hear(renewal.key);
        learn(renewal.epoch);
        if (voter.departing) return;
        if (renewal.epoch < voter.record.promised) {
            const Outdated outdated{renewal.epoch, renewal.nonce, voter.record.promised};
            return turn.send(from, outdated);
        }
        if (office) sound_alarm(turn, renewal.epoch);
        if (!voter.promised_to(from)) voter.release();
        stop_running(turn);
        bind(turn, from, voter.follow(from, renewal.epoch, turn.config().lease));
        follow(turn, from, renewal.epoch);
        if (renewal.config < voter.record.config) push_list(turn, from);
        const Member* me = members(turn).find(turn.seat.self);
        if ((me != nullptr && !votes(*me)) || voter.frozen) return;
        const auto mine = willing(turn) ? std::optional(key(turn)) : std::nullopt;
        turn.send(from, Renewed{renewal.epoch, renewal.nonce, turn.config().lease, mine});
    }
    void on(Turn& turn, NodeId from, Release release) {
        learn(release.epoch);
        if (!voter.promised_to(from) || voter.record.promised > release.epoch) return;
        if (named.leader != from) return unbind(turn);
        preference.gone.insert(from);      // it does not want to
        unbind(turn, turn.config().slot);  // whom it may have appointed comes first
    }
    void on(Turn& turn, NodeId from, Appoint appoint) {
        learn(appoint.epoch);
        if (voter.record.promised > appoint.epoch || office || voter.silent()) return;
        if (!stands(turn)) return;
        if (voter.promise && voter.promise->to != from) return;
        if (voter.promise) unbind(turn);
        stop_running(turn);
        campaign(turn, Transfer{from, appoint.epoch});
    }
    // A leader that hears of a list it does not know replaces it: its epoch is the later one.
    void on(Turn& turn, NodeId from, const ConfigPush& push) {
        if (push.config > voter.record.config) {
            if (office && push.config.first < office->won) return write_anew(turn);
            if (office) return;
            if (candidacy) give_up(turn);  // by the old list
            adopt(turn, push.config, push.members);
        }
        if (push.config == voter.record.config)
            turn.send(from, ConfigAck{push.config, voter.record.promised});
    }
    void on(Turn& turn, PromiseOver) {  // if it is, `expire` has seen to it
        if (voter.promise) turn.arm(PromiseOver{}, voter.promise->until - turn.now);
    }

    // The candidate.

    void on(Turn& turn, Stand) {
        if (office || candidacy || voter.promise) return;  // when that ends, I stand again
        if (voter.silent()) return stand_after(turn, my_slots(turn));
        if (stands(turn)) canvass(turn);
    }
    void on(Turn& turn, NodeId from, PreGrant grant) {
        if (!asked(grant.nonce, Stage::canvassing)) return;
        candidacy->granted.insert(from);
        if (is_quorum(members(turn), candidacy->granted)) campaign(turn, std::nullopt);
    }
    void on(Turn& turn, NodeId from, const Grant& grant) {
        if (office && grant.epoch == office->bump) return count_bump(turn, from, grant);
        if (!asked(grant.nonce, Stage::campaigning) || candidacy->epoch != grant.epoch) return;
        lease.answered(from, turn.config(), grant.nonce, grant.lease, turn.now);
        candidacy->granted.insert(from);
        count(turn);
    }
    void on(Turn& turn, NodeId from, const Refusal& refusal) {
        learn(refusal.promised);
        if (office && office->bump && refusal.why == Why::epoch)
            return fetch(turn, refusal.promised, *office->bump);
        if (!candidacy || candidacy->nonce != refusal.nonce) return;
        candidacy->refuse(from, refusal.retry_after);
        reconsider(turn);
    }
    void on(Turn& turn, NoAnswer) {
        if (candidacy) give_up(turn);
    }

    // The leader.

    void on(Turn& turn, RenewDue) {
        if (!office && turn.fixed(stop_renewing)) return;
        renew(turn, whose_turn(turn));
        if (office && challenged(turn)) step_aside(turn, preference.challenger->node);
    }
    void on(Turn& turn, NodeId from, const Renewed& renewed) {
        if (renewed.key)
            hear(*renewed.key);
        else
            preference.gone.insert(from);
        if (!office || renewed.epoch < office->won) return;  // never revive what is over
        if (lease.answered(from, turn.config(), renewed.nonce, renewed.lease, turn.now))
            extend(turn);
    }
    void on(Turn& turn, NodeId, const Outdated& outdated) {
        learn(outdated.promised);
        if (office) fetch(turn, outdated.promised, office->bump.value_or(office->epoch).next());
    }
    void on(Turn& turn, NodeId from, const ConfigAck& ack) {
        if (!office || ack.config != voter.record.config || ack.promised != office->epoch) return;
        if (reform.acked.insert(from)) go_on(turn);
    }
    void on(Turn& turn, LeaseOver) {  // if it is, `expire` has seen to it
        if (office) turn.arm(LeaseOver{}, office->until - turn.now);
    }
    void on(Turn& turn, Forgiven) {
        preference.penalty /= 2;
        if (preference.penalty > 0) turn.arm(Forgiven{}, turn.config().forgive);
    }

private:
    // What I know. An epoch is above all I heard of and all I voted in: one vote each, my own
    // included.
    Key key(const Turn&) const;
    void learn(Epoch);
    void hear(Key);
    Epoch next_epoch() const;
    void name(Turn&, Named);
    void name_nobody(Turn&);

    // Voting.
    std::optional<Refusal> objects(const Turn&, const Ask&) const;
    bool insists(const Turn&, Key candidate) const;
    void refuse(Turn&, NodeId candidate, Nonce, Refusal) const;
    void be_raised(Turn&, Epoch);
    void save(Turn&) const;
    void bind(Turn&, NodeId to, bool new_record);
    void unbind(Turn&, Duration head_start = {});
    void follow(Turn&, NodeId winner, Epoch);

    // Running.
    bool stands(const Turn&) const;
    bool willing(const Turn&) const;
    void vacate(Turn&, Duration head_start = {});
    Duration my_slots(const Turn&) const;
    void stand_after(Turn&, Duration wait);
    void canvass(Turn&);
    void campaign(Turn&, std::optional<Transfer>);
    void start_round(Turn&, Stage, Epoch, Key frozen);
    void vote_for_myself(Turn&, Epoch);
    template <class M> void ask_voters(Turn&, const M& question);
    bool asked(Nonce answered, Stage) const;
    void count(Turn&);
    void reconsider(Turn&);
    void stop_running(Turn&);
    void give_up(Turn&);

    // Leading.
    void take_office(Turn&, Instant lease_end);
    void renew(Turn&, const std::optional<NodeSet>& only = std::nullopt);
    std::optional<NodeSet> whose_turn(const Turn&) const;
    void extend(Turn&);
    void prolong(Turn&, Instant lease_end);
    std::optional<Key> best_follower(const Turn&) const;
    std::optional<NodeId> successor(const Turn&) const;
    bool challenged(const Turn&);
    void fetch(Turn&, Epoch stranded, Epoch at_least);
    void count_bump(Turn&, NodeId from, const Grant&);
    void leave_office(Turn&);
    void lose(Turn&);
    void step_aside(Turn&, std::optional<NodeId> successor);
    void withdraw_from_office(Turn&);
    void close_books(Turn&);
    void sound_alarm(Turn&, Epoch);

    // Whose votes count (quorum_reform.h).
    Electorate members(const Turn&) const;
    bool is_majority(const Turn&, const NodeSet&) const;
    std::optional<Instant> lease_end(const Turn&) const;
    template <class F> void for_others(const Turn&, F each) const;
    void push_list(Turn&, NodeId to) const;
    void adopt(Turn&, ConfigVersion, Roster);
    void want(Turn&, Change);
    bool committed(const Turn&) const;
    void go_on(Turn&);
    void write_anew(Turn&);
    void publish(Turn&, Roster, std::uint64_t number);
    void push_on(Turn&);
    void stop_reforming(Turn&);
};
static_assert(Protocol<Quorum>);

}  // namespace quorum

using quorum::Quorum;

}  // namespace conclave

#include "elect/quorum_properties.h"
#include "elect/quorum_reform.h"
#include "elect/quorum_steps.h"
