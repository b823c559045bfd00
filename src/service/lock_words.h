// service/lock_words.h -- what clients and the lock server say to each other, and how they are
// tuned. The rules are in lock_client.h and lock_server.h.
//
// A client acts under a session, which is a lease: it may use what it was granted until its session
// is over, on its own clock. Everything it says in a session is numbered, and a KeepAlive says all
// that it holds and wants. So nothing else needs to be repeated: what was lost or overtaken is
// settled by the next KeepAlive.
#pragma once
#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/model.h"
#include "core/small.h"
#include "core/types.h"
#include "service/lock_limits.h"

namespace conclave::locks {

// Which grant it was. It only grows, for ever: what a lock protects can tell who is late.
struct Token {
    Epoch epoch;
    std::uint64_t number = 0;
    friend auto operator<=>(const Token&, const Token&) = default;
};

struct SessionId {
    NodeId client{};
    Incarnation life;
    Round number;
    friend auto operator<=>(const SessionId&, const SessionId&) = default;
};

// A place in a queue, as the leader gave it that first heard of the request. It is kept from leader
// to leader: the older epoch was first.
struct Place {
    Epoch epoch;
    std::uint64_t number = 0;  // 0: not queued yet
    friend auto operator<=>(const Place&, const Place&) = default;
};

struct Terms {
    enum class Mode : std::uint8_t { exclusive, shared, slot };
    Mode mode = Mode::exclusive;
    std::uint32_t slots = 1;  // of a semaphore: how many may hold it at once
    bool told = false;        // the holder hears of it when somebody else wants it
    friend bool operator==(const Terms&, const Terms&) = default;
};

struct Holding {  // what a client has
    Name lock;
    Round request;
    Terms terms;
    Token token;
};
struct Wish {  // what it asks for
    Name lock;
    Round request;
    Terms terms;
    Place place;
};

struct Word {  // which of a session's words it is, and for which leader
    SessionId session;
    Epoch epoch;
    Round number;
};

// --- From a client. ---

struct KeepAlive {
    Word word;
    Nonce nonce;
    Duration lease{};      // CD: how long it will act on the answer
    bool opening = false;  // no leader has answered yet: there is nothing to remember
    Small<Holding, 1> held;
    Small<Wish, 1> wanted;
    std::string name{};  // whose session it is, for people; a member has one already
};
struct Acquire {
    Word word;
    Wish wish;
};
struct Release {  // it is not held any more, or not wanted
    Word word;
    Name lock;
    Round request;
};
struct Farewell {  // who was dismissed has stopped: what it held is free
    Word word;
};
struct Idle {  // I have no session, and take nothing from a leader before this one
    Epoch epoch;
};

// --- From the leader. ---

struct Kept {
    Epoch epoch;
    SessionId session;
    Nonce nonce;
};
struct Queued {
    Epoch epoch;
    SessionId session;
    Round request;
    Place place;
};
struct Grant {
    Epoch epoch;
    SessionId session;
    Name lock;
    Round request;
    Token token;
};
struct Released {
    Epoch epoch;
    SessionId session;
    Round request;
};
struct SessionGone {  // I do not know it, or know it no longer
    Epoch epoch;
    SessionId session;
    bool dismissed =
        false;  // by an administrator: what it held is free at its Farewell, or its end
};
struct Declined {  // as SessionGone, and it is of no use to ask again
    Epoch epoch;
    SessionId session;
    Limit limit{};
};
struct Recover {  // I lead now: what do you hold and want?
    Epoch epoch;
};
struct Wanted {  // what you hold: somebody else waits for it
    Epoch epoch;
    SessionId session;
    Name lock;
    Round request;
};

// --- From a leader that leaves to the other members, one of whom is the next. ---

struct Passed {  // one session of my table, in which nothing changes any more
    Epoch epoch;
    std::uint32_t sessions = 0;  // that there are; 0: and this is none
    SessionId session;
    NodeId at{};
    Round heard;
    Small<Holding, 1> held;
    Small<Wish, 1> wanted;
    std::string name{};  // for people
    bool dismissed = false;
};

using Message = std::variant<KeepAlive, Acquire, Release, Idle, Kept, Queued, Grant, Released,
                             SessionGone, Recover, Farewell, Declined, Passed, Wanted>;

// --- Between an application and its client. ---

struct Obtain {
    Name lock;
    Terms terms;
};
struct GiveUp {  // whether it is held or only wanted
    Name lock;
};
struct LetGo {  // once somebody else wants it; until then it can be had again for nothing
    Name lock;
};
struct Granted {
    Name lock;
    Token token;
};
struct Busy {  // others are first: it is wanted, and waits
    Name lock;
};
struct AskedBack {  // by somebody who waits for it
    Name lock;
};
struct Settled {};  // whatever was given up, the leader knows
struct Lost {       // the session is over: stop before anybody else is granted it
    Name lock;
    Token token;
};
struct TurnedDown {  // it is not wanted any more
    Name lock;
    Limit limit{};
};

// --- Between an administrator and the leader. ---

struct Dismiss {  // whoever holds it must go
    Name lock{};  // empty: the one of Enter and Leave
};
struct Served {  // somebody was granted a lock
    Duration waited{};
};
struct Forfeited {};  // a lock has ended before it was released

// --- Between a node and clients that are no members: it passes on what they and the leader say.
// ---

// Their sessions name no node; `life` is drawn by lot instead.
inline bool is_guest(const SessionId& session) { return session.client == NodeId{}; }

struct FromGuest {
    std::variant<KeepAlive, Acquire, Release, Farewell> word;
};
struct ForGuest {
    std::variant<Kept, Queued, Grant, Released, SessionGone, Declined, Wanted> word;
};

// Nothing if it is not for a guest to say.
inline std::optional<FromGuest> as_guest(Message message) {
    return std::visit(
        [](auto& one) -> std::optional<FromGuest> {
            if constexpr (requires { FromGuest{std::move(one)}; }) {
                if (is_guest(one.word.session)) return FromGuest{std::move(one)};
            }
            return std::nullopt;
        },
        message);
}

struct KeepAliveDue {};  // a client's
struct SessionOver {};
struct RecoverDue {};  // a leader's: ask again who has not answered
struct RecoveryOver {};
struct SessionsDue {};  // somebody's time is over
using Timer = std::variant<KeepAliveDue, SessionOver, RecoverDue, RecoveryOver, SessionsDue>;

enum FixIndex : std::size_t {
    recovery_wait,
    epoch_guard,
    send_time,
    expire_first,
    no_revival,
    leader_lease,
    reconcile,
    fence,
    next_epoch,
};
inline constexpr std::array fixes{
    Fix{"recovery-wait", "a new leader grants nothing while a client unheard of may hold it (H1)"},
    Fix{"epoch-guard", "who has answered a leader takes nothing from an earlier one (H4)"},
    Fix{"send-time", "a session counts from when it was asked for, not from the answer (H8)"},
    Fix{"expire-first", "a session whose time is over is dead, however late its timer (H9)"},
    Fix{"no-revival", "a leader does not take up again a session that it let expire (H10)"},
    Fix{"leader-lease", "a leader whose lease is over is no leader (H11)"},
    Fix{"reconcile", "what a client no longer holds is free, though it was not heard (H13)"},
    Fix{"fence", "what a lock protects refuses a smaller token than it has seen (H7)"},
    Fix{"next-epoch", "a table that was passed on is good for the next epoch only (H18)"},
};

struct Config {
    FixSet fixes{};
    Duration session{};                                   // CD
    Duration longest{};                                   // CD_max: no session of anybody is longer
    Duration keep_alive{};                                // Hc
    std::uint32_t drift_ppm = 10'000;                     // of any clock
    Duration granularity = std::chrono::milliseconds(2);  // of any reading of any clock
    bool sticky = false;           // Leave only lets go, so that Enter may be free
    bool closed = false;           // the members are all the clients there are
    std::uint32_t pass_on = 4096;  // sessions and locks that a leader passes on, or none
    std::string name{};            // of a guest, for people

    // How long to wait, on any clock, until a lease of this length is over on any other.
    Duration outlives(Duration lease) const {
        const std::int64_t slow = 1'000'000 - drift_ppm;
        const std::int64_t more = (lease.count() * 2 * drift_ppm + slow - 1) / slow;
        return lease + Duration(more) + granularity;
    }
};

inline Config configure(const Settings& settings) {
    Config config;
    config.session = 8 * settings.round_trip();
    config.longest = config.session;
    config.keep_alive = config.session / 4;
    config.granularity = settings.tm / 10;
    config.closed = true;
    return config;
}

}  // namespace conclave::locks
