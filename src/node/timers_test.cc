#include "node/timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace conclave::node {
namespace {

using testing::ElementsAre;

Instant at(int seconds) { return Instant(std::chrono::seconds(seconds)); }

struct Alarms : testing::Test {
    void set(int seconds, std::uint32_t stamp) {
        timers.set(at(seconds), 1, stamp);
        awaited.insert(stamp);
    }
    Instant next() {
        return timers.next([this](const Timers::Due& due) { return awaited.contains(due.stamp); });
    }
    std::vector<std::uint32_t> take_all() {
        std::vector<std::uint32_t> stamps;
        while (next() != Instant::max()) stamps.push_back(timers.take().stamp);
        return stamps;
    }

    Timers timers;
    std::set<std::uint32_t> awaited;
};

TEST_F(Alarms, TheEarliestComesFirstAndOfTwoTheOneSetFirst) {
    set(3, 30);
    set(1, 10);
    set(3, 31);
    set(2, 20);
    EXPECT_EQ(next(), at(1));
    EXPECT_THAT(take_all(), ElementsAre(10U, 20U, 30U, 31U));
}

TEST_F(Alarms, WhatNobodyAwaitsWakesNobody) {
    set(1, 10);
    set(2, 20);
    set(3, 30);
    awaited.erase(10);
    EXPECT_EQ(next(), at(2));
    awaited.erase(20);
    awaited.erase(30);
    EXPECT_EQ(next(), Instant::max());
}

TEST_F(Alarms, ATimerThatIsPushedAheadForeverIsOneAlarm) {
    for (std::uint32_t beat = 1; beat <= 100; ++beat) {
        awaited.clear();
        set(static_cast<int>(beat) + 10, beat);
        EXPECT_EQ(next(), at(static_cast<int>(beat) + 10));
    }
    EXPECT_THAT(take_all(), ElementsAre(100U));
}

}  // namespace
}  // namespace conclave::node
