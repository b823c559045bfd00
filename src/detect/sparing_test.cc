// detect/sparing_test.cc -- a heartbeat is not said to whom something else was just said.
#include <gtest/gtest.h>

#include "core/stack.h"
#include "detect/heartbeat.h"
#include "detect/watch_test.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;
using kit::at;
using kit::node;

using Alone = kit::Alone<Heartbeat>;

constexpr Duration T = 4ms, E = 3ms;  // "lately" is E / 2, and "shortly before" 2 E / 3
Heartbeat::Config config(bool sparing) {
    return {{}, T, E, Heartbeat::Rule::fixed, 8, false, sparing};
}

TEST(Sparing, WhatWasJustSaidIsNotSaidAgain) {
    Alone one(config(true), 3);
    EXPECT_EQ(one.sent.size(), 2U) << "the first heartbeat goes to everybody: it is the greeting";
    one.run_to(3);
    one.happen(Spoke{node(2)});
    one.run_to(4);
    EXPECT_EQ(one.sent.size(), 3U) << "to 3 only";
    one.run_to(8);
    EXPECT_EQ(one.sent.size(), 5U) << "what was said a period ago is no longer news";
}

TEST(Sparing, WhatWasSaidLongerAgoThanHalfTheMarginIsSaidAgain) {
    Alone one(config(true));
    one.run_to(2.5);
    one.happen(Spoke{node(2)});
    one.run_to(4);
    EXPECT_EQ(one.sent.size(), 2U);
}

TEST(Sparing, WhereTheMarginIsLargeWhatWasSaidWithinThePeriodIsNotSaidAgain) {
    Heartbeat::Config wide = config(true);
    wide.margin = 3 * T;
    Alone one(wide, 3);
    one.run_to(0.5);
    one.happen(Spoke{node(2)});
    one.run_to(4);
    EXPECT_EQ(one.sent.size(), 3U) << "to 3 only";
    one.run_to(8);
    EXPECT_EQ(one.sent.size(), 5U);
}

TEST(Sparing, WhoIsAwakeShortlyBeforeABeatDoesNotWakeForIt) {
    Alone one(config(true), 3);
    one.run_to(2);
    one.happen(Heard{node(2)});
    EXPECT_EQ(one.sent.size(), 2U) << "2 ms before the next one is too early";
    one.run_to(2.5);
    one.happen(Heard{node(2)});
    ASSERT_EQ(one.sent.size(), 4U) << "1.5 ms before it is not";
    EXPECT_EQ(std::get<Heartbeat::Beat>(one.sent[3]).seq, 2U) << "the number of its own period";
    one.run_to(7.9);
    EXPECT_EQ(one.sent.size(), 4U) << "it was said already";
    one.run_to(8);
    ASSERT_EQ(one.sent.size(), 6U);
    EXPECT_EQ(std::get<Heartbeat::Beat>(one.sent[5]).seq, 3U);
}

TEST(Sparing, WhoSpokeTooIsSparedTheEarlyBeat) {
    Alone one(config(true), 3);
    one.run_to(3);
    one.happen(Spoke{node(2)});
    one.happen(Heard{node(2)});
    EXPECT_EQ(one.sent.size(), 3U) << "to 3 only";
}

TEST(Sparing, IsOffUnlessAskedFor) {
    Alone one(config(false));
    one.run_to(3.5);
    one.happen(Spoke{node(2)});
    one.run_to(4);
    EXPECT_EQ(one.sent.size(), 2U);
}

TEST(Sparing, AReliableDetectorCountsOnEveryHeartbeat) {
    Heartbeat::Config both = config(true);
    both.reliable = true;
    EXPECT_NE(Heartbeat::refuse(both), std::nullopt);
    EXPECT_EQ(Heartbeat::refuse(config(true)), std::nullopt);
}

// Says something to node 2 every `pace`.
struct Talker {
    static constexpr Model assumes{};
    static constexpr Claim claim{Kind::election, "test", "", "", "", ""};
    struct Config {
        Duration pace{};
    };
    static Config configure(const Settings&) { return {1ms}; }
    struct Word {};
    struct Next {};
    using Message = std::variant<Word>;
    using Timer = std::variant<Next>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<Talker>;

    void on(Turn& turn, const Booted<Talker>&) { on(turn, Next{}); }
    void on(Turn& turn, Next) {
        turn.send(NodeId{2}, Word{});
        turn.arm(Next{}, turn.config().pace);
    }
    void on(Turn&, NodeId, Word) {}
};

TEST(Sparing, WhatIsSaidAboveADetectorIsASignOfLifeToo) {
    using Both = Stack<Heartbeat, Talker>;
    kit::Alone<Both> one({config(true), {1ms}}, 3);
    one.run_to(4 * 10);
    std::size_t beats = 0;
    for (const auto& message : one.sent) beats += std::holds_alternative<Heartbeat::Beat>(message);
    EXPECT_EQ(beats, 2U + 10U) << "the greetings, then only to 3, to whom nobody talks";
}

}  // namespace
}  // namespace conclave
