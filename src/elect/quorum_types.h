// elect/quorum_types.h -- the quorum election's vocabulary: settings, messages, timers, the record.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/model.h"
#include "core/node_set.h"
#include "elect/election.h"
#include "elect/quorum_members.h"

namespace conclave::quorum {

enum FixIndex : std::size_t {
    durable_vote,
    quiet_time,
    send_time,
    drift_margin,
    stop_before_handover,
    promise,
    refusal_changes_nothing,
    stop_renewing,
    epoch_bump,
    prevote_number,
    clear_leader_view,
    withdraw,
    committed_first,
};
inline constexpr std::array fixes{
    Fix{"durable-vote", "a vote is on disk before it is on the wire (QLT-3, M-QL-1)"},
    Fix{"quiet-time", "a restarted voter waits out the promises it may have made (QLT-4, M-QL-2)"},
    Fix{"send-time", "a lease counts from when the question was sent (QLT-5, M-QL-3)"},
    Fix{"drift-margin", "a lease is shorter than a promise by twice the drift (QLT-6, M-QL-4)"},
    Fix{"stop-before-handover", "a leader stops for good before it releases its voters (M-QL-5)"},
    Fix{"promise", "a promise is not to vote, rather than not to run (S-29, QLT-2, M-QL-6)"},
    Fix{"refusal-changes-nothing", "a refused vote does not raise the voter's epoch (M-QL-7)"},
    Fix{"stop-renewing", "a leader whose lease ran out is silent (M-QL-8)"},
    Fix{"epoch-bump", "a leader fetches a voter stranded in a later epoch (M-QL-10)"},
    Fix{"prevote-number", "a pre-vote with too low a number is told so (etcd 8243)"},
    Fix{"clear-leader-view", "who runs itself has no leader to defend (etcd 9586)"},
    Fix{"withdraw", "a campaign given up frees its voters: a deaf one binds nobody for ever"},
    Fix{"committed-first", "a leader changes only a list that is committed in its epoch (M-CF-1)"},
};

enum class Preempt : std::uint8_t {
    never,     // whoever leads stays
    graceful,  // the leader itself hands over to one who is clearly better, for long enough
};

struct Config {
    FixSet fixes{};
    Duration lease{};                  // L: how long a voter's promise lasts, on its own clock
    std::int64_t drift_ppm = 10'000;   // rho: no clock's rate is wrong by more, slewing included
    Duration granularity{};            // g: how coarse two clocks are read, together
    Duration guard{};                  // a leader stops this much before its lease ends
    Duration renew{};                  // H: how often; D/4 if that is less
    bool sparing = false;              // a round asks a quorum only, everybody in turn
    Duration answer{};                 // a round of questions that takes longer is given up
    Duration slot{};                   // per better candidate: wait whether that one stands
    Duration jitter{};                 // on top, at most
    Duration pref_window{};            // how long voters insist on the best
    bool prevote = true;               // ask first whether an election could be won
    Preempt preempt = Preempt::never;  // whether somebody better is let in
    Attribute hysteresis = 1;          // how much better is clearly better
    Duration hold_down{};              //   and for how long
    Duration min_tenure{};             // no hand-over before this
    Attribute penalty = 0;  // for an office lost, doubled each time: less of an attribute
    Duration forgive{};     //   halved again after this
    Join join = Join::call;
    bool live_attribute = false;

