// bench/leadership/mandates.cc -- how soon the next application leads when the one that leads
// resigns, for applications that have their node inside: three of them in this process.
//
//     mandates COUNT        prints the milliseconds of each
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "conclave/testing.hpp"

int main(int argc, char** argv) {
    if (argc != 2) return 64;
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t nodes = 3;
    conclave::TestCluster cluster({.nodes = nodes});
    std::size_t leads = 1;
    std::optional mandate = cluster.node(leads).join("main").campaign();
    for (int turn = std::atoi(argv[1]); turn > 0; --turn) {
        leads = leads % nodes + 1;
        std::optional<conclave::Mandate> next;
        Clock::time_point held;
        std::jthread waits([&, group = cluster.node(leads).join("main")]() mutable {
            next = group.campaign();
            held = Clock::now();
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(300));  // more than one renewal
        const auto resigned = Clock::now();
        mandate->resign();
        waits.join();
        const std::chrono::duration<double, std::milli> took = held - resigned;
        std::printf("%.3f\n", took.count());
        mandate = std::move(next);
    }
}
