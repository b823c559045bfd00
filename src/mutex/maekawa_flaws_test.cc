// mutex/maekawa_flaws_test.cc -- what each of Maekawa's fixes is for, and the traps beside them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elect/hand.h"
#include "mutex/maekawa.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;
using maekawa::Clock;

Plan asking(std::uint32_t nodes, std::vector<NodeId> askers,
            std::vector<std::string> without = {}) {
    Plan plan = default_plan(nodes);
    plan.oracle.present = false;
    plan.workload.requests = 1;
    plan.workload.askers = std::move(askers);
    plan.without = std::move(without);
    return plan;
}
// Whoever enters stays for 20.
Plan told(std::uint32_t nodes, Schedule schedule, std::vector<std::string> without = {}) {
    Plan plan = asking(nodes, {}, std::move(without));
    plan.workload.requests = 0;
    plan.workload.hold_least = plan.workload.hold_most = 20 * unit;
    plan.schedule = std::move(schedule);
    return plan;
}
bool breaks(const Report& report, std::string_view property) {
    return std::ranges::count(report.violations, property, &Violation::property) > 0;
}

// M-MX-5a, MX-15: 2 votes for 1 while it wants to enter itself; both are inside after 4 messages.
TEST(MaekawaFlaws, WithoutOwnVoteTwoAreInside) {
    const Report printed = kit::run<Maekawa>(asking(3, {node(1), node(2)}, {"own-vote"}));
    ASSERT_TRUE(breaks(printed, "one-inside"));
    EXPECT_EQ(printed.violations.front().at, 2);
    const Report mended = kit::run<Maekawa>(asking(3, {node(1), node(2)}));
    EXPECT_TRUE(mended.violations.empty()) << kit::text(mended);
    EXPECT_EQ(mended.turns->entries, 2U);
}

// M-MX-5b: 3 waits for the vote of 1, which leaves and looks only at what others send it.
TEST(MaekawaFlaws, WithoutOwnQueueWhoWaitsThereWaitsForEver) {
    const Report printed = kit::run<Maekawa>(asking(3, {node(1), node(3)}, {"own-queue"}));
    EXPECT_TRUE(breaks(printed, "nobody-waits"));
    EXPECT_EQ(printed.turns->entries, 1U);
    // Neither fix: 3 is queued because 1 is inside, as printed.
    const Schedule story{{kit::at(0), fault::Ask{node(1), "Enter"}},
                         {kit::at(3), fault::Ask{node(3), "Enter"}}};
    EXPECT_TRUE(
        breaks(kit::run<Maekawa>(told(3, story, {"own-vote", "own-queue"})), "nobody-waits"));
    EXPECT_TRUE(kit::run<Maekawa>(told(3, story, {"own-vote"})).violations.empty());
}

// MX-20, M-MX-6; MX-21, M-MX-7: the sets of the lecture, with queues in any order.
TEST(MaekawaFlaws, WithoutInquireNodes1And2And5Deadlock) {
    for (const char* queues : {"arrival", "ordered"}) {
        Plan plan = asking(7, {node(1), node(2), node(5)}, {"inquire"});
        plan.options = {{"sets", "lecture"}, {"queues", queues}};
        const Report report = kit::run<Maekawa>(plan);
        EXPECT_TRUE(breaks(report, "nobody-waits")) << queues;
        EXPECT_EQ(report.turns->entries, 0U);
        EXPECT_EQ(report.total(), 6U + 3U) << "REQUEST, and the three GRANTs of the lecture";
    }
    Plan plan = asking(7, {node(1), node(2), node(5)});
    plan.options = {{"sets", "lecture"}};
    const Report mended = kit::run<Maekawa>(plan);
    EXPECT_EQ(mended.turns->entries, 3U);
    EXPECT_TRUE(mended.violations.empty()) << kit::text(mended);
}

// MX-20: who waits for whom, from what each of the three knows.
TEST(MaekawaFlaws, DeadlockSaysWhoWaitsForWhom) {
    struct Story {
        std::uint32_t self, grants, missing;
    };
    for (const auto& [self, grants, missing] : {Story{1, 3, 2}, {2, 4, 5}, {5, 6, 1}}) {
        Hand<Maekawa> hand(self, 7);
        hand.config.coterie = make_coterie(Sets::lecture, 7);
        hand.is_asked(Enter{});
        EXPECT_EQ(hand.state.waits_for(), (NodeSet{node(grants), node(missing)}));
        hand.receives(grants, maekawa::Grant{Clock{1}});
        EXPECT_EQ(hand.state.waits_for(), NodeSet{node(missing)});
        hand.receives(missing, maekawa::Grant{Clock{1}});
        EXPECT_EQ(hand.state.waits_for(), NodeSet{});
        EXPECT_EQ(hand.state.section({}), Section::inside);
    }
}

