// cli/mutex_cases.h -- what the sources say an entry costs, and the runs that show it.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/simulator.h"

namespace conclave {

// How a measured price compares with what the source says.
enum class Precision {
    exact,
    mean,   // of a random order of requests: within 5%
    bound,  // at most
};
struct Price {
    std::string_view formula = "-";  // for people
    double (*of)(std::uint32_t nodes) = nullptr;
    Precision precision = Precision::exact;

    bool met_by(double measured, std::uint32_t nodes) const;
};

struct MutexCase {
    std::string_view algorithm, name;
    Plan (*plan)(std::uint32_t nodes);
    Price messages;         // per entry
    Price client;           // delay of whoever asks alone
    Price synchronization;  // delay from one to the next
};

std::span<const MutexCase> mutex_cases();

// At most `contention` want in at once.
Plan contended_plan(std::string_view algorithm, std::uint32_t nodes, std::uint32_t contention);

}  // namespace conclave
