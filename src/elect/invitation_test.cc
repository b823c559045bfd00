// elect/invitation_test.cc -- the invitation election's exact prices, its worked examples, and what
// it survives.
#include "elect/invitation.h"

#include <gtest/gtest.h>

#include "elect/invitation_story_test.h"
#include "sim/test_kit.h"

namespace conclave {

Report story::play(const Plan& plan) { return kit::run<Invitation>(plan); }

namespace {

using namespace story;

// Check: a question and an answer for each other node. Merge: five messages for each participant.
TEST(Invitation, ChecksForTwoMessagesANodeAndMergesForFive) {
    for (std::uint32_t n = 2; n <= 24; ++n) {
        Plan plan = silent(n);
        call(plan, 0, n);
        const Report report = play(plan);
        EXPECT_EQ(report.total(), 2 * (n - 1) + 5 * (n - 1));
        for (const char* type : {"AreYouCoordinator", "CoordinatorAnswer", "Invite", "Accept",
                                 "AcceptAnswer", "Ready", "ReadyAnswer"}) {
            EXPECT_EQ(sent(report, type), n - 1) << type;
        }
        EXPECT_EQ(report.repairs(), 0U);
        EXPECT_EQ(report.time, 7) << "T + T_collect + 2";
        EXPECT_TRUE(report.agreed);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

TEST(Invitation, CheckWithoutOthersCostsTwoMessagesANodeAndT) {
    for (std::uint32_t n = 2; n <= 24; ++n) {
        Plan plan = silent(n);
        call(plan, 0, n);
        const Report before = play(plan);
        call(plan, 10, n);
        const Report report = play(until(plan, 13));
        EXPECT_EQ(report.total() - before.total(), 2 * (n - 1));
        EXPECT_EQ(report.time, 10 + 2);
    }
}

// Two groups of sizes a and b, of which the better coordinator has heard.
TEST(Invitation, MergesTwoGroupsInSevenUnits) {
    for (std::uint32_t n = 3; n <= 12; ++n) {
        for (std::uint32_t a = 1; a < n; ++a) {
            Ids low, high;
            for (std::uint32_t id = 1; id <= n; ++id) (id <= a ? low : high).push_back(id);
            Plan plan = silent(n);
            part(plan, 0, low, high);
            call(plan, 0, a);
            call(plan, 0, n);
            mend(plan, 8, low, high);
            const Report before = play(until(plan, 9));
            call(plan, 10, n);
            const Report report = play(plan);
            EXPECT_EQ(before.leaders.front().second, NodeId{a});
            EXPECT_EQ(report.total() - before.total(), 2 * (n - 1) + 5 * (n - 1)) << a << n;
            EXPECT_EQ(report.time, 10 + 7);
            EXPECT_TRUE(report.agreed);
        }
    }
}

// Figure 10.9: p1 finds p2 and p3; p3 passes the invitation on to p4 and p5.
Plan figure_10_9() {
    Plan plan = silent(5);
    part(plan, 0, {1, 2}, {3, 4, 5});
    call(plan, 0, 3);
    mend(plan, 8, {1, 2}, {3, 4, 5});
    return plan;
}
TEST(Invitation, FigureTenNineTakesTwentyMessages) {
    Plan plan = figure_10_9();
    plan.members[0].priority = 2;
    plan.members[2].priority = 1;
    const Report before = play(until(plan, 9));
    EXPECT_EQ(leader(before, 5), 3U);
    call(plan, 10, 1);
    plan.trace = true;
    const Report report = play(plan);
    EXPECT_EQ(report.total() - before.total(), 2 * 4 + 20U);
    EXPECT_EQ(report.time, 10 + 7);
    EXPECT_TRUE(happened(report, "1 saves Durable(2)"));
    EXPECT_TRUE(happened(report, "at 14 deliver 3>4 Invite"));
    EXPECT_TRUE(happened(report, "at 14 deliver 3>5 Invite"));
    for (std::uint32_t id = 1; id <= 5; ++id) EXPECT_EQ(leader(report, id), 1U);
}
// ... and as printed, p1 may be the lowest: it only has to wait for its turn.
TEST(Invitation, FigureTenNineAsPrintedLetsTheLowestInviteTheOthers) {
    Plan plan = with(with(printed(figure_10_9()), "jitter", "0"), "watch", "99");
    plan.members[2].priority = 1;
    const Report before = play(until(plan, 9));
    call(plan, 10, 1);
    const Report report = play(plan);
    EXPECT_EQ(report.total() - before.total(), 2 * 4 + 20U);
    EXPECT_EQ(report.time, 10 + 2 + 2 * 7 + 5) << "two better coordinators: two slots";
    for (std::uint32_t id = 1; id <= 5; ++id) EXPECT_EQ(leader(report, id), 1U);
}

// Processors 1 to 4: 1 and 3 are cut off from 4; 1 notices, 3 takes over; 4 restores one group when
// the network is whole again. The figure is lost, so 2 may be on either side.
TEST(Invitation, ProcessorsOneToFourPartAndMerge) {
    for (const bool with_four : {true, false}) {
        for (const std::uint32_t discoverer : {3U, 4U}) {
            const Ids left = with_four ? Ids{1, 3} : Ids{1, 2, 3};
            const Ids right = with_four ? Ids{2, 4} : Ids{4};
            Plan plan = silent(4);
            plan.trace = true;
            call(plan, 0, 4);
            EXPECT_EQ(leader(play(plan), 1), 4U);
            part(plan, 8, left, right);
            EXPECT_EQ(leader(play(until(plan, 9)), 1), 4U) << "nobody has noticed";
            call(plan, 10, 1);
            const Report noticed = play(until(plan, 12.5));
            EXPECT_EQ(leader(noticed, 1), 1U) << "1 declares itself";
            EXPECT_EQ(leader(noticed, 3), 4U) << "and calls out to 3";
            const Report parted = play(until(plan, 30));
            for (std::uint32_t id : left) EXPECT_EQ(leader(parted, id), 3U) << "3 took over";
            for (std::uint32_t id : right) EXPECT_EQ(leader(parted, id), 4U);
            mend(plan, 30, left, right);
            call(plan, 31, discoverer);
            const Report report = play(plan);
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
            for (std::uint32_t id = 1; id <= 4; ++id) EXPECT_EQ(leader(report, id), 4U);
        }
    }
}

TEST(Invitation, ResultDoesNotDependOnWhoCalls) {
    for (std::uint32_t n = 2; n <= 5; ++n) {
        for (std::uint32_t callers = 1; callers < 1U << n; ++callers) {
            Plan plan = silent(n);
            for (std::uint32_t id = 1; id <= n; ++id) {
                if (callers >> (id - 1) & 1U) call(plan, 0, id);
            }
            const Report report = play(plan);
            EXPECT_TRUE(report.violations.empty()) << n << " " << callers << kit::text(report);
            EXPECT_EQ(leader(report, 1), n);
        }
    }
}

TEST(Invitation, PriorityDecidesAndTiesGoToTheHigherId) {
    Plan plan = default_plan(5);
    plan.members[1].priority = 7;
    plan.members[3].priority = 7;
    const Report report = play(plan);
    for (std::uint32_t id = 1; id <= 5; ++id) EXPECT_EQ(leader(report, id), 4U);
}

TEST(Invitation, GroupsThatCannotTalkLiveSideBySide) {
    Plan plan = default_plan(6);
    part(plan, 0, {1, 5}, {2, 3, 4, 6});
    part(plan, 0, {3}, {2, 4, 6});
    plan.linger = 200 * unit;
    const Report report = play(plan);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    EXPECT_EQ(leader(report, 1), 5U);
    EXPECT_EQ(leader(report, 2), 6U);
    EXPECT_EQ(leader(report, 3), 3U) << "a group of one";
}

// No demand on maximal sets that overlap could be met. But those who found each other are left in
// peace: after a while nobody invites anybody any more.
TEST(Invitation, AChainOfNodesComesToRest) {
    for (const Ids& chain : {Ids{1, 2, 3, 4}, Ids{4, 1, 3, 2}, Ids{2, 4, 1, 3}}) {
        Plan plan = default_plan(4);
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = a + 2; b < 4; ++b) part(plan, 0, {chain[a]}, {chain[b]});
        }
        const Report early = play(until(plan, 300));
        const Report late = play(until(plan, 3000));
        EXPECT_EQ(sent(early, "Invite"), sent(late, "Invite"));
        EXPECT_TRUE(late.violations.empty()) << kit::text(late);
    }
}

TEST(Invitation, FindsOutWhenItsCoordinatorDiesAndWhenItReturns) {
    Plan plan = default_plan(4);
    at(plan, 20, fault::Crash{NodeId{4}});
    EXPECT_EQ(leader(play(plan), 1), 3U);
    at(plan, 90, fault::Restart{NodeId{4}});
    const Report report = play(plan);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    EXPECT_EQ(leader(report, 1), 4U);
}

TEST(Invitation, CoordinatorChecksItsParticipants) {
    Plan plan = default_plan(3);
    plan.trace = true;
    at(plan, 20, fault::Crash{NodeId{1}});
    EXPECT_TRUE(happened(play(until(plan, 60)),
                         "tells LeaderIs(3, 3), Defined(Definition("
                         "Run(3, 3), [2 3], \"\"))"));
    EXPECT_FALSE(happened(play(without(until(plan, 600), "member-pings")), "[2 3]"));
}

// The coordinator's application writes the definition; another one later makes another group.
TEST(Invitation, ApplicationMayPlanAndPlanAgain) {
    Plan plan = with(silent(3), "plan", "application");
    plan.trace = true;
    call(plan, 0, 3);
    at(plan, 6, fault::Ask{NodeId{3}, "Planned 2"});
    at(plan, 9, fault::Ask{NodeId{3}, "Planned 1"});  // to an older group
    at(plan, 10, fault::Ask{NodeId{3}, "Planned 2"});
    const Report report = play(plan);
    EXPECT_TRUE(happened(report, "tells PlanWanted(Run(2, 3), [1 2 3])"));
    EXPECT_TRUE(happened(report, "at 6 ask 3 Planned"));
    EXPECT_EQ(sent(report, "Ready"), 4U) << "the same group twice, by two numbers";
    EXPECT_TRUE(happened(report, "Ready(Definition(Run(3, 3), [1 2 3]"));
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

TEST(Invitation, SurvivesLossDelayPartitionsAndRestarts) {
    kit::expect_claimed_seeds_hold<Invitation>(200);
}

Plan hostile() {
    Plan plan = default_plan(2);
    plan.adversary = {.loss = 0.1,
                      .duplicate = 0.05,
                      .delay_least = unit / 10,
                      .delay_most = 5 * unit,
                      .reorder = true,
                      .drift_ppm = 1000,
                      .scatter_clocks = true,
                      .crashes = 3,
                      .restarts = true,
                      .torn_saves = 1,
                      .pauses = 2,
                      .partitions = 2,
                      .one_way_cuts = 3,
                      .false_suspicions = 3,
                      .calls = 4,
                      .calm = 300 * unit};
    plan.oracle = {true, false, unit, 8 * unit};
    plan.linger = 100 * unit;
    return plan;
}
TEST(Invitation, SurvivesTheSameWithEveryOption) {
    const auto survive = [](const Plan& plan) {
        kit::expect_all_seeds_hold<Invitation>(plan, 25, 8);
    };
    survive(printed(hostile()));
    survive(with(printed(hostile()), "accept", "leave_first"));
    survive(with(hostile(), "accept", "leave_first"));
    survive(with(hostile(), "coordinates", "initiator"));
    survive(with(hostile(), "only_lower", "false"));
    survive(with(hostile(), "note_lower", "false"));
    survive(with(hostile(), "ignore_lower_queries", "true"));
    survive(with(hostile(), "answer_with_coordinator", "false"));
    survive(with(hostile(), "quick_regroup", "true"));
    survive(with(hostile(), "plan", "application"));
}

}  // namespace
}  // namespace conclave
