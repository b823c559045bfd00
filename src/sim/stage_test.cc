// sim/stage_test.cc -- the oracle: what it tells, when, and what it does not.
#include "sim/stage.h"

#include <gtest/gtest.h>

#include "sim/diary_test.h"

namespace conclave::test {
namespace {

NodeId id(std::uint32_t number) { return NodeId{number}; }

TEST(Oracle, VerdictComesAfterTheLastMessage) {
    Shelf shelf(2);
    shelf.ask(1, Diary::Write{id(2), 5});
    shelf.stage.play(fault::Crash{id(1)});
    shelf.run(2 * unit);
    EXPECT_EQ(shelf.read(2), "note 5 from 1, failed 1");
    EXPECT_EQ(shelf.node(2).state.times.back(), Instant(2 * unit));
}

TEST(Oracle, UnreliableOneOnlySuspects) {
    Shelf shelf(2, false);
    shelf.stage.play(fault::Crash{id(1)});
    shelf.run(2 * unit);
    EXPECT_EQ(shelf.read(2), "suspected 1");
}

TEST(Oracle, TellsOfThoseWhoNeverBooted) {
    Shelf shelf(2);
    shelf.stage.world.crash(0);
    shelf.stage.boot_all({id(1)});
    shelf.run(2 * unit);
    EXPECT_EQ(shelf.read(2), "failed 1");
}

TEST(Oracle, OneWayCutIsSeenFromOneSide) {
    Shelf shelf(2, false);
    shelf.stage.play(fault::Cut{id(1), id(2)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(1), "");
    EXPECT_EQ(shelf.read(2), "suspected 1");
    shelf.stage.play(fault::Heal{id(1), id(2)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(1), "");
    EXPECT_EQ(shelf.read(2), "trusted 1");
}

TEST(Oracle, PausedNodeIsSuspectedAndTrustedAgain) {
    Shelf shelf(2, false);
    shelf.stage.play(fault::Pause{id(1)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "suspected 1");
    shelf.stage.play(fault::Resume{id(1)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "trusted 1");
}

TEST(Oracle, WhatIsOverBeforeItIsToldIsNotTold) {
    Shelf shelf(2, false);
    shelf.stage.play(fault::Cut{id(1), id(2)});
    shelf.run(unit);
    shelf.stage.play(fault::Heal{id(1), id(2)});
    shelf.stage.play(fault::Pause{id(1)});
    shelf.stage.play(fault::Resume{id(1)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "");
}

TEST(Oracle, RestartIsNoticedOnce) {
    Shelf shelf(3);
    shelf.stage.play(fault::Crash{id(1)});
    shelf.stage.play(fault::Restart{id(1)});
    shelf.ask(1, Diary::Write{id(2), 5});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "restarted 1, note 5 from 1");  // by the message
    EXPECT_EQ(shelf.read(3), "restarted 1");                 // by the oracle
    shelf.ask(1, Diary::Write{id(3), 6});
    shelf.stage.play(fault::Pause{id(1)});
    shelf.stage.play(fault::Resume{id(1)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "");
    EXPECT_EQ(shelf.read(3), "note 6 from 1");
}

TEST(Oracle, ReturnAfterItsDeathWasToldIsTrust) {
    Shelf shelf(2);
    shelf.stage.play(fault::Crash{id(1)});
    shelf.run(5 * unit);
    shelf.stage.play(fault::Restart{id(1)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "failed 1, trusted 1");
}

TEST(Oracle, ANewLifeThatSpokeAndDiedHasFailedAgain) {
    Shelf shelf(2);
    shelf.stage.play(fault::Crash{id(1)});
    shelf.run(5 * unit);
    shelf.stage.play(fault::Restart{id(1)});
    shelf.ask(1, Diary::Write{id(2), 5});
    shelf.run(unit);
    shelf.stage.play(fault::Crash{id(1)});  // before anybody was told to trust it
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "failed 1, restarted 1, note 5 from 1, failed 1");
}

TEST(Oracle, ASuspicionThatWaitedBehindANewLifeIsTakenBack) {
    Shelf shelf(2, false);
    shelf.stage.play(fault::Crash{id(1)});
    shelf.stage.play(fault::Restart{id(1)});
    shelf.stage.play(fault::Pause{id(2)});
    shelf.ask(1, Diary::Write{id(2), 5});
    shelf.run(unit);
    shelf.stage.play(fault::Cut{id(1), id(2)});
    shelf.run(5 * unit);
    shelf.stage.play(fault::Resume{id(2)});
    EXPECT_EQ(shelf.read(2), "restarted 1, note 5 from 1, suspected 1");
    shelf.stage.play(fault::Heal{id(1), id(2)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "trusted 1");
}

TEST(Oracle, RestartedObserverIsToldWhoIsGone) {
    Shelf shelf(2);
    shelf.stage.play(fault::Crash{id(1)});
    shelf.run(5 * unit);
    shelf.stage.play(fault::Crash{id(2)});
    shelf.stage.play(fault::Restart{id(2)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "booted with 0, failed 1");
}

TEST(Oracle, LieThatEndsOnADeadNodeIsFollowedByTheTruth) {
    Shelf shelf(2, false);
    shelf.stage.play(fault::Suspect{id(2), id(1)});
    shelf.stage.play(fault::Crash{id(1)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "suspected 1");
    shelf.stage.play(fault::Trust{id(2), id(1)});
    shelf.run(5 * unit);
    EXPECT_EQ(shelf.read(2), "trusted 1, suspected 1");
}

}  // namespace
}  // namespace conclave::test
