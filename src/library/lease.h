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

    void extend(Instant end) { until = end.time_since_epoch().count(); }
    bool held() const { return clock() < until; }
    std::chrono::nanoseconds remaining() const {
        return std::chrono::nanoseconds(std::max<std::int64_t>(until - clock(), 0));
    }
};

}  // namespace conclave
