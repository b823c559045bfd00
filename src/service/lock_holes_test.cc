// service/lock_holes_test.cc -- attacks on the lock service that one node can meet on its own; the
// table in docs/locks.md has them all.
#include <gtest/gtest.h>

#include "service/lock_hands_test.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;
using locks::Acquire;
using locks::Grant;
using locks::Idle;
using locks::KeepAlive;
using locks::Kept;
using locks::Queued;
using locks::Recover;
using locks::SessionGone;
using locks::SessionId;
using locks::Token;

TEST(LockHoles, WhoDiesMakesRoomForTheNext) {  // H2
    LockServer four(Epoch{1});
    for (std::uint32_t client : {1U, 2U}) four.opens(client);
    for (std::uint32_t client : {1U, 2U}) four.asks(client, 2);
    four.now += four.config.session / 2;
    KeepAlive still = four.call(2, 3, false);
    still.wanted.push_back({"x", {2}, {}, {}});
    four.receives(2, still);
    four.now = Instant(four.config.outlives(four.config.session));
    four.expires(locks::SessionsDue{});
    ASSERT_NE(four.sends<Grant>(), nullptr);
    EXPECT_EQ(four.sends<Grant>()->session, LockServer::session(2));
}

TEST(LockHoles, ACopyOfAWishThatWasGivenUpIsNotServed) {  // H5
    LockServer four(Epoch{1});
    four.opens(1);
    four.asks(1, 2);
    four.releases(1, 3, 2);
    four.asks(1, 2);
    EXPECT_EQ(four.sends<Grant>(), nullptr);
    four.happens(LeaderIs{NodeId{4}, Epoch{2}});
    four.asks(1, 5);  // in the words of epoch 1
    EXPECT_EQ(four.sends<Grant>(), nullptr);
}

TEST(LockHoles, AReleaseThatOvertakesItsWishClosesIt) {  // H6
    LockServer four(Epoch{1});
    four.opens(1);
    four.releases(1, 3, 2);
    four.asks(1, 2);
    EXPECT_EQ(four.sends<Grant>(), nullptr);
    EXPECT_FALSE(four.state.office->locks.contains("x"));
}

TEST(LockHoles, AReportThatWasOvertakenByAReleaseEndsNoSession) {  // H6
    LockServer four(Epoch{1});
    four.opens(1);
    four.asks(1, 2);
    KeepAlive before = four.call(1, 3, false);
    before.held.push_back({"x", {2}, {}, Token{Epoch{1}, 1}});
    four.releases(1, 4, 2);
    four.receives(1, before);
    EXPECT_EQ(four.sends<SessionGone>(), nullptr);
    EXPECT_NE(four.sends<Kept>(), nullptr);
    EXPECT_FALSE(four.state.office->locks.contains("x"));
}

TEST(LockHoles, WhoComesAfterTheRecoveryMustDropWhatItHolds) {  // H12
    LockServer four(Epoch{4});
    four.now = Instant(four.config.outlives(four.config.longest));
    four.expires(locks::RecoveryOver{});
    KeepAlive late = four.call(1, 9, false);
    late.held.push_back({"x", {5}, {}, Token{Epoch{3}, 6}});
    four.receives(1, late);
    EXPECT_NE(four.sends<SessionGone>(), nullptr);
    EXPECT_FALSE(four.state.office->locks.contains("x"));
}

TEST(LockHoles, OnlyAClosedSetOfClientsNeedsNoWait) {  // H15
    for (const bool closed : {true, false}) {
        LockServer four(Epoch{4});
        four.config.closed = closed;
        for (std::uint32_t member : {1U, 2U, 3U}) four.receives(member, Idle{Epoch{4}});
        EXPECT_EQ(four.state.office->serving, closed);
    }
}

TEST(LockHoles, ANewNumberOfTheSameLeadershipKeepsTheTable) {  // H17
    LockServer four(Epoch{1});
    for (std::uint32_t client : {1U, 2U}) four.opens(client);
    for (std::uint32_t client : {1U, 2U}) four.asks(client, 2);
    four.happens(LeaderIs{NodeId{4}, four.epoch = Epoch{3}});
    EXPECT_NE(four.sends<Recover>(), nullptr);
    EXPECT_TRUE(four.state.office->serving);
    four.releases(1, 3, 2);
    ASSERT_NE(four.sends<Grant>(), nullptr);
    EXPECT_EQ(four.sends<Grant>()->session, LockServer::session(2));
    EXPECT_EQ(four.sends<Grant>()->token, (Token{Epoch{3}, 2})) << "larger, and never used before";
}

TEST(LockHoles, AClientThatRestartsIsAnotherSession) {  // H21
    LockServer four(Epoch{1});
    four.opens(1);
    four.asks(1, 2);
    KeepAlive reborn = four.call(1, 1);
    reborn.word.session.life = {2};
    reborn.wanted.push_back({"x", {1}, {}, {}});
    four.receives(1, reborn);
    EXPECT_EQ(four.sends<Grant>(), nullptr) << "what its former life may have begun is not over";
    EXPECT_NE(four.sends<Queued>(), nullptr);
}

TEST(LockHoles, WithoutALeaderASessionEndsByItself) {  // H25
    LockClient one;
    one.wants();
    one.is_kept();
    one.is_granted();
    one.happens(LeaderIs{std::nullopt, Epoch{5}});
    one.now = Instant(one.config.session);
    one.expires(locks::SessionOver{});
    EXPECT_NE(one.tells<Ousted>(), nullptr);
    EXPECT_EQ(one.where(), Section::outside);
}

}  // namespace
}  // namespace conclave
