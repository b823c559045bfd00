// library/lease.h -- until when something is held: a comparison with the clock, on any thread.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>

#include "net/clock.h"

namespace conclave {

struct TimedLease {
    std::atomic<std::int64_t> until{0};  // on net/clock.h; 0: over, for good
    std::stop_source stop;

    static std::int64_t clock() { return net::now().time_since_epoch().count(); }

    void begin(Instant end) { until = end.time_since_epoch().count(); }
    // Only what is still held. Whoever works under it may have seen that it is over, although the
    // answer came in time and was only read late; or has let go of it on another thread.
    void extend(Instant end) {
        std::int64_t before = until;
        while (clock() < before) {
            if (until.compare_exchange_weak(before, end.time_since_epoch().count())) return;
        }
    }
    Instant end() const { return Instant(Duration(until.load())); }
    bool held() const { return clock() < until; }
    std::chrono::nanoseconds remaining() const {
        return std::chrono::nanoseconds(std::max<std::int64_t>(until - clock(), 0));
    }
};

}  // namespace conclave
