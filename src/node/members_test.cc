// node/members_test.cc -- who is in the cluster: cards that go around, and hosted elections whose
// members change.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/print.h"
#include "core/value.h"
#include "node/cards.h"
#include "node/village_test.h"

namespace conclave::node {
namespace {

Card card(std::uint32_t id, std::uint64_t version, bool removed = false) {
    return {NodeId{id}, "n" + std::to_string(id), "127.0.0.1:7420", version, removed};
}

TEST(Cards, TheLaterOneCountsInWhateverOrderTheyCome) {
    Cards one, other;
    EXPECT_TRUE(one.take(card(4, 1)));
    EXPECT_TRUE(one.take(card(4, 2, true)));
    EXPECT_FALSE(one.take(card(4, 2, true)));
    EXPECT_TRUE(other.take(card(4, 2, true)));
    EXPECT_FALSE(other.take(card(4, 1)));
    EXPECT_TRUE(one.removed(NodeId{4}));
    EXPECT_TRUE(equal(one.list(), other.list()));
}

TEST(Cards, OfTwoThatWereDrawnAtOnceEverybodyKeepsTheSame) {
    Cards one, other;
    const Card here = one.draw(NodeId{4}, "n4", "127.0.0.1:1", false);
    const Card there = other.draw(NodeId{4}, "n4", "127.0.0.1:2", false);
    for (const Card& each : {here, there}) one.take(each);
    for (const Card& each : {there, here}) other.take(each);
    EXPECT_TRUE(equal(one.list(), other.list()));
}

TEST(Cards, ADrawnOneIsNewsToWhoeverKnowsTheOneBefore) {
    Cards cards;
    ASSERT_TRUE(cards.take(card(4, 7)));
    EXPECT_TRUE(cards.take(cards.draw(NodeId{4}, "n4", "127.0.0.1:7420", true)));
    EXPECT_TRUE(cards.take(cards.draw(NodeId{4}, "n4", "127.0.0.1:7420", false)));
    EXPECT_FALSE(cards.removed(NodeId{4}));
}

TEST(Cards, AreReadBackAsTheyWereAndNothingElseIs) {
    Cards cards, read;
    cards.take(card(9, 1));
    cards.take(card(4, 2, true));
    Bytes bytes = cards.bytes();
    ASSERT_TRUE(read.read(bytes));
    EXPECT_TRUE(equal(read.list(), cards.list()));
    bytes.pop_back();
    EXPECT_FALSE(read.read(bytes));
}

using Why = Refused::Why;
std::string refusal(Why why) { return to_text(Refused{why}); }

class Reforming : public RecordingFolder {
protected:
    void SetUp() override {
        village.emplace(Village::Plan{folder});
        village->run(2s);
        leader = village->leader_by(1).value_or(0);
        ASSERT_NE(leader, 0U);
        other = leader == 1 ? 2 : 1;
    }
    // `said` becomes what the leader says to a change: "done", or why not.
    void reform(const HostedGroup::Reform& wish, std::uint32_t by, std::string& said) {
        village->group(by).reform(wish, [&said](const HostedGroup::Answer& answer) {
            said = !answer.understood ? "?" : answer.refused ? to_text(*answer.refused) : "done";
        });
        village->run(1s);
    }
    std::string reform(const HostedGroup::Reform& wish, std::uint32_t by) {
        std::string said = "-";
        reform(wish, by, said);
        return said;
    }
    void wait_for_nobody(std::string& said) {  // 9 is known, and does not exist
        MemberList known({{NodeId{1}}, {NodeId{2}}, {NodeId{3}}, {NodeId{9}, 0, Role::learner}});
        village->seat(known);
        reform(quorum::Admit{NodeId{9}}, leader, said);
    }
    std::string members(std::uint32_t by) {
        std::string list;
        for (const Member& member : village->group(by).electorate())
            list += to_text(member.node) + " " + to_text(member.role) + ", ";
        return list;
    }

    std::optional<Village> village;
    std::uint32_t leader = 0, other = 0;
};

TEST_F(Reforming, IsDoneWhenTheListStays) {
    EXPECT_EQ(members(leader), "1 voter, 2 voter, 3 voter, ");
    EXPECT_EQ(reform(quorum::Expel{NodeId{other}}, leader), "done");
    EXPECT_EQ(village->group(leader).electorate().size(), 2U);
    EXPECT_FALSE(village->group(leader).may_lead(NodeId{other}));
    EXPECT_EQ(reform(quorum::Admit{NodeId{other}, Role::witness, 1, {}}, leader), "done");
    EXPECT_EQ(village->group(leader).electorate().size(), 3U);
    EXPECT_FALSE(village->group(leader).may_lead(NodeId{other}));
}

TEST_F(Reforming, IsRefusedByWhoeverDoesNotLeadAndOfWhoeverDoes) {
    EXPECT_EQ(reform(quorum::Expel{NodeId{leader}}, other), refusal(Why::not_leader));
    EXPECT_EQ(reform(quorum::Expel{NodeId{leader}}, leader), refusal(Why::not_eligible));
    EXPECT_EQ(reform(quorum::Admit{NodeId{9}}, leader), refusal(Why::unreachable));
}

TEST_F(Reforming, AWishThatWaitsForSomebodyGivesWayToTheNext) {
    std::string first = "-";
    wait_for_nobody(first);
    EXPECT_EQ(first, "-") << "9 does not exist";
    EXPECT_EQ(reform(quorum::Expel{NodeId{9}}, leader), "done");
    EXPECT_EQ(first, refusal(Why::stale_epoch));
    EXPECT_EQ(members(leader), "1 voter, 2 voter, 3 voter, ");
}

TEST_F(Reforming, IsOverWhenItsLeaderResignsAndTheResignationIsNotRefused) {
    std::string said = "-";
    wait_for_nobody(said);
    EXPECT_FALSE(village->ask(leader, Resign{}).refused);
    EXPECT_EQ(said, refusal(Why::not_leader));
    village->run(1s);
    EXPECT_NE(village->leader_by(leader), leader);
}

}  // namespace
}  // namespace conclave::node
