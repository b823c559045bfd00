// elect/bully_counts_test.cc -- the bully's prices where several call, or more is known.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "elect/bully.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;

// N is dead, and nobody knows but by asking.
Plan top_node_dead(std::uint32_t n, const std::vector<std::uint32_t>& callers) {
    Plan plan = kit::started(default_plan(n), callers);
    plan.down = {node(n)};
    return plan;
}

// As much as the lowest of them alone, and sooner if the winner-to-be is among them.
TEST(BullyCounts, SeveralCallersCostWhatTheLowestCosts) {
    for (std::uint32_t n = 3; n <= 8; ++n) {
        for (std::uint32_t bits = 1; bits < 1U << (n - 1); ++bits) {
            std::vector<std::uint32_t> callers;
            for (std::uint32_t id = 1; id < n; ++id) {
                if (bits >> (id - 1) & 1U) callers.push_back(id);
            }
            const Report report = kit::run<Bully>(top_node_dead(n, callers));
            const std::uint64_t r = n - callers.front();
            EXPECT_EQ(report.total(), r * r + n - 2) << n << " nodes, callers " << bits;
            EXPECT_EQ(report.time, callers.back() == n - 1 ? 3 : 4) << n << " nodes, " << bits;
            EXPECT_EQ(report.leaders.front().second, node(n - 1));
        }
    }
}

// Over callers 1 to N - 1, of whom N - 1 knows that it is the highest.
TEST(BullyCounts, MeanOverAllCallers) {
    for (std::uint32_t n = 3; n <= 16; ++n) {
        std::uint64_t all = n - 2;
        for (std::uint32_t d = 1; d < n - 1; ++d) {
            all += kit::run<Bully>(top_node_dead(n, {d})).total();
        }
        // N(2N-1)/6 + N - 2 - 1/(N-1), times 6(N-1)
        const std::uint64_t expected = n * (2 * n - 1) * (n - 1) + 6 * (n - 1) * (n - 2) - 6;
        EXPECT_EQ(6 * all, expected) << n << " nodes";
    }
}

// The detector has told everybody that N is dead: nobody waits for it.
TEST(BullyCounts, LowestCallsAndAllKnowWhoIsDead) {
    for (std::uint32_t n = 3; n <= 16; ++n) {
        Plan plan = kit::started(default_plan(n), {});
        plan.down = {node(n)};
        for (std::uint32_t id = 1; id < n; ++id) {
            plan.schedule.push_back({Instant{}, fault::Suspect{node(id), node(n)}});
        }
        plan.schedule.push_back({Instant{}, fault::Call{node(1)}});
        const Report report = kit::run<Bully>(plan);
        EXPECT_EQ(report.total(), n * (n - 2)) << n << " nodes";
        EXPECT_EQ(report.agreed_at, 2) << n << " nodes";  // some answers are still under way
    }
}

// 001: five message times are the bound from which timeouts are made; four are what it takes,
// because an answer and the next question leave together.
TEST(BullyCounts, WorstCaseIsWithinTheFiveMessagesOfTheLecture) {
    for (std::uint32_t n = 3; n <= 24; ++n) {
        const Report report = kit::run<Bully>(top_node_dead(n, {1}));
        EXPECT_EQ(report.total(), n * n - n - 1);
        EXPECT_EQ(report.messages.front().sent, n * (n - 1) / 2) << "ELECTION";
        EXPECT_LE(report.time, 5);
    }
}

}  // namespace
}  // namespace conclave
