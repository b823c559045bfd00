// mutex/ricart_agrawala_test.cc -- what Ricart and Agrawala's algorithm costs, and what it
// survives.
#include "mutex/ricart_agrawala.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;

// Nobody crashes; only the listed ones ask, or all.
Plan asking(std::uint32_t nodes, std::uint32_t requests, std::vector<NodeId> askers = {}) {
    Plan plan = default_plan(nodes);
    plan.oracle.present = false;
    plan.workload.requests = requests;
    plan.workload.askers = std::move(askers);
    return plan;
}
struct Wish {
    double when;
    std::uint32_t who;
    std::string what;
};
// Nobody asks but these.
Plan told(std::uint32_t nodes, const std::vector<Wish>& wishes) {
    Plan plan = asking(nodes, 0);
    for (const Wish& wish : wishes) {
        plan.schedule.push_back({kit::at(wish.when), fault::Ask{node(wish.who), wish.what}});
    }
    return plan;
}
Plan retained(Plan plan) {
    plan.options.emplace_back("retained", "true");
    return plan;
}
// Who entered, in this order.
std::vector<std::uint32_t> entries(const std::string& trace) {
    std::vector<std::uint32_t> ids;
    for (std::size_t end = 0; (end = trace.find(" tells Entered", end)) != trace.npos; ++end) {
        const std::size_t line = trace.rfind('\n', end) + 1;
        ids.push_back(static_cast<std::uint32_t>(std::stoul(trace.substr(line, end - line))));
    }
    return ids;
}

// MX-08: the client waits for a round trip, not for the one message that 003 prints in its table.
TEST(RicartAgrawala, CostsTwoTimesNMinusOne) {
    for (std::uint32_t n = 2; n <= 24; ++n) {
        for (std::uint32_t asker : {1U, n / 2 + 1, n}) {
            const Report report = kit::run<RicartAgrawala>(asking(n, 3, {node(asker)}));
            EXPECT_EQ(report.turns->entries, 3U);
            EXPECT_EQ(report.total(), 3 * 2 * (n - 1)) << n << " nodes";
            EXPECT_EQ(report.repairs(), 0U);
            EXPECT_EQ(report.turns->client_delay, 2) << n << " nodes";
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        }
    }
}

