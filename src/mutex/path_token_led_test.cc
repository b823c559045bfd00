// mutex/path_token_led_test.cc -- the path token on an election: crashes, cuts, and who mends them.
#include "mutex/path_token_led.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/stack.h"
#include "elect/bully.h"
#include "elect/hand.h"
#include "elect/quorum.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::at;
using kit::node;
using Led = LedPathToken<Bully::assumes>;
using OnBully = Stack<Bully, Led>;
using OnQuorum = Stack<Quorum, LedPathToken<Quorum::assumes>>;

constexpr Generation first{Epoch{1}, Round{1}, NodeId{3}};
constexpr Generation second{Epoch{1}, Round{2}, NodeId{3}};

Led::Ask ask(Generation generation, std::uint32_t origin, std::uint64_t number = 1) {
    return {generation, node(origin), Round{number}};
}
// Led by 3, who has counted once and made this node's guess the root.
Hand<Led> led(std::uint32_t id, std::uint32_t root, std::initializer_list<std::size_t> without) {
    Hand<Led> hand(id, 3, without);
    hand.happens(LeaderIs{node(3), Epoch{1}});
    hand.receives(3, census::Count{first});
    hand.receives(3, Led::Begin{first, node(root)});
    return hand;
}
bool breaks(const Report& report, std::string_view property) {
    return std::ranges::count(report.violations, property, &Violation::property) > 0;
}

// What each node knows of a new generation, and in which order it may hear of it.

TEST(LedPathToken, AfterACountWhoWaitsAsksTheRoot) {
    Hand<Led> one = led(1, 2, {});
    one.is_asked(Enter{});
    EXPECT_EQ(one.sends<Led::Ask>()->generation, first);
    one.receives(3, census::Count{second});
    EXPECT_FALSE(one.state.listed()) << "its place on the list is void";
    one.receives(3, Led::Begin{second, node(3)});
    ASSERT_NE(one.sends<Led::Ask>(), nullptr);
    EXPECT_EQ(one.sends<Led::Ask>()->generation, second);
    EXPECT_EQ(one.state.list.dir, std::nullopt);
}

TEST(LedPathToken, WhoIsAskedBeforeItHeardIsTheRoot) {
    Hand<Led> one(1, 3);
    one.happens(LeaderIs{node(3), Epoch{1}});
    one.receives(3, census::Count{first});
    one.receives(2, ask(first, 2));
    EXPECT_EQ(one.state.list.next, node(2)) << "the token is still under way";
    one.receives(3, Led::Token{{first, {0}}});
    ASSERT_NE(one.sends<Led::Token>(), nullptr);
    EXPECT_EQ(one.sends<Led::Token>()->stamp, (Stamp{first, {1}}));
    one.receives(3, Led::Begin{first, node(1)});
    EXPECT_EQ(one.state.list.dir, node(2)) << "late news changes nothing";
}

TEST(LedPathToken, RootThatWantsInWhileItsTokenIsUnderWayComesFirst) {
    Hand<Led> one = led(1, 1, {});
    one.receives(2, ask(first, 2));
    one.is_asked(Enter{});
    EXPECT_EQ(one.sends<Led::Ask>(), nullptr) << "it is on the list, before 2";
    one.receives(3, census::Extended{first, one.state.lease.nonce});
    one.receives(3, Led::Token{{first, {0}}});
    EXPECT_EQ(one.state.section({}), Section::inside);
    one.is_asked(Leave{});
    EXPECT_NE(one.sends<Led::Token>(), nullptr);
}

TEST(LedPathToken, OldTokenIsVoidAfterAPromise) {
    Hand<Led> one = led(1, 2, {});
    one.is_asked(Enter{});
    one.receives(3, census::Extended{first, one.state.lease.nonce});
    one.receives(3, census::Count{second});
    one.receives(2, Led::Token{{first, {4}}});
    EXPECT_FALSE(one.state.holds());
    EXPECT_EQ(one.state.section({}), Section::waiting);
}

TEST(LedPathToken, WhoHasRestartedTakesNothingThatWasMeantForItsFormerLife) {
    Hand<Led> one(1, 3);
    one.happens(Booted<Led>{{first}});
    one.receives(2, Led::Token{{first, {4}}});
    one.receives(2, ask(first, 2));
    one.receives(3, Led::Begin{first, node(2)});
    EXPECT_FALSE(one.state.holds());
    EXPECT_FALSE(one.state.list.next);
    one.receives(3, census::Count{second});
    one.receives(3, Led::Begin{second, node(2)});
    EXPECT_EQ(one.state.list.dir, node(2)) << "with the next count it belongs again";
}

