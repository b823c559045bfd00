// mutex/ricart_agrawala_flaws_test.cc -- what each fix of Ricart and Agrawala's algorithm is for,
// and what none of them can mend. Every story is played with the fix and without.
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mutex/ricart_agrawala.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using Lines = std::initializer_list<std::string_view>;

struct World {
    std::uint32_t nodes = 2;
    std::vector<std::string> without{};
    std::string option{};  // to be switched on

    Plan plan() const {
        Plan plan = default_plan(nodes);
        plan.oracle.present = false;
        plan.workload.requests = 0;
        plan.without = without;
        if (!option.empty()) plan.options.emplace_back(option, "true");
        return plan;
    }
};
// What the commands did, line by line.
std::string play(const World& world, Lines commands) {
    const auto theatre = make_simulator<RicartAgrawala>("tested")->theatre(world.plan());
    std::string told = theatre->open();
    for (std::string_view command : commands) told += theatre->perform(command);
    EXPECT_EQ(told.find("error"), told.npos) << told;
    return told;
}
bool has(const std::string& told, std::string_view text) { return told.find(text) != told.npos; }
bool two_inside(const std::string& told) { return has(told, "violated: one-inside"); }
bool overtaken(const std::string& told) { return has(told, "violated: order-kept"); }
bool waits_for_ever(const std::string& told) { return has(told, "nobody-waits: violated"); }

// M-MX-4, MX-10: 3 answers both, for its OK is no vote. Six steps.
TEST(RicartAgrawalaFlaws, MajorityOfOksLetsTwoIn) {
    const World printed{3, {"exclusive-votes"}, "majority"};
    EXPECT_TRUE(two_inside(play(printed, {"ask 1 Enter", "ask 2 Enter", "deliver 1>3",
                                          "deliver 2>3", "deliver 3>1", "deliver 3>2"})));
}
TEST(RicartAgrawalaFlaws, MajorityIsRefusedWhereVotesAreToExclude) {
    const auto simulator = make_simulator<RicartAgrawala>("tested");
    const auto refused = simulator->refuse(World{3, {}, "majority"}.plan());
    ASSERT_TRUE(refused);
    EXPECT_TRUE(has(*refused, "maekawa with sets=majority")) << *refused;
    EXPECT_FALSE(simulator->refuse(World{3, {"exclusive-votes"}, "majority"}.plan()));
}

// M-MX-RA3: 1's second request takes a copy of the OK to its first one for an answer.
TEST(RicartAgrawalaFlaws, WithoutNameRequestAnOldOkLetsTwoIn) {
    const Lines story = {"ask 1 Enter", "deliver 1>2",   "duplicate 2>1",   "deliver 2>1",
                         "ask 1 Leave", "ask 2 Enter",   "deliver 2>1 Ask", "deliver 1>2",
                         "ask 1 Enter", "deliver 2>1 Ok"};
    EXPECT_FALSE(two_inside(play({}, story)));
    EXPECT_TRUE(two_inside(play({2, {"name-request"}}, story)));
}

// M-MX-RA4: 1 is slow, not dead.
TEST(RicartAgrawalaFlaws, WithoutReliableOnlyASuspicionLetsTwoIn) {
    const Lines story = {"ask 1 Enter", "deliver 1>2", "deliver 2>1",
                         "ask 2 Enter", "deliver 2>1", "suspect 2 1"};
    EXPECT_FALSE(two_inside(play({}, story)));
    EXPECT_TRUE(two_inside(play({2, {"reliable-only"}}, story)));
}
// Nothing mends a detector that lies.
TEST(RicartAgrawalaFlaws, FalseVerdictLetsTwoIn) {
    EXPECT_TRUE(two_inside(play({}, {"ask 1 Enter", "deliver 1>2", "deliver 2>1", "ask 2 Enter",
                                     "deliver 2>1", "fail 2 1"})));
}

// MX-11, MX-12: as printed, the crash of anybody blocks everybody.
TEST(RicartAgrawalaFlaws, WithoutFailedGrantsACrashBlocksForEver) {
    const Lines story = {"crash 3", "ask 1 Enter", "run", "fail 1 3", "check"};
    EXPECT_TRUE(has(play({3}, story), "1 tells Entered"));
    const std::string printed = play({3, {"failed-grants"}}, story);
    EXPECT_FALSE(has(printed, "tells Entered"));
    EXPECT_TRUE(waits_for_ever(printed));
}
TEST(RicartAgrawalaFlaws, WhoeverMayHaveDiedInsideIsNamed) {
    EXPECT_TRUE(has(
        play({3}, {"ask 1 Enter", "run", "ask 2 Enter", "run", "crash 1", "fail 2 1", "fail 3 1"}),
        "2 tells HolderDied(1), Entered\n3 tells HolderDied(1)"));
}
TEST(RicartAgrawalaFlaws, WhoDiesWaitingWasNotInside) {
    const std::string told = play(
        {2}, {"ask 1 Enter", "run", "ask 2 Enter", "run", "crash 2", "fail 1 2", "ask 1 Leave"});
    EXPECT_FALSE(has(told, "HolderDied"));
    EXPECT_FALSE(has(told, "sends Ok(2, 2) to 2")) << "its request died with it";
}

