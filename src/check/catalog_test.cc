// check/catalog_test.cc -- algorithms of the catalog in small worlds, their states counted.
#include <gtest/gtest.h>

#include <string_view>

#include "catalog/checkers.h"
#include "check/checker.h"

namespace conclave {
namespace {

std::unique_ptr<Checker> checker_of(std::string_view name) {
    for (const CheckerEntry& entry : checkers()) {
        if (entry.name == name) return entry.make();
    }
    return nullptr;
}

TEST(CheckBully, SettlesAfterACrashAndARestart) {
    const auto checker = checker_of("bully");
    CheckPlan plan = checker->claimed(2);
    plan.budget[Spend::restart] = 1;
    const CheckReport report = checker->check(plan);
    EXPECT_TRUE(report.findings.complete);
    EXPECT_FALSE(report.findings.bounded);
    EXPECT_FALSE(report.violated());
}

TEST(CheckBully, HasTwoLeadersIfATimerFiresTooEarly) {
    const auto checker = checker_of("bully");
    CheckPlan plan = checker->claimed(3);
    plan.model.timing = Timing::asynchronous;
    plan.one_leader = true;
    const CheckReport report = checker->check(plan);
    ASSERT_EQ(report.findings.broken.size(), 1U);
    EXPECT_EQ(report.findings.broken[0].path.size(), 3U + 1U);  // one step after all have booted
    EXPECT_EQ(report.verdicts.back().what, "1 and 3 both lead");
}

TEST(CheckRing, ElectsTheBestWhoeverStarts) {
    const auto checker = checker_of("ring");
    CheckPlan plan = checker->claimed(4);
    plan.model.links = Links::fifo;
    plan.patient = true;
    plan.budget = {};
    plan.world.settings.join = Join::stay;
    plan.world.oracle.present = false;
    plan.own_calls = 1;
    plan.bounds.rounds = 16;
    const CheckReport report = checker->check(plan);
    EXPECT_TRUE(report.findings.complete);
    EXPECT_FALSE(report.findings.bounded);
    EXPECT_FALSE(report.violated());
}

}  // namespace
}  // namespace conclave
