// elect/garcia_molina_test.cc -- the exact prices of Garcia-Molina's election, its course, and what
// it survives. T = 2 throughout.
#include "elect/garcia_molina.h"

#include <gtest/gtest.h>

#include <vector>

#include "elect/hand.h"
#include "elect/plans_test.h"

namespace conclave {
namespace {

using namespace garcia_molina;
using kit::node;
using kit::sent;
using ThisRun = conclave::Run;  // gtest has a Run of its own

// --- What it costs: d calls, r = N - d nodes are above it.

TEST(GarciaMolina, CostsRSquaredAndSixForEachMemberWhenTheTopNodeIsDead) {
    for (std::uint32_t n = 3; n <= 24; ++n) {
        for (std::uint32_t d = 1; d < n; ++d) {
            Plan plan = kit::started(default_plan(n), {d});
            plan.down = {node(n)};
            const Report report = kit::run<GarciaMolina>(plan);
            const std::uint64_t r = n - d;
            EXPECT_EQ(report.total(), r * r + 6 * (n - 2)) << n << " nodes, called by " << d;
            EXPECT_EQ(report.time, r == 1 ? 8 : 9) << n << " nodes, called by " << d;
            EXPECT_EQ(report.repairs(), 0);
            EXPECT_TRUE(report.agreed);
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        }
    }
}

TEST(GarciaMolina, CostsSixForEachMemberWhenTheTopNodeCalls) {
    for (std::uint32_t n = 2; n <= 24; ++n) {
        const Report report = kit::run<GarciaMolina>(kit::started(default_plan(n), {n}));
        EXPECT_EQ(report.total(), 6 * (n - 1));
        EXPECT_EQ(report.time, 6);  // T + 4
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

TEST(GarciaMolina, CostsRTimesRPlusOneMoreWhenANodeBelowTheTopNodeCalls) {
    for (std::uint32_t n = 2; n <= 24; ++n) {
        for (std::uint32_t d = 1; d < n; ++d) {
            const Report report = kit::run<GarciaMolina>(kit::started(default_plan(n), {d}));
            const std::uint64_t r = n - d;
            EXPECT_EQ(report.total(), r * (r + 1) + 6 * (n - 1));
            EXPECT_EQ(report.time, 7);  // the top node hears of it one unit later
        }
    }
}

// h higher nodes, all dead; b lower ones, a of them alive.
TEST(GarciaMolina, CostsHPlusBPlusFiveAWhenLowerNodesAreDead) {
    constexpr std::uint32_t n = 9;
    for (std::uint32_t caller = 1; caller <= n; ++caller) {
        for (std::uint32_t a = 0; a < caller; ++a) {
            const std::uint32_t h = n - caller, b = caller - 1;
            Plan plan = kit::started(default_plan(n), {caller});
            for (std::uint32_t id = a + 1; id <= n; ++id) {
                if (id != caller) plan.down.push_back(node(id));
            }
            const Report report = kit::run<GarciaMolina>(plan);
            EXPECT_EQ(report.total(), h + b + 5 * a) << caller << " calls, " << a << " lower";
            EXPECT_EQ(report.time, a == 0 ? 0 : h > 0 ? 8 : 6);
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        }
    }
}

// Every candidate asks everybody, those above it answer, and the best halts everybody.
TEST(GarciaMolina, CostsAQuestionToEverybodyPerCandidateByALiveAttribute) {
    for (std::uint32_t n = 2; n <= 12; ++n) {
        for (std::uint32_t d = 1; d <= n; ++d) {
            Plan plan = kit::started(default_plan(n), {d});
            plan.settings.live_attribute = true;
            const Report report = kit::run<GarciaMolina>(plan);
            const std::uint64_t r = n - d;
            EXPECT_EQ(sent(report, "AreYouUp"), (r + 1) * (n - 1)) << n << " nodes, by " << d;
            EXPECT_EQ(sent(report, "UpAnswer"), r * (r + 1) / 2) << n << " nodes, by " << d;
            EXPECT_EQ(report.total(), (r + 1) * (n - 1) + r * (r + 1) / 2 + 6 * (n - 1));
            EXPECT_EQ(report.time, r == 0 ? 8 : 9);  // 2T + 4, 2T + 5
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        }
    }
}

TEST(GarciaMolina, CheckAsksEverybodyElseAndTakesT) {
    constexpr std::uint32_t n = 6;
    Plan plan = kit::started(default_plan(n), {n});
    plan.down = {node(2)};
    plan.options = {{"check", "10"}};
    plan.until = 19 * unit;  // elected at 6, checks from 16 to 18
    const Report report = kit::run<GarciaMolina>(plan);
    EXPECT_EQ(sent(report, "AreYouNormal"), n - 1);
    EXPECT_EQ(sent(report, "NormalAnswer"), n - 2);
    EXPECT_EQ(report.time, 18);
    EXPECT_TRUE(report.agreed);  // nothing was wrong: no new election
}

TEST(GarciaMolina, DetectionCostsOneProbeAndT) {
    for (std::uint32_t n = 3; n <= 12; ++n) {
        Plan plan = kit::started(default_plan(n), {n});
        plan.schedule.push_back({kit::at(7), fault::Crash{node(n)}});
        plan.schedule.push_back({kit::at(8), fault::Suspect{node(n - 1), node(n)}});
        const Report report = kit::run<GarciaMolina>(plan);
        EXPECT_EQ(report.total(), 6 * (n - 1) + 1 + 1 + 6 * (n - 2));
        EXPECT_EQ(report.time, 8 + 2 + 8);  // suspected at 8, T for the probe, 2T + 4
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

TEST(GarciaMolina, TopNodeThatRecoversTakesOverForSixMessagesAMember) {
    for (std::uint32_t n = 3; n <= 12; ++n) {
        Plan plan = kit::started(default_plan(n), {n - 1});
        plan.down = {node(n)};
        plan.schedule.push_back({kit::at(20), fault::Restart{node(n)}});
        plan.schedule.push_back({kit::at(20), fault::Call{node(n)}});
        const Report report = kit::run<GarciaMolina>(plan);
        EXPECT_EQ(report.total(), 1 + 6 * (n - 2) + 6 * (n - 1));
        EXPECT_EQ(report.time, 26);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

// --- Its course.

// Figure 10.8: p3 finds p4 and p5 dead and bullies p1 and p2. The cuts are properties, judged after
// every step.
TEST(GarciaMolina, PassesTheFourCutsOfTheFigure) {
    Plan plan = kit::started(default_plan(5), {3});
    plan.down = {node(4), node(5)};
    const Report report = kit::run<GarciaMolina>(plan);
    EXPECT_EQ(sent(report, "AreYouUp"), 2);
    EXPECT_EQ(sent(report, "UpAnswer"), 0);  // c1 at 2
    for (const auto* type : {"EnterElection", "EnterAnswer", "SetCoordinator", "SetAnswer",
                             "NewState", "StateAnswer"}) {
        EXPECT_EQ(sent(report, type), 2) << type;  // c2 at 4, c3 at 6, c4 at 8
    }
    EXPECT_EQ(report.time, 8);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

TEST(GarciaMolina, StopsEverybodyBeforeItSetsACoordinator) {
    Hand<GarciaMolina> organiser(3, 3);
    organiser.is_asked(Campaign{});
    EXPECT_TRUE(organiser.sends<EnterElection>());
    EXPECT_FALSE(organiser.sends<SetCoordinator>());
    const ThisRun run = organiser.state.halted;
    organiser.receives(1, EnterAnswer{run, {}});
    organiser.receives(2, EnterAnswer{run, {}});
    EXPECT_EQ(organiser.state.phase, Phase::halt);  // all have answered, and it still waits
    organiser.expires(Late{});
    EXPECT_TRUE(organiser.sends<SetCoordinator>());
    organiser.receives(1, SetAnswer{run});
    EXPECT_EQ(organiser.state.phase, Phase::set_coordinator);  // one answer of two is not all
    organiser.receives(2, SetAnswer{run});
    EXPECT_TRUE(organiser.sends<NewState>());
    organiser.receives(2, StateAnswer{run});
    EXPECT_EQ(organiser.state.elected({}), std::nullopt);
    organiser.receives(1, StateAnswer{run});
    EXPECT_EQ(organiser.state.elected({}), node(3));
}

TEST(GarciaMolina, EnterElectionStopsTheWorkAndAnElectionOfOnesOwn) {
    const ThisRun run{{1}, node(3)}, later{{2}, node(3)};
    Hand<GarciaMolina> member(2, 3);
    member.is_asked(Campaign{});
    EXPECT_EQ(member.state.phase, Phase::ask_higher);
    member.receives(3, EnterElection{run, {0, node(3)}});
    EXPECT_EQ(member.state.phase, Phase::idle);
    EXPECT_FALSE(member.tells<StopProcessing>());  // there was no work yet
    member.receives(3, SetCoordinator{run, {1}});
    EXPECT_EQ(member.state.elected({}), std::nullopt);
    member.receives(3, NewState{{run, {node(2), node(3)}, "plan"}});
    EXPECT_EQ(member.tells<Defined>()->definition.plan, "plan");
    EXPECT_EQ(member.tells<LeaderIs>()->leader, node(3));
    member.receives(3, EnterElection{later, {0, node(3)}});
    EXPECT_TRUE(member.tells<StopProcessing>());
    EXPECT_EQ(member.tells<LeaderIs>()->leader, std::nullopt);
}

TEST(GarciaMolina, MemberThatDiesMeanwhileMakesTheOrganiserBeginAnew) {
    Plan plan = kit::started(default_plan(4), {4});
    plan.schedule.push_back({kit::at(3.5), fault::Crash{node(2)}});  // after SetAnswer
    const Report report = kit::run<GarciaMolina>(plan);
    EXPECT_EQ(sent(report, "EnterElection"), 6);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

// The result does not depend on who calls, or on how many do.
TEST(GarciaMolina, HighestOfAllCandidatesErasesTheOthersProgress) {
    for (std::uint32_t n = 2; n <= 5; ++n) {
        for (std::uint32_t callers = 1; callers < 1U << n; ++callers) {
            std::vector<std::uint32_t> ids;
            for (std::uint32_t id = 1; id <= n; ++id) {
                if (callers >> (id - 1) & 1U) ids.push_back(id);
            }
            Plan plan = kit::started(default_plan(n), ids);
            Report report = kit::run<GarciaMolina>(plan);
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
            EXPECT_EQ(report.leaders.front().second, node(n));
            if (ids == std::vector{n}) continue;  // nobody else calls
            plan.down = {node(n)};
            report = kit::run<GarciaMolina>(plan);
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
            EXPECT_EQ(report.leaders.front().second, node(n - 1));
        }
    }
}

TEST(GarciaMolina, PriorityDecidesAndTiesGoToTheHigherId) {
    Plan plan = kit::started(default_plan(5), {1});
    plan.members[1].priority = plan.members[2].priority = 7;
    EXPECT_EQ(kit::run<GarciaMolina>(plan).leaders.front().second, node(3));
}

// Where only a node itself knows its attribute, whoever is asked or ordered compares.
TEST(GarciaMolina, ReceiverDecidesWhoIsHigherByALiveAttribute) {
    Hand<GarciaMolina> asked(2, 3);
    asked.config.live_attribute = true;
    asked.receives(1, AreYouUp{{}, Key{1, node(1)}});
    EXPECT_FALSE(asked.sends<UpAnswer>());
    EXPECT_EQ(asked.state.status, Status::down);
    asked.receives(1, AreYouUp{{}, Key{0, node(1)}});
    EXPECT_TRUE(asked.sends<UpAnswer>());
    EXPECT_EQ(asked.state.phase, Phase::ask_higher);
    asked.receives(1, AreYouUp{{}, std::nullopt});  // whom it follows it asks, high or low
    EXPECT_TRUE(asked.sends<UpAnswer>());
}
TEST(GarciaMolina, OrganiserGivesWayToHigherRunsOnlyByALiveAttribute) {
    const ThisRun run{{1}, node(1)}, later{{2}, node(1)}, other{{1}, node(3)};
    Hand<GarciaMolina> organiser(2, 3);
    organiser.config.live_attribute = true;
    organiser.is_asked(Campaign{});
    organiser.receives(1, EnterElection{run, {-1, node(1)}});
    EXPECT_TRUE(organiser.sends<Rejected>());
    EXPECT_EQ(organiser.state.phase, Phase::ask_higher);
    organiser.receives(1, EnterElection{run, {5, node(1)}});
    EXPECT_EQ(organiser.state.halted, run);
    organiser.receives(3, EnterElection{other, {4, node(3)}});
    EXPECT_TRUE(organiser.sends<Rejected>());
    organiser.receives(1, EnterElection{later, {3, node(1)}});  // its own, now that it is worse
    EXPECT_EQ(organiser.state.halted, later);
    organiser.receives(3, EnterElection{other, {4, node(3)}});
    EXPECT_EQ(organiser.state.halted, other);
}

TEST(GarciaMolina, EpochIsNewerThanAnyAMemberRemembers) {
    Hand<GarciaMolina> organiser(2, 2);
    organiser.is_asked(Campaign{});
    organiser.receives(1, EnterAnswer{organiser.state.halted, Epoch{41}});
    organiser.expires(Late{});
    EXPECT_EQ(organiser.sends<SetCoordinator>()->epoch, Epoch{42});
}

// --- The definition.

TEST(GarciaMolina, CoordinatorAsksItsApplicationForAPlan) {
    Hand<GarciaMolina> organiser(2, 2);
    organiser.config.plan = PlanBy::application;
    organiser.is_asked(Campaign{});
    const ThisRun run = organiser.state.halted;
    organiser.receives(1, EnterAnswer{run, {}});
    organiser.expires(Late{});
    EXPECT_EQ(organiser.tells<PlanWanted>()->members, (NodeSet{node(1), node(2)}));
    organiser.receives(1, SetAnswer{run});
    EXPECT_FALSE(organiser.sends<NewState>());
    organiser.is_asked(Planned{Round{run.round.value - 1}, "of an earlier run"});
    EXPECT_FALSE(organiser.sends<NewState>());
    organiser.is_asked(Planned{run.round, "split the files"});
    EXPECT_EQ(organiser.sends<NewState>()->definition.plan, "split the files");
}

TEST(GarciaMolina, ApplicationWithoutAPlanDoesNotHoldUpTheGroup) {
    Plan plan = kit::started(default_plan(5), {5});
    plan.options = {{"plan", "application"}};
    const Report report = kit::run<GarciaMolina>(plan);
    EXPECT_EQ(report.total(), 24);
    EXPECT_EQ(report.time, 6);
    EXPECT_TRUE(report.agreed);
}

// --- What it survives.

TEST(GarciaMolina, HoldsUnderTheFaultsItClaimsToSurvive) {
    kit::expect_claimed_seeds_hold<GarciaMolina>(300);
}
// What has settled is looked at once in a check period: it takes that long to be undone.
TEST(GarciaMolina, StaysSettledThroughTheNextChecks) {
    const auto simulator = make_simulator<GarciaMolina>("tested");
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Plan plan = claimed_plan(GarciaMolina::assumes, GarciaMolina::claim.kind, seed);
        const Report report = simulator->run(plan);
        const double checks = 2 * in_units(GarciaMolina::configure(plan.settings).silence());
        ASSERT_GE(report.end - *report.agreed_at, checks) << "seed " << seed;
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

// More of everything, a busy Check; then some who never come back, and no detector.
TEST(GarciaMolina, HoldsUnderManyCrashesCallsAndTornSaves) {
    Plan plan = default_plan(1);
    plan.adversary.delay_least = unit / 1000;
    plan.adversary.reorder = true;
    plan.adversary.crashes = 10;
    plan.adversary.torn_saves = 5;
    plan.adversary.calls = 10;
    plan.adversary.restarts = true;
    plan.adversary.calm = 60 * unit;
    plan.oracle.least = unit + unit / 100;
    plan.oracle.most = 2 * unit;
    plan.options = {{"check", "6"}};
    plan.linger = 60 * unit;
    kit::expect_all_seeds_hold<GarciaMolina>(plan, 200, 7);

    plan.adversary.crashes = 3;
    plan.adversary.torn_saves = 0;
    plan.adversary.restarts = false;
    plan.oracle.present = false;
    kit::expect_all_seeds_hold<GarciaMolina>(plan, 200, 7);
}

// They change in the middle of elections, too. Whoever is best when all is quiet leads after the
// next call.
TEST(GarciaMolina, HoldsWhileLiveAttributesChange) {
    const auto simulator = make_simulator<GarciaMolina>("tested");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Plan plan =
            kit::redrawn(claimed_plan(GarciaMolina::assumes, GarciaMolina::claim.kind, seed),
                         [](Adversary& adversary) { adversary.attribute_changes = 12; });
        plan.settings.live_attribute = true;
        for (const Member& member : plan.members) {
            plan.schedule.push_back({kit::at(160), fault::Call{member.node}});
        }
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
