// core/stack.h -- one protocol standing on another: a detector under an election, say.
//
// Stack<Lower, Upper> is itself a Protocol. Its messages, timers, requests and notices are those
// of both; what Lower tells, Upper hears as an event if it has a rule for it, in the same step.
// Any message for Upper is a sign of life that Lower may count (Heard), and any message of Upper's
// is one that Lower need not give (Spoke).
#pragma once
#include <cassert>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/protocol.h"

namespace conclave {

namespace detail {

template <class Variant, class T> struct Holds;
template <class... A, class T>
struct Holds<std::variant<A...>, T> : std::bool_constant<(std::same_as<A, T> || ...)> {};

// The alternatives of both, each once. None ("there are none") gives way to anything real.
template <class A, class B> struct Joined;
template <class... A> struct Joined<std::variant<A...>, std::variant<>> {
    using type = std::variant<A...>;
};
template <class... A, class B, class... Bs>
struct Joined<std::variant<A...>, std::variant<B, Bs...>>
    : std::conditional_t<std::same_as<B, None> || Holds<std::variant<A...>, B>::value,
                         Joined<std::variant<A...>, std::variant<Bs...>>,
                         Joined<std::variant<A..., B>, std::variant<Bs...>>> {};
template <class B, class... Bs>
requires(!std::same_as<B, None>) struct Joined<std::variant<None>, std::variant<B, Bs...>> {
    using type = std::variant<B, Bs...>;
};

template <class Whole, class Part> Whole widen(const Part& part) {
    return std::visit(
        []<class T>(const T& one) -> Whole {
            if constexpr (Holds<Whole, T>::value) {
                return one;
            } else {
                static_assert(std::same_as<T, None>);
                std::abort();  // nobody ever has one of what there is none of
            }
        },
        part);
}

}  // namespace detail

template <class Variant, class T> inline constexpr bool holds = detail::Holds<Variant, T>::value;

template <class P> inline constexpr bool has_leases = requires(P& protocol, Turn<P>& turn) {
    protocol.expire(turn);
};

template <Protocol L, Protocol U> struct Stack {
    using Lower = L;
    using Upper = U;
    static constexpr Model assumes = Upper::assumes;
    static constexpr Claim claim = Upper::claim;

    struct Config {
        typename Lower::Config lower{};
        typename Upper::Config upper{};
    };
    struct Durable {
        typename Lower::Durable lower{};
        typename Upper::Durable upper{};
    };
    using Message = typename detail::Joined<typename L::Message, typename U::Message>::type;
    using Timer = typename detail::Joined<typename L::Timer, typename U::Timer>::type;
    using Request = typename detail::Joined<typename L::Request, typename U::Request>::type;
    using Notice = typename detail::Joined<typename L::Notice, typename U::Notice>::type;
    static_assert(std::variant_size_v<Message> == std::variant_size_v<typename L::Message> +
                                                      std::variant_size_v<typename U::Message>,
                  "both parts have a message of the same type: nobody could tell whose it is");
    using Turn = conclave::Turn<Stack>;

    Lower lower{};
    Upper upper{};
    Durable durable{};  // a save of one part carries the other's last record along

    static Config configure(const Settings& settings) {
        return {Lower::configure(settings), Upper::configure(settings)};
    }

    // Both boot before Upper hears what Lower has to tell.
    void on(Turn& turn, const Booted<Stack>& booted) {
        durable = booted.durable;
        run_lower(turn, Booted<Lower>{durable.lower});
        tell_upper(turn, Booted<Upper>{durable.upper});
        pass_notices(turn);
    }
    // A leader below whose lease is over says so before anybody above acts on its word, be it only
    // to end leases of its own. From here on both are up to date: what one hears of the other in
    // this step lets no more time pass.
    void expire(Turn& turn) requires(has_leases<Lower> || has_leases<Upper>) {
        tell_lower(turn, TimePassed{});
        tell_upper(turn, TimePassed{});
    }
    template <class M>
    requires holds<Message, M>
    void on(Turn& turn, NodeId from, const M& message) {
        if constexpr (holds<typename L::Message, M>) {
            tell_lower(turn, Received<Lower>{from, message});
        } else {
            if constexpr (rules::Other<Lower, Heard>) tell_lower(turn, Heard{from});
            tell_upper(turn, Received<Upper>{from, message});
        }
    }
    template <class E>
    requires(holds<Timer, E> || holds<Request, E>) void on(Turn& turn, const E& event) {
        if constexpr (holds<typename L::Timer, E>) tell_lower(turn, Expired<Lower>{event});
        if constexpr (holds<typename U::Timer, E>) tell_upper(turn, Expired<Upper>{event});
        if constexpr (holds<typename L::Request, E>) tell_lower(turn, Asked<Lower>{event});
        if constexpr (holds<typename U::Request, E>) tell_upper(turn, Asked<Upper>{event});
    }
    template <class E>
    requires(std::same_as<E, Suspected> || std::same_as<E, Trusted> || std::same_as<E, Failed> ||
             std::same_as<E, Restarted> || std::same_as<E, LeaderIs> ||
             std::same_as<E, MembersChanged>) void on(Turn& turn, const E& event) {
        tell_lower(turn, event);
        tell_upper(turn, event);
    }

private:
    struct TimePassed {};  // to end leases, and do nothing else

    template <class E> void tell_lower(Turn& turn, const E& event) {
        run_lower(turn, event);
        pass_notices(turn);
    }
    template <class E> void run_lower(Turn& turn, const E& event) {
        run(turn, lower, turn.seat.config.lower, durable.lower, turn.effects.lower, event);
    }
    void pass_notices(Turn& turn) {
        auto& out = turn.effects.lower;
        for (std::size_t at = 0; at < out.list.size(); ++at) {
            if (const auto* tell = std::get_if<Tell<Lower>>(&out.list[at])) {
                std::visit([&](const auto& notice) { tell_upper(turn, notice); }, tell->notice);
            }
        }
    }
    // In the midst of a step: somebody up the stack may be reading what Lower told, so nothing may
    // be added to it.
    void note_spoken(Turn& turn, NodeId to) {
        const std::size_t before = turn.effects.lower.list.size();
        const Seat<Lower> seat{turn.seat.self, turn.seat.members, turn.seat.config.lower,
                               turn.seat.attribute, turn.seat.incarnation};
        conclave::Turn<Lower> its_turn(seat, turn.now, turn.effects.lower);
        lower.on(its_turn, Spoke{to});
        assert(turn.effects.lower.list.size() == before);
    }
    template <class E> void tell_upper(Turn& turn, const E& event) {
        run(turn, upper, turn.seat.config.upper, durable.upper, turn.effects.upper, event);
    }
    template <class Part, class E>
    void run(Turn& turn, Part& part, const typename Part::Config& config,
             typename Part::Durable& record, Effects<Part>& out, const E& event) {
        out.list.clear();
        const Seat<Part> seat{turn.seat.self, turn.seat.members, config, turn.seat.attribute,
                              turn.seat.incarnation};
        conclave::Turn<Part> its_turn(seat, turn.now, out);
        if constexpr (!std::same_as<E, TimePassed>) {
            detail::dispatch(part, its_turn, event);
        } else if constexpr (has_leases<Part>) {
            part.expire(its_turn);
        }
        for (const Effect<Part>& effect : out.list) {
            std::visit([&](const auto& one) { pass(turn, record, one); }, effect);
        }
    }
    template <class Part> void pass(Turn& turn, typename Part::Durable&, const Send<Part>& send) {
        turn.effects.list.push_back(
            Send<Stack>{send.to, detail::widen<Message>(send.message), send.repair});
        if constexpr (std::same_as<Part, Upper> && rules::Other<Lower, Spoke>)
            note_spoken(turn, send.to);
    }
    template <class Part> void pass(Turn& turn, typename Part::Durable&, const Arm<Part>& arm) {
        turn.arm(detail::widen<Timer>(arm.timer), arm.wait);
    }
    template <class Part>
    void pass(Turn& turn, typename Part::Durable&, const Disarm<Part>& disarm) {
        turn.disarm(detail::widen<Timer>(disarm.timer));
    }
    template <class Part>
    void pass(Turn& turn, typename Part::Durable& record, const Save<Part>& save) {
        record = save.durable;
        turn.save(durable);
    }
    template <class Part> void pass(Turn& turn, typename Part::Durable&, const Tell<Part>& tell) {
        turn.tell(detail::widen<Notice>(tell.notice));
    }
};

// The protocol on top, whose properties a stack is judged by.
template <class P> struct TopOf {
    using type = P;
    static const P& get(const P& whole) { return whole; }
};
template <class L, class U> struct TopOf<Stack<L, U>> {
    using type = typename TopOf<U>::type;
    static const type& get(const Stack<L, U>& whole) { return TopOf<U>::get(whole.upper); }
};
template <class P> using Top = typename TopOf<P>::type;
template <class P> const Top<P>& top(const P& whole) { return TopOf<P>::get(whole); }

// Its part of the whole configuration.
template <class C> const auto& top_config(const C& config) {
    if constexpr (requires { config.upper; }) {
        return top_config(config.upper);
    } else {
        return config;
    }
}

// Whose message it is, for counting: the lowest part that knows it.
template <class P, class M> constexpr Kind kind_of_message() {
    if constexpr (requires { typename P::Lower; }) {
        if constexpr (holds<typename P::Lower::Message, M>) {
            return kind_of_message<typename P::Lower, M>();
        } else {
            return kind_of_message<typename P::Upper, M>();
        }
    } else {
        return P::claim.kind;
    }
}

}  // namespace conclave
