// net/comes_true_test.h -- for the tests: waits for what other processes and threads do.
#pragma once
#include <chrono>
#include <functional>
#include <thread>

namespace conclave {

// Polls, with a limit that no machine is too slow for.
[[nodiscard]] inline bool comes_true(const std::function<bool()>& what) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    while (!what()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

}  // namespace conclave
