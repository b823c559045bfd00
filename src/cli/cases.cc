// cli/cases.cc -- section by section, what the sources say a run costs.
#include "cli/cases.h"

#include <array>

#include "sim/plan_text.h"

namespace conclave {

namespace {

NodeId node(std::uint32_t id) { return NodeId{id}; }

// Only these call, nobody else says anything at boot, no detector runs.
Plan called_by(std::uint32_t nodes, std::uint32_t caller) {
    Plan plan = default_plan(nodes);
    plan.settings.join = Join::stay;
    plan.oracle.present = false;
    plan.schedule.push_back({Instant{}, fault::Call{node(caller)}});
    return plan;
}
Plan by_best(std::uint32_t n) { return called_by(n, n); }
Plan by_worst(std::uint32_t n) { return called_by(n, 1); }
Plan by_all(std::uint32_t n) {
    Plan plan = called_by(n, 1);
    for (std::uint32_t id = 2; id <= n; ++id) {
        plan.schedule.push_back({Instant{}, fault::Call{node(id)}});
    }
    return plan;
}
Plan without_highest(Plan plan) {
    plan.down = {plan.members.back().node};
    return plan;
}
Plan lowest_notices(std::uint32_t n) { return without_highest(by_worst(n)); }
Plan second_calls(std::uint32_t n) { return without_highest(called_by(n, n - 1)); }
Plan second_knows(std::uint32_t n) {
    Plan plan = second_calls(n);
    plan.schedule.insert(plan.schedule.begin(), {Instant{}, fault::Suspect{node(n - 1), node(n)}});
    return plan;
}
Plan without_pre_vote(std::uint32_t n) {
    Plan plan = by_best(n);
    plan.options.emplace_back("prevote", "off");
    return plan;
}

constexpr auto twice = +[](double n) { return 2 * n; };
constexpr auto thrice_less_one = +[](double n) { return 3 * n - 1; };

constexpr std::array all{
    Case{"ring", "the best calls", 2, by_best, "2N", "2N", twice, twice},
    Case{"ring", "its successor calls", 2, by_worst, "3N-1", "3N-1", thrice_less_one,
         thrice_less_one},
    Case{"ring", "all call, ascending", 2, by_all, "3N-1", "2N", thrice_less_one, twice},
    Case{"ring-list", "one calls", 2, by_worst, "2N", "2N", twice, twice},
    Case{"ring-list", "all call", 2, by_all, "2N^2", "2N", +[](double n) { return 2 * n * n; },
         twice},
    Case{"bully", "the lowest notices", 3, lowest_notices, "N^2-N-1", "4",
         +[](double n) { return n * n - n - 1; }, +[](double) { return 4.0; }},
    Case{"bully", "the second knows", 3, second_knows, "N-2", "1", +[](double n) { return n - 2; },
         +[](double) { return 1.0; }},
    Case{"garcia-molina", "the second calls", 3, second_calls, "6(N-2)+1", "2T+4 = 8",
         +[](double n) { return 6 * (n - 2) + 1; }, +[](double) { return 8.0; }},
    Case{"garcia-molina", "the highest returns", 2, by_best, "6(N-1)", "T+4 = 6",
         +[](double n) { return 6 * (n - 1); }, +[](double) { return 6.0; }},
    Case{"invitation", "singletons merge", 2, by_best, "7(N-1)", "T+Tc+2 = 7",
         +[](double n) { return 7 * (n - 1); }, +[](double) { return 7.0; }},
    Case{"quorum", "with pre-vote", 3, by_best, "6(N-1)", "5",
         +[](double n) { return 6 * (n - 1); }, +[](double) { return 5.0; }, Finish::all_know},
    Case{"quorum", "without pre-vote", 3, without_pre_vote, "4(N-1)", "3",
         +[](double n) { return 4 * (n - 1); }, +[](double) { return 3.0; }, Finish::all_know},
};

}  // namespace

std::span<const Case> cases() { return all; }

Plan failover_plan(std::uint32_t nodes) {
    Plan plan = default_plan(nodes);
    const auto crash = Instant(static_cast<std::int64_t>(failover_crash_at) * unit);
    plan.schedule.push_back({crash, fault::Crash{node(nodes)}});
    return plan;
}

}  // namespace conclave
