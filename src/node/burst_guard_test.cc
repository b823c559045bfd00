// node/burst_guard_test.cc -- bursts are cut and counted, nothing else is.
#include "node/burst_guard.h"

#include <gtest/gtest.h>

#include <string>

namespace conclave::node {
namespace {

using std::chrono::milliseconds;

const WallTime start{std::chrono::hours(1)};

TEST(BurstGuard, SaysTheFirstFewAndCountsTheRest) {
    BurstGuard guard(3);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(guard.heard("x", start + milliseconds(i)).say, i < 3) << i;
    }
    const auto next = guard.heard("x", start + milliseconds(1000));
    EXPECT_TRUE(next.say) << "a new second";
    ASSERT_TRUE(next.first);
    EXPECT_EQ(next.first->what, "x");
    EXPECT_EQ(next.first->count, 7u);
}

TEST(BurstGuard, DifferentThingsDoNotSilenceEachOther) {
    BurstGuard guard(1);
    std::uint64_t said = 0, counted = 0;
    for (int i = 0; i < 1000; ++i) {
        const auto answer = guard.heard("event " + std::to_string(i), start);
        said += answer.say;
        if (answer.first) counted += answer.first->count;
    }
    EXPECT_EQ(said, 1000u);
    EXPECT_EQ(counted, 0u);
}

TEST(BurstGuard, NothingIsSaidOrLostTwice) {
    BurstGuard guard(2);
    std::uint64_t heard = 0, told = 0;
    for (int i = 0; i < 5000; ++i) {
        const WallTime now = start + milliseconds(i);
        const auto answer = guard.heard("event " + std::to_string(i % 100), now);
        ++heard;
        told += answer.say + (answer.first ? answer.first->count : 0);
        if (i % 700 == 0) {
            for (const Repeated& each : guard.over_by(now)) told += each.count;
        }
    }
    for (const Repeated& each : guard.all()) told += each.count;
    EXPECT_EQ(told, heard);
    EXPECT_TRUE(guard.all().empty());
}

TEST(BurstGuard, TheEndOfABurstIsToldWithoutAnotherLine) {
    BurstGuard guard(1);
    guard.heard("x", start);
    guard.heard("x", start);
    EXPECT_TRUE(guard.over_by(start + milliseconds(999)).empty());
    const auto over = guard.over_by(start + milliseconds(1000));
    ASSERT_EQ(over.size(), 1u);
    EXPECT_EQ(over[0].count, 1u);
    EXPECT_EQ(over[0].what, "x");
}

TEST(BurstGuard, AClockSetBackDoesNotSilenceForAnHour) {
    BurstGuard guard(1);
    EXPECT_TRUE(guard.heard("x", start).say);
    EXPECT_TRUE(guard.heard("x", start - std::chrono::hours(1)).say);
}

}  // namespace
}  // namespace conclave::node
