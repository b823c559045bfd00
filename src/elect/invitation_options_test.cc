// elect/invitation_options_test.cc -- what the options of the invitation election change.
#include <gtest/gtest.h>

#include "elect/invitation_story_test.h"

namespace conclave {
namespace {

using namespace story;

// 3 asks everybody, but its question to 2 is lost. 1 knows that 2 is a coordinator.
TEST(InvitationOptions, AnswerWithCoordinatorFindsWhoDidNotAnswer) {
    Plan plan = silent(3);
    part(plan, 0, {3}, {1, 2});
    call(plan, 0, 2);
    mend(plan, 8, {3}, {1});
    mend(plan, 10.5, {3}, {2});
    call(plan, 10, 3);
    const Report named = play(plan);
    EXPECT_EQ(named.time, 10 + 2 + 2 + 5) << "one more question and answer";
    EXPECT_EQ(named.repairs(), 1U);
    const Report unnamed = play(with(plan, "answer_with_coordinator", "false"));
    EXPECT_GT(unnamed.time, 10 + 28) << "only the next Check finds it";
    EXPECT_TRUE(unnamed.agreed);
}

TEST(InvitationOptions, NoteLowerPullsTheCheckOfTheBetterOneForward) {
    Plan plan = silent(4);
    call(plan, 0, 1);
    const Report noted = play(plan);
    EXPECT_EQ(leader(noted, 1), 4U);
    EXPECT_EQ(noted.time, 1 + 7);
    const Report unnoted = play(until(with(plan, "note_lower", "false"), 20));
    EXPECT_EQ(leader(unnoted, 1), 1U) << "the others were not told to look around";
}

TEST(InvitationOptions, OnlyLowerCoordinatorsAreInvited) {
    Plan plan = with(silent(4), "note_lower", "false");
    call(plan, 0, 3);
    const Report lower = play(until(plan, 40));
    EXPECT_EQ(sent(lower, "Invite"), 2U);
    EXPECT_EQ(leader(lower, 1), 3U);
    EXPECT_EQ(leader(lower, 4), 4U);
    // The better one is invited, too; it does not follow, but looks around and takes over.
    const Report all = play(with(plan, "only_lower", "false"));
    EXPECT_GT(sent(all, "Invite"), 3U);
    EXPECT_EQ(leader(all, 1), 4U);
}

TEST(InvitationOptions, HigherOnesMayIgnoreTheQueriesOfLowerOnes) {
    Plan plan = with(with(silent(4), "note_lower", "false"), "ignore_lower_queries", "true");
    call(plan, 0, 3);
    const Report report = play(until(plan, 8));
    EXPECT_EQ(sent(report, "AreYouCoordinator"), 3U);
    EXPECT_EQ(sent(report, "CoordinatorAnswer"), 2U) << "4 keeps silent";
    EXPECT_EQ(report.time, 7) << "3 does not know that it should wait";
    EXPECT_EQ(leader(report, 1), 3U);
}

// From high to low there is no way: they are no set of nodes that can communicate.
TEST(InvitationOptions, OneWayLinkNeverMergesAndNeverChurns) {
    Plan plan = with(default_plan(2), "ignore_lower_queries", "true");
    cut(plan, 0, 2, 1);
    const Report report = play(until(plan, 2000));
    EXPECT_EQ(sent(report, "Invite"), 0U);
    EXPECT_EQ(leader(report, 1), 1U);
    EXPECT_EQ(leader(report, 2), 2U);
    EXPECT_TRUE(report.violations.empty());
}

// Rank r waits for r slots, so the lowest of five coordinates if only it calls.
TEST(InvitationOptions, InitiatorCoordinatesAfterItsDelay) {
    for (std::uint32_t caller = 1; caller <= 5; ++caller) {
        Plan plan = with(printed(silent(5)), "jitter", "0");
        call(plan, 0, caller);
        const Report report = play(plan);
        EXPECT_EQ(report.total(), 7 * 4U);
        EXPECT_EQ(report.time, 2 + (5 - caller) * 7 + 5);
        for (std::uint32_t id = 1; id <= 5; ++id) EXPECT_EQ(leader(report, id), caller);
    }
}
// ... and if all call, the best is the first whose delay is over; the others stop and follow.
TEST(InvitationOptions, WhoeverWaitsIsMergedMeanwhile) {
    Plan plan = printed(silent(5));
    for (std::uint32_t id = 1; id <= 5; ++id) call(plan, 0, id);
    const Report report = play(plan);
    EXPECT_EQ(report.time, 7);
    EXPECT_EQ(sent(report, "Invite"), 4U);
    for (std::uint32_t id = 1; id <= 5; ++id) EXPECT_EQ(leader(report, id), 5U);
}

// The coordinator is dead. The best of those who are left need not look for them first.
TEST(InvitationOptions, QuickRegroupInvitesTheOldParticipantsAtOnce) {
    for (std::uint32_t n = 3; n <= 12; ++n) {
        Plan plan = silent(n);
        call(plan, 0, n);
        at(plan, 8, fault::Crash{NodeId{n}});
        const Report before = play(until(plan, 9));
        call(plan, 10, n - 1);
        const Report quick = play(with(plan, "quick_regroup", "true"));
        EXPECT_EQ(quick.total() - before.total(), 1 + 5 * (n - 2)) << "AreYouThere, and a merge";
        EXPECT_EQ(quick.time, 10 + 7);
        EXPECT_EQ(leader(quick, 1), n - 1);
        const Report slow = play(plan);
        EXPECT_GT(slow.total() - before.total(), 1 + 5 * (n - 2));
        EXPECT_GT(slow.time, 10 + 7);
        EXPECT_EQ(leader(slow, 1), n - 1);
    }
}
// All of them notice at once: only the best invites, the others wait for their turn.
TEST(InvitationOptions, QuickRegroupGoesByRank) {
    Plan plan = with(silent(5), "quick_regroup", "true");
    call(plan, 0, 5);
    at(plan, 8, fault::Crash{NodeId{5}});
    const Report before = play(until(plan, 9));
    for (std::uint32_t id = 1; id <= 4; ++id) call(plan, 10, id);
    const Report report = play(plan);
    EXPECT_EQ(sent(report, "Invite") - sent(before, "Invite"), 3U);
    EXPECT_EQ(report.time, 10 + 7);
    for (std::uint32_t id = 1; id <= 4; ++id) EXPECT_EQ(leader(report, id), 4U);
}

// In both ways to accept, a merge costs the same; they differ in what is left if it fails.
TEST(InvitationOptions, LeaveFirstCostsTheSame) {
    Plan plan = with(silent(6), "accept", "leave_first");
    call(plan, 0, 6);
    plan.trace = true;
    const Report report = play(plan);
    EXPECT_EQ(report.total(), 7 * 5U);
    EXPECT_EQ(report.time, 7);
    EXPECT_TRUE(happened(report,
                         "1 tells StopProcessing, LeaderIs(none, 2); arms Over(leaving) 2; "
                         "sends Accept"));
}

}  // namespace
}  // namespace conclave
