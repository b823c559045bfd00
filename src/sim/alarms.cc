// sim/alarms.cc -- a binary heap; ties keep the order of insertion.
#include "sim/alarms.h"

#include <algorithm>

namespace conclave {

namespace {

// The standard heaps keep the largest in front.
bool later(const Alarm& a, const Alarm& b) {
    return a.due != b.due ? a.due > b.due : a.order > b.order;
}

}  // namespace

void Alarms::push(Instant due, std::uint32_t node, std::uint32_t stamp) {
    heap_.push_back({due, ++order_, node, stamp});
    std::push_heap(heap_.begin(), heap_.end(), later);
}
Alarm Alarms::pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Alarm first = heap_.back();
    heap_.pop_back();
    return first;
}

}  // namespace conclave
