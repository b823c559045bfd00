// detect/heartbeat_test.cc -- when a heartbeat detector speaks, to the tick, and when it is wrong.
#include "detect/heartbeat.h"

#include <gtest/gtest.h>

#include "detect/ping.h"
#include "detect/watch_test.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;
using kit::at;
using kit::node;
using kit::told;
using kit::world;

using Alone = kit::Alone<Heartbeat>;

constexpr double T = 4;
Heartbeat::Beat beat(std::uint64_t seq, std::uint64_t life = 1) {
    return {seq, 4ms, Incarnation{life}};
}
// T = 4, E or A as given, in units.
Heartbeat::Config fixed(double margin, bool reliable = false) {
    const Duration e = at(margin).time_since_epoch();
    return {{}, 4ms, e, Heartbeat::Rule::fixed, 8, reliable};
}
Heartbeat::Config without(Heartbeat::Config config, Heartbeat::FixIndex fix) {
    config.fixes.drop(fix);
    return config;
}

// ---- What it is (FD-01, FD-06) ----

TEST(Heartbeat, IsALocalObjectThatAnswersWhetherAPeerHasFailed) {
    Alone one(fixed(1), 3);
    one.receive(2, beat(1));
    EXPECT_EQ(one.state.peers.status(node(2)), Status::unsuspected);
    one.run_to(5);  // T + E after the start and after the heartbeat, whatever comes in between
    EXPECT_EQ(one.state.peers.status(node(2)), Status::suspected);
    EXPECT_EQ(one.state.peers.status(node(3)), Status::suspected);
    EXPECT_EQ(one.state.peers.status(node(4)), Status::unsuspected) << "it knows no strangers";
}

TEST(Heartbeat, SendsOneMessageToEachOtherNodeEveryPeriod) {
    for (std::uint32_t n = 2; n <= 12; ++n) {
        const Report report = kit::run<Heartbeat>(world(n, {{"until", "399"}}));
        EXPECT_EQ(report.total(Kind::detector), 100 * n * (n - 1)) << n;
        EXPECT_TRUE(report.verdicts.empty());
    }
}

// ---- Exact timing (FD-07, FD-08; section 3.2) ----

TEST(Heartbeat, DetectsACrashAfterLastDelayPlusWaitMinusPhase) {
    const double margin = 1.5;
    for (double delay : {0.25, 0.5, 1.0}) {
        for (double phase : {0.125, 1.0, 2.5, 3.875}) {
            Plan plan = world(3, {{"until", "60"}, {"set.estimator", "fixed"}});
            plan.options.emplace_back("margin", "1500us");
            plan.adversary.delay_least = plan.adversary.delay_most = at(delay).time_since_epoch();
            const double crash = 5 * T + phase;
            plan.schedule.push_back({at(crash), fault::Crash{node(3)}});
            const Report report = kit::run<Heartbeat>(plan);
            for (std::uint32_t observer : {1U, 2U}) {
                const auto about = told(report, observer, 3);
                ASSERT_EQ(about.size(), 1U);
                EXPECT_EQ(about[0].at, at(crash + delay + (T + margin) - phase));
            }
        }
    }
}

TEST(Heartbeat, DeclaresFailureWithinPeriodPlusTwiceTheBound) {
    const Duration bound = 1ms;  // A
    Duration least = 1h, most{};
    for (Duration phase : {1ns, 1000ns, 2'000'000ns, 3'999'999ns}) {
        Plan plan = world(2, {{"until", "60"}, {"set.reliable", "on"}, {"set.margin", "1"}});
        const Instant crash = Instant(20ms + phase);
        plan.schedule.push_back({crash, fault::Crash{node(2)}});
        const auto about = told(kit::run<Heartbeat>(plan), 1, 2);
        ASSERT_EQ(about.size(), 1U);
        least = std::min(least, about[0].at - crash);
        most = std::max(most, about[0].at - crash);
    }
    EXPECT_EQ(most, 4ms + 2 * bound - 1ns);  // T + 2A, with the crash 1 ns behind the heartbeat
    EXPECT_EQ(least, 2 * bound + 1ns);
}

