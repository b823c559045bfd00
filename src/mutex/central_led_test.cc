// mutex/central_led_test.cc -- the central server is whoever leads: from one leader to the next.
#include <gtest/gtest.h>

#include "core/stack.h"
#include "elect/bully.h"
#include "elect/quorum.h"
#include "mutex/central.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;

template <class P> class CentralOnALeader : public testing::Test {};
using Stacks = testing::Types<Stack<Bully, ElectedCentral>, Stack<Quorum, ElectedCentral>>;
TYPED_TEST_SUITE(CentralOnALeader, Stacks);

TYPED_TEST(CentralOnALeader, CostsThreeMessagesPerEntryOnceSomebodyLeads) {
    for (std::uint32_t n = 2; n <= 10; ++n) {
        Plan plan = default_plan(n);
        plan.workload.think_least = plan.workload.think_most = 60 * unit;
        for (std::uint32_t id = 1; id < n; ++id) plan.workload.askers.push_back(node(id));
        const Report report = kit::run<TypeParam>(plan);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        ASSERT_EQ(report.turns->entries, n - 1);
        EXPECT_EQ(report.total(Kind::mutex), 3 * report.turns->entries);
    }
}

TYPED_TEST(CentralOnALeader, CarriesOnWhenTheServerCrashesAtAnyMoment) {
    for (int quarter = 0; quarter < 160; ++quarter) {
        Plan plan = default_plan(5);
        plan.workload.requests = 3;
        plan.workload.askers = {node(1), node(2), node(3)};
        const double when = 1 + quarter / 4.0;
        plan.schedule = {{kit::at(when), fault::Crash{node(5)}}};
        const Report report = kit::run<TypeParam>(plan);
        EXPECT_TRUE(report.violations.empty()) << when << ":\n" << kit::text(report);
        EXPECT_EQ(report.turns->entries, 9U) << "crash at " << when;
    }
}

TYPED_TEST(CentralOnALeader, SurvivesWhatItClaims) {
    kit::expect_claimed_seeds_hold<TypeParam>(300);
}

TYPED_TEST(CentralOnALeader, SurvivesDoubledMessages) {
    const auto simulator = make_simulator<TypeParam>("tested");
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Plan plan = claimed_plan(TypeParam::assumes, Kind::mutex, seed);
        plan.adversary.duplicate = 0.1;
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

// The bully does not need a majority, so neither does what stands on it.
TEST(CentralOnALeader, SurvivesCrashesForGood) {
    using OnBully = Stack<Bully, ElectedCentral>;
    constexpr Model crashes{Links::reliable, Timing::synchronous, Faults::crash};
    const auto simulator = make_simulator<OnBully>("tested");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Report report = simulator->run(claimed_plan(crashes, Kind::mutex, seed));
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
