// node/timers.h -- when which machine wants to be woken.
//
// A timer that is armed again or disarmed leaves its old alarm behind, and the machine knows which
// of its stamps still count. Heartbeats and renewals push timers ahead of themselves all the time:
// an alarm that nobody awaits any more must not wake the node.
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

    // Of the first alarm that is `awaited`; those before it are forgotten.
    template <class Awaited> Instant next(Awaited awaited) {
        while (!heap_.empty() && !awaited(heap_.front())) take();
        return heap_.empty() ? Instant::max() : heap_.front().at;
    }
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
