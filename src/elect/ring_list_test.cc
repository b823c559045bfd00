// elect/ring_list_test.cc -- the list ring's exact prices, and what each of its fixes is for.
#include "elect/ring_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "elect/plans_test.h"

namespace conclave {
namespace {

using kit::and_then;
using kit::node;
using kit::with_detector;
using kit::without;

constexpr auto wrong_with = kit::wrong_with<RingList>;
constexpr auto leader_of_all = kit::leader_of_all<RingList>;

TEST(RingList, OneInitiatorCostsTwoLaps) {
    for (std::uint32_t n = 2; n <= 32; ++n) {
        for (std::uint32_t initiator = 1; initiator <= n; ++initiator) {
            for (Direction direction : {Direction::next, Direction::previous}) {
                Plan plan = kit::started(default_plan(n), {initiator});
                plan.settings.direction = direction;
                const Report report = kit::run<RingList>(plan);
                EXPECT_EQ(report.total(), 2 * n);
                EXPECT_EQ(report.time, 2 * n);
                EXPECT_EQ(report.leaders.front().second, node(n));
                EXPECT_TRUE(report.violations.empty()) << kit::text(report);
            }
        }
    }
}

TEST(RingList, KInitiatorsCostKTimesTwoLapsInTheTimeOfOne) {
    for (std::uint32_t n = 2; n <= 16; ++n) {
        for (std::uint32_t k = 1; k <= n; ++k) {
            std::vector<std::uint32_t> callers(k);
            std::iota(callers.begin(), callers.end(), n - k + 1);
            const Report report = kit::run<RingList>(kit::started(default_plan(n), callers));
            EXPECT_EQ(report.total(), 2 * k * n);
            EXPECT_EQ(report.time, 2 * n);
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        }
    }
}

// Nobody knows who is dead: each is tried and waited for on both laps.
TEST(RingList, DeadNodeCostsOneProbeAndItsTimeoutPerLap) {
    for (std::uint32_t n = 3; n <= 12; ++n) {
        for (std::uint32_t dead = 1; dead <= n - 2; ++dead) {
            Plan plan = kit::started(default_plan(n), {1});
            plan.linger = 100 * unit;  // the last hops are of no use to anybody
            for (std::uint32_t i = 0; i < dead; ++i) plan.down.push_back(node(n - i));
            const std::uint32_t m = n - dead, timeout = 2;
            const Report report = kit::run<RingList>(plan);
            EXPECT_EQ(report.total(), 2 * m + 2 * dead);
            EXPECT_EQ(report.time, 2 * m + 2 * dead * timeout);
            EXPECT_EQ(report.leaders.front().second, node(m));
        }
    }
}

// RG-16: whoever knows its successor to be dead goes on to that one's successor, and so on.
TEST(RingList, KnownDeadSuccessorsAreSkippedForNothing) {
    Plan plan = kit::started(default_plan(8), {});
    plan.down = {node(5), node(6), node(7)};
    for (std::uint32_t dead : {5U, 6U, 7U}) {
        plan = and_then(plan, 0, fault::Fail{node(4), node(dead)});
    }
    plan = and_then(plan, 0, fault::Call{node(2)});
    const Report report = kit::run<RingList>(plan);
    EXPECT_EQ(report.total(), 10U);
    EXPECT_EQ(report.time, 10);
    EXPECT_EQ(report.leaders.front().second, node(8));
}

// 003: 6 was the coordinator and has crashed; 2 and 5 notice it at the same time.
TEST(RingList, LectureExampleTwoAndFiveNoticeThatSixIsDead) {
    Plan plan = kit::started(default_plan(7), {});
    for (std::uint32_t id = 0; id < 7; ++id) plan.members[id].node = node(id);
    plan.down = {node(6)};
    plan = and_then(plan, 0, fault::Fail{node(5), node(6)});
    plan = and_then(plan, 0, fault::Call{node(2)});
    plan = and_then(plan, 0, fault::Call{node(5)});
    plan.trace = true;
    const Report report = kit::run<RingList>(plan);
    EXPECT_EQ(report.total(), 24U);
    EXPECT_EQ(report.time, 12);
    for (const auto& [one, leader] : report.leaders) EXPECT_EQ(leader, node(5)) << number(one);
    for (const char* seen :
         {"Election(Run(1, 2), [2 3 4 5 0 1]) to 2", "Election(Run(1, 5), [5 0 1 2 3 4]) to 5",
          "Coordinator(Run(1, 2), 5, [2 3 4 5 0 1]) to 3",
          "Coordinator(Run(1, 5), 5, [5 0 1 2 3 4]) to 0"}) {
        EXPECT_NE(report.trace.find(seen), std::string::npos) << seen;
    }
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

// RG-17: the result names the group.
TEST(RingList, CoordinatorMessageTellsTheMembers) {
    Plan plan = kit::started(default_plan(4), {3});
    plan.down = {node(2)};
    plan.trace = true;
    const Report report = kit::run<RingList>(plan);
    EXPECT_NE(report.trace.find("MembersAre(4294967299, [3 4 1])"), std::string::npos);
}

// EL-15: whoever calls, and however many do.
TEST(RingList, ResultDoesNotDependOnWhoInitiates) {
    for (std::uint32_t n = 2; n <= 5; ++n) {
        for (std::uint32_t subset = 1; subset < 1U << n; ++subset) {
            std::vector<std::uint32_t> callers;
            for (std::uint32_t id = 1; id <= n; ++id) {
                if (subset >> (id - 1) & 1U) callers.push_back(id);
            }
            Plan plan = kit::started(default_plan(n), callers);
            do {
                const Report report = kit::run<RingList>(plan);
                EXPECT_EQ(report.leaders.front().second, node(n));
                EXPECT_TRUE(report.violations.empty()) << kit::text(report);
            } while (std::next_permutation(
                plan.members.begin() + 1, plan.members.end(),
                [](const Member& a, const Member& b) { return a.node < b.node; }));
        }
    }
}

TEST(RingList, BestAttributeWinsAndTiesGoToTheHigherId) {
    Plan plan = kit::started(default_plan(5), {1});
    plan.members[1].priority = plan.members[3].priority = 7;
    EXPECT_EQ(leader_of_all(plan), "4");
    plan = and_then(plan, 40, fault::Attribute{node(3), 9});
    EXPECT_EQ(leader_of_all(and_then(plan, 41, fault::Call{node(5)})), "3");
}

// RGT-6: everybody else finds itself in the list, but only the dead initiator may end the lap.
TEST(RingList, DeadInitiatorsMessageCirculatesForEver) {
    Plan plan = with_detector(kit::started(default_plan(4), {1}));
    plan = and_then(plan, 1.5, fault::Crash{node(1)});
    EXPECT_EQ(leader_of_all(plan), "4");
    plan.until = 500 * unit;
    EXPECT_LT(kit::run<RingList>(plan).total(), 20U);
    EXPECT_GT(kit::run<RingList>(without(plan, {"convert", "overdue"})).total(), 400U);
}

// RGT-7: the result of 3's run overtakes that of 1's run, which still has the dead 4 in its list.
TEST(RingList, ResultsOutOfOrderLeaveTheLeaderFollowingADeadNode) {
    Plan plan = kit::started(default_plan(4), {1});
    plan = and_then(plan, 1.4, fault::Suspect{node(3), node(4)});
    plan = and_then(plan, 1.5, fault::Call{node(3)});
    plan = and_then(plan, 1.9, fault::Trust{node(3), node(4)});
    plan = and_then(plan, 3.5, fault::Crash{node(4)});
    EXPECT_EQ(leader_of_all(plan), "3");
    const Report torn = kit::run<RingList>(without(plan, {"order"}));
    ASSERT_EQ(torn.leaders.size(), 3U);
    EXPECT_EQ(torn.leaders[0].second, node(3));
    EXPECT_EQ(torn.leaders[1].second, node(3));
    EXPECT_EQ(torn.leaders[2].second, node(4)) << "3 leads and does not know it";
}

// RGT-8: 3 takes 4 for dead, so 4 is not in the list.
TEST(RingList, FalseSuspicionSkipsTheBest) {
    Plan plan = and_then(kit::started(default_plan(4), {1}), 0.5, fault::Suspect{node(3), node(4)});
    EXPECT_EQ(kit::run<RingList>(plan).leaders.front().second, node(3));
    plan = and_then(plan, 30, fault::Trust{node(3), node(4)});
    EXPECT_EQ(leader_of_all(plan), "4");
    EXPECT_NE(wrong_with(without(plan, {"skipped"})).find("the best leads"), std::string::npos);
}

// RGT-8: whoever is given too little time to answer is skipped again and again (001:197-199), until
// the time adapts.
TEST(RingList, TimeoutsThatAreTooShortElectForEverUntilTheyAdapt) {
    Plan plan = kit::started(default_plan(5), {1});
    plan.options.emplace_back("ack", "0.5");
    plan.linger = 200 * unit;
    EXPECT_EQ(leader_of_all(plan), "5");
    EXPECT_EQ(wrong_with(plan), "");
    EXPECT_NE(wrong_with(without(plan, {"patience"})), "");
}

TEST(RingList, WithoutAcknowledgementsADeadSuccessorEndsTheRun) {
    Plan plan = kit::started(default_plan(4), {1});
    plan.down = {node(3)};
    EXPECT_EQ(leader_of_all(plan), "4");
    EXPECT_EQ(leader_of_all(without(plan, {"ack"})), "not agreed");
}

TEST(RingList, LostRunIsBegunAnewWhenItIsOverdue) {
    Plan plan = kit::started(default_plan(3), {1});
    plan.adversary.loss = 1;
    plan.adversary.calm = 5 * unit;
    EXPECT_EQ(leader_of_all(without(plan, {"ack"})), "3");
    EXPECT_EQ(leader_of_all(without(plan, {"ack", "overdue"})), "not agreed");
}

TEST(RingList, RestartedSuccessorIsToldTheLastResult) {
    Plan plan = kit::started(default_plan(3), {1});
    plan = and_then(plan, 20, fault::Crash{node(2)});
    plan = and_then(plan, 21, fault::Restart{node(2)});
    plan = and_then(plan, 22, fault::Restarted{node(1), node(2)});
    EXPECT_EQ(leader_of_all(plan), "3");
    EXPECT_EQ(leader_of_all(without(plan, {"resend"})), "not agreed");
}

// 2 was away for two elections and calls one in a round that is long over.
TEST(RingList, OutdatedCallerIsToldTheLastResult) {
    Plan plan = kit::started(default_plan(3), {1});
    plan = and_then(plan, 20, fault::Crash{node(2)});
    plan = and_then(plan, 21, fault::Call{node(1)});
    plan = and_then(plan, 41, fault::Call{node(1)});
    plan = and_then(plan, 60, fault::Restart{node(2)});
    plan = and_then(plan, 61, fault::Call{node(2)});
    const Report told = kit::run<RingList>(plan);
    EXPECT_TRUE(told.agreed);
    EXPECT_LT(*told.agreed_at, 80);
    EXPECT_FALSE(kit::run<RingList>(without(plan, {"outdated"})).agreed_at.value_or(1000) < 80);
}

// The seed that showed it: 4 acknowledged, then died saving, and the list died with it. An
// acknowledgement behind the save makes the sender try the next one.
TEST(RingList, NodeThatDiesSavingHasNotAcknowledged) {
    Plan plan = kit::started(default_plan(4), {1});
    plan = and_then(plan, 0, fault::Crash{node(3), true});
    plan.linger = 100 * unit;
    const Report report = kit::run<RingList>(plan);
    EXPECT_EQ(report.leaders.front().second, node(4));
    EXPECT_EQ(report.total(), 6U + 2U);  // two laps of three, and a probe in each
    EXPECT_EQ(report.time, 6 + 2 * 2);
}

TEST(RingList, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<RingList>(300); }

// Also when the detector lies and takes it back.
TEST(RingList, SurvivesCrashesRestartsAndLies) {
    const auto simulator = make_simulator<RingList>("ring-list");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Plan plan = claimed_plan(RingList::assumes, RingList::claim.kind, seed);
        const Report report = simulator->run(kit::lied_to(plan));
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << "\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
