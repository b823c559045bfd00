// service/dismissal_test.cc -- an administrator dismisses who holds a lock: it is free when that
// one has stopped, or can no longer believe that it holds it; and how much anybody may ask for.
#include <gtest/gtest.h>

#include <string>

#include "elect/hand.h"
#include "elect/quorum.h"
#include "service/lock_caller.h"
#include "service/lock_view.h"
#include "service/locks.h"
#include "service/succession.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;
using kit::node;
using locks::Acquire;
using locks::Declined;
using locks::Dismiss;
using locks::Farewell;
using locks::GiveUp;
using locks::Grant;
using locks::KeepAlive;
using locks::Kept;
using locks::Limit;
using locks::Lost;
using locks::Obtain;
using locks::Recover;
using locks::Release;
using locks::SessionGone;
using locks::SessionId;
using locks::Token;
using locks::TurnedDown;

// ---- The leader: node 4, with clients 1 to 3. ----

struct Leader : Hand<Locks> {
    Leader() : Hand(4, 4) {
        config.closed = false;
        happens(LeaderIs{node(4), epoch});
        for (std::uint32_t client : {1U, 2U, 3U}) receives(client, call(client, 1));
    }
    static SessionId session(std::uint32_t client) { return {node(client), {1}, {1}}; }
    KeepAlive call(std::uint32_t client, std::uint64_t number) const {
        return {{session(client), epoch, {number}}, {number}, config.session, true, {}, {},
                "client " + std::to_string(client)};
    }
    void asks(std::uint32_t client, std::uint64_t number, const std::string& lock = "x") {
        receives(client, Acquire{{session(client), epoch, {number}}, {lock, {number}, {}, {}}});
    }
    Duration lifetime() const { return config.outlives(config.session); }
    Epoch epoch{1};
};

TEST(Dismissal, FreesNothingBeforeTheHolderHasStopped) {
    Leader four;
    four.asks(1, 2);
    four.asks(2, 2);
    four.is_asked(Dismiss{"x"});
    ASSERT_NE(four.sends<SessionGone>(), nullptr);
    EXPECT_EQ(four.sends<SessionGone>()->session, Leader::session(1));
    EXPECT_TRUE(four.sends<SessionGone>()->dismissed);
    EXPECT_EQ(four.sends<Grant>(), nullptr) << "it may not have heard";
    four.receives(1, Farewell{{Leader::session(1), four.epoch, {3}}});
    ASSERT_NE(four.sends<Grant>(), nullptr);
    EXPECT_EQ(four.sends<Grant>()->session, Leader::session(2));
    EXPECT_EQ(four.sends<Grant>()->token, (Token{Epoch{1}, 2})) << "larger than what it had";
}

TEST(Dismissal, OfWhoNeverHearsOfItTakesUntilItsSessionIsOver) {
    Leader four;
    four.asks(1, 2);
    four.asks(2, 2);
    four.is_asked(Dismiss{"x"});
    four.now += four.config.keep_alive;
    four.receives(2, four.call(2, 3));  // stays alive, and wants nothing: asks again
    four.asks(2, 4);
    four.receives(1, four.call(1, 3));
    EXPECT_EQ(four.sends<Kept>(), nullptr) << "it is renewed no more";
    ASSERT_NE(four.sends<SessionGone>(), nullptr);
    EXPECT_TRUE(four.sends<SessionGone>()->dismissed) << "whenever it asks";
    four.now = Instant(four.lifetime()) - 1ns;
    four.expires(locks::SessionsDue{});
    EXPECT_EQ(four.sends<Grant>(), nullptr) << "it may believe that it holds it";
    four.now += 1ns;
    four.expires(locks::SessionsDue{});
    ASSERT_NE(four.sends<Grant>(), nullptr);
    EXPECT_EQ(four.sends<Grant>()->session, Leader::session(2));
    EXPECT_NE(four.tells<locks::Forfeited>(), nullptr);
}

TEST(Dismissal, EndsWhatTheSessionWaitsForAsWell) {
    Leader four;
    four.asks(1, 2);
    four.asks(2, 2, "y");
    four.asks(1, 3, "y");
    four.asks(3, 2, "y");
    four.is_asked(Dismiss{"x"});
    four.receives(2, Release{{Leader::session(2), four.epoch, {3}}, "y", {2}});
    ASSERT_NE(four.sends<Grant>(), nullptr);
    EXPECT_EQ(four.sends<Grant>()->session, Leader::session(3)) << "1 was before it";
    four.asks(1, 5, "z");
    EXPECT_EQ(four.sends<Grant>(), nullptr);
    EXPECT_NE(four.sends<SessionGone>(), nullptr);
}

