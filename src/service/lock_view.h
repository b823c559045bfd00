// service/lock_view.h -- what the leader knows of its locks, for people and programs that look.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "service/lock_server.h"

namespace conclave::locks {

struct Party {  // somebody who holds a lock, or waits for it
    SessionId session;
    std::string name;  // empty: it has not said
    Terms terms;
    Token token;             // of a holder
    Duration since{};        // how long ago it was granted, or asked for
    bool dismissed = false;  // it has to go, and may not have heard
};
struct LockView {
    Name lock;
    std::vector<Party> holders, waiters;  // in the order of the grants, and of the queue
};
struct LockList {
    std::vector<LockView> locks;
    std::uint64_t total = 0;  // of locks: there may be more than are listed
};
struct LockCounts {
    std::uint64_t held = 0, waiting = 0, sessions = 0;
};

namespace detail {

template <class One> Party party(const Office& office, const One& one, Instant now) {
    const Session* session = office.sessions.find(one.session);
    Party party{one.session, session->name, one.terms, {}, {}, session->dismissed};
    if (one.since) party.since = now - *one.since;
    if constexpr (requires { one.token; }) party.token = one.token;
    return party;
}
inline std::size_t size_of(const LockView& view) {
    constexpr std::size_t rest = 96;  // numbers, at most
    std::size_t size = view.lock.size() + rest;
    for (const auto* parties : {&view.holders, &view.waiters}) {
        for (const Party& one : *parties) size += one.name.size() + rest;
    }
    return size;
}

}  // namespace detail

// As many as fit into so many bytes.
inline LockList list(const Office& office, Instant now, std::size_t room) {
    LockList list{{}, office.locks.size()};
    std::size_t used = 0;
    for (const auto& [name, lock] : office.locks) {
        LockView view{name, {}, {}};
        for (const auto& one : lock.holders)
            view.holders.push_back(detail::party(office, one, now));
        for (const auto& one : lock.queue) view.waiters.push_back(detail::party(office, one, now));
        used += detail::size_of(view);
        if (used > room) break;
        list.locks.push_back(std::move(view));
    }
    return list;
}

inline LockCounts count(const Office& office) {
    LockCounts counts{0, 0, office.sessions.size()};
    for (const auto& [name, lock] : office.locks) {
        counts.held += lock.holders.size();
        counts.waiting += lock.queue.size();
    }
    return counts;
}

}  // namespace conclave::locks
