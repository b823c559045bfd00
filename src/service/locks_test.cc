// service/locks_test.cc -- the lock service, one node at a time and all of them together.
#include "service/locks.h"

#include <gtest/gtest.h>

#include "core/stack.h"
#include "elect/quorum.h"
#include "service/lock_hands_test.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;
using kit::at;
using kit::node;
using locks::Acquire;
using locks::Grant;
using locks::Idle;
using locks::KeepAlive;
using locks::Kept;
using locks::Queued;
using locks::Recover;
using locks::Release;
using locks::Released;
using locks::SessionGone;
using locks::SessionId;
using locks::Terms;
using locks::Token;
using Mode = Terms::Mode;
using OnQuorum = Stack<Quorum, Locks>;

// ---- A client. ----

TEST(LockClient, OpensASessionWithItsFirstWish) {
    LockClient one;
    EXPECT_NE(one.sends<Idle>(), nullptr) << "a new leader wants to know of everybody";
    one.wants();
    EXPECT_TRUE(one.asked.opening);
    EXPECT_EQ(one.asked.wanted.size(), 1U);
    one.is_kept();
    one.is_granted();
    EXPECT_NE(one.tells<Entered>(), nullptr);
    EXPECT_EQ(one.where(), Section::inside);
    one.is_asked(Leave{});
    EXPECT_EQ(one.sends<Release>()->request, one.asked.wanted.front().request);
    EXPECT_EQ(one.where(), Section::outside);
}

TEST(LockClient, AGrantIsNothingWithoutASessionThatIsKept) {
    LockClient one;
    one.wants();
    one.is_granted();
    EXPECT_EQ(one.where(), Section::waiting);
}

TEST(LockClient, ASessionCountsFromWhenItWasAskedFor) {
    for (const bool fixed : {true, false}) {
        LockClient one = fixed ? LockClient() : LockClient({locks::send_time});
        one.wants();
        one.now = Instant(10ms);  // of 16
        one.is_kept();
        one.is_granted();
        one.now = Instant(16ms);
        one.happens(Suspected{node(2)});  // anything
        EXPECT_EQ(one.where(), fixed ? Section::outside : Section::inside);
    }
}

TEST(LockClient, WhatRunsOutIsOverBeforeAnythingElseIsLookedAt) {
    for (const bool fixed : {true, false}) {
        LockClient one = fixed ? LockClient() : LockClient({locks::expire_first});
        one.wants();
        one.is_kept();
        one.is_granted();
        one.now = Instant(4ms);
        one.expires(locks::KeepAliveDue{});
        const KeepAlive second = *one.sends<KeepAlive>();
        one.now = Instant(17ms);  // its timer is late, and an answer comes first
        one.receives(3, Kept{Epoch{5}, second.word.session, second.nonce});
        EXPECT_EQ(one.tells<Ousted>() != nullptr, fixed);
        EXPECT_EQ(one.where(), fixed ? Section::outside : Section::inside) << "it had until 20";
    }
}

TEST(LockClient, TakesNothingFromALeaderBeforeTheOneItAnswered) {
    for (const bool fixed : {true, false}) {
        LockClient one = fixed ? LockClient() : LockClient({locks::epoch_guard});
        one.wants();
        one.is_kept();
        one.receives(2, Recover{Epoch{6}});
        EXPECT_NE(one.sends<KeepAlive>(), nullptr);
        one.is_granted(Epoch{5});
        EXPECT_EQ(one.where(), fixed ? Section::waiting : Section::inside);
    }
}

TEST(LockClient, WhoseSessionIsGoneAsksAnewUnderAnother) {
    LockClient one;
    one.wants();
    one.is_kept();
    one.is_granted();
    one.is_asked(locks::Obtain{"other", {}});
    one.receives(3, SessionGone{Epoch{5}, one.asked.word.session});
    EXPECT_NE(one.tells<Ousted>(), nullptr);
    const KeepAlive* again = one.sends<KeepAlive>();
    ASSERT_NE(again, nullptr);
    EXPECT_TRUE(again->opening);
    EXPECT_TRUE(again->held.empty());
    ASSERT_EQ(again->wanted.size(), 1U);
    EXPECT_EQ(again->wanted.front().lock, "other");
}

