// net/clock_test.cc -- the alarm rings in time, once, and not for somebody who is gone.
#include "net/clock.h"

#include <gtest/gtest.h>

#include <optional>

namespace conclave::net {
namespace {

using namespace std::chrono_literals;

class AlarmTest : public testing::Test {
protected:
    AlarmTest() : made_(Alarm::make(loop)) {}
    Alarm& alarm() { return *made_; }
    bool wait_for_ring() {
        loop.restart();
        while (!rung && loop.run_one_for(20s) > 0) continue;
        return rung.has_value();
    }
    std::function<void()> note() {
        return [this] { rung = now(); };
    }

    boost::asio::io_context loop;
    std::optional<Instant> rung;

private:
    Result<Alarm> made_;
};

TEST(Clock, NeverGoesBack) {
    Instant last = now();
    for (int i = 0; i < 1000; ++i) {
        const Instant next = now();
        ASSERT_LE(last, next);
        last = next;
    }
    EXPECT_GT(last, Instant{});
}

TEST_F(AlarmTest, RingsNotBeforeItsTime) {
    const Instant due = now() + 20ms;
    alarm().at(due, note());
    ASSERT_TRUE(wait_for_ring());
    EXPECT_GE(*rung, due);
}

TEST_F(AlarmTest, RingsForATimeThatHasPassedButNotInsideTheCall) {
    for (const Instant due : {now() - 1s, Instant{}, Instant{} - 1s}) {
        rung.reset();
        alarm().at(due, note());
        EXPECT_FALSE(rung);
        EXPECT_TRUE(wait_for_ring());
    }
}

TEST_F(AlarmTest, ANewTimeReplacesTheOldOneEvenIfThatHasCome) {
    bool old_rung = false;
    const auto old_ring = [&] { old_rung = true; };
    alarm().at(now() + 1h, old_ring);
    alarm().at(now() - 1s, old_ring);
    const Instant due = now() + 20ms;
    alarm().at(due, note());
    ASSERT_TRUE(wait_for_ring());
    EXPECT_GE(*rung, due);
    EXPECT_FALSE(old_rung);
}

// Both are due, so the loop knows that both are ready when the first of them rings.
TEST_F(AlarmTest, ANewTimeCountsForOneThatIsAboutToRing) {
    auto other = Alarm::make(loop);
    ASSERT_TRUE(other);
    std::optional<Instant> due;
    const auto postpone = [&](Alarm& one) {
        ASSERT_FALSE(due) << "the other rings nevertheless";
        due = now() + 20ms;
        one.at(*due, note());
    };
    alarm().at(now(), [&] { postpone(*other); });
    other->at(now(), [&] { postpone(alarm()); });
    ASSERT_TRUE(wait_for_ring());
    EXPECT_GE(*rung, *due);
}

TEST_F(AlarmTest, MayBeSetAgainFromItsOwnRing) {
    int rings = 0;
    std::function<void()> again = [&] {
        if (++rings < 3)
            alarm().at(now(), again);
        else
            rung = now();
    };
    alarm().at(now(), again);
    EXPECT_TRUE(wait_for_ring());
    EXPECT_EQ(rings, 3);
}

TEST_F(AlarmTest, ACancelledOneStaysSilent) {
    bool cancelled_rung = false;
    alarm().at(now(), [&] { cancelled_rung = true; });
    alarm().cancel();
    auto other = Alarm::make(loop);
    ASSERT_TRUE(other);
    other->at(now() + 10ms, note());
    ASSERT_TRUE(wait_for_ring());
    EXPECT_FALSE(cancelled_rung);
}

TEST_F(AlarmTest, AnAlarmThatIsGoneStaysSilent) {
    bool gone_rung = false;
    {
        auto brief = Alarm::make(loop);
        ASSERT_TRUE(brief);
        brief->at(now(), [&] { gone_rung = true; });
        loop.poll();  // its readiness may be queued now
        gone_rung = false;
        brief->at(now(), [&] { gone_rung = true; });
    }
    alarm().at(now() + 10ms, note());
    ASSERT_TRUE(wait_for_ring());
    EXPECT_FALSE(gone_rung);
}

}  // namespace
}  // namespace conclave::net
