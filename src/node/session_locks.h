// node/session_locks.h -- the locks of this node's sessions. For each that asks for some, the node
// is a guest of the lock service, as any process at its door.
//
// Ensures  what `held` says is nobody else's until the instant that it names; a session that ends
//          gives back what it has.
// Breaks   if a session acts longer than it was told (sessions.h, `remaining`).
//
// An administrator who takes a lock away waits until that instant: who was told over HTTP that it
// holds something cannot be told otherwise before it asks again.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "net/driver.h"
#include "node/timers.h"
#include "service/lock_caller.h"

namespace conclave::node {

class SessionLocks {
public:
    struct House {  // of the node
        std::function<Instant()> now;
        std::function<void(locks::FromGuest said)> say;  // to whoever leads the lock service
        std::function<void(Instant due)> wake;           // then `tick`; replaces what was asked
        Duration session{};                              // of the lock service, the longest
    };
    explicit SessionLocks(House house);
    ~SessionLocks();
    SessionLocks(const SessionLocks&) = delete;
    SessionLocks& operator=(const SessionLocks&) = delete;

    struct Held {
        locks::Name lock;
        locks::Token token;
        Instant until{};
    };
    struct Verdict {
        enum class How : std::uint8_t {
            granted,
            busy,
            unanswered,  // nobody leads, or it does not answer
            asked_again,
            other_terms,  // it has it, or waits for it, in another mode
            turned_down,
            session_gone,
        };
        How how{};
        Held held{};           // if it was granted
        locks::Limit limit{};  // if it was turned down
    };
    // Hears once how it ended, perhaps at once. Who does not wait is told `busy` by the leader.
    using Hearing = std::function<void(const Verdict&)>;
    enum class Ticket : std::uint64_t {};
    struct Wish {
        std::string session, name;  // which must live, and what it is called
        locks::Name lock;
        locks::Terms terms;
        Duration wait{};
    };
    Ticket acquire(const Wish& wish, Hearing hear);
    void withdraw(Ticket ticket);  // hears nothing more

    std::optional<Held> held(const std::string& session, const locks::Name& lock) const;
    std::vector<Held> held(const std::string& session) const;
    void release(const std::string& session, const locks::Name& lock);
    void ended(const std::string& session);

    void led(std::optional<Epoch> epoch);  // none: nobody leads the lock service
    void hear(const locks::ForGuest& answer);
    void tick();

private:
    struct Waiting {
        Ticket ticket{};
        locks::Terms terms;
        Instant until{};
        bool at_once = false, busy = false;
        Hearing hear;
    };
    struct Feet;    // what a tenant's driver stands on
    struct Tenant;  // one session
    using Number = std::uint32_t;

    Tenant& tenant_of(const Wish& wish);
    const Tenant* find(const std::string& session) const;
    void ask(Tenant& tenant, LockCaller::Request request);
    void conclude(Tenant& tenant, const locks::Name& lock, const Verdict& verdict);
    void told(Tenant& tenant, const locks::Granted& granted);
    void told(Tenant& tenant, const locks::Busy& busy);
    void told(Tenant& tenant, const locks::TurnedDown& no);
    void told(Tenant&, const locks::AskedBack&) {}
    void told(Tenant&, const locks::Settled&) {}
    void told(Tenant&, const locks::Lost&) {}
    void dismiss_late(Instant now);
    void bury_settled();
    bool awaited(const Timers::Due& due) const;
    void wake_at_next();
    void wake(Instant at);

    const House house_;
    std::map<Number, std::unique_ptr<Tenant>> tenants_;
    std::map<std::string, Number> by_session_;  // those that live
    std::map<Incarnation, Number> by_life_;
    std::vector<Number> leaving_;  // they have ended, and the leader may not know
    std::set<std::pair<Instant, Ticket>> deadlines_;
    struct Place {
        Number tenant = 0;
        locks::Name lock;
    };
    std::map<Ticket, Place> places_;
    Timers timers_;
    Number numbers_ = 0;
    std::uint64_t tickets_ = 0;
    std::optional<Epoch> epoch_;
    Instant wake_ = Instant::max();  // as the house was told; may be too early, never too late
};

}  // namespace conclave::node
