// elect/bully_test.cc -- the bully's exact prices, and what it survives.
#include "elect/bully.h"

#include <gtest/gtest.h>

#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;

// r = N - d nodes above the caller d, N dead.
TEST(Bully, CostsTheFormulaForEveryCaller) {
    for (std::uint32_t n = 3; n <= 24; ++n) {
        for (std::uint32_t d = 1; d < n; ++d) {
            Plan plan = kit::started(default_plan(n), {d});
            plan.down = {node(n)};
            const Report report = kit::run<Bully>(plan);
            const std::uint64_t r = n - d;
            EXPECT_EQ(report.total(), r * r + n - 2) << n << " nodes, called by " << d;
            EXPECT_EQ(report.time, r == 1 ? 3 : 4) << n << " nodes, called by " << d;
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        }
    }
}

TEST(Bully, SecondHighestWhoKnowsSimplyAnnounces) {
    for (std::uint32_t n = 3; n <= 24; ++n) {
        Plan plan = kit::started(default_plan(n), {});
        plan.down = {node(n)};
        plan.schedule.push_back({Instant{}, fault::Suspect{node(n - 1), node(n)}});
        plan.schedule.push_back({Instant{}, fault::Call{node(n - 1)}});
        const Report report = kit::run<Bully>(plan);
        EXPECT_EQ(report.total(), n - 2);
        EXPECT_EQ(report.time, 1);
    }
}

TEST(Bully, LiveAttributesAskEverybodyAndTheReceiverDecides) {
    for (std::uint32_t best = 1; best <= 5; ++best) {
        Plan plan = kit::started(default_plan(5), {3});
        plan.settings.live_attribute = true;
        plan.members[best - 1].priority = 7;  // in the simulator a node's attribute starts as this
        const Report report = kit::run<Bully>(plan);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        EXPECT_EQ(report.leaders.front().second, node(best));
    }
}

TEST(Bully, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<Bully>(300); }

}  // namespace
}  // namespace conclave