// MX-08: no more under contention, and one message hands the section over.
TEST(RicartAgrawala, HandsOverWithOneMessage) {
    for (std::uint32_t n = 2; n <= 24; ++n) {
        const Report report = kit::run<RicartAgrawala>(asking(n, 2));
        EXPECT_EQ(report.turns->entries, 2 * n);
        EXPECT_EQ(report.total(), 2 * n * 2 * (n - 1)) << n << " nodes";
        EXPECT_EQ(report.turns->least_synchronization, 1);
        EXPECT_EQ(report.turns->most_synchronization, 1);
        EXPECT_EQ(report.turns->order_kept, true);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

TEST(RicartAgrawala, AloneItJustEnters) {
    const Report report = kit::run<RicartAgrawala>(asking(1, 2));
    EXPECT_EQ(report.turns->entries, 2U);
    EXPECT_EQ(report.total(), 0U);
}

// MX-06, and that a total order leaves no circle of waiting.
TEST(RicartAgrawala, EqualStampsGoToTheLowerId) {
    Plan plan = asking(5, 1);
    plan.members = {{node(4)}, {node(2)}, {node(9)}, {node(1)}, {node(7)}};
    plan.trace = true;
    EXPECT_EQ(entries(kit::run<RicartAgrawala>(plan).trace),
              (std::vector<std::uint32_t>{1, 2, 4, 7, 9}));
}
TEST(RicartAgrawala, LowerStampGoesFirstWhateverTheId) {
    Plan plan = told(3, {{0, 1, "Observe 11"},
                         {0, 3, "Observe 7"},
                         {1, 1, "Enter"},
                         {1, 3, "Enter"},
                         {9, 3, "Leave"},
                         {20, 1, "Leave"}});
    plan.trace = true;
    EXPECT_EQ(entries(kit::run<RicartAgrawala>(plan).trace), (std::vector<std::uint32_t>{3, 1}));
}

// MX-07, the lecture's example. P1 does not care; P2 has the bigger time stamp.
TEST(RicartAgrawala, P0AndP2WantItAndP1DoesNot) {
    Plan plan = told(3, {{0, 0, "Observe 7"},
                         {0, 2, "Observe 11"},
                         {1, 0, "Enter"},
                         {1, 2, "Enter"},
                         {6, 0, "Leave"},
                         {9, 2, "Leave"}});
    plan.members = {{node(0)}, {node(1)}, {node(2)}};
    plan.trace = true;
    const Report report = kit::run<RicartAgrawala>(plan);
    EXPECT_EQ(entries(report.trace), (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(report.total(), 2 * 2 * (3 - 1));
    EXPECT_EQ(report.turns->synchronization_delay, 1);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

// MX-09: the first entry asks all; the next ones are free; so is nothing once somebody else asked.
TEST(RicartAgrawala, RetainedPermissionsMakeEnteringAgainFree) {
    for (std::uint32_t n = 2; n <= 24; ++n) {
        const Report report = kit::run<RicartAgrawala>(retained(asking(n, 5, {node(1)})));
        EXPECT_EQ(report.turns->entries, 5U);
        EXPECT_EQ(report.total(), 2 * (n - 1)) << n << " nodes";
        EXPECT_EQ(report.turns->client_delay, 2.0 / 5) << "2, then 0";
    }
}
TEST(RicartAgrawala, RetainedCostsTwoForEachWhoMustBeAsked) {
    const std::vector<Wish> wishes = {
        {0, 1, "Enter"},  {3, 1, "Leave"},    // asks 2, 3, 4
        {10, 1, "Enter"}, {13, 1, "Leave"},   // nobody
        {20, 2, "Enter"}, {23, 2, "Leave"},   // 1, 3, 4
        {30, 1, "Enter"}, {33, 1, "Leave"},   // 2, whom it gave its permission to
        {40, 1, "Enter"}, {43, 1, "Leave"}};  // nobody
    const std::vector<std::uint64_t> totals = {6, 6, 12, 14, 14};
    for (std::size_t turns = 1; turns <= totals.size(); ++turns) {
        const auto first = wishes.begin();
        const auto last = first + static_cast<std::ptrdiff_t>(2 * turns);
        const Report report = kit::run<RicartAgrawala>(retained(told(4, {first, last})));
        EXPECT_EQ(report.turns->entries, turns);
        EXPECT_EQ(report.total(), totals[turns - 1]) << turns << " turns";
    }
}
TEST(RicartAgrawala, RetainedNeverCostsMoreThanAskingAll) {
    for (std::uint32_t n = 2; n <= 16; ++n) {
        for (std::uint32_t contention : {0U, 1U, 2U}) {
            Plan plan = retained(asking(n, 4));
            plan.workload.contention = contention;
            const Report report = kit::run<RicartAgrawala>(plan);
            EXPECT_EQ(report.turns->entries, 4 * n);
            EXPECT_LE(report.total(), report.turns->entries * 2 * (n - 1)) << n << " nodes";
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        }
    }
}

TEST(RicartAgrawala, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<RicartAgrawala>(300); }
TEST(RicartAgrawala, SurvivesItWithRetainedPermissionsToo) {
    const auto simulator = make_simulator<RicartAgrawala>("tested");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Plan plan = claimed_plan(RicartAgrawala::assumes, Kind::mutex, seed);
        const Report report = simulator->run(retained(plan));
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

// ME3, in every run in which nobody comes back: whispers and reordering included.
TEST(RicartAgrawala, KeepsTheOrderThroughCrashes) {
    constexpr Model crashes{Links::reliable, Timing::synchronous, Faults::crash};
    const auto simulator = make_simulator<RicartAgrawala>("tested");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Report report = simulator->run(claimed_plan(crashes, Kind::mutex, seed));
        ASSERT_EQ(report.turns->order_kept, true) << "seed " << seed;
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
