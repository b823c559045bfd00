// sim/node.h -- one node of a world: its state, its clock, its timers, and what is sent to it.
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"
#include "core/section.h"
#include "core/small.h"
#include "core/stack.h"
#include "sim/order.h"

namespace conclave {

template <class P> struct Armed {
    typename P::Timer timer;
    Instant due;              // in true time
    std::uint32_t stamp = 0;  // tells this arming from an earlier one of the same timer
};

// Only mutual exclusion has an order of requests to follow.
template <class P, class T> using IfTakesTurns = std::conditional_t<TakesTurns<Top<P>>, T, None>;

template <class P> struct Packet {
    typename P::Message message;
    Instant sent;
    Instant due;  // set by the agenda
    Incarnation incarnation;
    std::uint32_t from = 0, to = 0;  // places in the member list
    bool repair = false;
    [[no_unique_address]] IfTakesTurns<P, Past> past{};
};

// A clock that starts anywhere and runs a little too fast or too slow.
struct LocalClock {
    Duration offset{};
    std::int64_t ppm = 0;

    Instant read(Instant now) const {
        if (ppm == 0) return now + offset;
        const std::int64_t t = now.time_since_epoch().count();
        const std::int64_t gained = t / million * ppm + t % million * ppm / million;
        return Instant(offset + Duration(t + gained));
    }
    // The true time that a wait on this clock takes, rounded up: a timer is never early.
    Duration true_length(Duration wait) const {
        if (ppm == 0) return wait;
        const std::int64_t own = million + ppm;
        const std::int64_t lost = wait.count() / own * ppm + wait.count() % own * ppm / own;
        return Duration(wait.count() - lost + 1);
    }
    // From now on it runs at another rate; what it shows does not jump.
    void set_rate(Instant now, std::int64_t new_ppm) {
        const Instant shown = read(now);
        ppm = new_ppm;
        offset += shown - read(now);
    }
    static constexpr std::int64_t million = 1'000'000;
};

template <class P> struct Node {
    P state{};
    typename P::Durable durable{};
    Attribute attribute = 0;
    Incarnation incarnation{};
    LocalClock clock{};
    bool up = false;
    bool paused = false;
    bool tear = false;  // the next Save, and everything behind it, is lost in a crash
    std::uint32_t stamps = 0;
    Small<Armed<P>, 2> timers;
    // Peers known to have restarted; everybody else is in its first incarnation.
    Small<std::pair<std::uint32_t, Incarnation>, 1> restarted;
    std::vector<std::variant<Packet<P>, Event<P>>> held;  // what came while it was paused
};

}  // namespace conclave
