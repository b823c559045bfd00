// sim/alarms.h -- timers by when they are due. Disarmed ones stay: the node knows which still
// count.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.h"

namespace conclave {

struct Alarm {
    Instant due;
    std::uint64_t order = 0;
    std::uint32_t node = 0, stamp = 0;
};

// A heap and not a Calendar: most are due far away, where the calendar is slow.
class Alarms {
public:
    std::size_t size() const { return heap_.size(); }
    Instant next_due() const { return heap_.empty() ? Instant::max() : heap_.front().due; }
    void push(Instant due, std::uint32_t node, std::uint32_t stamp);
    Alarm pop();

private:
    std::vector<Alarm> heap_;
    std::uint64_t order_ = 0;
};

}  // namespace conclave
