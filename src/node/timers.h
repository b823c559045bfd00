// node/timers.h -- when which machine wants to be woken. Disarmed alarms stay until they are due:
// the machine knows which of its stamps still count.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.h"

namespace conclave::node {

class Timers {
public:
    struct Due {
        Instant at;
        std::uint64_t order = 0;  // of two at the same instant the one set first
        std::uint32_t machine = 0, stamp = 0;
    };

    Instant next() const { return heap_.empty() ? Instant::max() : heap_.front().at; }
    void set(Instant at, std::uint32_t machine, std::uint32_t stamp) {
        heap_.push_back({at, order_++, machine, stamp});
        std::ranges::push_heap(heap_, later);
    }
    Due take() {
        std::ranges::pop_heap(heap_, later);
        const Due due = heap_.back();
        heap_.pop_back();
        return due;
    }

private:
    static bool later(const Due& a, const Due& b) {
        return a.at != b.at ? a.at > b.at : a.order > b.order;
    }

    std::vector<Due> heap_;
    std::uint64_t order_ = 0;
};

}  // namespace conclave::node