TEST(Heartbeat, FreshnessPointsMakeDetectionIndependentOfTheLastDelay) {
    Duration chen{}, fixed_timer{};
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        for (const char* rule : {"chen", "fixed"}) {
            Plan plan =
                world(2, {{"until", "300"}, {"tm", "1"}, {"delay", "0..3"}, {"set.margin", "3"}});
            plan.options.emplace_back("estimator", rule);
            plan.seed = seed;
            const Instant crash = at(60 * T + 0.001);  // just behind a heartbeat: the worst phase
            plan.schedule.push_back({crash, fault::Crash{node(2)}});
            const auto about = told(kit::run<Heartbeat>(plan), 1, 2);
            ASSERT_EQ(about.size(), 1U);
            Duration& most = rule[0] == 'c' ? chen : fixed_timer;
            most = std::max(most, about[0].at - crash);
        }
    }
    EXPECT_LT(chen, 4ms + 3ms + 1500us + 600us);  // T + alpha + E(D), and what EA may be off
    EXPECT_GT(fixed_timer, 4ms + 3ms + 2900us);   // T + E + the last delay, up to 3
}

// ---- Wrong both ways (FD-02, FD-03) ----

TEST(Heartbeat, TakesACrashedNodeForAliveUntilTheTimeout) {
    // The last heartbeat came at 21: it is wrong from 20.5 to 27.
    const Report report = kit::run<Heartbeat>(world(
        2,
        {{"crash", "2@20.5"}, {"until", "60"}, {"set.estimator", "fixed"}, {"set.margin", "2"}}));
    ASSERT_EQ(report.verdicts.size(), 1U);
    EXPECT_EQ(report.verdicts[0].at, at(27));
}

TEST(Heartbeat, SuspectsTheLivingForCongestionABrokenLinkOrASlowProcess) {
    const kit::Words broken_link{{"cut", "2>1@20..50"}, {"until", "100"}};
    const kit::Words slow_process{{"pause", "2@20..50"}, {"until", "100"}};
    for (const auto& words : {broken_link, slow_process}) {
        const auto about = told(kit::run<Heartbeat>(world(2, words)), 1, 2);
        ASSERT_EQ(about.size(), 2U);
        EXPECT_TRUE(about[0].suspected);
        EXPECT_FALSE(about[1].suspected) << "and it changes its mind";
        EXPECT_GT(about[1].at, at(50));
    }
    const Report congested = kit::run<Heartbeat>(
        world(2, {{"until", "400"}, {"tm", "1"}, {"delay", "0..12"}, {"set.estimator", "fixed"}}));
    EXPECT_GT(kit::suspicions(congested, 0, 400), 0U);
}

// ---- Reliable where the world is synchronous, and only there (FD-04, FD-05, FD-08, FD-14) ----

TEST(Heartbeat, FailedIsTrueWhereEveryDelayIsBounded) {
    const auto simulator = make_simulator<Heartbeat>("tested");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        // Synchronous, with crashes and restarts.
        Plan plan = claimed_plan(Ping::assumes, Ping::claim.kind, seed);
        plan.options = {{"reliable", "on"}, {"margin", "1"}};  // A = Tm, T + A and nothing more
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

TEST(Heartbeat, FailedIsWrongWhereDelaysHaveNoBound) {
    Plan plan = world(2, {{"until", "400"}, {"tm", "1"}, {"delay", "0..12"}});
    plan.options = {{"reliable", "on"}, {"margin", "1"}};
    plan.trace = true;
    std::size_t wrong = 0, alarms = 0;
    for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
        const Report report = kit::run<Heartbeat>(plan);
        wrong += !report.violations.empty() && report.violations[0].property == "failed is true";
        alarms += report.trace.find("BoundBroken") != std::string::npos;
    }
    EXPECT_GT(wrong, 10U);
    EXPECT_GT(alarms, 10U);
}

