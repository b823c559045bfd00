// elect/quorum_members_test.cc -- members come and go while the election runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "elect/hand.h"
#include "elect/plans_test.h"
#include "elect/quorum.h"
#include "sim/dice.h"

namespace conclave::quorum {
namespace {

using namespace kit;

Roster list(std::vector<std::uint32_t> weights) {
    Roster members;
    for (std::uint32_t at = 0; at < weights.size(); ++at) {
        members.push_back({.node = node(at + 1), .weight = weights[at]});
    }
    return members;
}

TEST(QuorumMembers, OneStepOfAnySortLeavesQuorumsThatMeet) {
    EXPECT_TRUE(quorums_meet(list({1, 1, 1}), list({1, 1, 1, 1})));
    EXPECT_TRUE(quorums_meet(list({1, 1, 1, 1}), list({1, 1, 1})));
    EXPECT_TRUE(quorums_meet(list({1, 1, 1}), list({1, 2, 1})));
    EXPECT_FALSE(quorums_meet(list({1, 1, 1, 1, 1}), list({1, 1, 1})));
    EXPECT_FALSE(quorums_meet(list({1, 1, 1, 0}), list({1, 1, 0, 1}))) << "one for another";
    EXPECT_FALSE(quorums_meet(list({1}), list({0}))) << "nobody could ever be elected";
}

TEST(QuorumMembers, ListsThatPassTheTestHaveNoDisjointQuorums) {
    constexpr std::uint32_t lists = 3 * 3 * 3 * 3;
    const auto numbered = [](std::uint32_t number) {
        return list({number % 3, number / 3 % 3, number / 9 % 3, number / 27});
    };
    std::size_t passed = 0;
    for (std::uint32_t one = 0; one < lists; ++one) {
        for (std::uint32_t other = 0; other < lists; ++other) {
            if (!quorums_meet(numbered(one), numbered(other))) continue;
            ++passed;
            ASSERT_FALSE(can_be_disjoint(numbered(one), numbered(other))) << one << " " << other;
        }
    }
    EXPECT_GT(passed, lists);
    EXPECT_TRUE(can_be_disjoint(list({1, 1, 1, 1, 1}), list({1, 1, 1})));
}

// 1 of 1, 2 and 3, elected in epoch 1 by 2.
class QuorumReform : public testing::Test {
protected:
    QuorumReform() {
        one.is_asked(Campaign{});
        one.receives(2, PreGrant{one.state.nonce});
        one.receives(2, Grant{Epoch{1}, one.state.nonce, one.config.lease});
    }
    void acks(std::uint32_t node) {
        one.receives(node, Renewed{Epoch{1}, one.state.nonce, one.config.lease, {}});
        one.receives(node, ConfigAck{one.state.voter.record.config, Epoch{1}});
    }
    ConfigVersion version() const { return one.state.voter.record.config; }
    Role role(std::uint32_t id) const {
        return Electorate(one.state.voter.record.members).find(node(id))->role;
    }
    Hand<Quorum> one{1, 3};
};

TEST_F(QuorumReform, WritesTheListAnewBeforeItChangesIt) {
    ASSERT_TRUE(one.state.office);
    EXPECT_FALSE(one.sends<ConfigPush>()) << "nobody has asked for a change";
    one.is_asked(Expel{node(3)});
    EXPECT_EQ(version(), ConfigVersion(Epoch{1}, 0));
    ASSERT_TRUE(one.saves());
    EXPECT_EQ(one.saves()->members.size(), 3U);
    acks(2);
    EXPECT_EQ(version(), ConfigVersion(Epoch{1}, 1));
    EXPECT_EQ(one.state.voter.record.members.size(), 2U);
}

TEST_F(QuorumReform, CountsOnlyThoseWhoHavePromisedItsEpoch) {
    one.is_asked(Expel{node(3)});
    one.receives(2, ConfigAck{version(), Epoch{}});
    EXPECT_EQ(version(), ConfigVersion(Epoch{1}, 0));
}

TEST_F(QuorumReform, MakesOneChangeAtATime) {
    one.is_asked(Expel{node(3)});
    one.is_asked(Expel{node(2)});
    EXPECT_EQ(one.tells<Refused>()->why, Refused::Why::busy);
}

TEST_F(QuorumReform, CannotBeExpelled) {
    one.is_asked(Expel{node(1)});
    EXPECT_EQ(one.tells<Refused>()->why, Refused::Why::not_eligible);
    one.is_asked(Admit{node(1), Role::witness, 1, {}});
    EXPECT_EQ(one.tells<Refused>()->why, Refused::Why::not_eligible);
}

TEST_F(QuorumReform, TakesANewcomerAsALearnerFirst) {
    one.is_asked(Expel{node(3)});
    for (int step = 0; step < 2; ++step) acks(2);
    EXPECT_TRUE(one.tells<Reformed>()) << "done";
    one.is_asked(Admit{.node = node(3)});
    EXPECT_EQ(version(), ConfigVersion(Epoch{1}, 2));
    EXPECT_EQ(role(3), Role::learner);
    acks(2);
    EXPECT_EQ(version(), ConfigVersion(Epoch{1}, 2)) << "it has not said that it has the list";
    acks(3);
    EXPECT_EQ(version(), ConfigVersion(Epoch{1}, 3));
    EXPECT_EQ(role(3), Role::voter);
}

TEST_F(QuorumReform, NeedNotWaitForANewcomerThatNeverComes) {
    one.is_asked(Expel{node(3)});
    for (int step = 0; step < 2; ++step) acks(2);
    one.is_asked(Admit{.node = node(3)});
    one.is_asked(Expel{node(3)});
    EXPECT_EQ(one.tells<Refused>()->why, Refused::Why::busy) << "the list is not committed";
    acks(2);
    one.is_asked(Expel{node(3)});
    EXPECT_FALSE(one.tells<Refused>());
    EXPECT_EQ(one.state.voter.record.members.size(), 2U);
}

TEST_F(QuorumReform, NeedsAQuorumOfBothListsUntilTheNewOneIsCommitted) {
    one.is_asked(Admit{.node = node(3), .weight = 2});
    acks(2);
    ASSERT_EQ(version(), ConfigVersion(Epoch{1}, 1));
    const Instant before = one.state.office->lease_end;
    one.now += std::chrono::milliseconds(2);
    one.expires(RenewDue{});
    one.receives(2, Renewed{Epoch{1}, one.state.nonce, one.config.lease, {}});
    EXPECT_EQ(one.state.office->lease_end, before) << "1 and 2 are no majority of 1, 1 and 2";
    one.receives(3, Renewed{Epoch{1}, one.state.nonce, one.config.lease, {}});
    EXPECT_GT(one.state.office->lease_end, before);
}

TEST_F(QuorumReform, RefusesAChangeAfterWhichQuorumsNeedNotMeet) {
    one.is_asked(Admit{.node = node(3), .weight = 5});
    acks(2);
    ASSERT_TRUE(one.tells<Refused>());
    EXPECT_EQ(one.tells<Refused>()->why, Refused::Why::not_eligible);
    EXPECT_EQ(version(), ConfigVersion(Epoch{1}, 0));
    EXPECT_FALSE(one.state.reform.wanted);
}

TEST(QuorumMembers, AVoterRefusesAnOlderListAndSendsItsOwn) {
    Hand<Quorum> two{2, 3};
    two.receives(1, ConfigPush{{Epoch{1}, 1}, list({1, 1})});
    ASSERT_TRUE(two.sends<ConfigAck>());
    ASSERT_TRUE(two.saves());
    two.receives(3, RequestVote{Epoch{2}, {0, node(3)}, Nonce{1}, {}, {}});
    ASSERT_TRUE(two.sends<Refusal>());
    EXPECT_EQ(two.sends<Refusal>()->why, Refusal::Why::config);
    ASSERT_TRUE(two.sends<ConfigPush>());
    EXPECT_EQ(two.sends<ConfigPush>()->members.size(), 2U);
    two.receives(3, RequestVote{Epoch{2}, {0, node(3)}, Nonce{1}, {}, {Epoch{1}, 1}});
    EXPECT_EQ(two.sends<Refusal>()->why, Refusal::Why::ineligible) << "3 is out";
}

TEST(QuorumMembers, AnExpelledMemberDoesNotStand) {
    Hand<Quorum> three{3, 3};
    three.receives(1, ConfigPush{{Epoch{1}, 1}, list({1, 1})});
    three.is_asked(Campaign{});
    EXPECT_EQ(three.tells<Refused>()->why, Refused::Why::not_eligible);
}

// Whole groups.

Scheduled ask(double when, std::uint32_t whom, const char* what) {
    return {at(when), fault::Ask{node(whom), what}};
}
Plan group(std::size_t nodes, std::vector<Scheduled> asked) {
    Plan plan = started(default_plan(nodes), {3});
    for (Scheduled& one : asked) plan.schedule.push_back(std::move(one));
    plan.linger = 60 * unit;
    return plan;
}

TEST(QuorumMembers, AGroupThatNeverChangesPaysNothing) {
    const Report report = run<Quorum>(group(3, {}));
    EXPECT_EQ(sent(report, "ConfigPush"), 0U);
    EXPECT_EQ(sent(report, "ConfigAck"), 0U);
}

// 3 leads, 1 and 2 follow, 4 and 5 learn. They become voters, 3 hands over to 2 and is removed, 1
// dies: 4 and 5 have what 2 needs.
TEST(QuorumMembers, AGroupIsReplacedWhileItRuns) {
    Plan plan = group(5, {ask(10, 3, "Admit 4"),
                          ask(30, 3, "Admit 5"),
                          ask(60, 3, "Resign 2"),
                          ask(80, 2, "Expel 3"),
                          {at(120), fault::Crash{node(1)}}});
    plan.members[3].role = plan.members[4].role = Role::learner;
    const Report report = run<Quorum>(plan);
    EXPECT_TRUE(report.violations.empty()) << text(report);
    for (const auto& [who, leader] : report.leaders) {
        EXPECT_EQ(leader, who == node(3) ? std::nullopt : std::optional(node(2))) << number(who);
    }
}

// M-CF-1, as in scenarios/quorum_members_changed_twice_makes_two_leaders.txt.
void part(Plan& plan, double from, double to, const std::vector<std::uint32_t>& side) {
    for (const Member& a : plan.members) {
        for (const Member& b : plan.members) {
            if (std::ranges::count(side, number(a.node)) ==
                std::ranges::count(side, number(b.node)))
                continue;
            plan.schedule.push_back({at(from), fault::Cut{a.node, b.node}});
            plan.schedule.push_back({at(to), fault::Heal{a.node, b.node}});
        }
    }
}
TEST(QuorumMembers, TwoLeadersWhoChangeTheSameListNeedItCommittedFirst) {
    Plan plan = started(default_plan(5), {1});
    plan.options = {{"prevote", "off"}, {"guard", "0"}, {"jitter", "0"}, {"answer", "4"}};
    plan.members[0].priority = 9;
    plan.members[1].priority = 8;
    plan.members[4].role = Role::learner;
    part(plan, 4, 30, {1, 5});
    part(plan, 30, 70, {2, 3});
    plan.schedule.push_back(ask(5, 1, "Admit 5"));
    plan.schedule.push_back(ask(31, 2, "Expel 1"));
    std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
    EXPECT_EQ(wrong_with<Quorum>(plan), "");
    const Report bad = run<Quorum>(without(plan, {"committed-first"}));
    EXPECT_TRUE(breaks(bad, "Q2 at no time two valid leases")) << text(bad);
    EXPECT_TRUE(breaks(bad, "Q7 lists that can elect have quorums that meet")) << text(bad);
}

// Anybody may be asked for anything at any time, while everything that the election survives goes
// wrong as well.
Plan with_changes(std::uint64_t seed) {
    Plan plan = claimed_plan(Quorum::assumes, Kind::election, seed, 6);
    Dice dice(seed ^ 0x3e3bULL);
    for (Member& member : plan.members) {
        if (dice.chance(0.2)) member.role = Role::learner;
    }
    plan.members.front().role = Role::voter;
    const auto somebody = [&] {
        return number(plan.members[dice.below(plan.members.size())].node);
    };
    const std::uint64_t changes = 1 + dice.below(8);
    for (std::uint64_t change = 0; change < changes; ++change) {
        const Instant when(dice.between(Duration{}, plan.adversary.calm));
        std::string request = "Expel " + std::to_string(somebody());
        if (dice.chance(0.6)) {
            request = "Admit " + std::to_string(somebody()) + " " + std::to_string(dice.below(3)) +
                      " " + std::to_string(1 + dice.below(2));
        }
        for (const Member& member : plan.members) {
            plan.schedule.push_back({when, fault::Ask{member.node, request}});
        }
    }
    std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
    return plan;
}

TEST(QuorumMembers, ChangesAmongCrashesRestartsAndPartitionsAreSafe) {
    const auto simulator = make_simulator<Quorum>("tested");
    std::uint64_t pushed = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const Report report = simulator->run(with_changes(seed));
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << text(report);
        pushed += sent(report, "ConfigPush");
    }
    EXPECT_GT(pushed, 1000U) << "hardly anything was changed";
}

}  // namespace
}  // namespace conclave::quorum
