// cli/cases.h -- the failure-free runs whose price the sources state, with their formulas.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/simulator.h"

namespace conclave {

// Which moment the source calls the end of a run.
enum class Finish { last_message, all_know };

struct Case {
    std::string_view algorithm, name;
    std::uint32_t least_nodes;
    Plan (*plan)(std::uint32_t nodes);
    std::string_view messages_formula, time_formula;  // for people
    double (*messages)(double nodes);
    double (*time)(double nodes);
    Finish finish = Finish::last_message;
};

std::span<const Case> cases();

// All nodes boot, settle, and then the leader crashes: how long until all agree again is what the
// algorithm and its detector cost together. No formula, only what is measured.
Plan failover_plan(std::uint32_t nodes);
inline constexpr double failover_crash_at = 200;  // units

}  // namespace conclave
