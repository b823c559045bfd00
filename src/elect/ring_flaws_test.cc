// elect/ring_flaws_test.cc -- what each of the ring's fixes is for: the flaw without it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "elect/plans_test.h"
#include "elect/ring.h"

namespace conclave {
namespace {

using kit::and_then;
using kit::node;
using kit::with_detector;
using kit::without;

// In ring order; boots silently; nobody detects anything but what the schedule tells.
Plan ring_of(const std::vector<std::uint32_t>& ids, const std::vector<std::uint32_t>& callers) {
    return kit::in_ring_order(kit::started(default_plan(ids.size()), callers), ids);
}
Plan with_initiators(Plan plan) {
    plan.options.emplace_back("initiators", "on");
    return plan;
}
Plan with_neighbours_watching(Plan plan) {
    plan.options.emplace_back("watch", "neighbour");
    return plan;
}

constexpr auto wrong_with = kit::wrong_with<Ring>;
constexpr auto leader_of_all = kit::leader_of_all<Ring>;

// RGT-1, S-15 (000:76): 3 takes part already when ELECTION(2) arrives, and answers with its own
// key again: one message that should have been swallowed becomes another run.
TEST(RingFlaws, ParticipantThatDoesNotSwallowWinsTwice) {
    const Plan plan = ring_of({1, 2, 3}, {1, 3});
    EXPECT_EQ(kit::run<Ring>(plan).total(), 8U);
    EXPECT_GT(kit::run<Ring>(without(plan, {"swallow"})).total(), 8U);
    EXPECT_NE(wrong_with(without(plan, {"swallow", "late-drop"})).find("nobody wins a run twice"),
              std::string::npos);
}

// RGT-2 (001:83): 50 has "forwarded an election message earlier", in the run that 80 won.
TEST(RingFlaws, FlagThatIsNeverResetLeavesNobodyElected) {
    const Plan plan = and_then(with_detector(with_initiators(ring_of({6, 50, 80}, {6}))), 20,
                               fault::Crash{node(80)});
    EXPECT_EQ(leader_of_all(plan), "50");
    EXPECT_NE(wrong_with(without(plan, {"per-run-flag", "orphan"})).find("all agree"),
              std::string::npos);
}

// RGT-3, M-RG-3: 3 overwrites initiator 1's message, 2 suppresses it, and 3 drops initiator 2's.
TEST(RingFlaws, GlobalFlagAndSuppressionDeadlockThreeNodes) {
    const Plan plan = with_initiators(ring_of({1, 3, 2}, {1, 2}));
    EXPECT_EQ(leader_of_all(plan), "3");
    const Report stuck = kit::run<Ring>(without(plan, {"per-run-flag", "orphan"}));
    EXPECT_EQ(stuck.total(), 4U);
    for (const auto& [one, leader] : stuck.leaders) EXPECT_FALSE(leader) << number(one);
}

// RGT-4, S-28: the run by 50 is over, 80 and 50 are dead, and 30 still suppresses 20 for 50's sake.
TEST(RingFlaws, SuppressionWithoutRoundsNeverEnds) {
    Plan plan =
        with_neighbours_watching(with_detector(with_initiators(ring_of({30, 50, 80, 20}, {50}))));
    plan = and_then(plan, 20, fault::Crash{node(80)});
    plan = and_then(plan, 20, fault::Crash{node(50)});
    EXPECT_EQ(leader_of_all(plan), "30");
    EXPECT_NE(wrong_with(without(plan, {"rounds"})).find("the best leads"), std::string::npos);
}

// RGT-5: 4 dies after its ELECTION left, 3 closes the ring, and ELECTION(4) has nowhere to end.
TEST(RingFlaws, DeadWinnersMessageCirculatesForEver) {
    Plan plan = with_neighbours_watching(ring_of({1, 2, 3, 4}, {1}));
    plan = and_then(plan, 3.5, fault::Crash{node(4)});
    plan = and_then(plan, 5.5, fault::Suspect{node(3), node(4)});
    EXPECT_EQ(leader_of_all(plan), "3");
    plan.until = 1000 * unit;
    EXPECT_GT(kit::run<Ring>(without(plan, {"orphan"})).total(), 900U);
    EXPECT_LT(kit::run<Ring>(plan).total(), 40U);
}

// RGT-9, M-RG-9: the key comes home to a node that no longer recognises it.
TEST(RingFlaws, KeyThatIsNotFrozenComesHomeToAStranger) {
    for (Attribute changed : {-5, 5}) {
        Plan plan = and_then(ring_of({1, 2}, {2}), 0.5, fault::Attribute{node(2), changed});
        plan = and_then(plan, 50, fault::Attribute{node(2), 0});
        EXPECT_EQ(leader_of_all(plan), "2");
        plan.until = 49 * unit;
        const Report lost = kit::run<Ring>(without(plan, {"frozen-key", "orphan"}));
        for (const auto& [one, leader] : lost.leaders) EXPECT_FALSE(leader) << number(one);
    }
}

// 2 dies with ELECTION(1) in its hands: 1 sends it again to the next as soon as it knows, or else
// everybody waits until the run is overdue.
TEST(RingFlaws, WhatDiedWithTheSuccessorIsSentAgain) {
    const Plan plan =
        and_then(with_detector(ring_of({1, 2, 3, 4, 5}, {1})), 0.5, fault::Crash{node(2)});
    const Report mended = kit::run<Ring>(plan);
    EXPECT_TRUE(mended.agreed);
    EXPECT_LT(*mended.agreed_at, 20);
    const Report waited = kit::run<Ring>(without(plan, {"resend"}));
    EXPECT_TRUE(waited.agreed);
    EXPECT_GT(*waited.agreed_at, 20);
    EXPECT_FALSE(kit::run<Ring>(without(plan, {"resend", "orphan"})).agreed);
}

// RGT-10, RGT-11: on links that reorder, and over restarts, something of a finished run comes late.
TEST(RingFlaws, LateElectionsAreWonAgain) {
    std::uint64_t flaws = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const Plan plan = claimed_plan(Ring::assumes, Ring::claim.kind, seed);
        EXPECT_EQ(wrong_with(plan), "");
        flaws += !wrong_with(without(plan, {"late-drop"})).empty();
    }
    EXPECT_GT(flaws, 0U);
}

// RGT-8: 3 takes 4 for dead, and is elected over its head.
TEST(RingFlaws, FalseSuspicionSkipsTheBest) {
    Plan plan = and_then(ring_of({1, 2, 3, 4}, {1}), 0.5, fault::Suspect{node(3), node(4)});
    EXPECT_EQ(kit::run<Ring>(plan).leaders.front().second, node(3));
    plan = and_then(plan, 30, fault::Trust{node(3), node(4)});
    EXPECT_EQ(leader_of_all(plan), "4");
    EXPECT_NE(wrong_with(without(plan, {"skipped"})).find("the best leads"), std::string::npos);
}

// RG-12 (001:187): "but what if the predecessor also fails?" Who stands next to 5 is 1.
TEST(RingFlaws, NeighbourDiesWithTheLeader) {
    Plan plan = with_neighbours_watching(with_detector(ring_of({1, 2, 3, 4, 5}, {1})));
    plan = and_then(plan, 30, fault::Crash{node(5)});
    plan = and_then(plan, 30, fault::Crash{node(1)});
    EXPECT_EQ(leader_of_all(plan), "4");
    EXPECT_NE(wrong_with(without(plan, {"heir"})).find("the best leads"), std::string::npos);
}

// 2 was away for two elections and calls one in a round that is long over.
TEST(RingFlaws, OutdatedCallerIsToldWhoLeads) {
    Plan plan = ring_of({1, 2, 3}, {1});
    plan = and_then(plan, 20, fault::Crash{node(2)});
    plan = and_then(plan, 20, fault::Suspect{node(1), node(2)});
    plan = and_then(plan, 21, fault::Call{node(1)});
    plan = and_then(plan, 41, fault::Call{node(1)});
    plan = and_then(plan, 60, fault::Restart{node(2)});
    plan = and_then(plan, 61, fault::Call{node(2)});
    const Report told = kit::run<Ring>(plan);
    EXPECT_TRUE(told.agreed);
    EXPECT_LT(*told.agreed_at, 64);
    EXPECT_FALSE(kit::run<Ring>(without(plan, {"outdated"})).agreed_at.value_or(1000) < 64);
}

// RG-11: the neighbour alone acts on the leader's death. RG-13: anybody may; the next on the ring
// goes first, and its run keeps the others from beginning theirs.
TEST(RingFlaws, OneNewRunAfterTheLeaderDied) {
    for (const char* watch : {"neighbour", "any"}) {
        Plan plan = with_detector(ring_of({1, 2, 3, 4, 5, 6}, {1}));
        plan.options.emplace_back("watch", watch);
        plan = and_then(plan, 30, fault::Crash{node(6)});
        const Report report = kit::run<Ring>(plan);
        EXPECT_EQ(report.leaders.front().second, node(5)) << watch;
        const std::uint64_t first_run = 3 * 6 - 1, second_run = 3 * 5 - 1;
        EXPECT_EQ(report.total(), first_run + second_run) << watch;
        EXPECT_TRUE(report.violations.empty()) << watch << kit::text(report);
    }
}

// 001, "effect of failures": 80 dies when everybody has seen ELECTION(80), before and after it won.
TEST(RingFlaws, WouldBeLeaderDiesDuringTheRun) {
    for (double when : {4.5, 7.5, 9.5, 11.5}) {
        for (const char* watch : {"neighbour", "any"}) {
            Plan plan = with_detector(with_initiators(ring_of({3, 32, 5, 80, 6, 12}, {3})));
            plan.options.emplace_back("watch", watch);
            plan = and_then(plan, when, fault::Crash{node(80)});
            EXPECT_EQ(leader_of_all(plan), "32") << watch << " at " << when;
        }
    }
}

}  // namespace
}  // namespace conclave
