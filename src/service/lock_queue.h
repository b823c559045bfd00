// service/lock_queue.h -- what the leader keeps of a session, and of a lock: who has it, who waits.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "service/lock_words.h"

namespace conclave::locks {

struct Session {
    NodeId at{};  // where it can be found
    Instant expires{};
    Round heard;           // the number of its last word
    Small<Name, 1> locks;  // that it holds or waits for
    std::string name{};
    bool dismissed = false;  // it is renewed no more, and waits for nothing
};
struct Holder {
    SessionId session;
    Round request;
    Terms terms;
    Token token;
    std::optional<Instant> since{};  // as far as this leader knows
};
struct Waiter {
    SessionId session;
    Round request;
    Terms terms;
    Place place;
    std::optional<Instant> since{};
};
struct Lock {
    Small<Holder, 1> holders;
    Small<Waiter, 1> queue;  // by place
};

inline void remember(Session& session, const Name& name) {
    if (!session.locks.contains(name)) session.locks.push_back(name);
}
inline const Holder* holder(const Lock& lock, const SessionId& id, Round request) {
    for (const Holder& one : lock.holders) {
        if (one.session == id && one.request == request) return &one;
    }
    return nullptr;
}
inline Waiter* waiter(Lock& lock, const SessionId& id, Round request) {
    for (Waiter& one : lock.queue) {
        if (one.session == id && one.request == request) return &one;
    }
    return nullptr;
}
// Whether it can be granted on these terms beside those who have it.
inline bool fits(const Lock& lock, const Terms& terms) {
    if (lock.holders.empty()) return true;
    const Terms& theirs = lock.holders.front().terms;
    if (theirs.mode != terms.mode || terms.mode == Terms::Mode::exclusive) return false;
    return terms.mode == Terms::Mode::shared || lock.holders.size() < terms.slots;
}

}  // namespace conclave::locks
