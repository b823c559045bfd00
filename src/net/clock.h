// net/clock.h -- the clock of a real node, and the one alarm that wakes it.
//
// Both stand on CLOCK_BOOTTIME: it never steps (NTP, an administrator's `date`), and it goes on
// while the machine is suspended. That matters for leases: a laptop that slept for a minute must
// find its lease expired when it wakes. Asio's steady_timer sleeps on CLOCK_MONOTONIC, which stands
// still meanwhile, so a timer set before the suspend would ring a minute late by our clock. The
// Alarm therefore is a timerfd on CLOCK_BOOTTIME, due at once after a wake-up.
#pragma once
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "core/result.h"
#include "core/types.h"

namespace conclave::net {

// Of this machine since its boot: never comparable with another machine's.
Instant now();

// One per node: the node keeps its timers in a heap and sets the alarm to the earliest.
class Alarm {
public:
    static Result<Alarm> make(boost::asio::io_context& loop);
    Alarm(Alarm&&) noexcept;
    Alarm& operator=(Alarm&&) noexcept;
    ~Alarm();  // nothing rings after it

    // Replaces whatever was set. Rings once, from the loop, never from inside this call, even if
    // `due` has passed already.
    void at(Instant due, std::function<void()> ring);
    void cancel();

private:
    struct Bell;
    explicit Alarm(std::shared_ptr<Bell> bell);
    std::shared_ptr<Bell> bell_;
};

}  // namespace conclave::net