TEST(Heartbeat, AVerdictIsFinalForOneLifeAndAnAlarmTellsThatItWasWrong) {
    Alone one(fixed(1, true));
    one.receive(2, beat(1));
    one.run_to(5);
    EXPECT_EQ(one.notices, "Failed(2)");
    one.run_to(7);
    one.receive(2, beat(2));
    one.receive(2, beat(3));
    one.happen(Heard{node(2)});
    EXPECT_EQ(one.notices, "Failed(2) BoundBroken(2)");
    EXPECT_EQ(one.state.peers.status(node(2)), Status::disproved);
    one.receive(2, beat(1, 2));
    EXPECT_EQ(one.notices, "Failed(2) BoundBroken(2) Trusted(2) Restarted(2)");
    EXPECT_EQ(one.state.peers.status(node(2)), Status::unsuspected);
    one.receive(2, beat(4, 1));  // still on its way when its sender crashed
    EXPECT_EQ(one.state.peers.find(node(2))->incarnation, Incarnation{2});
}

TEST(Heartbeat, AFirstHeartbeatDisprovesNoVerdict) {
    Alone one(fixed(1, true));
    one.run_to(6);
    one.receive(2, beat(1));  // it booted late; nobody ever said anything about this life
    EXPECT_EQ(one.notices, "Failed(2) Trusted(2)");
}

TEST(Heartbeat, TheBoundIsWorstHandlingPlusWorstMessageTime) {
    const Settings settings{.tm = 1ms, .tp = 500us};
    EXPECT_GE(Heartbeat::configure(settings).margin, settings.tm + settings.tp);
    for (const Duration missing : {0ns, 1ns}) {
        Alone one({{}, 4ms, settings.tm + settings.tp - missing, {}, 8, true});
        one.receive(2, beat(1));  // sent at 0, without any delay; the next one takes Tm + Tp
        one.run_to(5.499999);
        if (missing == 0ns) one.sleep_to(5.5), one.receive(2, beat(2));  // messages come first
        one.run_to(5.5);
        EXPECT_EQ(one.notices, missing == 0ns ? "" : "Failed(2)");
    }
}

// ---- Calibration (FD-09) ----

Plan jittery(std::string_view margin) {
    Plan plan = world(2, {{"until", "4000"}, {"tm", "1"}, {"delay", "0..3"}});
    plan.options = {{"estimator", "fixed"}, {"margin", std::string(margin)}};
    return plan;
}

TEST(Heartbeat, AMarginTooSmallAccusesTheLivingUntilMistakesHaveWidenedIt) {
    const Report enough = kit::run<Heartbeat>(jittery("3"));
    EXPECT_EQ(kit::suspicions(enough, 0, 4000), 0U);
    const Report widened = kit::run<Heartbeat>(jittery("0.1"));
    EXPECT_GT(kit::suspicions(widened, 0, 1000), 0U);
    EXPECT_LE(kit::suspicions(widened, 0, 4000), 2 * 3U) << "two watch, each errs three times";
    EXPECT_EQ(kit::suspicions(widened, 3000, 4000), 0U);
    Plan for_ever = jittery("0.1");
    for_ever.without = {"widening"};
    EXPECT_GT(kit::suspicions(kit::run<Heartbeat>(for_ever), 3000, 4000), 50U);
}

TEST(Heartbeat, AMarginTooLargeLeavesACrashUnobserved) {
    Plan plan = world(2, {{"until", "100"}, {"crash", "2@20"}, {"restart", "2@40"}});
    plan.options = {{"estimator", "fixed"}, {"margin", "40"}};
    EXPECT_TRUE(kit::run<Heartbeat>(plan).verdicts.empty()) << "repaired before the timeout";
    plan.options = {{"estimator", "fixed"}, {"margin", "10"}};
    EXPECT_EQ(kit::run<Heartbeat>(plan).verdicts.size(), 2U);
}

TEST(Heartbeat, RefusesSettingsThatWouldStopTheClock) {
    const auto simulator = make_simulator<Heartbeat>("tested");
    for (const auto& [name, value] :
         {std::pair("period", "0"), std::pair("period", "-4"), std::pair("margin", "-1"),
          std::pair("threshold", "0"), std::pair("period", "7200s"),
          std::pair("threshold", "nan")}) {
        Plan plan = default_plan(2);
        plan.options.emplace_back(name, value);
        EXPECT_TRUE(simulator->refuse(plan)) << name << "=" << value;
    }
}

