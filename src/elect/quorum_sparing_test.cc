// elect/quorum_sparing_test.cc -- a renewal asks no more voters than a quorum takes, all in turn.
#include <gtest/gtest.h>

#include <string>

#include "elect/plans_test.h"
#include "elect/quorum.h"

namespace conclave {
namespace {

using kit::node;
using kit::sent;

// Node 1 of n is elected and tells everybody at 4; then a round every 4, five of them in a lease.
constexpr int period = 4;
Plan sparing(std::uint32_t n, int rounds) {
    Plan plan = kit::started(default_plan(n), {1});
    plan.options = {{"sparing", "on"}, {"renew", std::to_string(period)}};
    plan.until = ((1 + rounds) * period + 3) * unit;
    return plan;
}
void crash(Plan& plan, double at, std::uint32_t whom) {
    plan.schedule.push_back({kit::at(at), fault::Crash{node(whom)}});
}

TEST(QuorumSparing, SteadyStateCostsTwoPerVoterOfAMajorityAndPeriod) {
    constexpr int rounds = 10;
    for (std::uint32_t n = 2; n <= 9; ++n) {
        const Report report = kit::run<Quorum>(sparing(n, rounds));
        EXPECT_EQ(sent(report, "Renew"), n - 1 + rounds * (n / 2)) << n << " nodes";
        EXPECT_EQ(sent(report, "Renewed"), sent(report, "Renew"));
        EXPECT_EQ(report.changes, 1U) << n << " nodes";
        EXPECT_TRUE(report.agreed) << kit::text(report);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

TEST(QuorumSparing, IsOffUnlessAskedFor) {
    Plan plan = sparing(3, 10);
    plan.options.erase(plan.options.begin());
    EXPECT_EQ(sent(kit::run<Quorum>(plan), "Renew"), 2U * 11);
}

// The round in which it is missed renews nothing: the next one asks somebody who answers.
TEST(QuorumSparing, AVoterThatIsGoneCostsNoOffice) {
    for (std::uint32_t n = 3; n <= 7; ++n) {
        for (std::uint32_t gone = 2; gone <= n; ++gone) {
            for (int at = 10; at < 10 + 2 * period; ++at) {
                Plan plan = sparing(n, 40);
                crash(plan, at, gone);
                const Report report = kit::run<Quorum>(plan);
                EXPECT_EQ(report.changes, 1U) << n << " nodes, without " << gone << " from " << at;
                EXPECT_TRUE(report.violations.empty()) << kit::text(report);
            }
        }
    }
}

TEST(QuorumSparing, WhoDoesNotAnswerIsAskedEveryTime) {
    Plan plan = sparing(3, 20);
    crash(plan, 10, 3);
    const Report whole = kit::run<Quorum>(plan);
    plan.until = 47 * unit;  // half of the rounds
    const Report half = kit::run<Quorum>(plan);
    EXPECT_EQ(sent(whole, "Renew") - sent(half, "Renew"), 10U * 2);
    EXPECT_EQ(sent(whole, "Renewed") - sent(half, "Renewed"), 10U);
}

TEST(QuorumSparing, AnswersThatTakeLongerThanAPeriodAreNotWaitedFor) {
    Plan plan = sparing(3, 10);
    plan.adversary.delay_least = plan.adversary.delay_most = 3 * unit;
    const Report report = kit::run<Quorum>(plan);
    EXPECT_EQ(report.changes, 1U) << kit::text(report);
    EXPECT_GT(sent(report, "Renew"), 2U * 8) << "everybody, nearly every time";
}

TEST(QuorumSparing, WhoeverNeedsNobodyIsStillHeardOf) {
    Plan plan = sparing(3, 20);
    plan.members[0].weight = 3;
    const Report report = kit::run<Quorum>(plan);
    EXPECT_EQ(sent(report, "Renew"), 2U + 20U) << "both, every other time";
    EXPECT_TRUE(report.agreed) << kit::text(report);
    EXPECT_EQ(report.changes, 1U);
}

TEST(QuorumSparing, WhoHasNoVoteHearsEveryTime) {
    Plan plan = sparing(4, 10);
    plan.members[3].role = Role::learner;
    const Report report = kit::run<Quorum>(plan);
    EXPECT_EQ(sent(report, "Renew"), 3U + 10U * 2) << "it, and one of two";
    EXPECT_TRUE(report.agreed) << kit::text(report);
}

}  // namespace
}  // namespace conclave
