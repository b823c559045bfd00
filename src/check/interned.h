// check/interned.h -- equal values kept once, each known by a small number.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "check/steady.h"
#include "core/value.h"

namespace conclave {

template <class T> class Interned {
public:
    std::size_t size() const { return values_.size(); }
    std::size_t bytes() const { return values_.bytes() + slots_.size() * sizeof(Slot); }
    const T& operator[](std::uint32_t number) const { return values_[number]; }

    // The number of the value that equals this one.
    std::uint32_t intern(T value) {
        if ((values_.size() + 1) * 2 > slots_.size()) grow();
        const std::uint64_t hash = hash_value(value);
        for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
            Slot& slot = slots_[at];
            if (slot.number == nothing) {
                slot = {hash, static_cast<std::uint32_t>(values_.size())};
                values_.push_back(std::move(value));
                return slot.number;
            }
            if (slot.hash == hash && equal(values_[slot.number], value)) return slot.number;
        }
    }

private:
    static constexpr std::uint32_t nothing = UINT32_MAX;
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t number = nothing;
    };
    std::size_t mask() const { return slots_.size() - 1; }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.number == nothing) continue;
            std::size_t at = slot.hash & mask();
            while (slots_[at].number != nothing) at = (at + 1) & mask();
            slots_[at] = slot;
        }
    }

    Steady<T> values_;
    std::vector<Slot> slots_;
};

// A pair of numbers to a number.
class Memo {
public:
    static constexpr std::uint32_t unknown = UINT32_MAX;

    std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

    std::uint32_t find(std::uint32_t first, std::uint32_t second) const {
        if (slots_.empty()) return unknown;
        for (std::size_t at = start(first, second);; at = (at + 1) & mask()) {
            const Slot& slot = slots_[at];
            if (slot.value == unknown) return unknown;
            if (slot.first == first && slot.second == second) return slot.value;
        }
    }
    void put(std::uint32_t first, std::uint32_t second, std::uint32_t value) {
        if ((size_ + 1) * 2 > slots_.size()) grow();
        place({first, second, value});
        ++size_;
    }

private:
    struct Slot {
        std::uint32_t first = 0, second = 0, value = unknown;
    };
    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t start(std::uint32_t first, std::uint32_t second) const {
        const std::uint64_t key = std::uint64_t{first} << 32 | second;
        return (key * 0x9E3779B97F4A7C15) >> shift_;
    }
    void place(const Slot& slot) {
        std::size_t at = start(slot.first, slot.second);
        while (slots_[at].value != unknown) at = (at + 1) & mask();
        slots_[at] = slot;
    }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
        old.swap(slots_);
        shift_ = static_cast<unsigned>(64 - (std::bit_width(slots_.size()) - 1));
        for (const Slot& slot : old) {
            if (slot.value != unknown) place(slot);
        }
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
    unsigned shift_ = 0;
};

}  // namespace conclave
