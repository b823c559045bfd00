// node/sessions_test.cc -- the rules of sessions and of what is lent to them, in made-up time.
#include "node/sessions_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace conclave::node {
namespace {

using How = Sessions::Verdict::How;
using Resigned = Sessions::Resigned;

class SessionsOfANode : public testing::Test {
protected:
    std::string open(Duration ttl = 2s) { return sessions.open("app@host", ttl)->id; }

    // The node wins the lease, in an epoch that nobody had. No two elections are won at once.
    void win(Duration lease = 10s, const std::string& group = "main") {
        node.groups[group].held = Tenure{Epoch{++epoch}, node.time, node.time + lease};
        sessions.changed(group);
    }
    void lose(const std::string& group = "main") {
        node.groups[group].held.reset();
        node.time += 1ns;
        sessions.changed(group);
    }
    // Time passes, and the alarm rings when it is due.
    void pass(Duration length) {
        const Instant end = node.time + length;
        while (node.alarm && *node.alarm <= end) {
            node.time = std::max(node.time, *std::exchange(node.alarm, std::nullopt));
            sessions.tick();
        }
        node.time = end;
    }
    Sessions::Ticket campaign(const std::string& id, const Sessions::Bid& bid = {1h},
                              const std::string& group = "main") {
        return sessions.campaign(id, group, bid,
                                 [this, id](const auto& verdict) { heard[id].push_back(verdict); });
    }
    // What it has heard last; it must have heard something.
    Sessions::Verdict last(const std::string& id) {
        EXPECT_FALSE(heard[id].empty()) << id << " has heard nothing";
        return heard[id].empty() ? Sessions::Verdict{} : heard[id].back();
    }
    std::uint64_t elected_in(const std::string& id) {
        EXPECT_EQ(last(id).how, How::elected);
        return last(id).loan.epoch.value;
    }
    bool leads(const std::string& id) {
        const auto renewal = sessions.renew(id);
        return renewal && !renewal->leading.empty();
    }