TEST(Dismissal, OfWhoLetsGoByItselfIsOverAtOnce) {
    Leader four;
    four.asks(1, 2);
    four.asks(2, 2);
    four.is_asked(Dismiss{"x"});
    four.receives(1, Release{{Leader::session(1), four.epoch, {3}}, "x", {2}});
    EXPECT_NE(four.sends<Grant>(), nullptr);
}

TEST(Dismissal, OfWhatNobodyHoldsIsNothing) {
    Leader four;
    four.is_asked(Dismiss{"x"});
    EXPECT_TRUE(four.effects().empty());
    Hand<Locks> follower(1, 4);
    follower.happens(LeaderIs{node(4), Epoch{5}});
    follower.is_asked(Dismiss{"x"});
    EXPECT_TRUE(follower.effects().empty());
}

TEST(LockList, SaysWhoHoldsAndWhoWaitsInTheOrderOfTheQueue) {
    Leader four;
    four.asks(1, 2);
    four.now += 3ms;
    four.asks(3, 2);
    four.asks(2, 2);
    four.now += 2ms;
    four.asks(2, 3, "y");
    const auto list = locks::list(*four.state.office, four.now, 1 << 20);
    ASSERT_EQ(list.locks.size(), 2U);
    const locks::LockView& x = list.locks.front();
    EXPECT_EQ(x.lock, "x");
    ASSERT_EQ(x.holders.size(), 1U);
    EXPECT_EQ(x.holders[0].name, "client 1");
    EXPECT_EQ(x.holders[0].token, (Token{Epoch{1}, 1}));
    EXPECT_EQ(x.holders[0].since, 5ms);
    ASSERT_EQ(x.waiters.size(), 2U);
    EXPECT_EQ(x.waiters[0].session, Leader::session(3));
    EXPECT_EQ(x.waiters[1].session, Leader::session(2));
    EXPECT_EQ(x.waiters[1].since, 2ms);
    const auto counts = locks::count(*four.state.office);
    EXPECT_EQ(counts.held, 2U);
    EXPECT_EQ(counts.waiting, 2U);
    EXPECT_EQ(counts.sessions, 3U);
    const auto few = locks::list(*four.state.office, four.now, 500);
    EXPECT_EQ(few.locks.size(), 1U);
    EXPECT_EQ(few.total, 2U) << "and says how many there are";
}

// ---- The holder, a guest. ----

struct Dismissed : Hand<LockCaller> {
    Dismissed() : Hand(1, 1) {
        receives(1, Recover{Epoch{5}});
        is_asked(Obtain{"press", {}});
        const KeepAlive asked = *sends<KeepAlive>();
        session = asked.word.session;
        receives(1, Kept{Epoch{5}, session, asked.nonce});
        const auto& wish = asked.wanted.front();
        receives(1, Grant{Epoch{5}, session, "press", wish.request, {Epoch{5}, 1}});
        receives(1, SessionGone{Epoch{5}, session, true});
    }
    SessionId session;
};

TEST(Dismissal, IsConfirmedWhenTheApplicationHasStopped) {
    Dismissed guest;
    EXPECT_NE(guest.tells<Lost>(), nullptr);
    EXPECT_EQ(guest.sends<Farewell>(), nullptr) << "its command may still run";
    EXPECT_EQ(guest.state.client.holds("press", guest.now), nullptr);
    guest.is_asked(GiveUp{"press"});
    ASSERT_NE(guest.sends<Farewell>(), nullptr);
    EXPECT_EQ(guest.sends<Farewell>()->word.session, guest.session);
    guest.is_asked(GiveUp{"press"});
    EXPECT_EQ(guest.sends<Farewell>(), nullptr);
}

TEST(Dismissal, IsNotMentionedToWhoseSessionMerelyRanOut) {
    Dismissed guest;
    guest.is_asked(GiveUp{"press"});
    guest.is_asked(Obtain{"press", {}});
    const KeepAlive again = *guest.sends<KeepAlive>();
    EXPECT_NE(again.word.session, guest.session);
    guest.receives(1, SessionGone{Epoch{5}, again.word.session});
    guest.is_asked(GiveUp{"press"});
    EXPECT_EQ(guest.sends<Farewell>(), nullptr);
}

// ---- All of them. ----

