// service/lock_legacy.h -- the table of a leader that has left, as its successor receives it.
//
// Whoever leaves office grants nothing and keeps no session from then on, so its table is all that
// anybody can hold; with it the next leader need not wait. It is no more than that for the leader
// directly after it: in any later epoch others may have granted since (H18).
#pragma once
#include <cstdint>

#include "core/table.h"
#include "service/lock_words.h"

namespace conclave::locks {

struct Legacy {
    Epoch epoch;  // whose table it was
    std::uint32_t sessions = 0;
    Table<SessionId, Passed> parts;

    // In any order, and any of it twice. What is older than what I have is of no use.
    void take(const Passed& passed) {
        if (passed.epoch < epoch) return;
        if (epoch < passed.epoch) *this = Legacy{passed.epoch, passed.sessions, {}};
        if (passed.sessions > 0) parts[passed.session] = passed;
    }
    bool complete() const { return epoch > Epoch{} && parts.size() == sessions; }
};

}  // namespace conclave::locks
