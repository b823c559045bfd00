// sim/calendar.h -- a bucketed queue for half a million messages in flight.
//
// A binary heap of that size misses the cache at every level; here a message is appended to the
// bucket of its due time, and a bucket is sorted once, when its time comes. Ties keep the order of
// insertion, so a run is the same every time.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/types.h"
#include "sim/unit.h"

namespace conclave {

template <class T>  // T has a `due`
class Calendar {
public:
    bool empty() const { return size() == 0; }
    std::size_t size() const { return near_ + far_.size(); }

    // Not before the last one popped.
    void push(T item) {
        const std::int64_t slot = slot_of(item.due);
        assert(slot >= current_);
        if (slot - current_ >= buckets) {
            far_from_ = std::min(far_from_, slot);
            return far_.push_back(std::move(item));
        }
        put(slot, std::move(item));
    }
    // When the next one is due; there must be one. Looking does not commit: something earlier may
    // still be pushed.
    Instant next_due() {
        if (reading()) return bucket(current_)[front_].due;
        const std::int64_t slot = next_slot();
        if (slot == far_from_) return std::ranges::min_element(far_, earlier)->due;
        return bucket(slot)[slot == current_ ? front_ : 0].due;
    }
    T pop() {
        if (!reading()) move_to(next_slot());
        --near_;
        return std::move(bucket(current_)[front_++]);
    }
    template <class F> void each(F visit) { each_of(*this, visit); }
    template <class F> void each(F visit) const { each_of(*this, visit); }

private:
    template <class Self, class F> static void each_of(Self& self, F visit) {
        for (std::int64_t at = 0; at < buckets; ++at) {
            auto& items = self.ring_[static_cast<std::size_t>(at)];
            const bool now = at == self.current_ % buckets;
            for (std::size_t i = now ? self.front_ : 0; i < items.size(); ++i) visit(items[i]);
        }
        for (auto& item : self.far_) visit(item);
    }

    static constexpr std::int64_t buckets = 1024;
    static constexpr std::int64_t width = unit.count() / 8;
    static constexpr std::int64_t never = INT64_MAX;

    static std::int64_t slot_of(Instant due) { return due.time_since_epoch().count() / width; }
    std::vector<T>& bucket(std::int64_t slot) {
        return ring_[static_cast<std::size_t>(slot % buckets)];
    }
    // The common case: the bucket last popped from has more, and nothing can be before it.
    bool reading() const {
        return sorted_ == current_ &&
               front_ < ring_[static_cast<std::size_t>(current_ % buckets)].size();
    }
    static bool earlier(const T& a, const T& b) { return a.due < b.due; }

    // An emptied bucket's memory serves the next one: no allocation per message, and a walk's
    // memory follows what is in flight, not how long it runs.
    void put(std::int64_t slot, T item) {
        auto& items = bucket(slot);
        ++near_;
        next_ = std::min(next_, slot);
        if (slot == sorted_) {  // it is being read
            const auto rest =
                items.begin() + static_cast<std::ptrdiff_t>(slot == current_ ? front_ : 0);
            items.insert(std::upper_bound(rest, items.end(), item, earlier), std::move(item));
            return;
        }
        if (items.capacity() == 0 && !spare_.empty()) {
            items = std::move(spare_.back());
            spare_.pop_back();
        }
        items.push_back(std::move(item));
    }
    // The slot of the next item, sorted and ready; far_from_ if that one is still far away.
    std::int64_t next_slot() {
        assert(!empty());
        if (near_ == 0) return far_from_;
        next_ = std::max(next_, current_);
        while (bucket(next_).size() == (next_ == current_ ? front_ : 0)) ++next_;
        if (far_from_ <= next_) return far_from_;
        if (sorted_ != next_) {
            auto& items = bucket(next_);
            if (!std::ranges::is_sorted(items, earlier)) std::ranges::stable_sort(items, earlier);
            sorted_ = next_;
        }
        return next_;
    }
    void move_to(std::int64_t slot) {
        if (slot == current_) return;
        auto& done = bucket(current_);
        done.clear();
        if (done.capacity() > 0) spare_.push_back(std::exchange(done, {}));
        front_ = 0;
        current_ = slot;
        if (far_from_ - current_ < buckets) recall();
    }
    // What was far away comes into the ring's reach.
    void recall() {
        std::vector<T> waiting = std::exchange(far_, {});
        far_from_ = never;
        sorted_ = never;
        for (T& item : waiting) push(std::move(item));
        next_slot();
    }

    std::vector<std::vector<T>> ring_ = std::vector<std::vector<T>>(buckets);
    std::vector<std::vector<T>> spare_;
    std::vector<T> far_;
    std::int64_t current_ = 0;       // the slot last popped from
    std::size_t front_ = 0;          // how much of it is gone
    std::int64_t next_ = 0;          // no item is in a slot before this one
    std::int64_t sorted_ = never;    // the slot that is in order
    std::int64_t far_from_ = never;  // the first slot of what is far away
    std::size_t near_ = 0;           // how many are in the ring
};

}  // namespace conclave
