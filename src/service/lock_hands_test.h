// service/lock_hands_test.h -- one client and one server of the lock service, told by hand what
// happens to them.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "elect/hand.h"
#include "service/locks.h"

namespace conclave {

// A client: node 1, led by 3.
struct LockClient : Hand<Locks> {
    explicit LockClient(std::initializer_list<std::size_t> without = {}) : Hand(1, 3, without) {
        happens(LeaderIs{NodeId{3}, Epoch{5}});
    }
    void wants() {
        is_asked(Enter{});
        asked = *sends<locks::KeepAlive>();
    }
    void is_kept() { receives(3, locks::Kept{Epoch{5}, asked.word.session, asked.nonce}); }
    void is_granted(Epoch by = Epoch{5}) {
        const auto& wish = asked.wanted.front();
        receives(
            3, locks::Grant{by, asked.word.session, wish.lock, wish.request, locks::Token{by, 1}});
    }
    Section where() const { return state.section(now); }
    locks::KeepAlive asked;
};

// The server: node 4, which leads.
struct LockServer : Hand<Locks> {
    explicit LockServer(Epoch the_epoch, std::initializer_list<std::size_t> without = {})
        : Hand(4, 4, without), epoch(the_epoch) {
        config.closed = false;
        happens(LeaderIs{NodeId{4}, epoch});
    }
    static locks::SessionId session(std::uint32_t client) { return {NodeId{client}, {1}, {1}}; }
    locks::KeepAlive call(std::uint32_t client, std::uint64_t number, bool opening = true) const {
        return {{session(client), epoch, {number}}, {number}, config.session, opening, {}, {}};
    }
    void opens(std::uint32_t client) { receives(client, call(client, 1)); }
    void asks(std::uint32_t client, std::uint64_t number, locks::Terms terms = {}) {
        receives(client,
                 locks::Acquire{{session(client), epoch, {number}}, {"x", {number}, terms, {}}});
    }
    void releases(std::uint32_t client, std::uint64_t number, std::uint64_t request) {
        receives(client, locks::Release{{session(client), epoch, {number}}, "x", {request}});
    }
    Epoch epoch;
};

}  // namespace conclave