// 2 has 1's request when it crashes, and nobody has it afterwards.
TEST(RicartAgrawalaFlaws, WithoutAskRestartedItsAnswerNeverComes) {
    const Lines story = {"ask 2 Enter", "run",           "ask 1 Enter", "run",  "crash 2",
                         "restart 2",   "restarted 1 2", "run",         "check"};
    EXPECT_TRUE(has(play({}, story), "1 tells Entered"));
    EXPECT_TRUE(waits_for_ever(play({2, {"ask-restarted"}}, story)));
}
// The same, found dead first; then it is back, and asks with an earlier time stamp.
TEST(RicartAgrawalaFlaws, WhoIsBackIsAskedAgainWhetherTheDetectorOrItselfSaysSo) {
    for (const auto* heard : {"trust 1 2", "deliver 2>1 Ask"}) {
        const std::string told =
            play({3}, {"crash 2", "ask 1 Observe 5000", "ask 1 Enter", "fail 1 2", "restart 2",
                       "ask 2 Enter", heard, "deliver 1>2 Ask"});
        EXPECT_TRUE(has(told, "repeats Ask(5001, 5001) to 2")) << told;
        EXPECT_FALSE(has(told, "1 tells Entered"));
    }
}

// 2 asks at 0 and crashes; the answer is under way when 1, told so after 1.2, enters. With its
// memory 2 has lost the count of its requests: its next one has the same time stamp.
TEST(RicartAgrawalaFlaws, WithoutDurableClockAnAnswerToThePreviousLifeLetsTwoIn) {
    const Lines story = {"ask 2 Enter",        "at 0.05 crash 2",      "at 1 deliver 2>1 Ask",
                         "at 1 ask 1 Enter",   "at 1.2 fail 1 2",      "at 1.3 restart 2",
                         "at 1.3 ask 2 Enter", "at 1.9 deliver 1>2 Ok"};
    EXPECT_FALSE(two_inside(play({}, story)));
    EXPECT_TRUE(two_inside(play({2, {"durable-clock"}}, story)));
}
TEST(RicartAgrawalaFlaws, ClockIsSavedOncePerReserve) {
    const std::string told =
        play({2, {}, "retained"}, {"ask 1 Enter", "run", "ask 1 Leave", "ask 1 Enter",
                                   "ask 1 Leave", "ask 1 Observe 101", "ask 1 Enter"});
    EXPECT_TRUE(has(told, "1 saves Durable(101); sends Ask(1, 1) to 2")) << told;
    EXPECT_TRUE(has(told, "1 saves Durable(202); tells Entered")) << told;
    EXPECT_FALSE(has(told, "1 saves Durable(102)"));
}

// 3 asks and 2 hears of it before it lets 1 in; then 1 asks again. 3's own words are slow.
TEST(RicartAgrawalaFlaws, WithoutClockInAllAnOkHidesWhatItsSenderKnows) {
    const Lines story = {"ask 3 Observe 9", "ask 1 Enter",     "deliver 1>3", "ask 3 Enter",
                         "whisper 3 2",     "deliver 1>2",     "deliver 2>1", "deliver 3>1 Ok",
                         "ask 1 Leave",     "ask 1 Enter",     "deliver 1>2", "deliver 2>1",
                         "deliver 1>3",     "deliver 3>1 Ask", "run"};
    const std::string told = play({3}, story);
    EXPECT_FALSE(overtaken(told)) << told;
    EXPECT_TRUE(has(told, "3 tells Entered")) << told;
    EXPECT_TRUE(overtaken(play({3, {"clock-in-all"}}, story)));
}

// ME3, MX-01: 2 asks, then tells 1 so past the algorithm, and 1 asks.
TEST(RicartAgrawalaFlaws, WithoutObserveASideMessageBreaksTheOrder) {
    const Lines story = {"ask 2 Enter", "whisper 2 1", "ask 1 Enter", "run"};
    const std::string told = play({}, story);
    EXPECT_FALSE(overtaken(told));
    EXPECT_TRUE(has(told, "2 tells Entered")) << told;
    EXPECT_TRUE(overtaken(play({2, {"observe"}}, story)));
}

