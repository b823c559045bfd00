// service/lock_legacy_test.cc -- a leader that leaves passes its table on, and the next one need
// not wait.
#include <gtest/gtest.h>

#include "service/lock_hands_test.h"

namespace conclave {
namespace {

using locks::Grant;
using locks::KeepAlive;
using locks::Passed;
using locks::Recover;
using locks::Token;

// Of the leader of epoch 1, which node 3 was: 1 holds x, 2 waits for it.
Passed holder() {
    return {Epoch{1},  2,   LockServer::session(1),
            NodeId{1}, {5}, {{"x", {4}, {}, Token{Epoch{1}, 7}}},
            {}};
}
Passed waiter() {
    return {Epoch{1}, 2,  LockServer::session(2),         NodeId{2},
            {6},      {}, {{"x", {3}, {}, {Epoch{1}, 9}}}};
}

TEST(LockLegacy, IsWhatALeaderKnowsWhenItLeaves) {
    LockServer four(Epoch{1});
    for (std::uint32_t client : {1U, 2U}) four.opens(client);
    for (std::uint32_t client : {1U, 2U}) four.asks(client, 2);
    four.happens(LeaderIs{std::nullopt, Epoch{1}});
    const Passed* first = four.sends<Passed>();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->epoch, Epoch{1});
    EXPECT_EQ(first->sessions, 2U);
    EXPECT_EQ(first->session, LockServer::session(1));
    ASSERT_EQ(first->held.size(), 1U);
    EXPECT_EQ(first->held.front().token, (Token{Epoch{1}, 1}));
    EXPECT_TRUE(first->wanted.empty());
}

TEST(LockLegacy, LetsTheNextLeaderServeAtOnce) {
    LockServer four(Epoch{2});
    four.receives(3, waiter());
    EXPECT_FALSE(four.state.office->serving) << "that is half of it";
    four.receives(3, waiter());
    EXPECT_FALSE(four.state.office->serving) << "twice the same half";
    four.receives(3, holder());
    EXPECT_TRUE(four.state.office->serving);
    EXPECT_EQ(four.sends<Grant>(), nullptr) << "1 has it";
    four.releases(1, 6, 4);
    ASSERT_NE(four.sends<Grant>(), nullptr);
    EXPECT_EQ(four.sends<Grant>()->session, LockServer::session(2));
}

TEST(LockLegacy, MayComeBeforeTheOffice) {
    LockServer four(Epoch{1});
    four.happens(LeaderIs{NodeId{3}, Epoch{2}});
    four.receives(3, Passed{Epoch{2}, 0, {}, {}, {}, {}, {}});
    four.happens(LeaderIs{NodeId{4}, Epoch{3}});
    EXPECT_TRUE(four.state.office->serving);
    EXPECT_NE(four.sends<Recover>(), nullptr) << "everybody must know whom to talk to";
}

TEST(LockLegacy, IsOfNoUseToALaterLeader) {  // H18
    for (const bool fixed : {true, false}) {
        LockServer four = fixed ? LockServer(Epoch{3}) : LockServer(Epoch{3}, {locks::next_epoch});
        four.receives(3, holder());
        four.receives(3, waiter());
        EXPECT_EQ(four.state.office->serving, !fixed);
    }
}

TEST(LockLegacy, IsNothingFromALeaderThatDoesNotKnowAllItself) {
    LockServer four(Epoch{4});
    four.opens(1);
    four.happens(LeaderIs{std::nullopt, Epoch{4}});
    EXPECT_EQ(four.sends<Passed>(), nullptr);
}

TEST(LockLegacy, IsNotPassedOnIfItIsTooLong) {
    for (const std::uint32_t most : {3U, 2U}) {  // two sessions and a lock
        LockServer four(Epoch{1});
        four.config.pass_on = most;
        for (std::uint32_t client : {1U, 2U}) four.opens(client);
        four.asks(1, 2);
        four.happens(LeaderIs{std::nullopt, Epoch{1}});
        EXPECT_EQ(four.sends<Passed>() != nullptr, most == 3);
    }
}

TEST(LockLegacy, KnowsLessThanWhoHasSpokenForItself) {
    LockServer four(Epoch{2});
    KeepAlive since = four.call(1, 8, false);
    four.receives(1, since);
    four.receives(3, holder());
    four.receives(3, waiter());
    ASSERT_NE(four.sends<Grant>(), nullptr) << "1 holds nothing any more";
    EXPECT_EQ(four.sends<Grant>()->session, LockServer::session(2));
}

TEST(LockLegacy, AnsweredSessionsAreKnown) {
    LockServer four(Epoch{2});
    four.receives(3, holder());
    four.receives(3, waiter());
    KeepAlive still = four.call(1, 8, false);
    still.held = holder().held;
    four.receives(1, still);
    EXPECT_EQ(four.sends<locks::SessionGone>(), nullptr);
    EXPECT_NE(four.sends<locks::Kept>(), nullptr);
}

}  // namespace
}  // namespace conclave
