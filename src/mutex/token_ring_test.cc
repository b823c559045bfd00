// mutex/token_ring_test.cc -- the token ring's exact prices, alone, and what ends it.
#include "mutex/token_ring.h"

#include <gtest/gtest.h>

#include "elect/hand.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::at;
using kit::node;

// Nobody asks but by the plan's own schedule. The token is sent by 1 at the start, and comes back
// to it at every multiple of n.
Plan quiet_ring(std::uint32_t n, double until) {
    Plan plan = default_plan(n);
    plan.workload.requests = 0;
    plan.until = at(until).time_since_epoch();
    return plan;
}
void ask(Plan& plan, double when, std::uint32_t id, const char* request) {
    plan.schedule.push_back({at(when), fault::Ask{node(id), request}});
}

TEST(TokenRing, CostsOneMessagePerEntryWhenEverybodyWantsIn) {
    for (std::uint32_t n = 2; n <= 20; ++n) {
        Plan plan = default_plan(n);
        plan.workload.requests = 3;
        plan.until = at(2 * 3 * n - 0.5).time_since_epoch();  // just before the last one leaves
        const Report report = kit::run<TokenRing>(plan);
        ASSERT_EQ(report.turns->entries, 3 * n);
        EXPECT_EQ(report.total(), report.turns->entries) << n << " nodes";
        EXPECT_EQ(report.repairs(), 0U);
        EXPECT_EQ(report.turns->most_synchronization, 1.0);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

TEST(TokenRing, CostsOneMessagePerHopForEverWhenNobodyDoes) {
    for (const double hours : {100.0, 1000.0, 10000.0}) {
        EXPECT_EQ(kit::run<TokenRing>(quiet_ring(5, hours - 0.5)).total(), hours);
    }
}

TEST(TokenRing, IdleCostIsBoundedByARestAtEachNode) {
    Plan plan = quiet_ring(5, 999.5);
    plan.options = {{"rest", "9"}};
    EXPECT_EQ(kit::run<TokenRing>(plan).total(), 100U);  // one in 10 units
}

TEST(TokenRing, AParkedTokenCostsNothingUntilItIsSentFor) {
    for (std::uint32_t n = 2; n <= 20; ++n) {
        for (std::uint32_t id = 1; id <= n; ++id) {
            Plan plan = quiet_ring(n, 1000);
            plan.options = {{"park", "true"}};
            ask(plan, 500, id, "Enter");
            const Report report = kit::run<TokenRing>(plan);
            ASSERT_EQ(report.turns->entries, 1U);
            EXPECT_EQ(report.total(), 2 * (id - 1)) << id << " of " << n;
            EXPECT_EQ(report.turns->longest_wait, 2.0 * (id - 1));
        }
    }
}

TEST(TokenRing, WaitsNoneToNMinusOneHopsAndHalfOfThatInTheMean) {
    for (std::uint32_t n = 2; n <= 20; ++n) {
        double sum = 0;
        for (std::uint32_t id = 1; id <= n; ++id) {
            Plan plan = quiet_ring(n, 5 * n);
            ask(plan, n, id, "Enter");  // as the token comes to 1
            const Report report = kit::run<TokenRing>(plan);
            ASSERT_EQ(report.turns->entries, 1U);
            EXPECT_EQ(report.turns->longest_wait, id - 1) << id << " of " << n;
            sum += report.turns->longest_wait;
        }
        EXPECT_EQ(sum / n, (n - 1) / 2.0);
    }
}

TEST(TokenRing, WaitsAWholeRoundIfTheTokenHasJustLeft) {
    for (std::uint32_t n = 2; n <= 20; ++n) {
        Plan plan = quiet_ring(n, 5 * n);
        ask(plan, n, 1, "Enter");
        ask(plan, n + 1, 1, "Leave");
        ask(plan, n + 1, 1, "Enter");
        const Report report = kit::run<TokenRing>(plan);
        EXPECT_EQ(report.turns->entries, 2U);
        EXPECT_EQ(report.turns->longest_wait, n);
    }
}

TEST(TokenRing, SynchronizationTakesOneToNMinusOneHops) {
    constexpr std::uint32_t n = 12;
    for (std::uint32_t id = 2; id <= n; ++id) {
        Plan plan = quiet_ring(n, 5 * n);
        ask(plan, n, 1, "Enter");
        ask(plan, n, id, "Enter");
        ask(plan, n + 1, 1, "Leave");
        const Report report = kit::run<TokenRing>(plan);
        EXPECT_EQ(report.turns->synchronization_delay, id - 1);
    }
}

TEST(TokenRing, GoesEitherWayRound) {
    Plan plan = quiet_ring(7, 35);
    plan.settings.direction = Direction::previous;
    ask(plan, 7, 6, "Enter");
    EXPECT_EQ(kit::run<TokenRing>(plan).turns->longest_wait, 2);
}

// The token is at 1. 3 asks and tells 2 of it; then 2 asks, and is nearer.
TEST(TokenRing, DoesNotKeepTheOrderOfRequests) {
    Plan plan = quiet_ring(3, 20);
    ask(plan, 3, 3, "Enter");
    plan.schedule.push_back({at(3.25), fault::Whisper{node(3), node(2)}});
    ask(plan, 3.5, 2, "Enter");
    ask(plan, 5, 2, "Leave");
    const Report report = kit::run<TokenRing>(plan);
    EXPECT_EQ(report.turns->entries, 2U);
    EXPECT_EQ(report.turns->overtakings, 1U);
    EXPECT_EQ(report.turns->order_kept, false);
}

TEST(TokenRing, EndsForEverWithTheCrashOfWhoeverHasTheToken) {
    for (const double when : {0.5, 1.5}) {  // on its way to 2; 2 is inside
        Plan plan = default_plan(3);
        plan.schedule.push_back({at(when), fault::Crash{node(2)}});
        const Report report = kit::run<TokenRing>(plan);
        ASSERT_EQ(report.violations.size(), 1U) << kit::text(report);
        EXPECT_EQ(report.violations.front().property, "nobody-waits");
    }
}

TEST(TokenRing, OutlivesTheCrashOfABystanderThatAllAreToldOf) {
    Plan plan = default_plan(5);
    plan.workload.askers = {node(1), node(3)};
    plan.workload.requests = 10;
    plan.schedule.push_back({at(0.5), fault::Crash{node(5)}});
    const Report report = kit::run<TokenRing>(plan);
    EXPECT_EQ(report.turns->entries, 20U);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

TEST(TokenRing, TwoTokensIfWhoeverMissesItMakesANewOne) {
    Plan plan = default_plan(3);
    plan.without = {"leader-only"};
    plan.options = {{"patience", "8"}};
    plan.workload.hold_least = plan.workload.hold_most = 4 * unit;
    plan.schedule.push_back({at(0.5), fault::Cut{node(1), node(2)}});  // one message is lost
    plan.schedule.push_back({at(1.5), fault::Heal{node(1), node(2)}});
    const Report report = kit::run<TokenRing>(plan);
    ASSERT_FALSE(report.violations.empty());
    EXPECT_EQ(report.violations.front().property, "one-inside");
}

TEST(TokenRing, ACopyOfATokenIsDropped) {
    const TokenRing::Token copied{{{}, {2}}};
    Hand<TokenRing> careful(2, 3), printed(2, 3, {TokenRing::token_number});
    for (Hand<TokenRing>* one : {&careful, &printed}) {
        one->receives(1, copied);
        EXPECT_TRUE(one->sends<TokenRing::Token>());
        one->receives(1, copied);
    }
    EXPECT_FALSE(careful.sends<TokenRing::Token>());
    EXPECT_TRUE(printed.sends<TokenRing::Token>());
}

TEST(TokenRing, TheFirstNodeMakesNoSecondTokenWhenItRestarts) {
    Plan plan = quiet_ring(4, 99.5);
    plan.schedule.push_back({at(1.5), fault::Crash{node(1)}});
    plan.schedule.push_back({at(2.5), fault::Restart{node(1), false}});
    EXPECT_EQ(kit::run<TokenRing>(plan).total(), 100U);
}

TEST(TokenRing, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<TokenRing>(300); }

TEST(TokenRing, SurvivesWhatItClaimsWithATokenThatRests) {
    const auto simulator = make_simulator<TokenRing>("tested");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Plan plan = claimed_plan(TokenRing::assumes, Kind::mutex, seed);
        plan.options = {{"park", seed % 2 ? "true" : "false"}, {"rest", "3"}};
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
