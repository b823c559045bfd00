// elect/quorum_voter.h -- the voter: one durable vote per epoch, one promise at a time.
#pragma once
#include <algorithm>
#include <optional>
#include <utility>

#include "elect/quorum_types.h"

namespace conclave::quorum {

struct Ask {  // what a pre-vote and a real one have in common
    NodeId candidate{};
    Epoch epoch;
    std::optional<Transfer> transfer;
    ConfigVersion config;
};

struct Voter {
    struct Promise {
        NodeId to{};
        Instant until;
    };
    Durable record{};
    std::optional<Promise> promise;
    std::optional<Instant> quiet_until;
    bool frozen = false;     // a clock was seen to break its bound: no vote of this life counts
    bool departing = false;  // the node stops: no vote of this life any more

    void boot(const Config& config, const Durable& durable, Instant now) {
        record = durable;
        if (record.outstanding && config.fixes.has(quiet_time)) quiet_until = now + record.longest;
    }
    bool silent() const { return quiet_until || frozen || departing; }
    bool promised_to(NodeId node) const { return promise && promise->to == node; }

    // Why not to vote for this one now; the first line that is true decides. Changes nothing.
    std::optional<Refusal> objection(const Config& config, const Electorate& members, Instant now,
                                     const Ask& ask) const {
        using Why = Refusal::Why;
        if (ask.config < record.config) return refusal(Why::config);
        // A candidate with a newer list knows better than I do whether it may lead.
        if (ask.config == record.config && !may_lead(members, ask.candidate))
            return refusal(Why::ineligible);
        if (ask.epoch < record.promised) return refusal(Why::epoch);
        if (ask.epoch == record.promised && record.voted_for && record.voted_for != ask.candidate)
            return refusal(Why::epoch);
        if (silent()) return refusal(Why::quiet, quiet_until ? *quiet_until - now : Duration{});
        if (promise && promise->to != ask.candidate && !handed_on(ask.transfer) &&
            config.fixes.has(FixIndex::promise))
            return refusal(Why::lease, promise->until - now);
        return std::nullopt;
    }
    Refusal refusal(Refusal::Why why, Duration retry_after = {}) const {
        return {{}, why, record.promised, retry_after};
    }
    // Whoever I promised has given all its epochs up to mine away.
    bool handed_on(const std::optional<Transfer>& transfer) const {
        return transfer && promised_to(transfer->leader) && record.promised <= transfer->epoch;
    }

    // The one place where a vote is cast. True if the record is a new one, and must be saved.
    //
    // The promise starts at `now`, the start of the step, although the record becomes durable (and
    // the answer leaves) only later: it need not begin before the leader *sent* its question, from
    // where the lease counts, and that was before we received it. Later would be safe, too.
    bool vote(NodeId node, Epoch epoch, Duration lease) {
        const bool known = record.promised == epoch && record.voted_for == node &&
                           record.outstanding && record.longest >= lease;
        record.promised = epoch;
        record.voted_for = node;
        record.outstanding = true;
        record.longest = std::max(record.longest, lease);
        return !known;
    }
    // The winner of the epoch may be another than the one voted for: the vote stays (QLT-7).
    bool follow(NodeId winner, Epoch epoch, Duration lease) {
        return vote(epoch > record.promised ? winner : record.voted_for.value_or(winner), epoch,
                    lease);
    }
    void bind(NodeId to, Instant until) {
        if (promised_to(to)) until = std::max(until, promise->until);
        promise = Promise{to, until};
    }
    void release() { promise.reset(); }
    void adopt(ConfigVersion config, Roster members) {
        record.config = config;
        record.members = std::move(members);
    }
    // Nothing is promised, and nothing will be in this life: the next one need not be quiet.
    bool settle() { return !quiet_until && !promise && std::exchange(record.outstanding, false); }
};

}  // namespace conclave::quorum
