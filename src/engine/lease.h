// engine/lease.h -- how much of a lease that runs on another machine's clock may be used on ours.
#pragma once
#include <cstdint>

#include "core/types.h"
#include "service/lock_words.h"

namespace conclave::engine {

// Counted from before it was asked for. Both clocks may drift, in opposite directions, and both are
// read only so often.
inline Duration usable(Duration lease) {
    const locks::Config usual;
    const std::int64_t fast = 1'000'000 + usual.drift_ppm;
    const Duration slack(lease.count() / fast * 2 * usual.drift_ppm + 2 * usual.drift_ppm);
    return lease - slack - usual.granularity;
}

}  // namespace conclave::engine