    MadeUpNode node;
    Sessions sessions{node, {.ttl = 2s, .sessions = 5}};
    std::uint64_t epoch = 40;
    std::map<std::string, std::vector<Sessions::Verdict>> heard;
};

TEST_F(SessionsOfANode, TheirTimeIsCappedAndTheirNumberBounded) {
    EXPECT_EQ(sessions.open("greedy", 1h)->ttl, 2s);
    EXPECT_EQ(sessions.open("modest", 100ms)->ttl, 100ms);
    for (int more = 0; more < 3; ++more) EXPECT_TRUE(sessions.open("", 2s));
    EXPECT_FALSE(sessions.open("one too many", 2s));
    EXPECT_EQ(sessions.size(), 5u);
    pass(100ms);
    EXPECT_TRUE(sessions.open("there is room again", 2s));
}

TEST_F(SessionsOfANode, AnIdIsLongAndNobodyElses) {
    const std::string one = open(), two = open();
    EXPECT_EQ(one.size(), 32u);
    EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_NE(one, two);
}

TEST_F(SessionsOfANode, ARenewalCountsFromNowAndSaysLessThanThereIs) {
    const std::string id = open(2s);
    for (int again = 0; again < 3; ++again) {
        node.time += 1900ms;
        const auto renewal = sessions.renew(id);
        ASSERT_TRUE(renewal);
        EXPECT_LT(renewal->remaining, 2s);
        EXPECT_GT(renewal->remaining, 1900ms);
    }
}

// The alarm has not rung: whoever asks first finds it gone, and it stays so.
TEST_F(SessionsOfANode, ARenewalThatComesLateIsTooLateWhoeverLookedBefore) {
    const std::string id = open(2s);
    node.time += 2s;
    EXPECT_FALSE(sessions.renew(id));
    EXPECT_FALSE(sessions.end(id));
    campaign(id);
    EXPECT_EQ(last(id).how, How::session_gone);
    EXPECT_EQ(sessions.resign(id, "main"), Resigned::session_gone);
    EXPECT_EQ(sessions.size(), 0u);
}

TEST_F(SessionsOfANode, ANodeStandsWhileSomebodyCampaigns) {
    EXPECT_FALSE(node.groups["main"].standing.wanted);
    const std::string id = open();
    const auto ticket = campaign(id);
    EXPECT_TRUE(node.groups["main"].standing.wanted);
    sessions.withdraw(ticket);
    EXPECT_FALSE(node.groups["main"].standing.wanted);
    EXPECT_TRUE(heard[id].empty());
}

TEST_F(SessionsOfANode, TheFirstThatAskedIsServedWhenTheNodeLeads) {
    const std::string first = open(), second = open();
    campaign(first);
    campaign(second);
    win();
    EXPECT_EQ(elected_in(first), 41u);
    EXPECT_TRUE(heard[second].empty());
    EXPECT_TRUE(leads(first));
    EXPECT_FALSE(leads(second));
    EXPECT_EQ(sessions.borrower("main"), "app@host");
}

TEST_F(SessionsOfANode, TheBestIsServedFirstAndOfEqualsWhoAskedFirst) {
    const std::string plain = open(), good = open(), better = open(), late = open();
    node.groups["main"].attribute = 5;  // what those without a priority count for
    campaign(good, {1h, 3});
    campaign(plain);
    campaign(better, {1h, 9});
    campaign(late, {1h, 9});
    std::vector<std::string> served;
    for (int next = 0; next < 4; ++next) {
        win();
        for (const std::string& id : {plain, good, better, late}) {
            if (leads(id)) served.push_back(id);
        }
        lose();
    }
    EXPECT_EQ(served, (std::vector{better, late, plain, good}));
}

TEST_F(SessionsOfANode, ANodeStandsForTheBestWhoWaits) {
    const Sessions::Standing& standing = node.groups["main"].standing;
    const std::string plain = open(), good = open(), better = open();
    campaign(plain);
    EXPECT_EQ(standing, (Sessions::Standing{true, std::nullopt}));
    campaign(good, {1h, -3});
    EXPECT_EQ(standing.priority, std::nullopt) << "the plain one is better";
    const auto ticket = campaign(better, {1h, 9});
    EXPECT_EQ(standing.priority, 9);
    campaign(good, {1h, 12});
    EXPECT_EQ(standing.priority, 12) << "it asked again, for more";
    win();
    EXPECT_TRUE(leads(good));
    EXPECT_EQ(standing.priority, 9) << "of those who wait";
    sessions.withdraw(ticket);
    EXPECT_EQ(standing, (Sessions::Standing{true, std::nullopt}));
    sessions.end(plain);
    EXPECT_EQ(standing.priority, 12) << "nobody waits";
    sessions.end(good);
    EXPECT_EQ(standing, Sessions::Standing{});
}

TEST_F(SessionsOfANode, WhoeverAsksANodeThatLeadsAnywayIsServedAtOnce) {
    win();
    const std::string id = open();
    campaign(id, {0s});
    EXPECT_EQ(elected_in(id), 41u);
    campaign(id, {0s});
    EXPECT_EQ(heard[id].size(), 2u);
    EXPECT_EQ(elected_in(id), 41u) << "it has it already";
}

TEST_F(SessionsOfANode, TwoCampaignersOfOneNodeNeverGetTheSameEpoch) {
    const std::string first = open(), second = open();
    campaign(first);
    campaign(second);
    win();
    EXPECT_EQ(sessions.resign(first, "main"), Resigned::done);
    EXPECT_EQ(node.groups["main"].resignations, 1);
    EXPECT_TRUE(heard[second].empty());
    EXPECT_TRUE(node.groups["main"].standing.wanted) << "the second one still waits";
    win();
    EXPECT_EQ(elected_in(second), 42u);
}

// The machine may be busy saving: until it has resigned, its lease is nobody's.
TEST_F(SessionsOfANode, ALeaseThatIsBeingGivenUpIsNotLentAgain) {
    node.obeys = false;
    const std::string first = open(), second = open();
    campaign(first);
    win();
    EXPECT_TRUE(sessions.end(first));
    campaign(second);
    sessions.changed("main");
    EXPECT_TRUE(heard[second].empty());
    EXPECT_EQ(node.groups["main"].resignations, 1) << "once is enough";
    lose();
    win();
    EXPECT_EQ(elected_in(second), 42u);
}

TEST_F(SessionsOfANode, ASessionThatEndsWhileItLeadsResigns) {
    const std::string id = open();
    campaign(id);
    win();
    EXPECT_TRUE(sessions.end(id));
    EXPECT_EQ(node.groups["main"].resignations, 1);
    EXPECT_FALSE(node.groups["main"].standing.wanted);
    EXPECT_FALSE(sessions.borrower("main"));
}

TEST_F(SessionsOfANode, ASessionThatExpiresWhileItLeadsResignsAtOnce) {
    const std::string id = open(2s);
    campaign(id);
    win();
    pass(2s - 1ns);
    EXPECT_EQ(node.groups["main"].resignations, 0);
    pass(1ns);
    EXPECT_EQ(node.groups["main"].resignations, 1);
}

TEST_F(SessionsOfANode, ASessionThatExpiresWhileItWaitsIsToldSoAndGivesItsPlaceUp) {
    const std::string first = open(1s), second = open(2s);
    campaign(first);
    campaign(second);
    pass(1s);
    EXPECT_EQ(last(first).how, How::session_gone);
    win();
    EXPECT_EQ(elected_in(second), 41u);
}

TEST_F(SessionsOfANode, WhoIsNotElectedInTimeIsToldSo) {
    const std::string id = open(2s);
    campaign(id, {300ms});
    pass(300ms - 1ns);
    EXPECT_TRUE(heard[id].empty());
    pass(1ns);
    EXPECT_EQ(last(id).how, How::not_in_time);
    EXPECT_FALSE(node.groups["main"].standing.wanted);
}

TEST_F(SessionsOfANode, ALeaseLostAndWonAgainGoesToTheNextInItsNewEpoch) {
    const std::string first = open(), second = open();
    campaign(first);
    campaign(second);
    win();
    lose();
    EXPECT_FALSE(leads(first));
    win();
    EXPECT_EQ(elected_in(second), 42u);
    EXPECT_FALSE(leads(first)) << "it has to ask again";
    EXPECT_EQ(node.groups["main"].resignations, 0);
}

// A node that was asleep has heard of nothing.
TEST_F(SessionsOfANode, ALeaseThatRanOutIsLostByTheClock) {
    const std::string id = open(2s);
    campaign(id);
    win(500ms);
    node.time += 500ms;
    EXPECT_FALSE(leads(id));
}

// The epoch of an office may grow while it is held: what was lent stays valid, and as it was.
TEST_F(SessionsOfANode, AnEpochThatGrowsInOfficeTakesNothingFromItsBorrower) {
    const std::string id = open();
    campaign(id);
    win();
    node.groups["main"].held->epoch = Epoch{99};
    sessions.changed("main");
    const auto renewal = sessions.renew(id);
    ASSERT_TRUE(renewal && renewal->leading.size() == 1);
    EXPECT_EQ(renewal->leading[0].epoch, Epoch{41});
}

TEST_F(SessionsOfANode, WhatIsToldIsWithinSessionAndLease) {
    const std::string id = open(2s);
    campaign(id);
    win(500ms);
    EXPECT_LT(last(id).loan.remaining, 500ms);
    EXPECT_GT(last(id).loan.remaining, 450ms);
    node.groups["main"].held->until = node.time + 10s;
    const auto renewal = sessions.renew(id);
    ASSERT_TRUE(renewal && renewal->leading.size() == 1);
    EXPECT_LT(renewal->leading[0].remaining, 2s);
    EXPECT_GT(renewal->leading[0].remaining, 1900ms);
}

TEST_F(SessionsOfANode, WhoAsksAgainWhileItWaitsKeepsItsPlace) {
    const std::string first = open(), second = open();
    const auto before = campaign(first);
    campaign(second);
    campaign(first);
    EXPECT_EQ(last(first).how, How::asked_again);
    sessions.withdraw(before);  // its connection has gone, the newer one waits
    win();
    EXPECT_EQ(elected_in(first), 41u);
}

// Its turn may come at the same moment: who resigns does not expect to lead.
TEST_F(SessionsOfANode, WhoResignsWhileItWaitsHasResignedNothing) {
    const std::string id = open();
    campaign(id);
    node.groups["main"].held = Tenure{Epoch{41}, node.time, node.time + 10s};
    EXPECT_EQ(sessions.resign(id, "main"), Resigned::not_leading);
    EXPECT_EQ(elected_in(id), 41u);
    EXPECT_TRUE(leads(id));
}

TEST_F(SessionsOfANode, GroupsAreLedOneByOne) {
    const std::string id = open();
    campaign(id, {1h}, "a");
    campaign(id, {1h}, "b");
    win(10s, "b");
    ASSERT_EQ(heard[id].size(), 1u);
    EXPECT_EQ(last(id).loan.group, "b");
    EXPECT_EQ(sessions.resign(id, "a"), Resigned::not_leading);
    EXPECT_TRUE(sessions.end(id));
    EXPECT_EQ(last(id).how, How::session_gone) << "of a";
    EXPECT_EQ(node.groups["b"].resignations, 1);
}

// --- A lease that is given up early: a person resigns, the node is drained, or leaves. -----------

TEST_F(SessionsOfANode, WhatIsNotLentIsGivenUpAtOnce) {
    win();
    bool given_up = false;
    sessions.recall("main", [&] { given_up = true; });
    EXPECT_TRUE(given_up);
    const std::string id = open();
    campaign(id);
    EXPECT_TRUE(heard[id].empty()) << "that lease is on its way out";
}

TEST_F(SessionsOfANode, WhatIsLentIsGivenUpWhenItsBorrowerHasStopped) {
    const std::string id = open();
    campaign(id);
    win();
    bool given_up = false;
    sessions.recall("main", [&] {
        given_up = true;
        node.groups["main"].held.reset();
    });
    EXPECT_FALSE(given_up);
    EXPECT_FALSE(leads(id)) << "so it hears that it must stop";
    EXPECT_FALSE(given_up);
    EXPECT_EQ(sessions.resign(id, "main"), Resigned::done);
    EXPECT_TRUE(given_up);
    EXPECT_EQ(node.groups["main"].resignations, 0) << "who recalled it has seen to it";
}

TEST_F(SessionsOfANode, ABorrowerThatDoesNotAnswerHasTheTimeThatItWasTold) {
    const std::string id = open(2s);
    campaign(id);
    win(500ms);
    node.groups["main"].held->until = node.time + 10s;  // renewed, but the borrower was not told
    bool given_up = false;
    sessions.recall("main", [&] { given_up = true; });
    pass(500ms - 1ns);
    EXPECT_FALSE(given_up);
    pass(1ns);
    EXPECT_TRUE(given_up);
    EXPECT_EQ(node.groups["main"].resignations, 1) << "whatever came of it, the lease is spent";
}

}  // namespace
}  // namespace conclave::node
