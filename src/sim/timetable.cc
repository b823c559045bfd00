// sim/timetable.cc -- what happens once for each bucket, or seldom.
#include "sim/timetable.h"

#include <bit>

namespace conclave {

void Timetable::push_aside(std::uint64_t slot, Key key) {
    if (slot != current_) {
        far_due_ = std::min(far_due_, key.due);
        far_.push_back(key);
        return;
    }
    std::vector<Key>& keys = bucket(current_).keys;
    if (keys.empty()) open(current_);
    const auto later = [](Instant due, const Key& other) { return due < other.due; };
    const auto rest = keys.begin() + static_cast<std::ptrdiff_t>(front_);
    keys.insert(std::upper_bound(rest, keys.end(), key.due, later), key);
    ++near_;
}

// An emptied bucket's memory serves the next one that fills.
void Timetable::open(std::uint64_t slot) {
    taken_[slot % buckets / 64] |= std::uint64_t{1} << slot % 64;
    if (spare_.empty()) return;
    bucket(slot).keys.swap(spare_.back());
    spare_.pop_back();
}
Instant Timetable::close() {
    Bucket& done = bucket(current_);
    taken_[current_ % buckets / 64] &= ~(std::uint64_t{1} << current_ % 64);
    done.keys.clear();
    done.first = never;
    front_ = 0;
    spare_.emplace_back().swap(done.keys);
    return near_ > 0 ? bucket(first_taken()).first : far_due_;
}

std::uint64_t Timetable::first_taken() const {
    const auto first = [](std::uint64_t bits) {
        return static_cast<std::uint64_t>(std::countr_zero(bits));
    };
    std::uint64_t slot = current_;
    const std::uint64_t rest = taken_[slot % buckets / 64] >> slot % 64;
    if (rest != 0) return slot + first(rest);
    do slot = (slot / 64 + 1) * 64;
    while (taken_[slot % buckets / 64] == 0);
    return slot + first(taken_[slot % buckets / 64]);
}

void Timetable::move_to(std::uint64_t slot) {
    current_ = slot;
    if (slot_of(far_due_) - current_ < buckets) recall();
    std::vector<Key>& keys = bucket(current_).keys;
    if (!std::ranges::is_sorted(keys, {}, &Key::due)) std::sort(keys.begin(), keys.end());
}
void Timetable::recall() {
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

}  // namespace conclave
