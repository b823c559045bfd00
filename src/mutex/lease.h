// mutex/lease.h -- who is cut off must be out of the section before the leader gives it to others.
//
// Whoever waits or is inside asks the leader again and again. An answer lets it be inside for D,
// on its own clock, from when it asked: earlier than any count that will not hear from it begins,
// so that the count knows when it is out.
#pragma once
#include <algorithm>
#include <optional>

#include "mutex/census.h"

namespace conclave {

struct Lease {
    std::optional<Instant> until;
    Nonce nonce{};
    Instant asked{};    // when first, with this nonce
    bool open = false;  // it has not been answered

    bool valid(Instant now) const { return until && now < *until; }

    // True if it is granted at once: the leader asks itself.
    template <class P> bool ask(Turn<P>& turn, Census& census, bool holds) {
        // Not later than its end: then there is an Ousted to tell.
        const Duration period = turn.config().census.renewal_period();
        turn.arm(census::ExtendDue{},
                 valid(turn.now) ? std::min(period, *until - turn.now) : period);
        if (!census.leader) return false;
        // What is not answered yet is asked again as it was: its answer may only be slow.
        if (!open || turn.now >= asked + turn.config().census.lease) {
            nonce = nonce.next();
            asked = turn.now;
            open = true;
        }
        if (!census.leading(turn)) {
            turn.send(*census.leader, census::Extend{census.promised, nonce, holds});
            return false;
        }
        if (!census.extend_mine(turn, holds)) return false;
        extend(turn);
        return true;
    }
    // True if the answer is to what I asked last.
    template <class P>
    bool granted(Turn<P>& turn, const Census& census, const census::Extended& answer) {
        if (answer.nonce != nonce || answer.generation != census.promised) return false;
        if (answer.generation <= census.past) return false;  // it was to my former life
        extend(turn);
        return true;
    }
    template <class P> void stop_asking(Turn<P>& turn) { turn.disarm(census::ExtendDue{}); }

private:
    template <class P> void extend(Turn<P>& turn) {
        open = false;
        until = std::max(until.value_or(asked), asked + turn.config().census.lease);
    }
};

}  // namespace conclave
