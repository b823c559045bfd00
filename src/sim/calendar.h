// sim/calendar.h -- a queue in order of time for half a million messages in flight.
//
// A binary heap of that size misses the cache at every level. Here an item lies still in a pool,
// and the timetable keeps small keys in order. Ties keep the order of insertion, so a run is the
// same every time.
#pragma once
#include <cstddef>
#include <utility>

#include "core/types.h"
#include "sim/pool.h"
#include "sim/timetable.h"

namespace conclave {

template <class T>  // T has a `due`
class Calendar {
public:
    bool empty() const { return size() == 0; }
    std::size_t size() const { return times_.size(); }

    // When the next one is due; never, if there is none. Something earlier may still be pushed.
    Instant next_due() const { return times_.next_due(); }
    // Not before the last one popped.
    void push(T&& item) {
        const Instant due = item.due;
        times_.push(due, items_.put(std::move(item)));
    }
    T pop() { return items_.take(times_.pop()); }

    template <class F> void each(F visit) {
        times_.each([&](Timetable::Place place) { visit(items_[place]); });
    }
    template <class F> void each(F visit) const {
        times_.each([&](Timetable::Place place) { visit(items_[place]); });
    }

private:
    Pool<T> items_;
    Timetable times_;
};

}  // namespace conclave
