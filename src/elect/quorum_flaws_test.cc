// elect/quorum_flaws_test.cc -- what each repair of the quorum election is for: a world that goes
// wrong without it, and right with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "elect/quorum.h"
#include "sim/dice.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;

constexpr const char* q1 = "Q1 one winner per epoch";
constexpr const char* q2 = "Q2 at no time two valid leases";
constexpr const char* q5 = "Q5 a promise is kept to its end";
constexpr const char* q6 = "Q6 a released epoch is over";
constexpr const char* settles = "one leads and all know";

bool violated(const Report& report, std::string_view property) {
    return std::ranges::any_of(report.violations,
                               [&](const Violation& one) { return one.property == property; });
}
// In a traced run: whether this node ever told that nobody leads.
bool lost_office(const Report& report, std::uint32_t id) {
    const std::string start = "\n" + std::to_string(id) + " ";
    for (auto from = report.trace.find(start); from != std::string::npos;
         from = report.trace.find(start, from + 1)) {
        const auto line = report.trace.substr(from, report.trace.find('\n', from + 1) - from);
        if (line.find("LeaderIs(none") != std::string::npos) return true;
    }
    return false;
}
// The same world with the fix and without.
void expect_fix_matters(Plan plan, const std::string& fix, std::vector<const char*> properties) {
    const Report good = kit::run<Quorum>(plan);
    EXPECT_TRUE(good.violations.empty()) << kit::text(good);
    plan.without = {fix};
    const Report bad = kit::run<Quorum>(plan);
    for (const char* property : properties) {
        EXPECT_TRUE(violated(bad, property)) << property << "\n" << kit::text(bad);
    }
}

Plan world(std::size_t nodes, const std::vector<std::uint32_t>& callers) {
    Plan plan = kit::started(default_plan(nodes), callers);
    plan.options = {{"guard", "0"}, {"jitter", "0"}};
    plan.linger = 60 * unit;
    return plan;
}
Plan without_prevote(Plan plan) {
    plan.options.emplace_back("prevote", "off");
    return plan;
}
void at(Plan& plan, double time, Fault fault) {
    plan.schedule.push_back({kit::at(time), std::move(fault)});
    std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
}
void cut_both(Plan& plan, double time, std::uint32_t a, std::uint32_t b) {
    at(plan, time, fault::Cut{node(a), node(b)});
    at(plan, time, fault::Cut{node(b), node(a)});
}
void heal_both(Plan& plan, double time, std::uint32_t a, std::uint32_t b) {
    at(plan, time, fault::Heal{node(a), node(b)});
    at(plan, time, fault::Heal{node(b), node(a)});
}

// M-QL-1, QLT-3: 2 votes for 3 in epoch 1, 3 leads; both crash, 2 comes back and waits, and then
// votes in epoch 1 again, for 1.
Plan voter_restarts() {
    Plan plan = without_prevote(world(3, {}));
    cut_both(plan, 0, 1, 3);
    at(plan, 0, fault::Call{node(3)});
    at(plan, 3, fault::Crash{node(3)});
    at(plan, 3, fault::Crash{node(2)});
    at(plan, 4, fault::Restart{node(2)});
    at(plan, 30, fault::Call{node(1)});
    return plan;
}
TEST(QuorumFlaws, AVoteNotOnDiskElectsTwoInOneEpoch) {
    expect_fix_matters(voter_restarts(), "durable-vote", {q1});
}
// M-QL-9: a wiped disk under the same identity is the same, and no fix can help.
TEST(QuorumFlaws, AWipedDiskElectsTwoInOneEpoch) {
    Plan plan = voter_restarts();
    for (Scheduled& one : plan.schedule) {
        if (auto* restart = std::get_if<fault::Restart>(&one.fault)) restart->amnesia = true;
    }
    EXPECT_TRUE(violated(kit::run<Quorum>(plan), q1));
}

// M-QL-2, QLT-4: 2 promises 3, restarts, and runs at once; 1 never heard of 3.
TEST(QuorumFlaws, APromiseForgottenAtRestartMakesTwoLeaders) {
    Plan plan = without_prevote(world(3, {}));
    cut_both(plan, 0, 1, 3);
    at(plan, 0, fault::Call{node(3)});
    at(plan, 7, fault::Crash{node(2)});
    at(plan, 8, fault::Restart{node(2)});
    at(plan, 9, fault::Call{node(2)});
    expect_fix_matters(plan, "quiet-time", {q2});
}

// M-QL-3, QLT-5: 3 asks for votes, is paused, and finds the answers when 2 has long been elected.
TEST(QuorumFlaws, ALeaseCountedFromTheAnswerMakesTwoLeaders) {
    Plan plan = without_prevote(world(3, {3}));
    at(plan, 1, fault::Pause{node(3)});
    for (std::uint32_t id : {1U, 2U}) cut_both(plan, 2.5, id, 3);
    at(plan, 30, fault::Resume{node(3)});
    expect_fix_matters(plan, "send-time", {q2});
}

