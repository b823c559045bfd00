#include "net/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>

namespace conclave::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Saves each number that it is asked to remember before it passes it on.
struct Clerk {
    struct Word {
        std::uint32_t number = 0;
    };
    struct Ring {};
    struct Write {
        std::uint32_t number = 0;
    };
    struct Hush {};
    struct Config {
        FixSet fixes{};
    };
    using Message = std::variant<Word>;
    using Timer = std::variant<Ring>;
    using Request = std::variant<Write, Hush>;
    struct Written {
        std::uint32_t number = 0;
    };
    using Notice = std::variant<Written>;
    struct Durable {
        std::uint32_t number = 0;
    };
    using Turn = conclave::Turn<Clerk>;
    static constexpr Model assumes{};
    static constexpr Claim claim{Kind::election, "", "", "", "", ""};

    std::uint32_t last = 0, rung = 0;

    void on(Turn& turn, const Booted<Clerk>& booted) {
        last = booted.durable.number;
        turn.arm(Ring{}, std::chrono::seconds(1));
    }
    void on(Turn& turn, const Write& write) {
        last = write.number;
        turn.save({last});
        turn.send(NodeId{2}, Word{last});
        turn.tell(Written{last});
    }
    void on(Turn& turn, Hush) { turn.disarm(Ring{}); }
    void on(Turn&, NodeId, const Word& word) { last = word.number; }
    void on(Turn&, Ring) { ++rung; }
};

struct Desk {
    std::deque<std::uint32_t> sent, heard;
    std::deque<Bytes> saves;
    std::deque<std::uint32_t> stamps;
    std::function<void()> when_told;

    Instant now() { return Instant(std::chrono::seconds(100)); }
    Attribute attribute() { return 0; }
    Duration draw(Wait wait) { return wait.least; }
    void send(NodeId, ByteView bytes, Hurry) {
        Clerk::Message message;
        ASSERT_TRUE(wire::read_message<Clerk>(bytes, message));
        sent.push_back(std::get<Clerk::Word>(message).number);
    }
    void alarm(Instant, std::uint32_t stamp) { stamps.push_back(stamp); }
    void save(ByteView record) { saves.emplace_back(record.begin(), record.end()); }
    void stepped(Instant, const Event<Clerk>&, const std::vector<Effect<Clerk>>&) {}
    void told(const Clerk::Written& written) {
        heard.push_back(written.number);
        if (when_told) std::exchange(when_told, {})();
    }
};
static_assert(Ground<Desk, Clerk>);

class Drivers : public testing::Test {
protected:
    void SetUp() override { driver.happen(Booted<Clerk>{}); }
    void ask(std::uint32_t number) { driver.happen(Asked<Clerk>{Clerk::Write{number}}); }

    MemberList members{{Member{NodeId{1}}, Member{NodeId{2}}}};
    Clerk::Config config;
    Desk desk;
    Driver<Clerk, Desk> driver{NodeId{1}, members, config, Incarnation{1}, desk};
};

TEST_F(Drivers, NothingBehindASaveIsDoneBeforeItIsOnDisk) {
    ask(7);
    EXPECT_EQ(desk.saves.size(), 1U);
    EXPECT_THAT(desk.sent, IsEmpty());
    EXPECT_THAT(desk.heard, IsEmpty());
    driver.saved();
    EXPECT_THAT(desk.sent, ElementsAre(7U));
    EXPECT_THAT(desk.heard, ElementsAre(7U));
}

TEST_F(Drivers, WhatHappensDuringASaveWaitsItsTurn) {
    ask(7);
    ask(8);
    Bytes word;
    wire::write_message<Clerk>(word, Clerk::Word{9});
    EXPECT_TRUE(driver.receive(NodeId{2}, word));
    EXPECT_EQ(driver.state().last, 7U);
    driver.saved();
    EXPECT_EQ(driver.state().last, 8U);
    EXPECT_THAT(desk.sent, ElementsAre(7U));
    driver.saved();
    EXPECT_EQ(driver.state().last, 9U);
    EXPECT_THAT(desk.sent, ElementsAre(7U, 8U));
}

TEST_F(Drivers, ATimerThatWasDisarmedMeanwhileDoesNotFire) {
    ask(7);
    driver.happen(Asked<Clerk>{Clerk::Hush{}});
    driver.fire(desk.stamps.front());
    driver.saved();
    EXPECT_EQ(driver.state().rung, 0U);
}

TEST_F(Drivers, ATimerFiresOnce) {
    driver.fire(desk.stamps.front());
    driver.fire(desk.stamps.front());
    EXPECT_EQ(driver.state().rung, 1U);
}

TEST_F(Drivers, AnAlarmIsAwaitedUntilItsTimerFiresOrIsDisarmed) {
    const std::uint32_t first = desk.stamps.front();
    EXPECT_TRUE(driver.awaits(first));
    driver.happen(Booted<Clerk>{});  // arms the same timer again
    EXPECT_FALSE(driver.awaits(first));
    EXPECT_TRUE(driver.awaits(desk.stamps.back()));
    driver.fire(desk.stamps.back());
    EXPECT_FALSE(driver.awaits(desk.stamps.back()));
    driver.happen(Booted<Clerk>{});
    driver.happen(Asked<Clerk>{Clerk::Hush{}});
    EXPECT_FALSE(driver.awaits(desk.stamps.back()));
}

TEST_F(Drivers, WhoeverIsToldMayAnswerAtOnce) {
    desk.when_told = [this] { ask(8); };
    ask(7);
    driver.saved();
    driver.saved();
    EXPECT_THAT(desk.heard, ElementsAre(7U, 8U));
}

TEST_F(Drivers, BytesThatAreNoMessageAndStrangersAreRefused) {
    const Bytes garbage{std::byte{9}, std::byte{9}};
    EXPECT_FALSE(driver.receive(NodeId{2}, garbage));
    Bytes word;
    wire::write_message<Clerk>(word, Clerk::Word{9});
    EXPECT_FALSE(driver.receive(NodeId{3}, word));
    EXPECT_EQ(driver.state().last, 0U);
    EXPECT_EQ(driver.tally().received[0], 0U);
}

TEST_F(Drivers, CountsWhatWentOverTheWire) {
    ask(7);
    driver.saved();
    EXPECT_EQ(driver.tally().sent[0], 1U);
    EXPECT_EQ(driver.tally().repair[0], 0U);
}

}  // namespace
}  // namespace conclave::net
