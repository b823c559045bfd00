// check/face.h -- a resident as the explorer sees it, and how time goes.
#pragma once
#include <chrono>
#include <cstdint>

#include "check/nonces.h"
#include "core/section.h"
#include "core/types.h"

namespace conclave {

// How time goes in an exploration.
struct Pace {
    // A century: twice that before an instant is still an instant.
    static constexpr Duration for_ever = std::chrono::hours(24 * 365 * 100);

    Duration tick{};                  // zero: time does not count, anything may happen any time
    std::uint32_t message = 0;        // a message takes at most so many ticks; 0: any time
    std::uint32_t verdict_least = 0;  // the oracle speaks so many ticks after the fact
    std::uint32_t verdict_most = 0;   // at the latest; 0: whenever it likes
    Duration past{};                  // instants longer ago than this are all alike
    bool patient = false;             // nothing but messages happens while any are in flight

    bool counts() const { return tick > Duration{}; }
};

// What the explorer must know of a resident at every step, without looking into it.
struct Face {
    std::uint32_t timers = 0;    // those that may fire now, by place in its list
    std::uint32_t suspects = 0;  // by place in the member list
    std::uint32_t outlived = 0;  // those of them whose newer life it has heard
    std::uint32_t life = 0;
    std::uint8_t since = 0;
    std::uint8_t calls = 0;
    bool up = false, paused = false;
    bool beyond = false;  // a counter is beyond its bound
    bool reborn = false;  // it knows of peers that have restarted
    Section section = Section::outside;
    NonceSet nonces = 1;
};

}  // namespace conclave
