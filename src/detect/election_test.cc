// detect/election_test.cc -- what a detector's quality does to the election that stands on it.
#include <gtest/gtest.h>

#include "core/stack.h"
#include "detect/heartbeat.h"
#include "detect/ping.h"
#include "detect/watch_test.h"
#include "elect/bully.h"

namespace conclave {
namespace {

using kit::node;
using kit::world;

using OnHeartbeat = Stack<Heartbeat, Bully>;
using OnPing = Stack<Ping, Bully>;

template <class P> class DetectorUnderBully : public testing::Test {};
using Stacks = testing::Types<OnHeartbeat, OnPing>;
TYPED_TEST_SUITE(DetectorUnderBully, Stacks);

TYPED_TEST(DetectorUnderBully, ElectsAgainWhenTheLeaderCrashesWithoutAnOracle) {
    Plan plan = world(5, {{"crash", "5@40"}, {"linger", "40"}});
    plan.oracle.present = true;  // it has nothing to say: the stack brings its own detector
    const Report report = kit::run<TypeParam>(plan);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    EXPECT_TRUE(report.agreed);
    EXPECT_EQ(report.leaders.front().second, node(4));
    EXPECT_EQ(report.changes, 2U);
    EXPECT_GT(*report.agreed_at, 42) << "nobody told them in advance";
    EXPECT_GT(report.total(Kind::detector), 0U);
}

TYPED_TEST(DetectorUnderBully, SurvivesCrashesAndRestartsOfAnyNode) {
    Plan plan = default_plan(2);
    plan.adversary.delay_least = unit / 8;
    plan.adversary.crashes = 3;
    plan.adversary.calm = 100 * unit;
    plan.linger = 40 * unit;
    kit::expect_all_seeds_hold<TypeParam>(plan, 300, 8);
    plan.adversary.restarts = true;
    kit::expect_all_seeds_hold<TypeParam>(plan, 300, 8);
}

// FDT-1, M-FD-1: the leader loses its office with its memory, and is back before anybody misses it.
TYPED_TEST(DetectorUnderBully, NoticesALeaderThatRestartsWithinTheTimeout) {
    for (const bool noticed : {true, false}) {
        Plan plan = world(2, {{"join", "stay"},
                              {"call", "1@0"},
                              {"crash", "2@40.5"},
                              {"restart", "2@40.9"},
                              {"linger", "40"}});
        if (!noticed) plan.without = {"incarnation"};
        const Report report = kit::run<TypeParam>(plan);
        EXPECT_EQ(report.violations.empty(), noticed) << kit::text(report);
        EXPECT_EQ(report.agreed, noticed) << "1 follows a leader that knows of nothing";
    }
}

TYPED_TEST(DetectorUnderBully, SurvivesWhatTheBullyClaims) {
    kit::expect_claimed_seeds_hold<TypeParam>(300);
}

// ---- FD-13 ----

TEST(DetectorUnderBully, AnIncompleteDetectorLetsADeadLeaderStand) {
    Plan plan = world(3, {{"crash", "3@20"}, {"detector", "none"}});
    Report report = kit::run<Bully>(plan);
    EXPECT_FALSE(report.violations.empty()) << "nobody detects anything";
    EXPECT_EQ(report.leaders.front().second, node(3));

    plan.options = {{"estimator", "fixed"}, {"margin", "100000"}};
    plan.until = 2000 * unit;
    report = kit::run<OnHeartbeat>(plan);
    EXPECT_FALSE(report.agreed) << "E too large: as good as none";
    EXPECT_EQ(report.leaders.front().second, node(3));

    plan.options.clear();
    report = kit::run<OnHeartbeat>(plan);
    EXPECT_EQ(report.leaders.front().second, node(2));
    EXPECT_TRUE(report.agreed);
}

std::uint64_t offices(const char* until, const char* margin, bool widening) {
    Plan plan = world(3, {{"tm", "1"}, {"delay", "0..3"}, {"until", until}});
    plan.options = {{"estimator", "fixed"}, {"margin", margin}};
    if (!widening) plan.without = {"widening"};
    return kit::run<OnHeartbeat>(plan).changes;
}

TEST(DetectorUnderBully, AnInaccurateDetectorKeepsElectionsRunningForEver) {
    const auto early = offices("1000", "0.1", false), late = offices("4000", "0.1", false);
    EXPECT_GT(early, 10U);
    EXPECT_GT(late, 3 * early) << "they never end";
    EXPECT_EQ(offices("2000", "0.1", true), offices("4000", "0.1", true)) << "once it has learnt";
    EXPECT_LT(offices("4000", "3", false), early) << "a margin that fits";
}

// The oracle can lie on command: the same story without any heartbeat.
TEST(DetectorUnderBully, LiesOfAnOracleDoTheSame) {
    Plan plan = world(2, {{"until", "400"}});
    for (int at = 20; at < 400; at += 10) {
        plan.schedule.push_back({Instant(at * unit), fault::Suspect{node(1), node(2)}});
        plan.schedule.push_back({Instant((at + 5) * unit), fault::Trust{node(1), node(2)}});
    }
    EXPECT_GE(kit::run<Bully>(plan).changes, 38U);
}

}  // namespace
}  // namespace conclave
