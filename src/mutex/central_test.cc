// mutex/central_test.cc -- the central server's exact prices, and what it survives.
#include "mutex/central.h"

#include <gtest/gtest.h>

#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;

// N nodes, of which N serves; the others ask, so many at a time.
Plan clients_ask(std::uint32_t n, std::uint32_t contention) {
    Plan plan = default_plan(n);
    plan.workload.requests = 4;
    plan.workload.contention = contention;
    for (std::uint32_t id = 1; id < n; ++id) plan.workload.askers.push_back(node(id));
    return plan;
}

TEST(Central, CostsThreeMessagesPerEntryAndTwoUnitsToEnter) {
    for (std::uint32_t n = 2; n <= 20; ++n) {
        const Report report = kit::run<Central>(clients_ask(n, 1));
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        ASSERT_EQ(report.turns->entries, 4U * (n - 1));
        EXPECT_EQ(report.total(), 3 * report.turns->entries) << n << " nodes";
        EXPECT_EQ(report.repairs(), 0U) << "nothing but the source's own messages";
        EXPECT_EQ(report.turns->client_delay, 2.0);
    }
}

TEST(Central, CostsNoMoreWhenEverybodyWantsInAndHandsOverInTwoUnits) {
    for (std::uint32_t n = 3; n <= 20; ++n) {
        const Report report = kit::run<Central>(clients_ask(n, 0));
        ASSERT_EQ(report.turns->entries, 4U * (n - 1));
        EXPECT_EQ(report.total(), 3 * report.turns->entries) << n << " nodes";
        EXPECT_EQ(report.turns->least_synchronization, 2.0);
        EXPECT_EQ(report.turns->most_synchronization, 2.0);
    }
}

TEST(Central, ServesItselfWithoutTheNetwork) {
    Plan plan = default_plan(3);
    plan.workload.requests = 5;
    plan.workload.askers = {node(3)};
    const Report report = kit::run<Central>(plan);
    EXPECT_EQ(report.turns->entries, 5U);
    EXPECT_EQ(report.total(), 0U);
    EXPECT_EQ(report.turns->client_delay, 0.0);
}

TEST(Central, IsServedByTheBestMemberUnlessToldOtherwise) {
    Plan plan = default_plan(4);
    plan.members[1].priority = 7;
    plan.workload.askers = {node(2)};
    EXPECT_EQ(kit::run<Central>(plan).total(), 0U) << "2 is the best";
    plan.options = {{"server", "3"}};
    EXPECT_EQ(kit::run<Central>(plan).total(), 3U);
    plan.options = {{"server", "9"}};
    EXPECT_EQ(kit::run<Central>(plan).total(), 0U) << "no such member";
}

TEST(Central, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<Central>(400); }

TEST(Central, SurvivesDoubledMessages) {
    const auto simulator = make_simulator<Central>("tested");
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Plan plan = claimed_plan(Central::assumes, Kind::mutex, seed, 20);
        plan.adversary.duplicate = 0.1;
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

// The server is not there when the others start, and nobody ever hears of another life of it.
TEST(Central, ServesThoseWhoAskedBeforeItWasThere) {
    Plan plan = clients_ask(3, 0);
    plan.down = {node(3)};
    plan.schedule = {{kit::at(10), fault::Restart{node(3)}}};
    const Report report = kit::run<Central>(plan);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    EXPECT_EQ(report.turns->entries, 8U);
}

// ---- ME3, MXT-1 ----

// Requests that arrive in any order, side messages, no faults: how many runs of 200 kept the order.
int runs_in_order(bool causal) {
    const auto simulator = make_simulator<Central>("tested");
    int kept = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Plan plan = default_plan(2 + seed % 10);
        plan.seed = seed;
        plan.adversary.reorder = true;
        plan.adversary.delay_least = unit / 8;
        plan.workload = {.requests = 5, .think_most = 4 * unit, .whispers = 0.5};
        plan.options = {{"causal", causal ? "true" : "false"}};
        const Report report = simulator->run(plan);
        EXPECT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
        kept += report.turns->order_kept.value() ? 1 : 0;
    }
    return kept;
}

TEST(Central, KeepsTheOrderOfRequestsOnlyIfTheySayWhatTheyKnewOf) {
    EXPECT_LT(runs_in_order(false), 200);
    EXPECT_EQ(runs_in_order(true), 200);
}

TEST(Central, SurvivesWhatItClaimsAlsoWhenItWaitsForWhatHappenedBefore) {
    const auto simulator = make_simulator<Central>("tested");
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Plan plan = claimed_plan(Central::assumes, Kind::mutex, seed);
        plan.options = {{"causal", "true"}};
        plan.workload.whispers = 0.5;
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

// ---- What it does not survive: MX-23 ----

// All that the source prints.
Plan as_printed(std::uint32_t n) {
    Plan plan = default_plan(n);
    for (const Fix& fix : Central::fixes) plan.without.emplace_back(fix.name);
    plan.workload.think_least = 5 * unit;
    for (std::uint32_t id = 1; id + 1 < n; ++id) plan.workload.askers.push_back(node(id));
    return plan;
}

TEST(Central, AsPrintedToleratesTheCrashOfAnIdleClientOnly) {
    Plan plan = as_printed(5);
    plan.schedule = {{kit::at(1), fault::Crash{node(4)}}};
    Report report = kit::run<Central>(plan);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    EXPECT_EQ(report.turns->entries, 3U);

    for (const double when : {6.5, 7.5}) {  // its request is under way; it is inside
        plan.schedule = {{kit::at(when), fault::Crash{node(1)}}};
        report = kit::run<Central>(plan);
        EXPECT_FALSE(report.violations.empty()) << "crash at " << when;
        plan.without.clear();
        report = kit::run<Central>(plan);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        plan.without = as_printed(5).without;
    }
    plan.schedule = {{kit::at(6.5), fault::Crash{node(5)}}};
    EXPECT_FALSE(kit::run<Central>(plan).violations.empty()) << "the server is there only once";
}

TEST(Central, WaitsForEverIfAMessageIsLost) {
    Plan plan = clients_ask(4, 0);
    plan.adversary.loss = 0.2;
    plan.adversary.calm = 100 * unit;
    int stuck = 0;
    for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
        for (const Violation& one : kit::run<Central>(plan).violations) {
            EXPECT_EQ(one.property, "nobody-waits") << "a lost message lets nobody in";
            ++stuck;
        }
    }
    EXPECT_GT(stuck, 0);
}

}  // namespace
}  // namespace conclave