// M-MX-RC1: 1 waits for 3 when it gives 2 the permission back.
TEST(RicartAgrawalaFlaws, WithoutAskAgainThePermissionGivenAwayNeverReturns) {
    const Lines story = {
        "ask 1 Enter", "run",         "ask 1 Leave",      "ask 3 Enter", "run", "ask 3 Leave",
        "run",         "ask 2 Enter", "ask 1 Observe 10", "ask 1 Enter", "run", "ask 2 Leave",
        "run",         "check"};
    const std::string told = play({3, {}, "retained"}, story);
    EXPECT_FALSE(waits_for_ever(told)) << told;
    EXPECT_TRUE(waits_for_ever(play({3, {"ask-again"}, "retained"}, story)));
}
// M-MX-RC2: 1 lets 2 in and yet enters on the permission it had of it.
TEST(RicartAgrawalaFlaws, WithoutGiveAwayAPermissionIsUsedTwice) {
    const Lines story = {"ask 1 Enter", "run", "ask 1 Leave", "ask 2 Enter", "run", "ask 1 Enter"};
    EXPECT_FALSE(two_inside(play({2, {}, "retained"}, story)));
    EXPECT_TRUE(two_inside(play({2, {"give-away"}, "retained"}, story)));
}

// MX-11, MX-23: not claimed. A request that is lost, an answer that is lost.
TEST(RicartAgrawalaFlaws, LostMessageBlocksForEver) {
    EXPECT_TRUE(waits_for_ever(play({}, {"ask 1 Enter", "lose 1>2", "run", "check"})));
    EXPECT_TRUE(
        waits_for_ever(play({}, {"ask 1 Enter", "deliver 1>2", "lose 2>1", "run", "check"})));
    Plan plan = World{4}.plan();
    plan.workload.requests = 3;
    plan.adversary.loss = 0.1;
    plan.adversary.calm = 20 * unit;
    const Report report = kit::run<RicartAgrawala>(plan);
    EXPECT_TRUE(has(kit::text(report), "nobody-waits")) << kit::text(report);
    EXPECT_FALSE(has(kit::text(report), "one-inside")) << "it is safe all the same";
}

// What the order is not claimed for. The books of the run tell.
TEST(RicartAgrawalaFlaws, RetainedPermissionsAreUsedOutOfOrder) {
    for (const auto* option : {"", "retained"}) {
        Plan plan = World{2, {}, option}.plan();
        const auto at = [&](double when, Fault fault) {
            plan.schedule.push_back({kit::at(when), std::move(fault)});
        };
        at(0, fault::Ask{NodeId{1}, "Enter"});
        at(3, fault::Ask{NodeId{1}, "Leave"});
        at(5, fault::Ask{NodeId{2}, "Enter"});
        at(5.1, fault::Whisper{NodeId{2}, NodeId{1}});
        at(5.2, fault::Ask{NodeId{1}, "Enter"});
        at(9, fault::Ask{NodeId{2}, "Leave"});
        at(15, fault::Ask{NodeId{1}, "Leave"});
        at(20, fault::Ask{NodeId{2}, "Leave"});
        const Report report = kit::run<RicartAgrawala>(plan);
        EXPECT_EQ(report.turns->entries, 3U);
        EXPECT_EQ(report.turns->order_kept, std::string_view(option).empty());
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}
TEST(RicartAgrawalaFlaws, WhoIsBackIsOvertakenByThoseWhoHoldItForDead) {
    Plan plan = World{2}.plan();
    const auto at = [&](double when, Fault fault) {
        plan.schedule.push_back({kit::at(when), std::move(fault)});
    };
    at(0, fault::Crash{NodeId{1}});
    at(2, fault::Fail{NodeId{2}, NodeId{1}});
    at(5, fault::Restart{NodeId{1}});
    at(5, fault::Ask{NodeId{1}, "Enter"});
    at(5, fault::Whisper{NodeId{1}, NodeId{2}});
    at(5, fault::Ask{NodeId{2}, "Enter"});
    at(9, fault::Ask{NodeId{2}, "Leave"});
    at(15, fault::Ask{NodeId{1}, "Leave"});
    const Report report = kit::run<RicartAgrawala>(plan);
    EXPECT_EQ(report.turns->entries, 2U);
    EXPECT_EQ(report.turns->order_kept, false);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

}  // namespace
}  // namespace conclave