    // D: what the leader may use of a promise of this length. The promise lasts at least
    // L/(1+rho) of true time and begins after the question was sent; D lasts at most D/(1-rho).
    Duration usable(Duration promised) const {
        if (!fixes.has(drift_margin)) return promised;
        const std::int64_t fast = million + drift_ppm;
        const std::int64_t lost = (promised.count() * 2 * drift_ppm + fast - 1) / fast;
        return promised - Duration(lost) - granularity;
    }
    Duration renewal_period() const { return std::min(renew, usable(lease) / 4); }
    // The longest that a wait of this length can take in true time.
    Duration at_most(Duration wait) const {
        return wait + wait * drift_ppm / (million - drift_ppm);
    }
    static constexpr std::int64_t million = 1'000'000;
};

inline Config configure(const Settings& settings) {
    Config config;
    const Duration round_trip = settings.round_trip();
    config.lease = 10 * round_trip;
    config.granularity = config.guard = settings.tm / 10;
    config.renew = config.usable(config.lease) / 4;
    config.answer = config.lease / 2;  // generous: an answer is of use as long as the lease is
    config.slot = 2 * round_trip;
    config.jitter = config.slot / 4;
    config.pref_window = static_cast<std::int64_t>(settings.nodes + 1) * config.slot;
    config.hold_down = config.lease;
    config.min_tenure = 2 * config.lease;
    config.forgive = 4 * config.lease;
    config.join = settings.join;
    config.live_attribute = settings.live_attribute;
    return config;
}

// From a crash of the leader until somebody else leads: the last promise runs out, perhaps one
// pre-vote came just too early, those who should stand first may be dead as well, and four messages
// (a slot is as long as two round trips).
inline Duration failover_bound(const Config& config, std::size_t nodes) {
    const auto rank = static_cast<std::int64_t>(nodes > 2 ? nodes - 2 : 0);
    const Duration waits = config.lease + rank * config.slot + 2 * config.jitter;
    return config.at_most(waits) + config.slot * 3 / 2;
}
// A restarted voter is quiet, a promise to nobody runs out, a stranded voter is fetched at most
// once per lease, and a better one must wait its time.
inline Duration settles_within(const Config& config, std::size_t nodes) {
    const Duration preempted = config.preempt == Preempt::graceful
                                   ? config.min_tenure + config.hold_down + config.lease
                                   : Duration{};
    return failover_bound(config, nodes) + config.pref_window + 3 * config.lease + preempted;
}

template <class F> void each_option(Config& config, F option) {
    option("lease", config.lease);
    option("drift_ppm", config.drift_ppm);
    option("granularity", config.granularity);
    option("guard", config.guard);
    option("renew", config.renew);
    option("sparing", config.sparing);
    option("answer", config.answer);
    option("slot", config.slot);
    option("jitter", config.jitter);
    option("pref_window", config.pref_window);
    option("prevote", config.prevote);
    option("preempt", config.preempt);
    option("hysteresis", config.hysteresis);
    option("hold_down", config.hold_down);
    option("min_tenure", config.min_tenure);
    option("penalty", config.penalty);
    option("forgive", config.forgive);
}

// By whom a voter's promise was handed on: `leader` has closed `epoch` and all before it for ever.
struct Transfer {
    NodeId leader{};
    Epoch epoch;
};

struct PreVote {  // would you vote for me in this epoch?
    Epoch epoch;
    Key key;
    Nonce nonce;
    ConfigVersion config;
};
struct PreGrant {  // I would
    Nonce nonce;
};
struct RequestVote {  // vote for me in this epoch, and promise me your lease
    Epoch epoch;
    Key key;
    Nonce nonce;
    std::optional<Transfer> transfer;
    ConfigVersion config;
};
struct Grant {  // you have my vote, and for `lease` from now on nobody else has
    Epoch epoch;
    Nonce nonce;
    Duration lease;
};
struct Refusal {  // of either question
    enum class Why : std::uint8_t {
        ineligible,  // you may not lead
        config,      // your member list is old
        epoch,       // I have promised a later one, or this one to somebody else
        quiet,       // I have just started and may have promised before
        lease,       // my promise to somebody else still lasts
        better,      // I know of somebody better
    };
    Nonce nonce;
    Why why{};
    Epoch promised;          // use a larger number next time
    Duration retry_after{};  // not before that; zero: no idea
};
struct Renew {  // I have won this epoch: renew your promise
    Epoch epoch;
    Nonce nonce;
    Key key;
    ConfigVersion config;
};
struct Renewed {
    static constexpr bool can_wait = true;  // until the next renewal is due
    Epoch epoch;
    Nonce nonce;
    Duration lease;
    std::optional<Key> key;  // mine, in case I should follow you; none: I do not stand
};
struct Outdated {  // I cannot renew: I have promised a later epoch
    Epoch epoch;
    Nonce nonce;
    Epoch promised;
};
struct Release {  // I shall never act in this epoch again: your promise is void
    Epoch epoch;
};
struct Appoint {  // you be the next; I have stopped
    Epoch epoch;
};
struct ConfigPush {  // a list of members, in case yours is older
    ConfigVersion config;
    Roster members;
};
struct ConfigAck {  // I go by this list, and have promised no epoch above this one
    ConfigVersion config;
    Epoch promised;
};
using Message = std::variant<PreVote, PreGrant, RequestVote, Grant, Refusal, Renew, Renewed,
                             Outdated, Release, Appoint, ConfigPush, ConfigAck>;

struct PromiseOver {};  // the promise I gave
struct LeaseOver {};    // the promises I was given
struct Stand {};        // it is my turn to be a candidate
struct NoAnswer {};     // to my pre-vote or campaign, from too many
struct RenewDue {};
struct Forgiven {};  // half of the penalty
using Timer = std::variant<PromiseOver, LeaseOver, Stand, NoAnswer, RenewDue, Forgiven>;

struct EpochChanged {  // I lead on, without a gap, under a new fencing number
    Epoch before, now;
};
struct Promised {  // the voter's record changed; `broken`: over the head of an earlier promise
    Epoch epoch;
    NodeId to{};
    bool broken = false;
};
struct Released {  // this epoch of mine is closed
    Epoch epoch;
};
struct Alarm {  // somebody won this epoch while my lease was valid: some clock breaks its bound
    Epoch epoch;
};
struct Reformed {  // I go by this list of members from now on
    ConfigVersion config;
    bool committed = false;  // I lead, it stays, and what was asked for is done
};
using Notice =
    std::variant<LeaderIs, EpochChanged, Promised, Released, Refused, Alarm, Departed, Reformed>;

// One record, durable before anything that follows from it is sent. Which disk it is on is not
// part of it: a wiped one must not vote under its old name (M-QL-9), and whoever carries the
// messages keeps it away.
struct Durable {
    Epoch promised;                   // the latest epoch voted or followed in
    std::optional<NodeId> voted_for;  // in that epoch
    bool outstanding = false;         // a promise may be out: a restart must be quiet first,
    Duration longest{};               //   for the longest promise ever made
    ConfigVersion config;
    Roster members;  // empty: those of the seat, which nobody has ever changed
};

}  // namespace conclave::quorum
