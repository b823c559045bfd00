// engine/zookeeper/evidence.h -- until when the ensemble certainly keeps our session.
//
// A server that answers proves little. It may have lost the ensemble without knowing it yet, and
// goes on answering what it can read by itself, and the client's pings, for ten seconds (syncLimit
// ticks); the ensemble meanwhile ends the session and lets another in. So what counts is a *write*:
// a majority stands behind its answer. And even that is not the instant to count from: a server
// hands on that a session is alive only when the leader pings it, every half tick, and if it dies
// before, the session ends that much earlier. From these three facts
//
//   - what a server has received from us it hands on within half a tick, its `lag`,
//   - servers and leader speak over one connection: what was handed on has arrived when something
//     later has, and a write that was sent a lag after an earlier answer is something later,
//   - whoever comes to lead gives every session its whole length anew,
//
// follows: when a write is answered, the session is alive for its length after the *sending* of any
// request that was answered a lag before the write was sent. A connection made anew needs no lag,
// for the leader itself is asked about the session.
//
// A tick is at most half of the shortest session that the ensemble grants, unless somebody has set
// its minSessionTimeout below the usual two ticks.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "core/types.h"
#include "engine/lease.h"

namespace conclave::engine::zookeeper {

class Evidence {
public:
    // How long the session is, and the shortest that there is.
    void agree(Duration session, Duration shortest) {
        session_ = session;
        lag_ = std::min(session, shortest) / 4;
    }
    Duration session() const { return session_; }
    Duration lag() const { return lag_; }

    // To a new server; at some time after `since`, or after the last request that was answered.
    void connected(Instant since, Instant now) {
        for (const Sign& sign : signs_) since = std::max(since, sign.sent);
        signs_ = {{since, now}};
    }
    void answered(Instant sent, Instant now) {
        if (const auto best = best_for(now)) {
            std::erase_if(signs_, [&](const Sign& sign) { return sign.sent < *best; });
        }
        signs_.push_back({sent, now + lag_});
    }
    void written(Instant sent) {
        if (const auto best = best_for(sent)) alive_ = std::max(alive_.value_or(*best), *best);
    }

    std::optional<Instant> until() const {
        if (!alive_) return std::nullopt;
        return *alive_ + usable(session_);
    }

private:
    struct Sign {
        Instant sent;
        Instant counts;  // for writes that are sent from then on
    };
    std::optional<Instant> best_for(Instant write) const {
        std::optional<Instant> best;
        for (const Sign& sign : signs_) {
            if (sign.counts <= write) best = std::max(best.value_or(sign.sent), sign.sent);
        }
        return best;
    }

    Duration session_{}, lag_{};
    std::vector<Sign> signs_;
    std::optional<Instant> alive_;  // the ensemble knew us to be
};

}  // namespace conclave::engine::zookeeper