// ---- Adapting E (FD-10) ----

TEST(Heartbeat, LearnsTheMarginFromWhatItObserves) {
    for (const char* rule : {"jacobson", "bertier", "accrual"}) {
        double waited[2]{};
        for (const bool slow : {false, true}) {
            Plan plan = world(2, {{"until", "2000"}, {"tm", "1"}, {"crash", "2@1601"}});
            plan.options.emplace_back("estimator", rule);
            plan.adversary.delay_least = slow ? 0 * unit : unit;
            plan.adversary.delay_most = slow ? 4 * unit : unit;
            const Report report = kit::run<Heartbeat>(plan);
            EXPECT_LE(kit::suspicions(report, 200, 1601), 1U) << rule << ", of 700 heartbeats";
            waited[slow] = in_units(told(report, 1, 2).back().at) - 1601;
        }
        EXPECT_LT(waited[0], T + 2.5) << rule << " trusts a steady link closely";
        EXPECT_GT(waited[1], waited[0] + 1) << rule << " gives a jittery one more time";
    }
}

// ---- Pauses, its own and others' ----

TEST(Heartbeat, APauseOfItsOwnAccusesNobody) {
    for (const char* rule : {"fixed", "jacobson", "chen", "bertier", "accrual"}) {
        // What arrived meanwhile was lost where it waited: the hardest case.
        Plan plan = world(3, {{"until", "200"}, {"pause", "1@50..90"}});
        for (std::uint32_t from : {2U, 3U}) {
            plan.schedule.insert(plan.schedule.begin(), {at(50), fault::Cut{node(from), node(1)}});
            plan.schedule.push_back({at(90), fault::Heal{node(from), node(1)}});
        }
        plan.options.emplace_back("estimator", rule);
        plan.trace = true;
        Report report = kit::run<Heartbeat>(plan);
        EXPECT_TRUE(told(report, 1, 2).empty()) << rule;
        EXPECT_EQ(told(report, 2, 1).size(), 2U) << "the others may well suspect it meanwhile";
        EXPECT_NE(report.trace.find("Slept(38ms)"), std::string::npos) << "due at 52";
        plan.without = {"stall-guard"};
        report = kit::run<Heartbeat>(plan);
        EXPECT_EQ(told(report, 1, 2).size(), 2U) << rule << " without the guard";
    }
}

TEST(Heartbeat, ATimerThatIsLateDoesNotJudgeBeforeTheMailIsRead) {
    for (const bool guarded : {true, false}) {
        Alone one(guarded ? fixed(1) : without(fixed(1), Heartbeat::stall_guard));
        one.receive(2, beat(1));
        one.sleep_to(40);
        one.happen(Expired<Heartbeat>{Heartbeat::Silent{node(2)}});
        one.receive(2, beat(10));
        one.run_to(43);
        EXPECT_EQ(one.notices, guarded ? "Slept(36ms)" : "Suspected(2) Trusted(2)");
    }
}

TEST(Heartbeat, WhoSleptSkipsTheNumbersOfThePeriodsItMissed) {
    Alone one(fixed(1));
    one.run_to(8);
    EXPECT_EQ(std::get<Heartbeat::Beat>(one.sent.back()).seq, 3U);
    one.sleep_to(41);
    one.happen(Expired<Heartbeat>{Heartbeat::NextBeat{}});
    EXPECT_EQ(std::get<Heartbeat::Beat>(one.sent.back()).seq, 11U) << "lost, not delayed";
    one.run_to(44);
    EXPECT_EQ(std::get<Heartbeat::Beat>(one.sent.back()).seq, 12U) << "and in step again";
}

// ---- Restarts, strange mail, strange links ----

TEST(Heartbeat, NoticesARestartWithinTheTimeout) {
    Alone one(fixed(1));
    one.receive(2, beat(7));
    one.receive(2, beat(1, 2));
    EXPECT_EQ(one.notices, "Restarted(2)");
    Alone unaware(without(fixed(1), Heartbeat::incarnations));
    unaware.receive(2, beat(7));
    unaware.run_to(4);
    unaware.receive(2, beat(1, 2));
    unaware.run_to(8);
    EXPECT_EQ(unaware.notices, "") << "it is here, is it not?";
}

