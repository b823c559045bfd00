// elect/quorum_leave_test.cc -- standing down, and stopping cleanly.
#include <gtest/gtest.h>

#include "elect/hand.h"
#include "elect/plans_test.h"
#include "elect/quorum.h"

namespace conclave::quorum {
namespace {

using namespace kit;

Scheduled ask(double when, std::uint32_t whom, const char* what) {
    return {at(when), fault::Ask{node(whom), what}};
}
std::string leader_after(std::vector<Scheduled> asked) {
    Plan plan = started(default_plan(3), {3});
    for (Scheduled& one : asked) plan.schedule.push_back(std::move(one));
    return leader_of_all<Quorum>(plan);
}

TEST(QuorumLeave, ARetiredLeaderHandsOverAndDoesNotStandAgain) {
    EXPECT_EQ(leader_after({}), "3");
    EXPECT_EQ(leader_after({ask(7, 3, "Retire")}), "2");
    EXPECT_EQ(leader_after({ask(7, 3, "Retire"), ask(200, 2, "Retire")}), "1");
}

TEST(QuorumLeave, WhoReturnsMayLeadAgain) {
    const std::vector<Scheduled> asked{ask(7, 3, "Retire"), ask(150, 3, "Return"),
                                       ask(300, 2, "Resign 3")};
    EXPECT_EQ(leader_after(asked), "3");
}

TEST(QuorumLeave, WhoDepartsIsFollowedByTheNextBest) {
    EXPECT_EQ(leader_after({ask(7, 3, "Depart"), {at(40), fault::Crash{node(3)}}}), "2");
}

class Departing : public testing::Test {
protected:
    Departing() { two.receives(3, RequestVote{Epoch{1}, {0, NodeId{3}}, Nonce{1}, {}, {}}); }

    static std::optional<bool> outstanding(const Hand<Quorum>& hand) {
        const auto* save = hand.saves();
        return save ? std::optional(save->outstanding) : std::nullopt;
    }
    Hand<Quorum> two{2, 3};
};

TEST_F(Departing, AVoterMayStopOnlyWhenItsPromiseHasRunOut) {
    EXPECT_EQ(outstanding(two), true);
    two.is_asked(Depart{});
    EXPECT_FALSE(two.tells<Departed>());
    EXPECT_EQ(outstanding(two), std::nullopt);
    two.now += two.config.lease;
    two.expires(PromiseOver{});
    EXPECT_TRUE(two.tells<Departed>());
    EXPECT_EQ(outstanding(two), false);
}

TEST_F(Departing, AVoterThatIsReleasedMayStopAtOnce) {
    two.receives(3, Renew{Epoch{1}, Nonce{2}, {0, NodeId{3}}, {}});
    two.is_asked(Depart{});
    EXPECT_FALSE(two.tells<Departed>());
    two.receives(3, Release{Epoch{1}});
    EXPECT_TRUE(two.tells<Departed>());
    EXPECT_EQ(outstanding(two), false);
}

TEST_F(Departing, AVoterThatStopsPromisesNothingAnyMore) {
    two.is_asked(Depart{});
    two.receives(3, Renew{Epoch{1}, Nonce{2}, {0, NodeId{3}}, {}});
    EXPECT_FALSE(two.sends<Renewed>());
    two.now += two.config.lease;
    two.expires(PromiseOver{});
    two.receives(1, RequestVote{Epoch{2}, {0, NodeId{1}}, Nonce{1}, {}, {}});
    EXPECT_FALSE(two.sends<Grant>());
    EXPECT_TRUE(two.sends<Refusal>());
}

TEST_F(Departing, AReleasedVoterMayStopAtOnce) {
    two.receives(3, Release{Epoch{1}});
    two.is_asked(Depart{});
    EXPECT_TRUE(two.tells<Departed>());
    EXPECT_EQ(outstanding(two), false);
}

}  // namespace
}  // namespace conclave::quorum
