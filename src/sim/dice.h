// sim/dice.h -- the only dice in the house: seeded, small, the same on every machine.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "core/types.h"

namespace conclave {

// xoshiro256** (Blackman and Vigna), seeded by splitmix64. Not <random>: its distributions differ
// from one standard library to the next, and a seed must mean the same run everywhere.
class Dice {
public:
    explicit Dice(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15U;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
            mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
            word = mixed ^ (mixed >> 31);
        }
    }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }
    // 0 .. bound-1. The bias of the plain remainder is below 2^-32 for the bounds used here.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    bool chance(double probability) {
        constexpr double scale = 1.0 / 9007199254740992.0;  // 2^-53
        return probability > 0 && static_cast<double>(next() >> 11) * scale < probability;
    }
    Duration between(Duration least, Duration most) {
        if (least >= most) return least;
        return least + Duration(below(static_cast<std::uint64_t>((most - least).count()) + 1));
    }

private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace conclave