// M-QL-4, QLT-6: the voters' clocks run at 3 to the leader's 2, as drift_ppm allows.
Plan rates_three_to_two() {
    Plan plan = without_prevote(world(3, {}));
    plan.options.emplace_back("granularity", "0");
    for (std::uint32_t id : {1U, 2U}) at(plan, 0, fault::Drift{node(id), 200'000});
    at(plan, 0, fault::Drift{node(3), -200'000});
    at(plan, 0, fault::Call{node(3)});
    for (std::uint32_t id : {1U, 2U}) cut_both(plan, 2.5, id, 3);
    return plan;
}
TEST(QuorumFlaws, NoMarginForDriftMakesTwoLeaders) {
    Plan plan = rates_three_to_two();
    plan.options.emplace_back("drift_ppm", "200000");
    expect_fix_matters(plan, "drift-margin", {q2});
}
// What the algorithm cannot survive: clocks that are worse than it was told. The old leader finds
// out as soon as it hears of the new one, and takes no part any more.
TEST(QuorumFlaws, AClockBeyondItsBoundMakesTwoLeadersAndRaisesTheAlarm) {
    Plan plan = rates_three_to_two();
    for (std::uint32_t id : {1U, 2U}) heal_both(plan, 19, id, 3);
    plan.trace = true;
    const Report report = kit::run<Quorum>(plan);
    EXPECT_TRUE(violated(report, q2));
    EXPECT_NE(report.trace.find("3 tells Alarm(2)"), std::string::npos) << report.trace;
}

// M-QL-5: 3 hands over to 2, and goes on until it hears that it worked.
TEST(QuorumFlaws, ALeaderThatReleasesBeforeItStopsMakesTwoLeaders) {
    Plan plan = world(3, {3});
    at(plan, 7, fault::Ask{node(3), "Resign 2"});
    expect_fix_matters(plan, "stop-before-handover", {q2, q6});
}

// M-QL-6, QLT-2, S-29: 3 is elected by 2. 1 did not hear of it and runs; 2 has only promised not to
// run itself.
TEST(QuorumFlaws, APromiseOnlyNotToRunMakesTwoLeaders) {
    Plan plan = without_prevote(world(3, {}));
    cut_both(plan, 0, 1, 3);
    at(plan, 0, fault::Call{node(3)});
    at(plan, 5, fault::Call{node(1)});
    expect_fix_matters(plan, "promise", {q2, q5});
}

// M-QL-7: 1 does not hear the leader, and is asked to run again and again. Its refused requests
// carry 2 away, faster than the leader can fetch it.
TEST(QuorumFlaws, ARefusalThatRaisesTheEpochDeposesAHealthyLeader) {
    Plan plan = without_prevote(world(3, {}));
    plan.options.emplace_back("answer", "2");
    plan.trace = true;
    at(plan, 0, fault::Cut{node(3), node(1)});
    at(plan, 0, fault::Call{node(3)});
    for (int time = 5; time < 100; time += 3) at(plan, time, fault::Call{node(1)});
    const Report good = kit::run<Quorum>(plan);
    EXPECT_TRUE(good.violations.empty()) << kit::text(good);
    EXPECT_FALSE(lost_office(good, 3));
    EXPECT_EQ(good.changes, 1U);
    plan.without = {"refusal-changes-nothing"};
    EXPECT_TRUE(lost_office(kit::run<Quorum>(plan), 3));
}

// M-QL-8: 3 can send but not receive. Its renewals keep 1 and 2 from electing another.
TEST(QuorumFlaws, AnExpiredLeaderThatKeepsRenewingBlocksEverybody) {
    Plan plan = world(3, {3});
    for (std::uint32_t id : {1U, 2U}) at(plan, 10, fault::Cut{node(id), node(3)});
    expect_fix_matters(plan, "stop-renewing", {settles});
}

// M-QL-10: 1 was alone and voted for itself in epochs that nobody else knows.
Plan stranded_voter() {
    Plan plan = without_prevote(world(3, {}));
    for (std::uint32_t id : {2U, 3U}) cut_both(plan, 0, 1, id);
    at(plan, 0, fault::Call{node(3)});
    at(plan, 5, fault::Call{node(1)});
    for (std::uint32_t id : {2U, 3U}) heal_both(plan, 60, 1, id);
    return plan;
}
TEST(QuorumFlaws, AStrandedVoterIsFetchedByAnEpochBumpOrStaysOutside) {
    expect_fix_matters(stranded_voter(), "epoch-bump", {settles});
}
TEST(QuorumFlaws, AnEpochBumpIsNoChangeOfLeader) {
    Plan plan = stranded_voter();
    plan.trace = true;
    const Report report = kit::run<Quorum>(plan);
    EXPECT_NE(report.trace.find("tells EpochChanged(1, "), std::string::npos);
    EXPECT_FALSE(lost_office(report, 3));
}

// etcd 8243: 1 was away and asks with a number that is too low; the witness 3 would elect it.
TEST(QuorumFlaws, APreVoteIgnoredForItsNumberIsStuckForEver) {
    Plan plan = world(3, {2});
    plan.members[2].role = Role::witness;
    plan.down = {node(1)};
    at(plan, 10, fault::Crash{node(2)});
    at(plan, 11, fault::Restart{node(1)});
    at(plan, 40, fault::Call{node(1)});
    expect_fix_matters(plan, "prevote-number", {settles});
}

// etcd 9586: 3 is dead; 1 and 2 both run, and each defends 3 against the other.
TEST(QuorumFlaws, TwoWhoDefendTheirDeadLeaderBlockEachOther) {
    Plan plan = world(3, {3});
    at(plan, 10, fault::Crash{node(3)});
    expect_fix_matters(plan, "clear-leader-view", {settles});
}

// 1 can send but not receive: it is voted for and never knows, again and again. If it takes back
// what it asked for, 2 and 3 need not even wait for their promises to run out.
TEST(QuorumFlaws, ADeafCandidateBlocksEverybody) {
    Plan plan = without_prevote(world(3, {1}));
    for (std::uint32_t id : {2U, 3U}) at(plan, 0.5, fault::Cut{node(id), node(1)});
    expect_fix_matters(plan, "withdraw", {settles});
    EXPECT_EQ(kit::run<Quorum>(plan).agreed_at, 10 + 1 + 3);  // given up, released, elected
}

// Clocks of rates 2 to 3, losses and doubles, delays up to beyond the lease, cuts of all kinds,
// pauses, crashes with a quick return, hand-overs, and settings that leave nothing to luck.
Plan hostile(std::uint64_t seed) {
    Dice dice(seed);
    Plan plan = default_plan(3);
    plan.seed = seed;
    plan.oracle = {true, false, unit, 8 * unit};
    plan.options = {
        {"guard", "0"},    {"granularity", "0"}, {"drift_ppm", "200000"},
        {"answer", "40"},  {"renew", "3"},       {"slot", "0.5"},
        {"jitter", "0.5"}, {"pref_window", "1"}, {"prevote", dice.chance(0.3) ? "on" : "off"}};
    Adversary& adversary = plan.adversary;
    adversary.loss = adversary.duplicate = 0.05;
    adversary.delay_least = unit / 10;
    adversary.delay_most = seed % 2 ? 15 * unit : unit;
    adversary.reorder = adversary.scatter_clocks = adversary.restarts = true;
    adversary.drift_ppm = 200'000;
    adversary.torn_saves = static_cast<std::uint32_t>(dice.below(2));
    adversary.pauses = static_cast<std::uint32_t>(dice.below(4));
    adversary.partitions = 2 + static_cast<std::uint32_t>(dice.below(3));
    adversary.one_way_cuts = static_cast<std::uint32_t>(dice.below(6));
    adversary.calls = 4;
    adversary.false_suspicions = 2;
    adversary.calm = plan.until = 200 * unit;  // safety only
    const std::vector<NodeId> ids{node(1), node(2), node(3)};
    plan.schedule = draw_schedule(adversary, ids, seed);
    const auto some_time = [&] { return in_units(dice.between({}, adversary.calm)); };
    for (int wish = 0; wish < 3; ++wish) {
        const double time = some_time();
        const auto to = dice.below(4);
        const std::string request = to ? "Resign " + std::to_string(to) : "Resign";
        for (NodeId id : ids) at(plan, time, fault::Ask{id, request});  // whoever leads hears it
    }
    for (int crash = 0; crash < 8 && seed % 4 < 2; ++crash) {
        const double time = some_time();
        const NodeId victim = ids[dice.below(3)];
        at(plan, time, fault::Crash{victim});
        at(plan, time + in_units(dice.between({}, 2 * unit)), fault::Restart{victim});
    }
    return plan;
}
void expect_found_by_search(const std::string& fix, const char* property) {
    const auto simulator = make_simulator<Quorum>("tested");
    constexpr std::uint64_t seeds = 4000;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Plan plan = hostile(seed);
        plan.without = {fix};
        if (violated(simulator->run(plan), property)) return;
    }
    ADD_FAILURE() << "without " << fix << " nothing happened in " << seeds << " runs";
}

TEST(QuorumFlaws, RandomFaultsFindEveryFlawOfSafety) {
    expect_found_by_search("durable-vote", q1);
    expect_found_by_search("quiet-time", q2);
    expect_found_by_search("send-time", q2);
    expect_found_by_search("drift-margin", q2);
    expect_found_by_search("stop-before-handover", q2);
    expect_found_by_search("promise", q2);
}
TEST(QuorumFlaws, RandomFaultsFindNothingWithAllFixes) {
    const auto simulator = make_simulator<Quorum>("tested");
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        const Report report = simulator->run(hostile(seed));
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << "\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