// Whoever is inside is dismissed again and again, over links that lose a fifth of all messages:
// some hear of it at once, some not before they would have stopped anyway. K1 and K2 are judged.
TEST(Dismissal, LeavesOneHolderAtATimeAndGrowingTokens) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
        Plan plan = default_plan(4);
        plan.seed = seed;
        plan.workload.requests = 10;
        plan.workload.hold_least = unit;
        plan.workload.hold_most = 60 * unit;
        plan.adversary.loss = 0.2;
        plan.adversary.calm = 2000 * unit;
        for (int at = 20; at < 2000; at += 10) {
            for (std::uint32_t whom = 1; whom <= 4; ++whom)
                plan.schedule.push_back({kit::at(at), fault::Ask{node(whom), "Dismiss"}});
        }
        const Report report = kit::run<Stack<Quorum, Locks>>(plan);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        EXPECT_GT(report.turns->entries, 10U);
        const auto farewells = [&] {
            for (const auto& one : report.messages) {
                if (one.type == "Farewell") return one.sent;
            }
            return std::uint64_t{0};
        };
        EXPECT_GT(farewells(), 0U);
    }
}

// ---- Bounds. ----

TEST(LockLimits, AGuestBeyondTheMostIsToldSoAndDoesNotComeBack) {
    Leader four;
    const auto guest = [&](std::uint64_t life) {
        KeepAlive call = four.call(1, 1);
        call.word.session = {NodeId{}, {life}, {1}};
        call.wanted.push_back({"x", {1}, {}, {}});
        return call;
    };
    std::uint64_t life = 1;
    while (four.state.office->sessions.size() < locks::most_sessions)
        four.receives(1, guest(life++));
    four.receives(1, guest(life));
    ASSERT_NE(four.sends<Declined>(), nullptr);
    EXPECT_EQ(four.sends<Declined>()->limit, Limit::sessions);
    four.receives(1, guest(1));
    EXPECT_NE(four.sends<Kept>(), nullptr) << "who is there stays there";
    four.receives(2, four.call(2, 2));
    EXPECT_NE(four.sends<Kept>(), nullptr) << "so does a member";

    Hand<LockCaller> caller(1, 1);
    caller.receives(1, Recover{Epoch{5}});
    caller.is_asked(Obtain{"press", {}});
    const SessionId session = caller.sends<KeepAlive>()->word.session;
    caller.receives(1, Declined{Epoch{5}, session, Limit::sessions});
    ASSERT_NE(caller.tells<TurnedDown>(), nullptr);
    EXPECT_EQ(caller.tells<TurnedDown>()->lock, "press");
    EXPECT_EQ(caller.sends<KeepAlive>(), nullptr);
}

TEST(LockLimits, AClientAsksForNoMoreThanFits) {
    Hand<LockCaller> caller(1, 1);
    caller.receives(1, Recover{Epoch{5}});
    for (std::size_t at = 0; at < locks::most_locks; ++at) {
        caller.is_asked(Obtain{"lock " + std::to_string(at), {}});
        EXPECT_EQ(caller.tells<TurnedDown>(), nullptr);
    }
    caller.is_asked(Obtain{"one more", {}});
    ASSERT_NE(caller.tells<TurnedDown>(), nullptr);
    EXPECT_EQ(caller.tells<TurnedDown>()->limit, Limit::locks);
    caller.is_asked(GiveUp{"lock 7"});
    caller.is_asked(Obtain{std::string(locks::longest_name + 1, 'x'), {}});
    ASSERT_NE(caller.tells<TurnedDown>(), nullptr);
    EXPECT_EQ(caller.tells<TurnedDown>()->limit, Limit::name);
    caller.is_asked(Obtain{std::string(locks::longest_name, 'x'), {}});
    EXPECT_EQ(caller.tells<TurnedDown>(), nullptr);
}

TEST(LockLimits, TheLeaderCountsAgain) {
    Leader four;
    for (std::size_t at = 0; at < locks::most_locks; ++at)
        four.asks(1, 2 + at, "lock " + std::to_string(at));
    EXPECT_EQ(four.sends<Declined>(), nullptr);
    four.asks(1, 1000, "one more");
    ASSERT_NE(four.sends<Declined>(), nullptr);
    EXPECT_EQ(four.sends<Declined>()->limit, Limit::locks);
    KeepAlive greedy = four.call(2, 2);
    for (std::size_t at = 0; at <= locks::most_locks; ++at)
        greedy.wanted.push_back({"other " + std::to_string(at), {at + 1}, {}, {}});
    four.receives(2, greedy);
    EXPECT_NE(four.sends<Declined>(), nullptr);
    EXPECT_EQ(four.sends<Kept>(), nullptr);
    four.asks(3, 2, std::string(locks::longest_name + 1, 'x'));
    EXPECT_NE(four.sends<Declined>(), nullptr);
    EXPECT_EQ(locks::count(*four.state.office).held, locks::most_locks) << "what it has it keeps";
}

}  // namespace
}  // namespace conclave
