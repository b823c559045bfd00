// detect/ping_test.cc -- question and answer: exactly T, true where T is a bound, wrong elsewhere.
#include "detect/ping.h"

#include <gtest/gtest.h>

#include "detect/watch_test.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;
using kit::at;
using kit::node;
using kit::told;
using kit::world;

using Alone = kit::Alone<Ping>;

constexpr Ping::Config usual{{}, 4ms, 2ms, {}, true};

// To the last question.
Ping::IAm answer(const Alone& one, std::uint64_t life = 1) {
    return {std::get<Ping::AreYouAlive>(one.sent.back()), Incarnation{life}};
}

TEST(Ping, DeclaresFailureExactlyTwoMessagesAndOneHandlingAfterTheQuestion) {
    for (const auto& [tm, tp] : {std::pair(1000us, 0us), std::pair(1000us, 500us),
                                 std::pair(300us, 100us), std::pair(2500us, 7us)}) {
        const Duration period = 4 * tm, bound = 2 * tm + tp;
        Plan plan = default_plan(4);
        plan.settings.tm = tm;
        plan.settings.tp = tp;
        plan.adversary.delay_least = plan.adversary.delay_most = tm;
        plan.until = 100 * unit;
        const Instant crash = Instant(5 * period + period / 2);
        plan.schedule.push_back({crash, fault::Crash{node(4)}});
        const Report report = kit::run<Ping>(plan);
        for (std::uint32_t observer : {1U, 2U, 3U}) {  // all who look detect it
            const auto about = told(report, observer, 4);
            ASSERT_EQ(about.size(), 1U);
            EXPECT_EQ(about[0].at, Instant(6 * period + bound));
            EXPECT_LE(about[0].at - crash, period + bound);
        }
        EXPECT_EQ(report.verdicts.size(), 3U);
    }
}

TEST(Ping, CostsAQuestionAndAnAnswerForEachPairAndPeriod) {
    for (std::uint32_t n = 2; n <= 12; ++n) {
        const Report report = kit::run<Ping>(world(n, {{"until", "399"}}));
        EXPECT_EQ(report.total(Kind::detector), 100 * 2 * n * (n - 1)) << n;
    }
}

