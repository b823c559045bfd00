// sim/timetable.h -- when what is due: a bucket for each short stretch of time.
//
// A key is appended to the bucket of its due time, and a bucket is sorted once, when its time
// comes. Ties keep the order of insertion.
#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.h"
#include "sim/unit.h"

namespace conclave {

class Timetable {
public:
    using Place = std::uint32_t;  // of what is due, wherever it lies

    std::size_t size() const { return near_ + far_.size(); }
    Instant next_due() const { return next_due_; }  // never, if there is nothing

    void push(Instant due, Place place) {
        const std::uint64_t slot = slot_of(due);
        assert(slot >= current_);
        next_due_ = std::min(next_due_, due);
        if (slot == current_ || slot - current_ >= buckets) {
            push_aside(slot, {due, 0, place});
        } else {
            append(slot, {due, 0, place});
        }
    }
    Place pop() {
        assert(size() > 0);
        if (const std::uint64_t slot = slot_of(next_due_); slot != current_) move_to(slot);
        const std::vector<Key>& keys = bucket(current_).keys;
        const Place place = keys[front_++].place;
        --near_;
        next_due_ = front_ < keys.size() ? keys[front_].due : close();
        return place;
    }
    template <class F> void each(F visit) const {
        for (std::size_t at = 0; at < buckets; ++at) {
            const auto& keys = ring_[at].keys;
            for (std::size_t i = at == current_ % buckets ? front_ : 0; i < keys.size(); ++i) {
                visit(keys[i].place);
            }
        }
        for (const Key& key : far_) visit(key.place);
    }

private:
    struct Key {
        Instant due;
        std::uint32_t order;  // among those of its bucket
        Place place;

        friend bool operator<(const Key& a, const Key& b) {
            return a.due != b.due ? a.due < b.due : a.order < b.order;
        }
    };
    static constexpr std::uint64_t buckets = 1024;
    static constexpr std::int64_t width = unit.count() / 8;
    static constexpr Instant never = Instant::max();
    struct Bucket {
        std::vector<Key> keys;
        Instant first = never;  // the least of them, while they are not in order
    };

    static std::uint64_t slot_of(Instant due) {
        return static_cast<std::uint64_t>(due.time_since_epoch().count() / width);
    }
    Bucket& bucket(std::uint64_t slot) { return ring_[slot % buckets]; }

    // Into a bucket whose time has not come.
    void append(std::uint64_t slot, Key key) {
        Bucket& into = bucket(slot);
        if (into.keys.empty()) open(slot);
        into.first = std::min(into.first, key.due);
        key.order = static_cast<std::uint32_t>(into.keys.size());
        into.keys.push_back(key);
        ++near_;
    }
    void push_aside(std::uint64_t slot, Key key);  // out of the ring's reach, or into what is read
    void open(std::uint64_t slot);
    Instant close();                    // tells when the next one is due
    void move_to(std::uint64_t slot);   // its time has come
    void recall();                      // what was far away comes into the ring's reach
    std::uint64_t first_taken() const;  // the next slot that has something

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