TEST(Heartbeat, TheDriverMayHearOfARestartFirst) {
    Alone one(fixed(1));
    one.receive(2, beat(7));
    one.run_to(5);
    one.happen(Restarted{node(2)});
    one.receive(2, beat(1, 2));
    EXPECT_EQ(one.notices, "Suspected(2) Trusted(2)") << "everybody was told of the restart";
    EXPECT_EQ(one.state.peers.find(node(2))->incarnation, Incarnation{2});
}

TEST(Heartbeat, AnOldHeartbeatIsNoReasonToTrustAgain) {
    Alone one({{}, 4ms, 1ms, Heartbeat::Rule::chen, 8, false});
    for (std::uint64_t seq = 1; seq <= 5; ++seq) {
        one.run_to(T * static_cast<double>(seq - 1));
        one.receive(2, beat(seq));  // without delay: EA is exact
    }
    one.run_to(25.5);
    EXPECT_EQ(one.notices, "Suspected(2)");
    one.receive(2, beat(6));  // due at 20, fresh until 25: it says nothing about now
    EXPECT_EQ(one.notices, "Suspected(2)");
    one.receive(2, beat(5));  // a duplicate
    one.run_to(26);
    one.receive(2, beat(7));
    EXPECT_EQ(one.notices, "Suspected(2) Trusted(2)");
}

TEST(Heartbeat, AnyMessageIsASignOfLife) {
    Alone one(fixed(1));
    one.run_to(3);
    one.happen(Heard{node(2)});
    one.run_to(7.999);
    EXPECT_EQ(one.notices, "");
    one.run_to(8);
    EXPECT_EQ(one.notices, "Suspected(2)");
    one.happen(Heard{node(2)});
    EXPECT_EQ(one.notices, "Suspected(2) Trusted(2)");
}

TEST(Heartbeat, IgnoresAPeriodThatNobodyCanKeep) {
    Alone one(fixed(1));
    one.receive(2, Heartbeat::Beat{1, 0ns, Incarnation{1}});
    one.receive(2, Heartbeat::Beat{2, -5ms, Incarnation{1}});
    one.receive(2, Heartbeat::Beat{3, 9000h, Incarnation{1}});
    one.receive(9, beat(1));
    one.run_to(5);
    EXPECT_EQ(one.notices, "Suspected(2)");
}

TEST(Heartbeat, FollowsTheMemberList) {
    Alone one(fixed(1), 3);
    EXPECT_EQ(one.timers(), 3U);
    one.shrink_to(2);
    EXPECT_EQ(one.timers(), 2U);
    one.run_to(2);
    one.shrink_to(4);
    one.run_to(6.999);
    EXPECT_EQ(one.notices, "Suspected(2)") << "3 is a newcomer again";
    one.run_to(7);
    EXPECT_EQ(one.notices, "Suspected(2) Suspected(3) Suspected(4)");
}

TEST(Heartbeat, OneWayIsEnoughOnAnAsymmetricLink) {
    const Report report = kit::run<Heartbeat>(world(2, {{"cut", "1>2@20..100"}, {"until", "90"}}));
    EXPECT_EQ(told(report, 2, 1).size(), 1U);
    EXPECT_TRUE(told(report, 1, 2).empty()) << "1 hears 2 and has no idea";
}

TEST(Heartbeat, TheMarginMustCoverTheDriftOfBothClocks) {
    for (const char* margin : {"0.05", "0.09"}) {  // 4 (1.01/0.99 - 1) is 0.081
        Plan plan = world(2, {{"drift", "1=1.01,2=0.99"}, {"until", "200"}});
        plan.options = {{"estimator", "fixed"}, {"margin", margin}};
        plan.without = {"widening"};
        EXPECT_EQ(told(kit::run<Heartbeat>(plan), 1, 2).empty(), margin[3] == '9') << margin;
    }
}

TEST(Heartbeat, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<Heartbeat>(100); }

}  // namespace
}  // namespace conclave