TEST(LockClient, TellsUntilItIsHeardThatItHasLetGo) {
    LockClient one;
    one.wants();
    one.is_kept();
    one.is_granted();
    one.is_asked(Leave{});
    one.now = Instant(4ms);
    one.expires(locks::KeepAliveDue{});
    ASSERT_NE(one.sends<KeepAlive>(), nullptr);
    EXPECT_TRUE(one.sends<KeepAlive>()->held.empty());
    one.receives(3, Kept{Epoch{5}, one.asked.word.session, one.asked.nonce});
    one.expires(locks::KeepAliveDue{});
    EXPECT_NE(one.sends<KeepAlive>(), nullptr) << "that answer was to what it said before";
    one.receives(3, Released{Epoch{5}, one.asked.word.session, Round{1}});
    one.expires(locks::KeepAliveDue{});
    EXPECT_EQ(one.sends<KeepAlive>(), nullptr);
}

// ---- The server. ----

TEST(LockServer, GrantsInTheOrderOfAskingWithGrowingTokens) {
    LockServer four(Epoch{1});
    four.opens(1);
    EXPECT_NE(four.sends<Kept>(), nullptr);
    four.opens(2);
    four.asks(1, 2);
    ASSERT_NE(four.sends<Grant>(), nullptr) << "nobody ever led before: there is nothing to ask";
    EXPECT_EQ(four.sends<Grant>()->token, (Token{Epoch{1}, 1}));
    four.asks(2, 2);
    EXPECT_EQ(four.sends<Grant>(), nullptr);
    EXPECT_NE(four.sends<Queued>(), nullptr);
    four.releases(1, 3, 2);
    ASSERT_NE(four.sends<Grant>(), nullptr);
    EXPECT_EQ(four.sends<Grant>()->session, LockServer::session(2));
    EXPECT_EQ(four.sends<Grant>()->token, (Token{Epoch{1}, 2}));
    EXPECT_NE(four.sends<Released>(), nullptr);
}

TEST(LockServer, ReadersShareAndWritersDoNot) {
    LockServer four(Epoch{1});
    for (std::uint32_t client : {1U, 2U}) four.opens(client);
    four.asks(1, 2, {Mode::shared, 1});
    EXPECT_NE(four.sends<Grant>(), nullptr);
    four.asks(2, 2, {Mode::shared, 1});
    EXPECT_NE(four.sends<Grant>(), nullptr);
    four.receives(1, Acquire{{LockServer::session(1), Epoch{1}, {3}}, {"y", {3}, {}, {}}});
    EXPECT_NE(four.sends<Grant>(), nullptr) << "another lock is another matter";
}

TEST(LockServer, AWriterThatWaitsIsNotOvertakenByReaders) {
    LockServer four(Epoch{1});
    for (std::uint32_t client : {1U, 2U, 3U}) four.opens(client);
    four.asks(1, 2, {Mode::shared, 1});
    four.asks(2, 2, {Mode::exclusive, 1});
    four.asks(3, 2, {Mode::shared, 1});
    EXPECT_EQ(four.sends<Grant>(), nullptr);
    four.releases(1, 3, 2);
    EXPECT_EQ(four.sends<Grant>()->session, LockServer::session(2));
}

TEST(LockServer, ASemaphoreHasSoManySlots) {
    LockServer four(Epoch{1});
    for (std::uint32_t client : {1U, 2U, 3U}) four.opens(client);
    const Terms two{Mode::slot, 2};
    four.asks(1, 2, two);
    four.asks(2, 2, two);
    EXPECT_NE(four.sends<Grant>(), nullptr);
    four.asks(3, 2, two);
    EXPECT_EQ(four.sends<Grant>(), nullptr);
    four.releases(1, 3, 2);
    EXPECT_EQ(four.sends<Grant>()->session, LockServer::session(3));
}

TEST(LockServer, GrantsNothingThatSomebodyUnheardOfMayHold) {
    for (const bool fixed : {true, false}) {
        LockServer four =
            fixed ? LockServer(Epoch{4}) : LockServer(Epoch{4}, {locks::recovery_wait});
        EXPECT_NE(four.sends<Recover>(), nullptr);
        four.opens(1);
        four.asks(1, 2);
        EXPECT_EQ(four.sends<Grant>() == nullptr, fixed);
        if (!fixed) continue;
        four.now = Instant(four.config.outlives(four.config.longest));
        four.receives(1, four.call(1, 3));
        four.expires(locks::RecoveryOver{});
        EXPECT_EQ(four.sends<Grant>(), nullptr) << "its report did not want it any more";
        four.asks(1, 4);
        EXPECT_NE(four.sends<Grant>(), nullptr);
    }
}

