// core/protocol.h -- the one idea: a protocol is told one event and answers with effects.
//
// A protocol is a plain value. It never sees a socket, a clock, a thread, a file or a die. `step`
// is the only way its state changes; its rules are overloads of `on`, one per message, timer and
// request, so that a message without a rule does not compile.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/members.h"
#include "core/model.h"
#include "core/types.h"

namespace conclave {

struct None {};  // no durable state; as the only alternative: no timers, no requests

// clang-format off
// Events: past tense.
template <class P> struct Booted   { typename P::Durable durable; };    // started, or restarted
template <class P> struct Received { NodeId from; typename P::Message message; };
template <class P> struct Expired  { typename P::Timer timer; };
template <class P> struct Asked    { typename P::Request request; };    // by the application
struct Suspected { NodeId node; };   // an unreliable detector's opinion
struct Trusted   { NodeId node; };   //   and its change of mind
struct Failed    { NodeId node; };   // a reliable detector's verdict
struct Restarted { NodeId node; };   // a new incarnation was heard of
struct Heard     { NodeId node; };   // any message is a sign of life
struct Spoke     { NodeId node; };   //   and ours are one to whom they go; has no effects
struct LeaderIs  { std::optional<NodeId> leader; Epoch epoch; };        // an election's result
struct MembersChanged {};            // the seat's list is a new one

// Effects: imperative, obeyed in order; nothing behind a Save is obeyed before it is durable.
template <class P> struct Send   {   // repair: only our fixes send it, the source does not
    NodeId to; typename P::Message message; bool repair;
};
template <class P> struct Arm    { typename P::Timer timer; Wait wait; };  // again: replaces
template <class P> struct Disarm { typename P::Timer timer; };
template <class P> struct Save   { typename P::Durable durable; };
template <class P> struct Tell   { typename P::Notice notice; };        // to the application
// clang-format on

template <class P>
using Event = std::variant<Booted<P>, Received<P>, Expired<P>, Asked<P>, Suspected, Trusted, Failed,
                           Restarted, Heard, Spoke, LeaderIs, MembersChanged>;
template <class P> using Effect = std::variant<Send<P>, Arm<P>, Disarm<P>, Save<P>, Tell<P>>;

// The buffer a driver owns and reuses. A stack keeps one for each of its parts inside its own, so
// that stacking allocates nothing per step either.
template <class P> struct Effects { std::vector<Effect<P>> list; };
template <class P>
requires requires { typename P::Lower; }
struct Effects<P> {
    std::vector<Effect<P>> list;
    Effects<typename P::Lower> lower;
    Effects<typename P::Upper> upper;
};

// Where a node sits: what it may look at but never change.
template <class P> struct Seat {
    NodeId self;
    const MemberList& members;         // shared by all seats
    const typename P::Config& config;  // shared by all seats
    Attribute attribute = 0;           // my own, live: it may change between two turns
    Incarnation incarnation{};

    Key key() const { return {attribute, self}; }
};

template <class P> class Turn {
public:
    Turn(const Seat<P>& the_seat, Instant the_now, Effects<P>& out)
        : seat(the_seat), now(the_now), effects(out) {}

    const Seat<P>& seat;
    const Instant now;  // of this node's own clock
    Effects<P>& effects;

    template <class M> void send(NodeId to, M&& message) {
        effects.list.emplace_back(Send<P>{to, std::forward<M>(message), is_repair<M>});
    }
    // Said before, or needed only because of a fix: not counted among the source's messages.
    template <class M> void resend(NodeId to, M&& message) {
        effects.list.emplace_back(Send<P>{to, std::forward<M>(message), true});
    }
    void arm(typename P::Timer timer, Wait wait) {
        effects.list.emplace_back(Arm<P>{std::move(timer), wait});
    }
    void arm(typename P::Timer timer, Duration wait) { arm(std::move(timer), exactly(wait)); }
    void disarm(typename P::Timer timer) { effects.list.emplace_back(Disarm<P>{std::move(timer)}); }
    void save(typename P::Durable durable) {
        effects.list.emplace_back(Save<P>{std::move(durable)});
    }
    void tell(typename P::Notice notice) { effects.list.emplace_back(Tell<P>{std::move(notice)}); }

    const typename P::Config& config() const { return seat.config; }
    bool fixed(std::size_t fix) const { return seat.config.fixes.has(fix); }

private:
    // A message type that exists only because of a fix says so: `static constexpr bool repair`.
    template <class M> static constexpr bool is_repair = requires {
        std::remove_cvref_t<M>::repair;
    };
};

// A message that makes its reader do nothing before its next timer says so: `static constexpr bool
// can_wait`. Where it costs something to wake a reader nobody is woken for it; who reads it later
// takes it as of when it came, by a rough clock. So no promise may begin with it.
template <class Variant> bool can_wait(const Variant& message) {
    return std::visit(
        []<class M>(const M&) {
            return requires { M::can_wait; };
        },
        message);
}

namespace rules {

template <class P, class M>
concept Message = requires(P& protocol, Turn<P>& turn, const M& message) {
    protocol.on(turn, NodeId{}, message);
};
// A timer, a request, or one of the driver's own events.
template <class P, class E>
concept Other = requires(P& protocol, Turn<P>& turn, const E& event) {
    protocol.on(turn, event);
};

template <class P, class M> consteval bool message() {
    static_assert(Message<P, M>, "a message has no rule: write on(Turn&, NodeId from, Message)");
    return true;
}
template <class P, class T> consteval bool timer() {
    static_assert(std::same_as<T, None> || Other<P, T>,
                  "a timer has no rule: write on(Turn&, Timer)");
    return true;
}
template <class P, class R> consteval bool request() {
    static_assert(std::same_as<R, None> || Other<P, R>,
                  "a request has no rule: write on(Turn&, Request)");
    return true;
}
template <class P, class... M, class... T, class... R>
consteval bool complete(std::variant<M...>*, std::variant<T...>*, std::variant<R...>*) {
    return (message<P, M>() && ...) && (timer<P, T>() && ...) && (request<P, R>() && ...);
}

}  // namespace rules

template <class P>
concept Protocol = std::copyable<P> && std::default_initializable<P> && requires {
    typename P::Config;
    typename P::Notice;
    typename P::Durable;
    { P::assumes } -> std::convertible_to<Model>;
    { P::claim } -> std::convertible_to<Claim>;
} && rules::complete<P>(static_cast<typename P::Message*>(nullptr),
                        static_cast<typename P::Timer*>(nullptr),
                        static_cast<typename P::Request*>(nullptr)) && rules::Other<P, Booted<P>>;

namespace detail {

template <class P> void dispatch(P& protocol, Turn<P>& turn, const Booted<P>& event) {
    protocol.on(turn, event);
}
template <class P> void dispatch(P& protocol, Turn<P>& turn, const Received<P>& event) {
    std::visit([&](const auto& message) { protocol.on(turn, event.from, message); }, event.message);
}
template <class P> void dispatch(P& protocol, Turn<P>& turn, const Expired<P>& event) {
    std::visit(
        [&]<class T>(const T& timer) {
            if constexpr (!std::same_as<T, None>) protocol.on(turn, timer);
        },
        event.timer);
}
template <class P> void dispatch(P& protocol, Turn<P>& turn, const Asked<P>& event) {
    std::visit(
        [&]<class R>(const R& request) {
            if constexpr (!std::same_as<R, None>) protocol.on(turn, request);
        },
        event.request);
}
// The driver's own events are for those who listen. A verdict without its own rule is taken as the
// nearest weaker one: failed is at least suspected, and a restart is a crash and a return.
template <class P, class E> void dispatch(P& protocol, Turn<P>& turn, const E& event) {
    if constexpr (rules::Other<P, E>) {
        protocol.on(turn, event);
    } else if constexpr (std::same_as<E, Failed>) {
        dispatch(protocol, turn, Suspected{event.node});
    } else if constexpr (std::same_as<E, Restarted>) {
        dispatch(protocol, turn, Suspected{event.node});
        dispatch(protocol, turn, Trusted{event.node});
    }
}
template <class P> void dispatch(P& protocol, Turn<P>& turn, const Event<P>& event) {
    std::visit([&](const auto& one) { dispatch(protocol, turn, one); }, event);
}

}  // namespace detail

// The only way a protocol's state changes. Leases end before the event is looked at: a late timer
// must not let a fresh message revive something dead.
template <Protocol P, class E>
void step(P& protocol, const Seat<P>& seat, Instant now, const E& event, Effects<P>& effects) {
    Turn<P> turn(seat, now, effects);
    if constexpr (requires { protocol.expire(turn); }) protocol.expire(turn);
    detail::dispatch(protocol, turn, event);
}

}  // namespace conclave
