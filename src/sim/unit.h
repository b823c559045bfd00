// sim/unit.h -- the simulator's time: one unit is one message transmission.
#pragma once
#include <chrono>

#include "core/types.h"

namespace conclave {

inline constexpr Duration unit = std::chrono::milliseconds(1);

constexpr double in_units(Duration time) {
    return static_cast<double>(time.count()) / static_cast<double>(unit.count());
}
constexpr double in_units(Instant at) { return in_units(at.time_since_epoch()); }

}  // namespace conclave