TEST(LockServer, TakesOverWhatIsHeldAndKeepsPlacesInTheQueue) {
    LockServer four(Epoch{4});
    KeepAlive waiter = four.call(1, 7, false), holder = four.call(2, 9, false);
    waiter.wanted.push_back({"x", {3}, {}, {Epoch{2}, 8}});
    holder.held.push_back({"x", {5}, {}, Token{Epoch{3}, 6}});
    KeepAlive late = four.call(3, 2, false);
    late.wanted.push_back({"x", {1}, {}, {Epoch{2}, 7}});
    four.receives(1, waiter);
    four.receives(2, holder);
    four.receives(3, late);
    four.expires(locks::RecoveryOver{});
    EXPECT_EQ(four.sends<Grant>(), nullptr);
    four.releases(2, 10, 5);
    ASSERT_NE(four.sends<Grant>(), nullptr);
    EXPECT_EQ(four.sends<Grant>()->session, LockServer::session(3))
        << "the older place is first, whoever came first this time";
}

TEST(LockServer, DoesNotTakeUpAgainASessionThatExpired) {
    for (const bool fixed : {true, false}) {
        LockServer four = fixed ? LockServer(Epoch{1}) : LockServer(Epoch{1}, {locks::no_revival});
        four.opens(1);
        four.asks(1, 2);
        four.now = Instant(four.config.outlives(four.config.session));
        KeepAlive back = four.call(1, 3, false);
        back.held.push_back({"x", {2}, {}, Token{Epoch{1}, 1}});
        four.receives(1, back);
        EXPECT_EQ(four.sends<SessionGone>() != nullptr, fixed);
        EXPECT_EQ(four.sends<Kept>() == nullptr, fixed);
    }
}

TEST(LockServer, AWordThatWasOvertakenByALaterOneCountsForNothing) {
    LockServer four(Epoch{1});
    four.opens(1);
    four.receives(1, four.call(1, 4, false));
    four.asks(1, 3);
    EXPECT_EQ(four.sends<Grant>(), nullptr) << "4 did not want it";
}

TEST(LockServer, RepeatsAGrantThatWasNotHeardAndFreesWhatIsNotHeld) {
    LockServer four(Epoch{1});
    four.opens(1);
    four.asks(1, 2);
    KeepAlive still = four.call(1, 3, false);
    still.wanted.push_back({"x", {2}, {}, {}});
    four.receives(1, still);
    ASSERT_NE(four.sends<Grant>(), nullptr);
    EXPECT_EQ(four.sends<Grant>()->token, (Token{Epoch{1}, 1})) << "the same one";
    four.receives(1, four.call(1, 4, false));
    EXPECT_FALSE(four.state.office->locks.contains("x"));
}

TEST(LockServer, NoSessionIsLongerThanWhatANewLeaderWaitsFor) {
    LockServer four(Epoch{1});
    KeepAlive call = four.call(1, 1);
    call.lease = four.config.longest + 1ns;
    four.receives(1, call);
    EXPECT_NE(four.sends<SessionGone>(), nullptr);
    EXPECT_EQ(four.sends<Kept>(), nullptr);
}

// ---- All of them, on the quorum election. ----

// Node 2 enters 20 times, and nobody else wants to.
Report one_asks(bool sticky) {
    Plan plan = default_plan(5);
    plan.workload.requests = 20;
    plan.workload.askers = {node(2)};
    plan.workload.hold_least = plan.workload.hold_most = unit;
    plan.oracle.present = false;
    if (sticky) plan.options.emplace_back("sticky", "true");
    const Report report = kit::run<OnQuorum>(plan);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    EXPECT_EQ(report.turns->entries, 20U);
    return report;
}
std::uint64_t sent(const Report& report, std::string_view type) {
    std::uint64_t sum = 0;
    for (const auto& one : report.messages) {
        if (one.kind == Kind::mutex && one.type == type) sum += one.sent;
    }
    return sum;
}

TEST(LocksOnQuorum, AnEntryCostsThreeMessagesAndAnAnswer) {
    const Report report = one_asks(false);
    // The first wish came with the session.
    EXPECT_EQ(sent(report, "Acquire"), 19U);
    EXPECT_EQ(sent(report, "Grant"), 20U);
    EXPECT_EQ(sent(report, "Release"), 20U);
    EXPECT_EQ(sent(report, "Released"), 20U);
}

TEST(LocksOnQuorum, EnteringAgainCostsNothingWhileNobodyElseWantsTo) {
    const Report report = one_asks(true);
    EXPECT_EQ(sent(report, "Grant"), 1U);
    EXPECT_EQ(sent(report, "Acquire") + sent(report, "Release"), 0U);
}

TEST(LocksOnQuorum, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<OnQuorum>(30); }

}  // namespace
}  // namespace conclave