TEST(Ping, WhoFailedKnowsItOnRecoveryAndSoDoTheOthers) {
    Plan plan = world(3, {{"crash", "3@10"}, {"restart", "3@30"}, {"until", "60"}});
    plan.trace = true;
    const Report report = kit::run<Ping>(plan);
    for (std::uint32_t observer : {1U, 2U}) {
        const auto about = told(report, observer, 3);
        ASSERT_EQ(about.size(), 2U);
        EXPECT_TRUE(about[0].suspected);
        EXPECT_FALSE(about[1].suspected);
        EXPECT_EQ(about[1].at, at(31)) << "its own first question tells";
    }
    EXPECT_NE(report.trace.find("IAm(AreYouAlive(9, 1), 2)"), std::string::npos)
        << "life 2, by itself";
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

// ---- The real world (FD-12) ----

TEST(Ping, NeedsSlopWhereMessagesAreALittleSlowerThanPromised) {
    std::size_t wrong[2]{};
    for (const bool slop : {false, true}) {
        Plan plan = world(3, {{"until", "300"}, {"tm", "1"}, {"delay", "0.5..1.3"}});
        if (slop) plan.options.emplace_back("slop", "0.6");  // 2 * 1.3 is 2.6
        for (plan.seed = 1; plan.seed <= 50; ++plan.seed) {
            wrong[slop] += !kit::run<Ping>(plan).violations.empty();
        }
    }
    EXPECT_EQ(wrong[0], 50U);
    EXPECT_EQ(wrong[1], 0U);
}

TEST(Ping, ALateAnswerRaisesAnAlarmAndTheVerdictStands) {
    Alone one(usual);
    one.receive(2, answer(one));  // so that it is known which life is meant
    one.run_to(4);
    const Ping::IAm late = answer(one);
    one.run_to(6);
    EXPECT_EQ(one.notices, "Failed(2)");
    one.run_to(6.5);
    one.receive(2, late);
    one.receive(2, late);
    one.receive(2, Ping::AreYouAlive{Nonce{9}, Incarnation{1}});
    EXPECT_EQ(one.notices, "Failed(2) BoundBroken(2)");
    EXPECT_EQ(one.state.peers.status(node(2)), Status::disproved);
    one.receive(2, Ping::AreYouAlive{Nonce{1}, Incarnation{2}});
    EXPECT_EQ(one.notices, "Failed(2) BoundBroken(2) Trusted(2) Restarted(2)");
}

TEST(Ping, AsAnOpinionItIsTakenBackByALateAnswer) {
    Alone one({{}, 4ms, 2ms, {}, false});
    const Ping::IAm late = answer(one);
    one.run_to(3);
    EXPECT_EQ(one.notices, "Suspected(2)");
    one.receive(2, Ping::AreYouAlive{Nonce{9}, Incarnation{1}});
    EXPECT_EQ(one.notices, "Suspected(2)") << "a question proves one way only";
    one.receive(2, late);
    EXPECT_EQ(one.notices, "Suspected(2) Trusted(2)");
}

// ---- Matching answers to questions ----

TEST(Ping, OnlyTheAnswerToThisRoundsQuestionCounts) {
    Alone one(usual);
    const Ping::IAm first = answer(one);
    one.receive(2, first);
    one.run_to(4);
    one.receive(2, first);  // a duplicate from before the crash
    one.run_to(6);
    EXPECT_EQ(one.notices, "Failed(2)");
}

TEST(Ping, AnAnswerToAnEarlierLifeOfOursIsNone) {
    Alone one(usual);
    Ping::IAm late = answer(one);
    late.question.incarnation = {};
    one.receive(2, late);
    one.run_to(2);
    EXPECT_EQ(one.notices, "Failed(2)");
}

TEST(Ping, AQuestionToTheOldLifeDoesNotCondemnTheNewOne) {
    Alone one(usual);
    one.receive(2, answer(one));
    one.run_to(4);
    one.run_to(5);  // the question died with its addressee, which is back and speaks
    one.receive(2, Ping::AreYouAlive{Nonce{1}, Incarnation{2}});
    one.run_to(7);
    EXPECT_EQ(one.notices, "Restarted(2)");
    one.run_to(10);
    EXPECT_EQ(one.notices, "Restarted(2) Failed(2)") << "asked again, it had its chance";
}

TEST(Ping, TheDriverMayHearOfARestartFirst) {
    Alone one(usual);
    one.receive(2, answer(one));
    one.run_to(6);
    one.happen(Restarted{node(2)});
    one.receive(2, answer(one, 2));
    EXPECT_EQ(one.notices, "Failed(2) Trusted(2)") << "everybody was told of the restart";
}

TEST(Ping, WithoutIncarnationsARestartWithinTheTimeoutIsNotNoticed) {
    for (const bool noticed : {true, false}) {
        Ping::Config config = usual;
        if (!noticed) config.fixes.drop(Ping::incarnations);
        Alone one(config);
        one.receive(2, answer(one));
        one.run_to(5);
        one.receive(2, answer(one, 2));
        EXPECT_EQ(one.notices, noticed ? "Restarted(2)" : "");
    }
}

// ---- Its own pauses, strange links, strange settings ----

TEST(Ping, WhoSleptAsksAgainBeforeItAccuses) {
    for (const bool guarded : {true, false}) {
        Ping::Config config = usual;
        if (!guarded) config.fixes.drop(Ping::stall_guard);
        Alone one(config);
        one.sleep_to(30);
        one.run_to(30);  // the timers of long ago come first, the mail is still unread
        one.receive(2, answer(one));
        one.run_to(33);
        EXPECT_EQ(one.notices, guarded ? "Slept(28ms)" : "Failed(2) Trusted(2)");
    }
}

TEST(Ping, AnAsymmetricLinkFailsBothWays) {
    Plan plan = world(2, {{"cut", "1>2@20..100"}, {"until", "90"}, {"set.reliable", "off"}});
    const Report report = kit::run<Ping>(plan);
    EXPECT_EQ(told(report, 1, 2).size(), 1U) << "it hears 2 and knows that 2 does not hear it";
    EXPECT_EQ(told(report, 2, 1).size(), 1U);
}

TEST(Ping, FollowsTheMemberList) {
    Alone one(usual, 3);
    one.shrink_to(1);
    one.run_to(10);
    EXPECT_EQ(one.notices, "");
    one.shrink_to(2);
    one.run_to(20);
    EXPECT_EQ(one.notices, "Failed(2)");
}

TEST(Ping, RefusesSettingsThatWouldStopTheClock) {
    const auto simulator = make_simulator<Ping>("tested");
    for (const char* name : {"period", "answer"}) {
        Plan plan = default_plan(2);
        plan.options = {{name, "0"}};
        EXPECT_TRUE(simulator->refuse(plan)) << name;
        plan.options = {{"slop", "-1"}};
        EXPECT_TRUE(simulator->refuse(plan));
    }
}

TEST(Ping, NobodyOverrulesADetectorOfItsOwn) {
    const auto simulator = make_simulator<Ping>("tested");
    const auto wrong = simulator->refuse(world(2, {{"suspect", "1:2@7"}}));
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->find("detector of its own"), std::string::npos);
}

TEST(Ping, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<Ping>(200); }

}  // namespace
}  // namespace conclave
