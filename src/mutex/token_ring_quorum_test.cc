// mutex/token_ring_quorum_test.cc -- the token ring on the quorum election: what the leases are
// for.
#include <gtest/gtest.h>

#include "core/stack.h"
#include "elect/quorum.h"
#include "mutex/token_ring.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::at;
using kit::node;
using OnQuorum = Stack<Quorum, TokenRingUnder<Quorum::assumes>>;

// Whoever leads is inside and is cut off with one other. The rest elect a leader, who counts.
Plan cut_off_leader() {
    Plan plan = default_plan(5);
    plan.workload.requests = 1;
    plan.workload.askers = {node(5), node(2)};
    plan.workload.hold_least = plan.workload.hold_most = 300 * unit;
    plan.oracle.reliable = false;
    for (const std::uint32_t here : {1U, 5U}) {
        for (const std::uint32_t there : {2U, 3U, 4U}) {
            plan.schedule.push_back({at(100), fault::Cut{node(here), node(there)}});
            plan.schedule.push_back({at(100), fault::Cut{node(there), node(here)}});
        }
    }
    plan.until = 400 * unit;
    return plan;
}

TEST(TokenRingOnQuorum, ACutOffHolderIsOutBeforeTheNextIsIn) {
    const Report report = kit::run<OnQuorum>(cut_off_leader());
    EXPECT_EQ(report.turns->entries, 2U);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

TEST(TokenRingOnQuorum, ACutOffHolderIsStillInsideIfNobodyWaitsForItsLease) {
    Plan plan = cut_off_leader();
    plan.without = {"lease-wait"};
    const Report report = kit::run<OnQuorum>(plan);
    EXPECT_EQ(report.turns->entries, 2U);
    ASSERT_FALSE(report.violations.empty());
    EXPECT_EQ(report.violations.front().property, "one-inside");
}

TEST(TokenRingOnQuorum, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<OnQuorum>(200); }

// Holds longer than the lease, leases shorter than a recovery, tokens that rest.
TEST(TokenRingOnQuorum, SurvivesLongStaysAndShortLeases) {
    const auto simulator = make_simulator<OnQuorum>("tested");
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        Plan plan = claimed_plan(Quorum::assumes, Kind::mutex, seed, 20);
        plan.workload.hold_most = 60 * unit;
        plan.options = {{"token_lease", "12"}, {"patience", "20"}, {"rest", "3"}};
        plan.options.emplace_back("park", seed % 2 ? "true" : "false");
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
