// sim/calendar.h -- a bucketed queue for half a million messages in flight.
//
// A binary heap of that size misses the cache at every level. Here an item lies still in a pool; a
// small key to it is appended to the bucket of its due time, and a bucket is sorted once, when its
// time comes. Ties keep the order of insertion, so a run is the same every time.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/types.h"
#include "sim/pool.h"
#include "sim/unit.h"

namespace conclave {

template <class T>  // T has a `due`
class Calendar {
public:
    bool empty() const { return size() == 0; }
    std::size_t size() const { return near_ + far_.size(); }

    // When the next one is due; never, if there is none. Something earlier may still be pushed.
    Instant next_due() const { return next_due_; }

    // Not before the last one popped.
    void push(T&& item) {
        const Instant due = item.due;
        const std::uint64_t slot = slot_of(due);
        assert(slot >= current_);
        next_due_ = std::min(next_due_, due);
        const Key key{due, 0, items_.put(std::move(item))};
        if (slot - current_ >= buckets) {
            far_due_ = std::min(far_due_, due);
            far_.push_back(key);
        } else if (slot == current_) {
            insert(key);
        } else {
            append(slot, key);
        }
    }
    T pop() {
        assert(!empty());
        if (const std::uint64_t slot = slot_of(next_due_); slot != current_) move_to(slot);
        std::vector<Key>& keys = bucket(current_).keys;
        const Key key = keys[front_++];
        --near_;
        if (front_ == keys.size()) close();
        next_due_ = find_next();
        return items_.take(key.place);
    }
    template <class F> void each(F visit) { each_of(*this, visit); }
    template <class F> void each(F visit) const { each_of(*this, visit); }

private:
    struct Key {
        Instant due;
        std::uint32_t order;  // among those of its bucket
        typename Pool<T>::Place place;

        friend bool operator<(const Key& a, const Key& b) {
            return a.due != b.due ? a.due < b.due : a.order < b.order;
        }
    };
    struct Bucket {
        std::vector<Key> keys;
        Instant first = never;  // the least of them, while it is not in order
    };
    static constexpr std::uint64_t buckets = 1024;
    static constexpr std::int64_t width = unit.count() / 8;
    static constexpr Instant never = Instant::max();

    template <class Self, class F> static void each_of(Self& self, F visit) {
        for (std::size_t at = 0; at < buckets; ++at) {
            const std::size_t gone = at == self.current_ % buckets ? self.front_ : 0;
            const auto& keys = self.ring_[at].keys;
            for (std::size_t i = gone; i < keys.size(); ++i) visit(self.items_[keys[i].place]);
        }
        for (const Key& key : self.far_) visit(self.items_[key.place]);
    }
    static std::uint64_t slot_of(Instant due) {
        return static_cast<std::uint64_t>(due.time_since_epoch().count()) / width;
    }
    Bucket& bucket(std::uint64_t slot) { return ring_[slot % buckets]; }
    void mark(std::uint64_t slot) { taken_[slot % buckets / 64] |= std::uint64_t{1} << slot % 64; }
    void unmark(std::uint64_t slot) {
        taken_[slot % buckets / 64] &= ~(std::uint64_t{1} << slot % 64);
    }

    // Into a bucket whose time has not come.
    void append(std::uint64_t slot, Key key) {
        Bucket& into = bucket(slot);
        if (into.keys.empty()) open(slot);
        into.first = std::min(into.first, key.due);
        key.order = static_cast<std::uint32_t>(into.keys.size());
        into.keys.push_back(key);
        ++near_;
    }
    // Into the one that is being read, and in order.
    void insert(Key key) {
        std::vector<Key>& keys = bucket(current_).keys;
        if (keys.empty()) open(current_);
        const auto later = [](Instant due, const Key& other) { return due < other.due; };
        const auto rest = keys.begin() + static_cast<std::ptrdiff_t>(front_);
        keys.insert(std::upper_bound(rest, keys.end(), key.due, later), key);
        ++near_;
    }
    // An emptied bucket's memory serves the next one that fills.
    void open(std::uint64_t slot) {
        mark(slot);
        if (spare_.empty()) return;
        bucket(slot).keys.swap(spare_.back());
        spare_.pop_back();
    }
    void close() {
        Bucket& done = bucket(current_);
        unmark(current_);
        done.keys.clear();
        done.first = never;
        front_ = 0;
        spare_.emplace_back().swap(done.keys);
    }
    Instant find_next() {
        if (near_ == 0) return far_due_;
        if (front_ > 0) return bucket(current_).keys[front_].due;
        return bucket(first_taken(current_)).first;
    }
    // The first slot from this one on that has something. There is one.
    std::uint64_t first_taken(std::uint64_t slot) const {
        const std::uint64_t rest = taken_[slot % buckets / 64] >> slot % 64;
        if (rest != 0) return slot + static_cast<std::uint64_t>(std::countr_zero(rest));
        do slot = (slot / 64 + 1) * 64;
        while (taken_[slot % buckets / 64] == 0);
        return slot + static_cast<std::uint64_t>(std::countr_zero(taken_[slot % buckets / 64]));
    }

    void move_to(std::uint64_t slot) {
        current_ = slot;
        if (slot_of(far_due_) - current_ < buckets) recall();
        auto& keys = bucket(current_).keys;
        if (!std::ranges::is_sorted(keys, {}, &Key::due)) std::sort(keys.begin(), keys.end());
    }
    // What was far away comes into the ring's reach.
    void recall() {
        far_due_ = never;
        std::size_t left = 0;
        for (const Key& key : far_) {
            if (const std::uint64_t slot = slot_of(key.due); slot - current_ < buckets) {
                append(slot, key);
            } else {
                far_due_ = std::min(far_due_, key.due);
                far_[left++] = key;
            }
        }
        far_.resize(left);
    }

    Pool<T> items_;
    std::vector<Bucket> ring_ = std::vector<Bucket>(buckets);
    std::array<std::uint64_t, buckets / 64> taken_{};  // a bit for each bucket with something in it
    std::vector<std::vector<Key>> spare_;
    std::vector<Key> far_;
    Instant next_due_ = never;
    Instant far_due_ = never;    // the least of what is far away
    std::uint64_t current_ = 0;  // the slot last popped from; its bucket is in order
    std::size_t front_ = 0;      // how much of it is gone
    std::size_t near_ = 0;       // how many are in the ring
};

}  // namespace conclave
