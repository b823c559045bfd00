// elect/quorum_preference_test.cc -- who leads, if there is a choice, and that it does not flap.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "elect/quorum.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;

Plan graceful(Plan plan) {
    plan.options.emplace_back("preempt", "graceful");
    plan.linger = 100 * unit;
    return plan;
}
std::optional<NodeId> leader_of(const Report& report) {
    return report.agreed ? report.leaders.front().second : std::nullopt;
}

// A fresh election among all ends with the best key, by priority and then by id.
TEST(QuorumPreference, WhoStartTogetherElectTheBest) {
    std::vector<Attribute> priorities{0, 0, 1, 2};
    do {
        Plan plan = default_plan(4);
        Key best{-1, {}};
        for (std::size_t at = 0; at < 4; ++at) {
            plan.members[at].priority = priorities[at];
            best = std::max(best, Key{priorities[at], plan.members[at].node});
        }
        const Report report = kit::run<Quorum>(plan);
        EXPECT_EQ(leader_of(report), best.node);
        EXPECT_EQ(report.changes, 1U);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    } while (std::ranges::next_permutation(priorities).found);
}

TEST(QuorumPreference, TheBestOfTheLivingLeadsWhenTheBestIsDead) {
    for (std::uint32_t n = 3; n <= 9; ++n) {
        Plan plan = default_plan(n);
        plan.oracle.reliable = false;
        for (std::uint32_t id = n; id > n - (n - 1) / 2; --id) plan.down.push_back(node(id));
        const Report report = kit::run<Quorum>(plan);
        EXPECT_EQ(leader_of(report), node(n - (n - 1) / 2));
        EXPECT_EQ(report.changes, 1U);
    }
}

// Without a detector nobody knows that the best is dead. Voters insist on it for a while only.
TEST(QuorumPreference, NeverBlocksLongerThanItsWindow) {
    Plan plan = default_plan(5);
    plan.oracle.present = false;
    plan.down = {node(4), node(5)};
    const Report report = kit::run<Quorum>(plan);
    EXPECT_TRUE(leader_of(report));
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    EXPECT_LE(report.agreed_at.value_or(1e9), 24 + 20);  // the window is six slots of 4
}

TEST(QuorumPreference, ABetterNewcomerDoesNotBully) {
    Plan plan = default_plan(3);
    plan.members[2].priority = 5;
    plan.down = {node(3)};
    plan.schedule = {{kit::at(60), fault::Restart{node(3)}}};
    plan.linger = 200 * unit;
    const Report report = kit::run<Quorum>(plan);
    EXPECT_EQ(leader_of(report), node(2));
    EXPECT_EQ(report.changes, 1U);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

TEST(QuorumPreference, AGracefulLeaderHandsOverToTheBetterNewcomerOnce) {
    Plan plan = graceful(default_plan(3));
    plan.members[2].priority = 5;
    plan.down = {node(3)};
    plan.schedule = {{kit::at(60), fault::Restart{node(3)}}};
    const Report report = kit::run<Quorum>(plan);
    EXPECT_EQ(leader_of(report), node(3));
    EXPECT_EQ(report.changes, 2U);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

// EL-15, with a leader that makes way: whoever calls, and however many, the best leads.
TEST(QuorumPreference, TheResultDoesNotDependOnWhoCalls) {
    for (std::uint32_t callers = 1; callers < 32; ++callers) {
        std::vector<std::uint32_t> ids;
        for (std::uint32_t id = 1; id <= 5; ++id) {
            if (callers >> (id - 1) & 1U) ids.push_back(id);
        }
        Plan plan = graceful(kit::started(default_plan(5), ids));
        plan.options.emplace_back("hysteresis", "0");
        const Report report = kit::run<Quorum>(plan);
        EXPECT_EQ(leader_of(report), node(5)) << "callers " << callers;
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

// 10.7: an attribute that swings by less than the hysteresis changes nothing; by more, at most
// once per tenure.
std::uint64_t changes_when_swinging_by(Attribute amplitude, const char* hysteresis) {
    Plan plan = graceful(default_plan(3));
    plan.options.emplace_back("hysteresis", hysteresis);
    plan.settings.live_attribute = true;
    for (int swing = 1; swing <= 20; ++swing) {
        plan.schedule.push_back(
            {kit::at(60 * swing), fault::Attribute{node(1), swing % 2 ? amplitude : -amplitude}});
    }
    plan.until = 1200 * unit;
    return kit::run<Quorum>(plan).changes;
}

TEST(QuorumPreference, ASwingingAttributeDoesNotMakeLeadersFlap) {
    EXPECT_EQ(changes_when_swinging_by(4, "5"), 1U);
    const std::uint64_t changes = changes_when_swinging_by(6, "5");
    EXPECT_GT(changes, 2U);
    EXPECT_LE(changes, 1U + 1200U / 40U);  // min_tenure is two leases
}

// The best is cut off and loses its office. With a penalty it does not get it back at once.
TEST(QuorumPreference, AnOfficeLostCostsAPenaltyThatIsForgiven) {
    const auto leader_at = [](double time, const char* penalty) {
        Plan plan = graceful(default_plan(3));
        plan.members[2].priority = 1;
        plan.options.emplace_back("penalty", penalty);
        plan.options.emplace_back("forgive", "200");
        for (std::uint32_t other : {1U, 2U}) {
            plan.schedule.push_back({kit::at(30), fault::Cut{node(3), node(other)}});
            plan.schedule.push_back({kit::at(30), fault::Cut{node(other), node(3)}});
        }
        for (std::uint32_t other : {1U, 2U}) {
            plan.schedule.push_back({kit::at(90), fault::Heal{node(3), node(other)}});
            plan.schedule.push_back({kit::at(90), fault::Heal{node(other), node(3)}});
        }
        plan.until = kit::at(time).time_since_epoch();
        return leader_of(kit::run<Quorum>(plan));
    };
    EXPECT_EQ(leader_at(29, "0"), node(3));
    EXPECT_EQ(leader_at(89, "0"), std::nullopt);  // 3 is alone
    EXPECT_EQ(leader_at(200, "0"), node(3));
    EXPECT_EQ(leader_at(200, "2"), node(2));
    EXPECT_EQ(leader_at(900, "2"), node(3));
}

}  // namespace
}  // namespace conclave
