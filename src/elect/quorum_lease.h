// elect/quorum_lease.h -- the leader's side of the promises: until when does a quorum hold them?
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/small.h"
#include "elect/quorum_types.h"

namespace conclave::quorum {

struct Lease {
    struct Sent {  // a round of questions
        Nonce nonce;
        Instant at;
    };
    struct Held {  // a voter's promise, as far as it can be used
        NodeId voter{};
        Instant until;
    };
    Small<Sent, 8> rounds;  // the newest few: H <= D/4, so older ones are of no use
    Small<Held, 8> held;    // mine first

    void start() {
        rounds.clear();
        held.clear();
    }
    // My own promise to myself counts from the latest round.
    void sent(NodeId self, const Config& config, Nonce nonce, Instant now) {
        constexpr std::size_t kept = 8;
        if (rounds.size() == kept) rounds.erase(rounds.begin());
        rounds.push_back({nonce, now});
        hold(self, now + config.usable(config.lease));
    }
    // False if the answer belongs to no round that still counts.
    bool answered(NodeId voter, const Config& config, Nonce nonce, Duration lease, Instant now) {
        for (const Sent& round : rounds) {
            if (round.nonce != nonce) continue;
            const Instant from = config.fixes.has(send_time) ? round.at : now;
            hold(voter, from + config.usable(lease));
            if (!config.fixes.has(send_time)) hold(held.front().voter, from + config.usable(lease));
            return true;
        }
        return false;
    }
    // How much is left of a voter's promise; less than nothing: it is over, or there was none.
    Duration left(NodeId voter, Instant now) const {
        for (const Held& one : held) {
            if (one.voter == voter) return one.until - now;
        }
        return Duration{-1};
    }
    bool holds(NodeId voter, Instant now) const { return left(voter, now) > Duration{}; }

    // The latest instant until which a quorum has promised.
    std::optional<Instant> end(const Electorate& members) const {
        Small<std::pair<Instant, std::uint64_t>, 16> promises;
        const std::uint64_t all = members.weight();
        std::uint64_t theirs = 0;
        for (const Held& one : held) promises.push_back({one.until, members.weight(one.voter)});
        std::sort(promises.begin(), promises.end(), std::greater<>());
        for (const auto& [until, weight] : promises) {
            theirs += weight;
            if (2 * theirs > all) return until;
        }
        return std::nullopt;
    }

private:
    void hold(NodeId voter, Instant until) {
        for (Held& one : held) {
            if (one.voter == voter)
                return static_cast<void>(one.until = std::max(one.until, until));
        }
        held.push_back({voter, until});
    }
};

}  // namespace conclave::quorum
