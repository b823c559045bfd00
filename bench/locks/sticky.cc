// bench/locks/sticky.cc -- how often a thread has a sticky lock again that nobody else wants.
//
//     sticky ENDPOINT SECONDS
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "conclave/client.hpp"

int main(int argc, char** argv) {
    if (argc != 3) return 64;
    using Clock = std::chrono::steady_clock;
    conclave::Client client({.endpoints = {argv[1]}});
    conclave::Lock lock = client.lock("sticky", {.sticky = true});
    if (!lock.lock_for(std::chrono::seconds(60))) return 75;
    const auto begun = Clock::now();
    const auto end = begun + std::chrono::seconds(std::atoi(argv[2]));
    constexpr int batch = 1000;  // between two looks at the clock
    std::uint64_t entries = 0;
    for (; Clock::now() < end; entries += batch) {
        for (int one = 0; one < batch; ++one) {
            const auto held = lock.try_lock();
            if (!held || !held->held()) return 79;
        }
    }
    const std::chrono::duration<double> took = Clock::now() - begun;
    std::printf("%.0f\n", static_cast<double>(entries) / took.count());
}
