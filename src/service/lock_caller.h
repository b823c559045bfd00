// service/lock_caller.h -- a client of the lock service that is no member of the group.
//
// It is a guest of one node at a time, and hears from it which leader there is (Recover). When that
// node is gone it goes to another and says there what it holds and wants: its session belongs to no
// node. The rules are those of every client, in lock_client.h.
#pragma once
#include <optional>
#include <variant>

#include "core/stack.h"
#include "service/lock_client.h"

namespace conclave {

struct LockCaller {
    static constexpr Model assumes{Links::hostile, Timing::drifting, Faults::partition};
    static constexpr Claim claim{
        Kind::mutex,
        "Chubby (Burrows 2006); Gray and Cheriton 1989",
        "what it says that it holds is held by nobody else",
        "a clock that drifts more than its bound, or who acts after its lease without a fence",
        "3 per entry and an answer to the release",
        "2 to enter",
    };
    static constexpr auto& fixes = locks::fixes;
    using Config = locks::Config;
    static Config configure(const Settings& settings) { return locks::configure(settings); }
    using Message = locks::Message;
    using Timer = std::variant<locks::KeepAliveDue, locks::SessionOver>;
    using Request = std::variant<locks::Obtain, locks::GiveUp>;
    using Notice = std::variant<locks::Granted, locks::Busy, locks::AskedBack, locks::Settled,
                                locks::Lost, locks::TurnedDown>;
    using Durable = None;
    using Turn = conclave::Turn<LockCaller>;

    locks::Client client{};

    void expire(Turn& turn) {
        Desk desk{turn};
        if (turn.fixed(locks::expire_first)) client.expire(desk);
    }
    void on(Turn&, const Booted<LockCaller>&) {}
    // Only that there is none: which one there is, the node says.
    void on(Turn&, LeaderIs told) {
        if (!told.leader) client.lose_leader();
    }
    void on(Turn& turn, const locks::Obtain& wish) {
        Desk desk{turn};
        client.acquire(desk, wish.lock, wish.terms);
    }
    void on(Turn& turn, const locks::GiveUp& done) {
        Desk desk{turn};
        client.release(desk, done.lock);
    }
    template <class M>
    requires holds<Message, M>
    void on(Turn& turn, NodeId from, const M& message) {
        Desk desk{turn};
        if constexpr (requires { client.on(desk, from, message); }) client.on(desk, from, message);
    }
    template <class T>
    requires holds<Timer, T>
    void on(Turn& turn, T timer) {
        Desk desk{turn};
        client.on(desk, timer);
    }

private:
    struct Desk {
        Turn& turn;

        const Config& config() const { return turn.config(); }
        template <class M> void send(NodeId to, const M& message) { turn.send(to, message); }
        void send(NodeId, const locks::Idle&) {}  // nobody waits for guests who hold nothing
        void granted(const locks::Holding& holding) {
            turn.tell(locks::Granted{holding.lock, holding.token});
        }
        void asked_back(const locks::Holding& holding) {
            turn.tell(locks::AskedBack{holding.lock});
        }
        void settled() { turn.tell(locks::Settled{}); }
        void queued(const locks::Wish& wish) { turn.tell(locks::Busy{wish.lock}); }
        void lost(const locks::Holding& holding) {
            turn.tell(locks::Lost{holding.lock, holding.token});
        }
        void turned_down(const locks::Name& lock, locks::Limit limit) {
            turn.tell(locks::TurnedDown{lock, limit});
        }
    };
};
static_assert(Protocol<LockCaller>);

}  // namespace conclave
