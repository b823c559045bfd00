// elect/garcia_molina_traps_test.cc -- what the printed listings do where ours are repaired, and
// what happens where the network does not keep its bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elect/garcia_molina.h"
#include "elect/hand.h"
#include "elect/plans_test.h"

namespace conclave {
namespace {

using namespace garcia_molina;
using kit::breaks;
using kit::node;
using ThisRun = conclave::Run;  // gtest has a Run of its own
using Names = std::vector<std::string>;

// A world whose delays are anything up to Tm, drawn by seed, and in which only this happens.
Plan synchronous(std::size_t nodes, Schedule schedule, std::uint64_t seed) {
    Plan plan = default_plan(nodes);
    plan.oracle.present = false;
    plan.adversary.delay_least = unit / 1000;
    plan.adversary.reorder = true;
    plan.schedule = std::move(schedule);
    plan.seed = seed;
    return plan;
}

// How many of the seeds break the property, without these fixes.
template <class MakePlan>
std::uint64_t count_broken(std::string_view property, const Names& without, std::uint64_t seeds,
                           MakePlan make_plan) {
    const auto simulator = make_simulator<GarciaMolina>("tested");
    std::uint64_t broken = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Plan plan = make_plan(seed);
        plan.without = without;
        broken += breaks(simulator->run(plan), property);
    }
    return broken;
}

// p2 halts p1 and dies: the printed timeout looks only at Normal and Reorganization.
TEST(GarciaMolinaTraps, WithoutTimerEverywhereAHaltedNodeWaitsForADeadOneForEver) {
    Plan plan = kit::started(default_plan(2), {2});
    plan.schedule.push_back({kit::at(1.5), fault::Crash{node(2)}});
    EXPECT_TRUE(kit::run<GarciaMolina>(plan).violations.empty());
    plan.without = {"timer-everywhere"};
    EXPECT_TRUE(breaks(kit::run<GarciaMolina>(plan), "assertion 2"));
}

// p1 recovers and asks p2, which answers and dies.
TEST(GarciaMolinaTraps, WithoutTimerEverywhereAnAnsweredNodeWaitsForADeadOneForEver) {
    Plan plan = kit::started(default_plan(2), {1});
    plan.schedule.push_back({kit::at(1.5), fault::Crash{node(2)}});
    EXPECT_TRUE(kit::run<GarciaMolina>(plan).violations.empty());
    plan.without = {"timer-everywhere", "higher-starts"};
    EXPECT_TRUE(breaks(kit::run<GarciaMolina>(plan), "assertion 2"));
}

TEST(GarciaMolinaTraps, WithoutCheckConditionADeadNodeMakesElectionsEndless) {
    Plan plan = kit::started(default_plan(3), {3});
    plan.down = {node(1)};
    plan.linger = 200 * unit;
    EXPECT_TRUE(kit::run<GarciaMolina>(plan).violations.empty());
    plan.without = {"check-condition"};
    EXPECT_TRUE(breaks(kit::run<GarciaMolina>(plan), "assertion 2"));
}

// p2 has asked p3 in vain; p3 comes back and halts p1; then p2's EnterElection reaches p1.
TEST(GarciaMolinaTraps, WithoutConditionalAnswersACoordinatorCountsThoseWhoRefused) {
    const auto plan = [](std::uint64_t seed) {
        Plan one = synchronous(3, {}, seed);
        one.settings.join = Join::stay;
        one.down = {node(3)};
        one.schedule = {{kit::at(0), fault::Call{node(2)}},
                        {kit::at(1.5), fault::Restart{node(3)}},
                        {kit::at(1.5), fault::Call{node(3)}}};
        return one;
    };
    for (const auto* cut : {"cut c3", "cut c4"}) {
        EXPECT_GT(count_broken(cut, {"conditional-answers", "reject-lower"}, 300, plan), 0) << cut;
        EXPECT_EQ(count_broken(cut, {"reject-lower"}, 300, plan), 0) << cut;
        EXPECT_EQ(count_broken(cut, {}, 300, plan), 0) << cut;
    }
}

TEST(GarciaMolinaTraps, WhomAHigherNodeHasHaltedNoLowerOneCan) {
    const ThisRun higher{{1}, node(4)}, lower{{5}, node(3)};
    Hand<GarciaMolina> member(1, 4), printed(1, 4, {reject_lower});
    for (auto* one : {&member, &printed}) {
        one->receives(4, EnterElection{higher, {0, node(4)}});
        one->receives(3, EnterElection{lower, {0, node(3)}});
    }
    EXPECT_TRUE(member.sends<Rejected>());
    EXPECT_EQ(member.state.halted, higher);
    EXPECT_EQ(printed.state.halted, lower);
}

// p2 hands out D1, dies, is back, and has halted p1 again before D1 arrives there.
TEST(GarciaMolinaTraps, WithoutEidAndFullWaitAnOldDefinitionIsTakenForTheNew) {
    const auto plan = [](std::uint64_t seed) {
        const Instant when = kit::at(1 + static_cast<double>(seed % 16) / 8);
        const Schedule blink{{when, fault::Crash{node(2)}}, {when, fault::Restart{node(2)}}};
        return synchronous(2, blink, seed);
    };
    const Names printed{"eid", "full-wait", "conditional-answers", "incarnation"};
    EXPECT_GT(count_broken("assertion 1.2", printed, 3000, plan), 0);
    EXPECT_EQ(count_broken("assertion 1.2", {"full-wait", "incarnation"}, 500, plan), 0);
    EXPECT_EQ(count_broken("assertion 1.2", {"eid", "incarnation"}, 500, plan), 0);
    EXPECT_EQ(count_broken("assertion 1.2", {}, 500, plan), 0);
}

TEST(GarciaMolinaTraps, WithoutEidAnAnswerToAnEarlierQuestionCounts) {
    Hand<GarciaMolina> caller(1, 2), printed(1, 2, {eid});
    for (auto* one : {&caller, &printed}) {
        one->is_asked(Campaign{});
        const Nonce earlier{one->state.nonce.value - 1};
        one->receives(2, UpAnswer{earlier, Status::normal, {}});
    }
    EXPECT_EQ(caller.state.phase, Phase::ask_higher);
    EXPECT_EQ(printed.state.phase, Phase::idle);
}

// p2 crashes and is back, silent, before p1 asks: it lives, but leads nobody.
TEST(GarciaMolinaTraps, WithoutAnswerStateANodeFollowsOneWhoForgotIt) {
    Plan plan = kit::started(default_plan(2), {2});
    plan.schedule.push_back({kit::at(10), fault::Crash{node(2)}});
    plan.schedule.push_back({kit::at(11), fault::Restart{node(2)}});
    EXPECT_TRUE(kit::run<GarciaMolina>(plan).violations.empty());
    plan.without = {"answer-state"};
    EXPECT_TRUE(breaks(kit::run<GarciaMolina>(plan), "assertion 2"));
}

TEST(GarciaMolinaTraps, WithoutHigherStartsOnlyTheBestNodeCanCall) {
    Plan plan = kit::started(default_plan(4), {1});
    plan.without = {"higher-starts"};
    EXPECT_TRUE(breaks(kit::run<GarciaMolina>(plan), "assertion 2"));
}

// Two nodes are enough once an answer may be late; in time, there is no such run.
TEST(GarciaMolinaTraps, LateAnswerMakesTwoCoordinators) {
    const auto within = [](Duration most) {
        return [most](std::uint64_t seed) {
            Plan plan = synchronous(2, {{kit::at(20), fault::Call{node(1)}}}, seed);
            plan.adversary.delay_most = most;
            return plan;
        };
    };
    EXPECT_GT(count_broken("assertion 1.1", {}, 200, within(4 * unit)), 0);
    EXPECT_EQ(count_broken("assertion 1.1", {}, 200, within(unit)), 0);
}

// A partition defeats any T, and leaves two coordinators until it heals; then they find each other.
TEST(GarciaMolinaTraps, PartitionMakesTwoCoordinatorsUntilItHeals) {
    Plan plan = kit::started(default_plan(4), {4});
    for (std::uint32_t left : {1, 2}) {
        for (std::uint32_t right : {3, 4}) {
            for (const auto& [from, to] : {std::pair(left, right), std::pair(right, left)}) {
                plan.schedule.push_back({kit::at(10), fault::Cut{node(from), node(to)}});
                plan.schedule.push_back({kit::at(110), fault::Heal{node(from), node(to)}});
            }
        }
    }
    std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
    const Report report = kit::run<GarciaMolina>(plan);
    EXPECT_TRUE(breaks(report, "assertion 1.1"));
    EXPECT_FALSE(breaks(report, "assertion 2"));
    EXPECT_EQ(report.leaders.front().second, node(4));
}

}  // namespace
}  // namespace conclave
