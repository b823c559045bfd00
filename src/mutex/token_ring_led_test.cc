// mutex/token_ring_led_test.cc -- the token ring on the bully: a lost token is replaced once.
#include <gtest/gtest.h>

#include "core/stack.h"
#include "elect/bully.h"
#include "mutex/token_ring.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::at;
using kit::node;
using Led = TokenRingUnder<Bully::assumes>;
using OnBully = Stack<Bully, Led>;

std::uint64_t repairs(const Report& report, std::string_view type) {
    for (const MessageCount& one : report.messages) {
        if (one.type == type) return one.repair;
    }
    return 0;
}

// 5 leads from the start; everybody wants in three times.
Plan busy(std::uint32_t n) {
    Plan plan = default_plan(n);
    plan.workload.requests = 3;
    plan.workload.think_least = plan.workload.think_most = 5 * unit;
    return plan;
}

TEST(TokenRingOnBully, OneCountPerLeadership) {
    for (std::uint32_t n = 2; n <= 20; ++n) {
        const Report report = kit::run<OnBully>(busy(n));
        EXPECT_EQ(report.turns->entries, 3 * n);
        EXPECT_EQ(repairs(report, "Count"), n - 1);
        EXPECT_EQ(repairs(report, "Counted"), n - 1);
        EXPECT_EQ(report.total(Kind::mutex) + repairs(report, "Token"), report.messages[4].sent);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

// Whenever it dies: with the token, inside, or with the token on its way to it.
TEST(TokenRingOnBully, ReplacesATokenLostWithAnyNodeAtAnyTime) {
    for (std::uint32_t id = 1; id <= 4; ++id) {
        for (double when = 3; when < 40; when += 0.5) {
            Plan plan = busy(5);
            plan.schedule.push_back({at(when), fault::Crash{node(id)}});
            const Report report = kit::run<OnBully>(plan);
            EXPECT_TRUE(report.violations.empty()) << id << " at " << when << "\n"
                                                   << kit::text(report);
            EXPECT_GE(report.turns->entries, 12U);  // all of those who live
        }
    }
}

TEST(TokenRingOnBully, ANewLeaderReplacesWhatWasLostWithTheOld) {
    for (double when = 3; when < 40; when += 0.5) {
        Plan plan = busy(5);
        plan.schedule.push_back({at(when), fault::Crash{node(5)}});
        const Report report = kit::run<OnBully>(plan);
        EXPECT_TRUE(report.violations.empty()) << "at " << when << "\n" << kit::text(report);
        EXPECT_GE(report.turns->entries, 12U);
    }
}

TEST(TokenRingOnBully, WhoIsInsideStaysInsideDuringACount) {
    Plan plan = busy(5);
    plan.workload.requests = 1;
    plan.workload.askers = {node(2)};
    plan.workload.hold_least = plan.workload.hold_most = 100 * unit;
    plan.schedule.push_back({at(50), fault::Crash{node(4)}});
    plan.trace = true;
    const Report report = kit::run<OnBully>(plan);
    EXPECT_EQ(report.turns->entries, 1U);
    EXPECT_EQ(repairs(report, "Count"), 4U + 3U);
    EXPECT_EQ(report.trace.find("Ousted"), std::string::npos);
}

TEST(TokenRingOnBully, WhoeverMissesItMakesANewOneAndTwoAreInside) {
    Plan plan = busy(5);
    plan.without = {"leader-only"};
    plan.options = {{"patience", "6"}};
    plan.workload.hold_least = plan.workload.hold_most = 8 * unit;
    const Report report = kit::run<OnBully>(plan);
    ASSERT_FALSE(report.violations.empty());
    EXPECT_EQ(report.violations.front().property, "one-inside");
}

TEST(TokenRingOnBully, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<OnBully>(300); }

}  // namespace
}  // namespace conclave