// M-MX-8: 2 is next at 3 when 1 comes before it. Not told, it keeps the votes it is asked for.
TEST(MaekawaFlaws, WithoutDisplacedHeadFailedDeadlocks) {
    std::uint32_t deadlocks = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Plan plan = asking(4, {node(1), node(2), node(3)}, {"displaced-head"});
        plan.options = {{"sets", "majority"}, {"form", "failed"}};
        plan.seed = seed;
        plan.adversary.delay_least = unit / 8;
        plan.adversary.delay_most = 4 * unit;
        deadlocks += breaks(kit::run<Maekawa>(plan), "nobody-waits");
        plan.without.clear();
        const Report mended = kit::run<Maekawa>(plan);
        EXPECT_TRUE(mended.violations.empty()) << "seed " << seed << ":\n" << kit::text(mended);
        plan.options.back().second = "eager";
        plan.without = {"displaced-head"};
        EXPECT_TRUE(kit::run<Maekawa>(plan).violations.empty()) << "eager needs no such word";
    }
    EXPECT_GT(deadlocks, 0U);
}

// A voter restarts while 1 is inside.
TEST(MaekawaFlaws, WithoutDurableVoteAVoterVotesTwice) {
    const Schedule story{
        {kit::at(0), fault::Ask{node(1), "Enter"}},   {kit::at(4), fault::Crash{node(2), false}},
        {kit::at(5), fault::Restart{node(2), false}}, {kit::at(10), fault::Ask{node(2), "Enter"}},
        {kit::at(20), fault::Ask{node(1), "Leave"}},  {kit::at(30), fault::Ask{node(2), "Leave"}}};
    EXPECT_TRUE(breaks(kit::run<Maekawa>(told(3, story, {"durable-vote"})), "one-inside"));
    const Report mended = kit::run<Maekawa>(told(3, story));
    EXPECT_TRUE(mended.violations.empty()) << kit::text(mended);
    EXPECT_EQ(mended.turns->entries, 2U);
}

TEST(MaekawaFlaws, WithoutFreeVotesADeadHolderBlocksItsVoters) {
    const Schedule story{{kit::at(0), fault::Ask{node(1), "Enter"}},
                         {kit::at(4), fault::Crash{node(1), false}},
                         {kit::at(10), fault::Ask{node(2), "Enter"}}};
    for (const bool freed : {false, true}) {
        Plan plan = told(3, story);
        plan.oracle.present = true;
        if (!freed) plan.without = {"free-votes"};
        EXPECT_EQ(breaks(kit::run<Maekawa>(plan), "nobody-waits"), !freed);
    }
}

// 4 waits for the dead 1 and has the vote of 7, which 6 needs.
TEST(MaekawaFlaws, WithoutStepBackOneWhoWaitsForTheDeadBlocksOthers) {
    for (const bool steps_back : {false, true}) {
        Plan plan = asking(7, {node(4), node(6)});
        plan.oracle.present = true;
        plan.down = {node(1)};
        plan.options = {{"sets", "lecture"}, {"reroute", "off"}};
        if (!steps_back) plan.without = {"step-back"};
        EXPECT_EQ(kit::run<Maekawa>(plan).turns->entries, steps_back ? 1U : 0U);
    }
}

// A verdict that is wrong: 1 is inside and loses its votes.
TEST(MaekawaFlaws, FalseVerdictLetsTwoIn) {
    const Schedule story{{kit::at(0), fault::Ask{node(1), "Enter"}},
                         {kit::at(4), fault::Ask{node(2), "Enter"}},
                         {kit::at(8), fault::Fail{node(2), node(1)}}};
    EXPECT_TRUE(breaks(kit::run<Maekawa>(told(3, story)), "one-inside"));
    Schedule suspected = story;
    suspected.back().fault = fault::Suspect{node(2), node(1)};
    EXPECT_FALSE(breaks(kit::run<Maekawa>(told(3, suspected)), "one-inside"));
}

// MX-21 says that ordered queues keep the order of requests. They do so only where two requests
// meet at a voter before the first enters.
TEST(MaekawaFlaws, OrderIsNotKept) {
    std::uint32_t kept = 0, broken = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Plan plan = asking(7, {});
        plan.seed = seed;
        plan.adversary.delay_least = unit / 8;
        plan.adversary.delay_most = 5 * unit;
        plan.workload.whispers = 1;
        plan.workload.requests = 3;
        plan.workload.think_most = 20 * unit;
        const Report report = kit::run<Maekawa>(plan);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        ++(report.turns->order_kept.value() ? kept : broken);
    }
    EXPECT_GT(kept, 0U);
    EXPECT_GT(broken, 0U);
}

// --- Settings. -----------------------------------------------------------------------------------

