// elect/invitation_flaws_test.cc -- what each repair of the invitation election is for: a world
// that goes wrong without it, and right with it.
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "elect/invitation_story_test.h"

namespace conclave {
namespace {

using namespace story;

constexpr const char* assertion_4 = "assertion 4";

void pause(Plan& plan, double from, double to, std::uint32_t id) {
    at(plan, from, fault::Pause{NodeId{id}});
    at(plan, to, fault::Resume{NodeId{id}});
}
// The same world with the fix, in which nothing is wrong, and without.
Report expect_settled_only_with(const char* fix, const Plan& plan) {
    const Report good = play(plan);
    EXPECT_TRUE(good.violations.empty()) << good.violations.front().what;
    const Report bad = play(without(plan, fix));
    EXPECT_TRUE(violated(bad, assertion_4)) << fix;
    return bad;
}

// 1 accepts an invitation that 2 has given up, and is refused. As printed it recovers, and then
// goes on to reorganize: alone, and deaf to every invitation.
TEST(InvitationFlaws, RefusedNodeRecoversAndIsStuckAsPrinted) {
    Plan plan = silent(2);
    call(plan, 0, 2);
    pause(plan, 2.5, 20, 1);
    expect_settled_only_with("recovery-else", plan);
}

// The answer to 1's Accept is lost, but Ready says the same.
TEST(InvitationFlaws, ReadyMayOvertakeTheAnswerToAccept) {
    Plan plan = with(silent(2), "answer", "4");
    plan.trace = true;
    call(plan, 0, 2);
    cut(plan, 5.5, 2, 1);
    heal(plan, 6.5, 2, 1);
    EXPECT_TRUE(play(until(plan, 10)).agreed);
    EXPECT_TRUE(happened(play(without(until(plan, 10), "ready-implies-accept")),
                         "1 sends ReadyAnswer(Run(2, 2), false) to 2"));
}

// 3 merges {2, 1}. What 2 passes on to 1 comes back after three messages, not two: 1 is refused,
// and its old group is gone.
TEST(InvitationFlaws, OneRoundTripIsTooShortForForwardedInvitations) {
    Plan plan = silent(3);
    part(plan, 0, {3}, {1, 2});
    call(plan, 0, 2);
    mend(plan, 8, {3}, {1, 2});
    call(plan, 10, 3);
    EXPECT_EQ(play(plan).time, 10 + 7);
    const Report dissolved = play(until(without(plan, "collect-time"), 10 + 8));
    EXPECT_EQ(leader(dissolved, 2), 3U);
    EXPECT_EQ(leader(dissolved, 1), 1U);
}

// 4 invites 3, which is asleep, gives up and is cut off. Then 3 wakes up and accepts.
Plan stale_invitation() {
    Plan plan = silent(4);
    part(plan, 0, {4}, {1, 2, 3});
    call(plan, 0, 3);
    mend(plan, 8, {4}, {1, 2, 3});
    call(plan, 9, 4);
    pause(plan, 11.5, 20, 3);
    part(plan, 19, {4}, {1, 2, 3});
    plan.trace = true;
    return plan;
}
TEST(InvitationFlaws, StaleInvitationDissolvesAHealthyGroupAsPrinted) {
    const Report kept = play(until(stale_invitation(), 30));
    const Report dissolved = play(until(without(stale_invitation(), "tentative"), 24.5));
    for (std::uint32_t id = 1; id <= 3; ++id) {
        EXPECT_EQ(leader(kept, id), 3U);
        EXPECT_EQ(leader(dissolved, id), id) << "three groups of one";
    }
    const auto numbers = [](const Report& report) { return happened(report, "Formed(Run(3, 3))"); };
    EXPECT_FALSE(numbers(kept)) << "the group never stopped working";
    EXPECT_TRUE(numbers(dissolved));
    // The other way to choose the same.
    const Plan option = with(stale_invitation(), "accept", "leave_first");
    EXPECT_TRUE(numbers(play(until(option, 24.5))));
}

// 1 asks 3 whether it is there; 3 is just forming a new group, and says no. When the answer comes,
// 1 has accepted, and must not take it for an answer about the new group.
TEST(InvitationFlaws, LateAnswerThrowsANodeOutOfItsNewGroup) {
    Plan plan = silent(3);
    part(plan, 0, {2}, {1, 3});
    call(plan, 0, 3);
    mend(plan, 8, {2}, {1, 3});
    call(plan, 18.5, 3);
    EXPECT_TRUE(play(until(plan, 26)).agreed);
    const Report thrown_out = play(until(without(plan, "match-replies"), 26));
    EXPECT_EQ(leader(thrown_out, 1), 1U);
}

// 1 accepts whenever it is asked, but no answer of its to Ready ever comes through.
Report with_mute_participant(Plan plan) {
    constexpr double end = 400;
    plan.trace = true;
    for (std::size_t from = 0;;) {
        const Report report = play(until(plan, end));
        const auto answer = report.trace.find(" deliver 1>3 ReadyAnswer", from);
        if (answer == std::string::npos) return report;
        from = report.trace.rfind("at ", answer);
        const double arrival = std::stod(report.trace.substr(from + 3));
        cut(plan, arrival - 1.5, 1, 3);
        heal(plan, arrival - 0.5, 1, 3);
    }
}
// Whether this coordinator ever got to work with anybody.
bool worked_in_company(const Report& report, std::uint32_t id) {
    const std::string alone = "[" + std::to_string(id) + "]";
    std::istringstream lines(report.trace);
    for (std::string line; std::getline(lines, line);) {
        const auto told = line.find("Defined(");
        if (!line.starts_with(std::to_string(id) + " ") || told == line.npos) continue;
        if (line.find(alone, told) == line.npos) return true;
    }
    return false;
}
TEST(InvitationFlaws, OneMuteParticipantDestroysEveryMergeAsPrinted) {
    const Report kept = with_mute_participant(default_plan(3));
    EXPECT_TRUE(worked_in_company(kept, 3));
    EXPECT_EQ(leader(kept, 2), 3U);
    EXPECT_GE(sent(kept, "Ready"), 8U) << "it was given more chances";
    const Report destroyed = with_mute_participant(without(default_plan(3), "keep-responders"));
    EXPECT_FALSE(worked_in_company(destroyed, 3));
}

// 1 forms (1|2) with 2, forgets that, and forms (1|2) with 3.
TEST(InvitationFlaws, CounterThatIsForgottenGivesTwoDefinitionsOneNumber) {
    Plan plan = silent(3);
    plan.members[0].priority = 1;
    part(plan, 0, {3}, {1, 2});
    call(plan, 0, 1);
    at(plan, 8, fault::Crash{NodeId{1}});
    at(plan, 9, fault::Restart{NodeId{1}});
    mend(plan, 9, {3}, {1});
    part(plan, 9, {2}, {1});
    call(plan, 10, 1);
    const Report good = play(until(plan, 18));
    EXPECT_TRUE(good.violations.empty());
    EXPECT_EQ(leader(good, 2), 1U);
    EXPECT_EQ(leader(good, 3), 1U);
    const Report bad = play(until(without(plan, "durable-counter"), 18));
    EXPECT_TRUE(violated(bad, "assertion 3.2"));
    EXPECT_TRUE(violated(bad, "group numbers are never reused"));
}

// 80 and 81 wait for c/80 and c/81, invite each other at the same time, ignore each other, and try
// again: for ever.
TEST(InvitationFlaws, DelaysThatAreNearlyEqualMakeALivelock) {
    Plan plan = printed(default_plan(2));
    plan.members = {{.node = NodeId{80}}, {.node = NodeId{81}}};
    plan.linger = 200 * unit;
    const Report bad = expect_settled_only_with("rank-slots", plan);
    EXPECT_GT(sent(bad, "Invite"), 10U);
    EXPECT_EQ(sent(bad, "Accept"), 0U);
}

// 3 has heard that 1 is a coordinator, falls asleep, and invites it when it is 5's participant.
TEST(InvitationFlaws, ParticipantsMayBeStolenWithoutTheirCoordinatorsConsent) {
    Plan plan = silent(5);
    part(plan, 0, {3}, {5});
    part(plan, 0, {2, 4}, {1, 3, 5});
    call(plan, 0, 3);
    pause(plan, 1.5, 20, 3);
    call(plan, 2, 5);
    EXPECT_EQ(leader(play(until(plan, 28)), 1), 5U);
    EXPECT_EQ(leader(play(until(without(plan, "consent"), 28)), 1), 3U);
}

// The coordinator dies between Accept and Ready.
TEST(InvitationFlaws, WhoWaitsForReadyFromADeadCoordinatorWaitsForEver) {
    Plan plan = silent(3);
    call(plan, 0, 3);
    at(plan, 4.5, fault::Crash{NodeId{3}});
    expect_settled_only_with("ready-timeout", plan);
}

// Every message takes four times as long as was said.
TEST(InvitationFlaws, WhoIsNotPatientNeverHearsAnAnswerInTime) {
    Plan plan = default_plan(4);
    plan.adversary.delay_least = plan.adversary.delay_most = 4 * unit;
    plan.linger = 200 * unit;
    expect_settled_only_with("patience", plan);
}

}  // namespace
}  // namespace conclave
