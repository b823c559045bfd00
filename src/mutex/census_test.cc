// mutex/census_test.cc -- one member and one leader by hand: what is promised, who inherits.
#include "mutex/census.h"

#include <gtest/gtest.h>

#include "elect/hand.h"
#include "mutex/token_ring.h"

namespace conclave {
namespace {

using Led = TokenRingUnder<Model{Links::hostile, Timing::drifting, Faults::partition}>;
using census::Count;
using census::Counted;
using census::Extend;
using census::Extended;

constexpr Generation first{{1}, {1}, NodeId{3}}, second{{1}, {2}, NodeId{3}};

TEST(Census, AMemberPromisesToTakeNoOlderToken) {
    Hand<Led> member(1, 3);
    member.receives(3, Count{second});
    ASSERT_TRUE(member.sends<Counted>());
    EXPECT_EQ(member.sends<Counted>()->generation, second);
    member.receives(2, Led::Token{{first, {7}}});
    EXPECT_FALSE(member.sends<Led::Token>());
    member.receives(2, Led::Token{{second, {0}}});
    EXPECT_TRUE(member.sends<Led::Token>());
}

TEST(Census, AMemberSaysWhichTokenItHadLast) {
    Hand<Led> member(1, 3);
    member.receives(2, Led::Token{{first, {7}}});
    member.receives(3, Count{second});
    ASSERT_TRUE(member.sends<Counted>());
    EXPECT_EQ(member.sends<Counted>()->last, (Stamp{first, {7}}));
}

// It may be a copy of one that it passed on before it crashed.
TEST(Census, NoTokenOfAGenerationPromisedInAnEarlierLifeIsTaken) {
    Hand<Led> member(1, 3);
    member.state = {};
    member.happens(Booted<Led>{{first}});
    member.receives(3, Count{first});
    member.receives(2, Led::Token{{first, {7}}});
    EXPECT_FALSE(member.sends<Led::Token>());
    member.receives(2, Led::Token{{second, {0}}});
    EXPECT_TRUE(member.sends<Led::Token>());
}

TEST(Census, TheTokenGoesToWhoHadTheNewest) {
    Hand<Led> leader(3, 3);
    leader.happens(LeaderIs{NodeId{3}, {2}});
    ASSERT_TRUE(leader.sends<Count>());
    const Generation mine = leader.sends<Count>()->generation;
    EXPECT_EQ(mine, (Generation{{2}, {1}, NodeId{3}}));
    leader.receives(1, Counted{mine, {first, {7}}});
    EXPECT_FALSE(leader.sends<Led::Token>());
    leader.receives(2, Counted{mine, {first, {6}}});
    ASSERT_TRUE(leader.sends<Led::Token>());
    EXPECT_EQ(leader.sends<Led::Token>()->stamp, (Stamp{mine, {0}}));
    EXPECT_EQ(leader.state.census.heir, NodeId{1});
    leader.receives(2, Counted{mine, {first, {6}}});  // once is enough
    EXPECT_FALSE(leader.sends<Led::Token>());
}

TEST(Census, WhoDoesNotAnswerIsWaitedOutUnlessItHasFailed) {
    Hand<Led> leader(3, 3);
    leader.happens(LeaderIs{NodeId{3}, {2}});
    leader.receives(1, Counted{leader.state.census.generation, {}});
    EXPECT_FALSE(leader.sends<Led::Token>());
    leader.expires(census::Recount{});
    EXPECT_TRUE(leader.sends<Count>());
    leader.expires(census::WaitedOut{});
    EXPECT_TRUE(leader.sends<Led::Token>());

    Hand<Led> told(3, 3);
    told.happens(LeaderIs{NodeId{3}, {2}});
    told.happens(Failed{NodeId{2}});
    told.receives(1, Counted{told.state.census.generation, {}});
    EXPECT_TRUE(told.sends<Led::Token>());
}

TEST(Census, ALeaderCountsAboveWhatSomebodyHasPromisedElsewhere) {
    Hand<Led> leader(3, 3);
    leader.happens(LeaderIs{NodeId{3}, {2}});
    leader.receives(1, Counted{{{9}, {4}, NodeId{2}}, {}});
    ASSERT_TRUE(leader.sends<Count>());
    EXPECT_EQ(leader.sends<Count>()->generation, (Generation{{9}, {5}, NodeId{3}}));
}

TEST(Census, WhoLeadsNoLongerMakesNoTokenAndGrantsNoLease) {
    Hand<Led> leader(3, 3);
    leader.happens(LeaderIs{NodeId{3}, {2}});
    const Generation mine = leader.state.census.generation;
    leader.receives(1, Counted{mine, {}});
    leader.receives(1, Extend{mine, {1}, false});
    EXPECT_TRUE(leader.sends<Extended>());
    leader.happens(LeaderIs{std::nullopt, {2}});
    leader.receives(2, Counted{mine, {}});
    EXPECT_FALSE(leader.sends<Led::Token>());
    leader.receives(1, Extend{mine, {2}, false});
    EXPECT_FALSE(leader.sends<Extended>());
}

TEST(Census, ALeaderThatHasPromisedAnotherMakesNoToken) {
    Hand<Led> leader(3, 3);
    leader.happens(LeaderIs{NodeId{3}, {2}});
    const Generation mine = leader.state.census.generation;
    leader.receives(1, Counted{mine, {}});
    leader.receives(2, Count{{{3}, {1}, NodeId{2}}});
    leader.receives(2, Counted{mine, {}});
    EXPECT_FALSE(leader.sends<Led::Token>());
}

TEST(Census, OnlyWhoHasAnsweredGetsALease) {
    Hand<Led> leader(3, 3);
    leader.happens(LeaderIs{NodeId{3}, {2}});
    const Generation mine = leader.state.census.generation;
    leader.receives(1, Extend{first, {1}, false});
    EXPECT_FALSE(leader.sends<Extended>());
    EXPECT_TRUE(leader.sends<Count>());
    leader.receives(1, Extend{mine, {2}, false});
    EXPECT_FALSE(leader.sends<Extended>());
    leader.receives(1, Counted{mine, {}});
    leader.receives(1, Extend{mine, {3}, false});
    EXPECT_TRUE(leader.sends<Extended>());
}

TEST(Census, AMissingTokenIsCountedForOnlyIfSomebodyWaits) {
    Hand<Led> leader(3, 3);
    leader.happens(LeaderIs{NodeId{3}, {2}});
    const Generation mine = leader.state.census.generation;
    leader.receives(1, Counted{mine, {}});
    leader.receives(2, Counted{mine, {}});
    EXPECT_FALSE(leader.state.census.watching);
    leader.receives(1, Extend{mine, {1}, false});
    EXPECT_TRUE(leader.state.census.watching);
    leader.receives(2, Extend{mine, {1}, true});  // 2 has it
    EXPECT_FALSE(leader.state.census.watching);
}

}  // namespace
}  // namespace conclave
