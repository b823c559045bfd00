// service/guests_test.cc -- clients that are no members: what a node does for them, and what they
// do when it is gone.
#include <gtest/gtest.h>

#include "elect/hand.h"
#include "service/lock_caller.h"
#include "service/locks.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;
using kit::node;
using locks::Acquire;
using locks::Busy;
using locks::ForGuest;
using locks::FromGuest;
using locks::GiveUp;
using locks::Grant;
using locks::Granted;
using locks::KeepAlive;
using locks::Kept;
using locks::Lost;
using locks::Obtain;
using locks::Queued;
using locks::Recover;
using locks::Release;
using locks::SessionGone;
using locks::SessionId;
using locks::Token;

const SessionId guest_session{NodeId{}, Incarnation{77}, Round{1}};

KeepAlive greeting(Epoch epoch) {
    KeepAlive call{{guest_session, epoch, Round{1}}, Nonce{1}, 8ms, true, {}, {}};
    call.wanted.push_back({"press", Round{1}, {}, {}});
    return call;
}

template <class W> const W* told_guest(const Hand<Locks>& hand) {
    for (const auto& effect : hand.effects()) {
        const auto* tell = std::get_if<Tell<Locks>>(&effect);
        const auto* answer = tell ? std::get_if<ForGuest>(&tell->notice) : nullptr;
        const auto* word = answer ? std::get_if<W>(&answer->word) : nullptr;
        if (word) return word;
    }
    return nullptr;
}

// ---- A node with guests. ----

TEST(GuestsOfANode, AreHeardByTheLeader) {
    Hand<Locks> host(1, 3);
    host.is_asked(FromGuest{greeting(Epoch{5})});
    EXPECT_EQ(host.sends<KeepAlive>(), nullptr) << "nobody leads";
    host.happens(LeaderIs{node(3), Epoch{5}});
    host.is_asked(FromGuest{greeting(Epoch{5})});
    ASSERT_NE(host.sends<KeepAlive>(), nullptr);
    EXPECT_EQ(host.sends<KeepAlive>()->word.session, guest_session);
}

TEST(GuestsOfANode, HearTheLeaderThroughIt) {
    Hand<Locks> host(1, 3);
    host.happens(LeaderIs{node(3), Epoch{5}});
    host.receives(3, Kept{Epoch{5}, guest_session, Nonce{1}});
    EXPECT_NE(told_guest<Kept>(host), nullptr);
    host.receives(3, Grant{Epoch{5}, guest_session, "press", Round{1}, Token{Epoch{5}, 1}});
    EXPECT_NE(told_guest<Grant>(host), nullptr);
    EXPECT_EQ(host.tells<Granted>(), nullptr) << "it is not this node's own";
}

TEST(GuestsOfANode, OfTheLeaderNeedNoNetwork) {
    Hand<Locks> leader(1, 3);
    leader.happens(LeaderIs{node(1), Epoch{1}});
    leader.is_asked(FromGuest{greeting(Epoch{1})});
    EXPECT_EQ(leader.sends<Kept>(), nullptr);
    EXPECT_NE(told_guest<Kept>(leader), nullptr);
    ASSERT_NE(told_guest<Grant>(leader), nullptr);
    EXPECT_EQ(told_guest<Grant>(leader)->token, (Token{Epoch{1}, 1}));
}

TEST(GuestsOfANode, CannotSpeakForAMember) {
    Hand<Locks> host(1, 3);
    host.happens(LeaderIs{node(3), Epoch{5}});
    KeepAlive forged = greeting(Epoch{5});
    forged.word.session.client = node(2);
    host.is_asked(FromGuest{forged});
    EXPECT_EQ(host.sends<KeepAlive>(), nullptr);
}

TEST(GuestsOfANode, WhoAsksForLongerThanIsAllowedIsTurnedAway) {
    Hand<Locks> leader(1, 3);
    leader.happens(LeaderIs{node(1), Epoch{1}});
    KeepAlive greedy = greeting(Epoch{1});
    greedy.lease = 1h;
    leader.is_asked(FromGuest{greedy});
    EXPECT_NE(told_guest<SessionGone>(leader), nullptr);
    EXPECT_EQ(told_guest<Grant>(leader), nullptr);
}

// ---- A guest. ----

struct Caller : Hand<LockCaller> {
    Caller() : Hand(1, 1) {}  // its session lasts 16 ms, its calls are due every 4
    void is_kept() {
        const KeepAlive asked = *sends<KeepAlive>();
        receives(1, Kept{asked.word.epoch, asked.word.session, asked.nonce});
    }
    void holds_press() {
        receives(1, Recover{Epoch{5}});
        is_asked(Obtain{"press", {}});
        const KeepAlive asked = *sends<KeepAlive>();
        is_kept();
        const auto& wish = asked.wanted.front();
        receives(1, Grant{Epoch{5}, asked.word.session, "press", wish.request, {Epoch{5}, 1}});
        ASSERT_NE(tells<Granted>(), nullptr);
    }
    bool holds() const { return state.client.holds("press", now) != nullptr; }
};

TEST(LockCaller, TakesWhatItHoldsToTheNextNode) {
    Caller guest;
    guest.holds_press();
    guest.happens(LeaderIs{std::nullopt, {}});  // its node is gone
    EXPECT_TRUE(guest.holds());
    guest.now += 3ms;
    guest.receives(1, Recover{Epoch{5}});  // from the next one
    ASSERT_NE(guest.sends<KeepAlive>(), nullptr);
    EXPECT_EQ(guest.sends<KeepAlive>()->held.size(), 1U);
    guest.is_kept();
    guest.now += 14ms;
    EXPECT_TRUE(guest.holds()) << "16 from the last question";
}

TEST(LockCaller, WhoReachesNobodyHasLostItInTime) {
    Caller guest;
    guest.holds_press();
    guest.happens(LeaderIs{std::nullopt, {}});
    guest.now += 16ms;
    EXPECT_FALSE(guest.holds());
    guest.expires(locks::SessionOver{});
    EXPECT_NE(guest.tells<Lost>(), nullptr);
}

TEST(LockCaller, IsToldThatOthersAreFirst) {
    Caller guest;
    guest.receives(1, Recover{Epoch{5}});
    guest.is_asked(Obtain{"press", {}});
    const KeepAlive asked = *guest.sends<KeepAlive>();
    guest.is_kept();
    const Round request = asked.wanted.front().request;
    guest.receives(1, Queued{Epoch{5}, asked.word.session, request, {Epoch{5}, 3}});
    EXPECT_NE(guest.tells<Busy>(), nullptr);
}

// Whoever is idle whenever its call is due keeps its session by asking for something.
TEST(LockCaller, AnOldSessionIsRenewedByTheNextWish) {
    Caller guest;
    guest.holds_press();
    guest.is_asked(GiveUp{"press"});
    EXPECT_NE(guest.sends<Release>(), nullptr);
    guest.is_asked(Obtain{"press", {}});
    EXPECT_NE(guest.sends<Acquire>(), nullptr);
    EXPECT_EQ(guest.sends<KeepAlive>(), nullptr);
    guest.is_asked(GiveUp{"press"});
    guest.now += 4ms;
    guest.is_asked(Obtain{"press", {}});
    EXPECT_EQ(guest.sends<Acquire>(), nullptr);
    EXPECT_NE(guest.sends<KeepAlive>(), nullptr);
}

}  // namespace
}  // namespace conclave