// A request from before the count would put 2 on the list a second time.
TEST(LedPathToken, WithoutGenerationAnOldRequestGetsOnTheNewList) {
    for (const bool fixed : {true, false}) {
        Hand<Led> one = fixed ? led(1, 1, {}) : led(1, 1, {std::size_t{Led::generations}});
        one.receives(3, census::Count{second});
        one.receives(3, Led::Begin{second, node(1)});
        one.receives(2, ask(first, 2));
        EXPECT_EQ(one.state.list.next.has_value(), !fixed);
    }
}

TEST(LedPathToken, NewsThatWasLostIsTiredOfWaitingFor) {
    Hand<Led> one(1, 3), three(3, 3);
    three.happens(LeaderIs{node(3), Epoch{1}});
    for (std::uint32_t id : {1U, 2U}) three.receives(id, census::Counted{first, {}});
    ASSERT_TRUE(three.state.holds()) << "nobody had a token: the leader makes it";
    one.happens(LeaderIs{node(3), Epoch{1}});
    one.receives(3, census::Count{first});
    one.is_asked(Enter{});
    ASSERT_NE(one.sends<census::Counted>(), nullptr) << "it asks where the list begins";
    three.receives(1, *one.sends<census::Counted>());
    ASSERT_NE(three.sends<Led::Begin>(), nullptr);
    EXPECT_EQ(three.sends<Led::Begin>()->root, node(3));
}

// Whole groups.

// All want in three times; one of them, listed or not, inside or not, is gone for good.
TEST(LedPathToken, AnybodyMayCrashAtAnyTime) {
    for (std::uint32_t victim = 1; victim <= 4; ++victim) {
        for (double when = 4; when < 28; when += 0.75) {
            Plan plan = default_plan(4);
            plan.workload.requests = 3;
            plan.schedule = {{at(when), fault::Crash{node(victim)}}};
            const Report report = kit::run<OnBully>(plan);
            EXPECT_TRUE(report.violations.empty()) << victim << " at " << when << ":\n"
                                                   << kit::text(report);
            EXPECT_GE(report.turns->entries, 9U);
        }
    }
}

// The same without anybody who mends it.
TEST(LedPathToken, AloneTheCrashOfAHolderEndsAllService) {
    Plan plan = default_plan(4);
    plan.workload.hold_least = plan.workload.hold_most = 5 * unit;
    plan.schedule = {{at(2), fault::Crash{node(1)}}};
    EXPECT_TRUE(breaks(kit::run<PathToken>(plan), "nobody-waits"));
    EXPECT_TRUE(kit::run<OnBully>(plan).violations.empty());
}

// As long as nobody crashes the leader's help is free of the algorithm's own messages.
TEST(LedPathToken, CostsWhatItCostsAlone) {
    for (std::uint32_t n = 2; n <= 12; ++n) {
        Plan plan = default_plan(n);
        plan.workload.requests = 4;
        plan.workload.contention = 1;
        plan.workload.think_least = plan.workload.think_most = 50 * unit;
        plan.workload.askers = {node(n == 2 ? 1 : 2)};
        const Report report = kit::run<OnBully>(plan);
        EXPECT_EQ(report.total(Kind::mutex), 2U) << "a leaf of the star around leader " << n;
        EXPECT_EQ(report.turns->entries, 4U);
    }
}

// 1 is inside and cut off for good: the others go on without it, but not before it is out.
Plan holder_cut_off() {
    Plan plan = default_plan(3);
    plan.workload.hold_least = plan.workload.hold_most = 300 * unit;
    plan.workload.askers = {node(1)};
    plan.oracle.reliable = false;
    plan.options = {{"patience", "5"}};  // the leader does not wait long before it counts
    plan.until = 400 * unit;
    plan.trace = true;
    for (std::uint32_t other : {2U, 3U}) {
        plan.schedule.push_back({at(60), fault::Cut{node(1), node(other)}});
        plan.schedule.push_back({at(60), fault::Cut{node(other), node(1)}});
    }
    plan.schedule.push_back({at(61), fault::Ask{node(2), "Enter"}});
    return plan;
}
TEST(LedPathToken, HolderThatIsCutOffIsOutBeforeTheNextIsIn) {
    const Report report = kit::run<OnQuorum>(holder_cut_off());
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    const auto out = report.trace.find("1 tells Ousted");
    ASSERT_NE(out, std::string::npos);
    EXPECT_LT(out, report.trace.find("tells Entered", out));
    EXPECT_EQ(report.turns->entries, 2U);
}
TEST(LedPathToken, WithoutLeaseWaitACutOffHolderIsNotAlone) {
    Plan plan = holder_cut_off();
    plan.without = {"lease-wait"};
    EXPECT_TRUE(breaks(kit::run<OnQuorum>(plan), "one-inside"));
}

TEST(LedPathToken, OnBullySurvivesWhatBullyClaims) { kit::expect_claimed_seeds_hold<OnBully>(300); }
TEST(LedPathToken, OnQuorumSurvivesWhatQuorumClaims) {
    kit::expect_claimed_seeds_hold<OnQuorum>(100);
}

}  // namespace
}  // namespace conclave
