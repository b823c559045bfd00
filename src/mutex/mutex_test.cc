// mutex/mutex_test.cc -- what every mutual exclusion of the catalog must do, put to each of them.
#include "mutex/mutex.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "catalog/simulators.h"
#include "sim/claimed.h"
#include "sim/plan_text.h"
#include "sim/simulator.h"

namespace conclave {
namespace {

std::vector<SimulatorEntry> mutexes() {
    std::vector<SimulatorEntry> found;
    for (const SimulatorEntry& entry : simulators()) {
        const auto about = entry.make()->describe(default_plan(3).settings);
        if (about.claim.kind == Kind::mutex) found.push_back(entry);
    }
    return found;
}

struct Mutex : testing::TestWithParam<SimulatorEntry> {
    std::unique_ptr<Simulator> simulator = GetParam().make();

    Report run(const Plan& plan) const {
        EXPECT_EQ(simulator->refuse(plan), std::nullopt);
        const Report report = simulator->run(plan);
        for (const Violation& one : report.violations) {
            ADD_FAILURE() << one.property << ": " << one.what << " at " << one.at;
        }
        return report;
    }
};

TEST_P(Mutex, IsJudgedBySafetyAndLiveness) {
    const auto judged = simulator->describe(default_plan(3).settings).properties;
    for (const char* name : {"one-inside", "nobody-waits", "somebody-enters"}) {
        EXPECT_NE(std::ranges::find(judged, name), judged.end()) << name;
    }
}

TEST_P(Mutex, GrantsEveryRequestFromNoContentionToAll) {
    for (std::size_t nodes : {1U, 2U, 3U, 7U, 12U}) {
        for (std::uint32_t contention : {0U, 1U, 2U, 5U}) {
            Plan plan = default_plan(nodes);
            plan.workload.requests = 3;
            plan.workload.contention = contention;
            const Report report = run(plan);
            ASSERT_TRUE(report.turns);
            EXPECT_EQ(report.turns->entries, 3 * nodes) << nodes << " nodes, " << contention;
        }
    }
}

TEST_P(Mutex, LetsInThoseWhoAskAndNobodyElse) {
    Plan plan = default_plan(5);
    plan.workload.askers = {NodeId{2}};
    plan.workload.requests = 4;
    const Report report = run(plan);
    ASSERT_TRUE(report.turns);
    EXPECT_EQ(report.turns->entries, 4U);
    EXPECT_EQ(report.turns->overtakings, 0U);
    EXPECT_EQ(report.turns->order_kept, true);
}

TEST_P(Mutex, StaysAsLongAsItIsHeld) {
    Plan plan = default_plan(3);
    plan.workload.hold_least = plan.workload.hold_most = 7 * unit;
    plan.workload.requests = 2;
    const Report report = run(plan);
    ASSERT_TRUE(report.turns);
    EXPECT_GE(report.end, 6 * 7.0);  // one after the other
}

TEST_P(Mutex, TheSameSeedGivesTheSameRun) {
    const auto about = simulator->describe(default_plan(3).settings);
    Plan plan = claimed_plan(about.assumes, about.claim.kind, 11, 5);
    plan.trace = true;
    EXPECT_EQ(simulator->run(plan).trace, simulator->run(plan).trace);
}

INSTANTIATE_TEST_SUITE_P(Mutexes, Mutex, testing::ValuesIn(mutexes()), [](const auto& tested) {
    std::string name(tested.param.name);
    std::ranges::replace(name, '-', '_');
    return name;
});

}  // namespace
}  // namespace conclave
