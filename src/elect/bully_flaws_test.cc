// elect/bully_flaws_test.cc -- what each of the bully's fixes is for, and what none of them can
// mend.
#include <gtest/gtest.h>

#include <string>

#include "elect/bully.h"
#include "elect/hand.h"
#include "elect/plans_test.h"

namespace conclave {
namespace {

using kit::and_then;
using kit::at;
using kit::breaks;
using kit::node;
using kit::sent;
using kit::without;

// BYT-1, BY-12, BY-13, M-BY-1: 3 claims, and 4 is back and claims; who hears 3 last follows 3.
TEST(BullyFlaws, WithoutEpochsWhoSpokeLastIsBelieved) {
    Hand<Bully> two(2, 4), printed(2, 4, {Bully::epochs});
    for (auto* one : {&two, &printed}) {
        one->receives(4, Bully::Coordinator{Epoch{1}, Key{0, node(4)}});
        one->receives(3, Bully::Coordinator{Epoch{1}, Key{0, node(3)}});
    }
    EXPECT_EQ(two.state.elected({}), node(4));
    EXPECT_EQ(two.sends<Bully::Coordinator>()->key.node, node(4))
        << "3 is told that it is outdated";
    EXPECT_EQ(printed.state.elected({}), node(3));
}

// A restarted node must not claim in an epoch that is over.
TEST(BullyFlaws, EpochsOutliveACrash) {
    Plan plan = and_then(default_plan(3), 20, fault::Crash{node(3)});
    plan = and_then(plan, 60, fault::Restart{node(3)});
    plan.trace = true;
    const Report report = kit::run<Bully>(plan);
    EXPECT_NE(report.trace.find("3 saves Durable(2)"), std::string::npos) << report.trace;
    EXPECT_EQ(report.leaders.front().second, node(3));
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

// BYT-2, BY-18: cut in two, both halves have a leader, with all the fixes there are.
TEST(BullyFlaws, PartitionMakesTwoLeadersOfTwoNodes) {
    Plan plan = default_plan(2);
    plan.oracle.reliable = false;
    plan = and_then(plan, 20, fault::Cut{node(1), node(2)});
    plan = and_then(plan, 20, fault::Cut{node(2), node(1)});
    plan.until = 60 * unit;
    for (const auto& [self, named] : kit::run<Bully>(plan).leaders) EXPECT_EQ(named, self);
}

// BYT-3, M-BY-3: the answer to 1 is late, 1 claims; 2, alive, is told so by 3.
TEST(BullyFlaws, WithoutLowerClaimALateAnswerDeposesTheBestForGood) {
    Hand<Bully> three(3, 3), printed(3, 3, {Bully::lower_claim});
    for (auto* one : {&three, &printed}) {
        one->state.bystander = false;  // it has taken part in elections before
        one->receives(2, Bully::Coordinator{Epoch{5}, Key{0, node(2)}});
    }
    EXPECT_EQ(three.state.elected({}), node(3)) << "it claims in its turn";
    EXPECT_EQ(three.sends<Bully::Coordinator>()->epoch, Epoch{6});
    EXPECT_EQ(printed.state.elected({}), node(2));
}

// BYT-4, BY-19: k who notice late make k elections, or k answers.
TEST(BullyFlaws, WithoutReannounceLateCallersMakeAStorm) {
    constexpr std::uint32_t n = 8;
    Plan plan = kit::started(default_plan(n), {n - 1});
    plan.down = {node(n)};
    for (std::uint32_t late = 1; late < n - 1; ++late) {
        plan = and_then(plan, 20 * late, fault::Call{node(n - 1 - late)});
    }
    const Report calm = kit::run<Bully>(plan);
    const Report storm = kit::run<Bully>(without(plan, {"reannounce"}));
    EXPECT_EQ(calm.changes, 1U);
    EXPECT_EQ(storm.changes, 1U + n - 2) << "the leader is elected again for each of them";
    EXPECT_EQ(sent(calm, "Coordinator"), n - 2) << "what it repeats is not counted";
    EXPECT_EQ(sent(storm, "Coordinator"), (n - 1) * (n - 2));
}

// BYT-5, M-BY-5: 1 is the best just now, and only 1 knows. If ids decide who is asked, 2 wins.
TEST(BullyFlaws, WithoutReceiverDecidesStaleViewsPickTheLeader) {
    Plan plan = kit::started(default_plan(3), {1, 2, 3});
    plan.settings.live_attribute = true;
    plan.starts = {{.node = node(1), .attribute = 9}};
    const Report good = kit::run<Bully>(plan);
    EXPECT_EQ(good.leaders.front().second, node(1));
    EXPECT_TRUE(good.violations.empty()) << kit::text(good);
    const Report bad = kit::run<Bully>(without(plan, {"receiver-decides"}));
    EXPECT_FALSE(bad.violations.empty()) << "all answer each other, and nobody wins";
}

// BYT-6: T' must leave the winner its T and two messages.
TEST(BullyFlaws, VictoryTimeoutTooShortBeginsAgainThoughTheWinnerIsOnItsWay) {
    Plan plan = kit::started(default_plan(5), {1});
    plan.down = {node(5)};
    const Report patient = kit::run<Bully>(plan);
    plan.options = {{"victory", "1"}};
    const Report hasty = kit::run<Bully>(plan);
    EXPECT_EQ(patient.total(), 5 * 5 - 5 - 1);  // N^2 - N - 1
    EXPECT_GT(hasty.total(), patient.total() + 10);
    const Bully::Config config = Bully::configure({.tm = 1 * unit, .tp = unit / 2});
    EXPECT_GE(config.victory, config.answer + 2 * unit + unit);
}

// BYT-7, BY-11: a claim that is lost is repeated until it is acknowledged; then work may begin.
TEST(BullyFlaws, WithoutAckALostClaimIsNeverHeard) {
    Plan plan = kit::started(default_plan(3), {3});
    plan = and_then(plan, 0.5, fault::Cut{node(3), node(1)});
    plan = and_then(plan, 1.5, fault::Heal{node(3), node(1)});
    plan.trace = true;
    const Report repeated = kit::run<Bully>(plan);
    EXPECT_TRUE(repeated.violations.empty()) << kit::text(repeated);
    EXPECT_NE(repeated.trace.find("tells Working(1)"), std::string::npos);
    EXPECT_TRUE(breaks(kit::run<Bully>(without(plan, {"ack"})), "all agree"));
}

// BY-10: who joins may just remain a participant and let a lower one rule; then the leader is the
// best of those who were there at the last election.
TEST(BullyFlaws, WhoJoinsMayStayAParticipant) {
    for (const bool call : {true, false}) {
        Plan plan = default_plan(3);
        plan.settings.join = call ? Join::call : Join::stay;
        plan.down = {node(3)};
        plan = and_then(plan, 0, fault::Call{node(1)});
        plan = and_then(plan, 50, fault::Restart{node(3)});
        plan.until = 80 * unit;
        for (const auto& [self, named] : kit::run<Bully>(plan).leaders) {
            EXPECT_EQ(named, node(call ? 3 : 2)) << number(self);
        }
    }
}

// BY-17, BY-21, EL-27: whoever is about to win may crash before it says so; the others run again,
// and when failures stop somebody is elected.
TEST(BullyFlaws, WinnersMayCrashOneAfterTheOther) {
    constexpr std::uint32_t n = 6;
    Plan plan = kit::started(default_plan(n), {1});
    plan.oracle.present = true;
    plan.down = {node(n)};
    double when = 2.5;  // everybody has answered, nobody has claimed
    for (std::uint32_t victim = n - 1; victim > 2; --victim, when += 3) {
        plan = and_then(plan, when, fault::Crash{node(victim)});
    }
    const Report report = kit::run<Bully>(plan);
    for (const auto& [self, named] : report.leaders) EXPECT_EQ(named, node(2)) << number(self);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

}  // namespace
}  // namespace conclave
