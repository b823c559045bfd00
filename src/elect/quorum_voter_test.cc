// elect/quorum_voter_test.cc -- the parts of the quorum election by themselves: the voter, the
// lease, the arithmetic.
#include "elect/quorum_voter.h"

#include <gtest/gtest.h>

#include "core/value.h"
#include "elect/quorum.h"

namespace conclave::quorum {
namespace {

using namespace std::chrono_literals;

static_assert(Value<Quorum>);
static_assert(Value<Message>);
static_assert(Value<Durable>);

constexpr NodeId one{1}, two{2}, three{3};
Instant at(Duration time) { return Instant(time); }

MemberList three_voters() {
    return MemberList({{.node = one}, {.node = two}, {.node = three, .role = Role::witness}});
}
Config config() {
    Config config;
    config.lease = 20s;
    return config;
}

TEST(QuorumVoter, VotesOncePerEpoch) {
    Voter voter;
    EXPECT_TRUE(voter.vote(one, Epoch{4}, 20s));
    EXPECT_FALSE(voter.vote(one, Epoch{4}, 20s));  // known already: nothing to save
    const auto because = [&](NodeId candidate, Epoch epoch) {
        const auto objection =
            voter.objection(config(), three_voters(), at(1s), {candidate, epoch, {}, {}});
        return objection ? std::optional(objection->why) : std::nullopt;
    };
    EXPECT_EQ(because(one, Epoch{4}), std::nullopt);
    EXPECT_EQ(because(two, Epoch{4}), Refusal::Why::epoch);
    EXPECT_EQ(because(two, Epoch{3}), Refusal::Why::epoch);
    EXPECT_EQ(because(two, Epoch{5}), std::nullopt);
    EXPECT_EQ(because(three, Epoch{5}), Refusal::Why::ineligible);
    EXPECT_EQ(because(NodeId{9}, Epoch{5}), Refusal::Why::ineligible);
}

TEST(QuorumVoter, KeepsItsPromiseUnlessItIsHandedOn) {
    Voter voter;
    voter.vote(one, Epoch{4}, 20s);
    voter.bind(one, at(30s));
    Ask ask{two, Epoch{5}, {}, {}};
    const auto refusal = voter.objection(config(), three_voters(), at(18s), ask);
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->why, Refusal::Why::lease);
    EXPECT_EQ(refusal->retry_after, 12s);
    EXPECT_EQ(refusal->promised, Epoch{4});
    ask.transfer = Transfer{one, Epoch{3}};  // an older hand-over
    EXPECT_TRUE(voter.objection(config(), three_voters(), at(18s), ask));
    ask.transfer = Transfer{two, Epoch{4}};  // not by whom I promised
    EXPECT_TRUE(voter.objection(config(), three_voters(), at(18s), ask));
    ask.transfer = Transfer{one, Epoch{4}};
    EXPECT_FALSE(voter.objection(config(), three_voters(), at(18s), ask));
}

TEST(QuorumVoter, RefusesAnOlderMemberList) {
    Voter voter;
    voter.record.config = {Epoch{2}, 1};
    Ask ask{one, Epoch{1}, {}, {Epoch{1}, 7}};
    const auto refusal = voter.objection(config(), three_voters(), at(0s), ask);
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->why, Refusal::Why::config);
    ask.config = {Epoch{2}, 1};
    EXPECT_FALSE(voter.objection(config(), three_voters(), at(0s), ask));
}

// The first start does not wait; a later one does, for the longest promise ever made.
TEST(QuorumVoter, IsQuietAfterARestartOnly) {
    Voter first;
    first.boot(config(), Durable{}, at(5s));
    EXPECT_FALSE(first.silent());
    first.vote(one, Epoch{1}, 60s);
    first.vote(one, Epoch{2}, 20s);  // the setting was made shorter
    Voter again;
    again.boot(config(), first.record, at(5s));
    ASSERT_TRUE(again.quiet_until);
    EXPECT_EQ(*again.quiet_until, at(65s));
}

// QLT-7: whom it voted for stays on record, the winner has its promise.
TEST(QuorumVoter, FollowsTheWinnerOfAnEpochInWhichItVotedForAnother) {
    Voter voter;
    voter.vote(one, Epoch{1}, 20s);
    EXPECT_FALSE(voter.follow(two, Epoch{1}, 20s));
    EXPECT_EQ(voter.record.voted_for, one);
    EXPECT_TRUE(voter.follow(two, Epoch{2}, 20s));
    EXPECT_EQ(voter.record.voted_for, two);
}

// 10.1: rates of 2 and 3, a promise of 6: 4 may be used.
TEST(QuorumLease, IsShorterThanThePromiseByTheDriftOfBothClocks) {
    Config drifting = config();
    drifting.drift_ppm = 200'000;
    EXPECT_EQ(drifting.usable(6s), 4s);
    drifting.granularity = 2ms;
    EXPECT_EQ(drifting.usable(6s), 4s - 2ms);
    EXPECT_EQ(drifting.at_most(4s), 5s);
    EXPECT_LE(config().at_most(config().usable(100h)), 100h / 1.01);  // and no overflow
    EXPECT_GT(config().usable(100h), 98h);
}

TEST(QuorumLease, EndsWhenNoQuorumIsLeft) {
    Config exact = config();
    exact.drift_ppm = 0;
    const MemberList members({{.node = one}, {.node = two, .weight = 2}, {.node = three}});
    Lease lease;
    lease.start();
    lease.sent(one, exact, Nonce{1}, at(1s));
    EXPECT_EQ(lease.end(members), std::nullopt);
    EXPECT_TRUE(lease.answered(three, exact, Nonce{1}, 20s, at(3s)));
    EXPECT_EQ(lease.end(members), std::nullopt);  // 2 of 4
    lease.sent(one, exact, Nonce{2}, at(5s));
    EXPECT_TRUE(lease.answered(two, exact, Nonce{2}, 20s, at(6s)));
    EXPECT_EQ(lease.end(members), at(25s));  // from when the question was sent
    EXPECT_TRUE(lease.answered(three, exact, Nonce{2}, 10s, at(7s)));
    EXPECT_EQ(lease.end(members), at(25s));  // an earlier end does not shorten what was promised
    EXPECT_FALSE(lease.answered(two, exact, Nonce{7}, 20s, at(8s)));
    EXPECT_TRUE(lease.holds(three, at(20s)));
    EXPECT_FALSE(lease.holds(three, at(21s)));
}

}  // namespace
}  // namespace conclave::quorum