// M-MX-9: checked before anybody votes.
TEST(MaekawaFlaws, SetsThatDoNotMeetAreRefused) {
    auto config = Maekawa::configure({.nodes = 6});
    EXPECT_EQ(Maekawa::refuse(config), std::nullopt);
    config.coterie =
        given_coterie({{0, 1, 2}, {1, 3, 4}, {2, 3, 5}, {0, 2, 3}, {0, 4, 5}, {1, 4, 5}});
    EXPECT_EQ(Maekawa::refuse(config), "voting sets 4 and 6 do not meet");
    const auto simulator = make_simulator<Maekawa>("maekawa");
    Plan plan = asking(8, {});
    plan.options = {{"sets", "lecture"}};
    EXPECT_EQ(simulator->refuse(plan), "voting sets for 7 nodes do not serve 8");
    plan.options = {{"sets", "given"}};
    EXPECT_EQ(simulator->refuse(plan), "voting sets for 0 nodes do not serve 8");
}
TEST(MaekawaFlaws, VotesAreAskedBackOnlyWithOrderedQueues) {
    const auto simulator = make_simulator<Maekawa>("maekawa");
    Plan plan = asking(7, {});
    plan.options = {{"queues", "arrival"}};
    EXPECT_TRUE(simulator->refuse(plan));
    plan.without = {"inquire"};
    EXPECT_FALSE(simulator->refuse(plan));
}

// --- Messages out of order, and from another time. -----------------------------------------------

// Nodes 1 and 2 of three: 1 needs 1 and 2.
TEST(MaekawaTraps, InquiryAheadOfItsGrantWaitsForIt) {
    Hand<Maekawa> one(1, 3);
    one.is_asked(Enter{});
    one.receives(2, maekawa::Inquire{Clock{1}, Incarnation{1}});
    EXPECT_FALSE(one.sends<maekawa::Yield>());
    one.receives(2, maekawa::Grant{Clock{1}});
    EXPECT_EQ(one.state.section({}), Section::inside) << "it was the last vote";
    EXPECT_FALSE(one.sends<maekawa::Yield>()) << "the release will do";
}
TEST(MaekawaTraps, GrantOfARequestLongOverIsGivenBack) {
    Hand<Maekawa> one(1, 3);
    one.receives(2, maekawa::Grant{Clock{1}});
    ASSERT_TRUE(one.sends<maekawa::Release>());
    EXPECT_EQ(one.sends<maekawa::Release>()->clock, Clock{1});
    one.state.clock = Clock{4};
    one.is_asked(Enter{});
    one.receives(2, maekawa::Grant{Clock{1}});
    EXPECT_TRUE(one.sends<maekawa::Release>());
    EXPECT_EQ(one.state.section({}), Section::waiting);
}
// 2 restarts; its new life asks its vote back before its word that 1 has it arrives. Had 1 counted
// on the old one it would give the vote back and then get it again.
TEST(MaekawaTraps, VoteOfAFormerLifeIsNotCountedTwice) {
    Hand<Maekawa> one(1, 7);
    one.config.coterie = make_coterie(Sets::lecture, 7);
    one.is_asked(Enter{});
    one.receives(2, maekawa::Grant{Clock{1}});
    one.happens(Restarted{node(2)});
    EXPECT_TRUE(one.sends<maekawa::Ask>()) << "its queue is lost";
    one.receives(2, maekawa::Inquire{Clock{1}, Incarnation{2}});
    EXPECT_FALSE(one.sends<maekawa::Yield>());
    one.receives(2, maekawa::Grant{Clock{1}});
    EXPECT_TRUE(one.sends<maekawa::Yield>());
    EXPECT_EQ(one.state.waits_for(), (NodeSet{node(2), node(3)}));
}
TEST(MaekawaTraps, YieldMeantForAFormerLifeIsIgnored) {
    Hand<Maekawa> two(2, 3);
    two.receives(1, maekawa::Ask{Clock{5}});
    two.receives(3, maekawa::Ask{Clock{1}});
    EXPECT_TRUE(two.sends<maekawa::Inquire>());
    two.receives(1, maekawa::Yield{Clock{5}, Incarnation{0}});
    EXPECT_FALSE(two.sends<maekawa::Grant>());
    two.receives(1, maekawa::Yield{Clock{5}, Incarnation{1}});
    EXPECT_TRUE(two.sends<maekawa::Grant>());
}
// What the new life of 1 asks may come before its word that the old one is over.
TEST(MaekawaTraps, ReturnedVoidsOnlyWhatWasAskedBefore) {
    Hand<Maekawa> two(2, 3);
    two.receives(1, maekawa::Ask{Clock{1}});
    two.receives(1, maekawa::Ask{Clock{2}});
    two.receives(1, maekawa::Returned{Clock{1}});
    EXPECT_TRUE(two.tells<HolderDied>());
    ASSERT_TRUE(two.sends<maekawa::Grant>());
    EXPECT_EQ(two.sends<maekawa::Grant>()->clock, Clock{2});
}
// A request that follows from another's is later than that, however the application told of it.
TEST(MaekawaTraps, ObservedClockMovesTheOwn) {
    Hand<Maekawa> one(1, 3);
    one.is_asked(Maekawa::Observe{Clock{41}});
    EXPECT_EQ(one.state.stamp(), Clock{41});
    one.is_asked(Enter{});
    EXPECT_EQ(one.sends<maekawa::Ask>()->clock, Clock{42});
}

}  // namespace
}  // namespace conclave
