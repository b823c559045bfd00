// sim/world_test.cc -- one world's own rules: saves, lives, clocks, pauses, cuts.
#include "sim/world.h"

#include <gtest/gtest.h>

#include "sim/diary_test.h"
#include "sim/dice.h"

namespace conclave::test {
namespace {

NodeId id(std::uint32_t number) { return NodeId{number}; }

TEST(World, TornSaveLosesEverythingBehindIt) {
    Shelf shelf(2);
    shelf.ask(1, Diary::Keep{id(2), 7});
    EXPECT_EQ(shelf.node(1).durable.value, 7U);
    EXPECT_EQ(shelf.in_flight().size(), 2U);
    shelf.in_flight().clear();

    shelf.stage.play(fault::Crash{id(1), true});
    EXPECT_TRUE(shelf.node(1).up);  // until it saves
    shelf.ask(1, Diary::Keep{id(2), 8});
    EXPECT_FALSE(shelf.node(1).up);
    EXPECT_EQ(shelf.node(1).durable.value, 7U);
    ASSERT_EQ(shelf.in_flight().size(), 1U);  // what was before the save
    EXPECT_EQ(to_text(shelf.in_flight()[0].message), "Note(1)");
    shelf.run(4 * unit);
    EXPECT_EQ(shelf.read(2), "note 1 from 1, failed 1");

    shelf.stage.play(fault::Restart{id(1)});
    EXPECT_EQ(shelf.read(1), "booted with 7");
}

TEST(World, RestartedNodeForgetsAllButItsDisk) {
    Shelf shelf(2);
    shelf.ask(1, Diary::Keep{id(2), 7});
    shelf.ask(1, Diary::Wake{1, 3 * unit});
    shelf.stage.play(fault::Crash{id(1)});
    shelf.stage.play(fault::Restart{id(1)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(1), "booted with 7");  // and no alarm
    shelf.stage.play(fault::Crash{id(1)});
    shelf.stage.play(fault::Restart{id(1), true});
    EXPECT_EQ(shelf.read(1), "booted with 0");
}

TEST(World, TearThatNeverHappenedEndsWithTheRestart) {
    Shelf shelf(2);
    shelf.stage.play(fault::Crash{id(1), true});
    shelf.stage.play(fault::Restart{id(1)});
    shelf.ask(1, Diary::Keep{id(2), 8});
    EXPECT_TRUE(shelf.node(1).up);
}

// Two notes of the first life, one of the second that overtakes one of them.
std::string mail_of_two_lives(bool incarnations) {
    Shelf shelf(2, true, incarnations);
    shelf.ask(1, Diary::Write{id(2), 1});
    shelf.ask(1, Diary::Write{id(2), 2});
    shelf.stage.play(fault::Crash{id(1)});
    shelf.stage.play(fault::Restart{id(1)});
    shelf.ask(1, Diary::Write{id(2), 3});
    auto& slate = shelf.stage.world.agenda;
    for (const std::size_t at : {0U, 1U, 0U}) shelf.stage.world.arrive(slate.take_packet(at));
    return shelf.read(2);
}

TEST(World, IncarnationsTellARestartAndDropTheMailOfAnEarlierLife) {
    EXPECT_EQ(mail_of_two_lives(true), "note 1 from 1, restarted 1, note 3 from 1");
}
TEST(World, WithoutIncarnationsOldMailIsTakenForNew) {
    EXPECT_EQ(mail_of_two_lives(false), "note 1 from 1, note 3 from 1, note 2 from 1");
}

TEST(World, ClocksDriftAndTimersAreNeverEarly) {
    Dice dice(7);
    for (const std::int64_t ppm : {0L, 1L, -1L, 200L, -200L, 50'000L, -50'000L, 499'999L}) {
        for (int i = 0; i < 200; ++i) {
            const LocalClock clock{dice.between({}, 1000 * unit), ppm};
            const Instant start(dice.between({}, 1'000'000 * unit));
            const Duration wait = dice.between(Duration(1), 10'000'000 * unit);
            const Duration shown = clock.read(start + clock.true_length(wait)) - clock.read(start);
            EXPECT_GE(shown, wait) << ppm;
            EXPECT_LE(shown, wait + Duration(3)) << ppm;
        }
    }
}

TEST(World, FastClockFiresEarlyInTrueTimeAndOnTimeOnItsOwn) {
    Shelf shelf(1);
    shelf.node(1).clock = {5 * unit, 100'000};  // gains a tenth
    shelf.ask(1, Diary::Wake{1, 11 * unit});
    shelf.run(9 * unit);
    EXPECT_EQ(shelf.read(1), "");
    shelf.run(2 * unit);
    EXPECT_EQ(shelf.read(1), "alarm 1");
    const Instant shown = shelf.node(1).state.times.back();
    EXPECT_GE(shown, Instant(16 * unit));
    EXPECT_LT(shown, Instant(16 * unit + Duration(10)));
}

TEST(World, ClockThatChangesItsRateDoesNotJump) {
    Shelf shelf(1);
    shelf.run(100 * unit);
    auto& clock = shelf.node(1).clock;
    for (const std::int64_t ppm : {1000L, -300'000L, 0L, 77L}) {
        const Instant before = clock.read(shelf.stage.world.now);
        shelf.stage.play(fault::Drift{id(1), ppm});
        EXPECT_EQ(clock.read(shelf.stage.world.now), before);
        shelf.run(10 * unit);
        const Duration passed = clock.read(shelf.stage.world.now) - before;
        EXPECT_NEAR(in_units(passed), 10 * (1 + static_cast<double>(ppm) * 1e-6), 1e-5);
    }
}

TEST(World, PauseHoldsEverythingAndReleasesItInOrder) {
    Shelf shelf(3);
    shelf.ask(1, Diary::Wake{1, 2 * unit});
    shelf.stage.play(fault::Pause{id(1)});
    shelf.ask(2, Diary::Write{id(1), 1});
    shelf.stage.play(fault::Crash{id(3)});
    shelf.run(4 * unit);
    shelf.ask(2, Diary::Write{id(1), 2});
    shelf.run(4 * unit);
    EXPECT_EQ(shelf.read(1), "");
    shelf.stage.play(fault::Resume{id(1)});
    EXPECT_EQ(shelf.read(1), "note 1 from 2, failed 3, note 2 from 2");
    shelf.run(Duration{});  // what has been due for long
    EXPECT_EQ(shelf.read(1), "alarm 1");
}

TEST(World, CrashWhilePausedLosesWhatWasHeld) {
    Shelf shelf(2);
    shelf.stage.play(fault::Pause{id(1)});
    shelf.ask(2, Diary::Write{id(1), 1});
    shelf.run(unit);
    EXPECT_EQ(shelf.node(1).held.size(), 1U);
    shelf.stage.play(fault::Crash{id(1)});
    shelf.stage.play(fault::Resume{id(1)});
    EXPECT_FALSE(shelf.node(1).up);
    shelf.stage.play(fault::Restart{id(1)});
    EXPECT_EQ(shelf.read(1), "booted with 0");
}

TEST(World, CutsWorkOneWayWhenSentAndWhenArriving) {
    Shelf shelf(2);
    shelf.ask(1, Diary::Write{id(2), 1});
    shelf.stage.play(fault::Cut{id(1), id(2)});
    shelf.ask(1, Diary::Write{id(2), 2});
    shelf.ask(2, Diary::Write{id(1), 3});
    shelf.run(unit);
    EXPECT_EQ(shelf.read(2), "");
    EXPECT_EQ(shelf.read(1), "note 3 from 2");
    shelf.stage.play(fault::Heal{id(1), id(2)});
    shelf.ask(1, Diary::Write{id(2), 4});
    shelf.run(unit);
    EXPECT_EQ(shelf.read(2), "note 4 from 1");
}

TEST(World, ArmingAgainReplacesAndMessagesComeBeforeTimers) {
    Shelf shelf(2);
    shelf.ask(1, Diary::Wake{1, unit});
    shelf.ask(1, Diary::Wake{2, unit});
    shelf.ask(1, Diary::Wake{3, unit});
    shelf.ask(1, Diary::Wake{1, 2 * unit});
    shelf.ask(1, Diary::Sleep{2});
    shelf.ask(2, Diary::Write{id(1), 9});
    shelf.run(unit);
    EXPECT_EQ(shelf.read(1), "note 9 from 2, alarm 3");
    shelf.run(unit);
    EXPECT_EQ(shelf.read(1), "alarm 1");
}

}  // namespace
}  // namespace conclave::test
