// mutex/path_token_test.cc -- what the chapter says of path compression, and what two numbers are
// for.
#include "mutex/path_token.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mutex/path_group_test.h"
#include "sim/dice.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using Ids = std::vector<std::uint32_t>;
constexpr std::nullopt_t nobody = std::nullopt;

// MX-25, 002:1: "D would point to E when it is added to the waiting list, and E would be the last
// processor on the list instead of D."
TEST(PathToken, LastOnTheListPointsToWhoIsAdded) {
    constexpr std::uint32_t a = 1, d = 4, e = 5;
    PathGroup group(5);
    group.enter(a);
    group.enter(d);
    group.deliver_all();
    EXPECT_EQ(group.after(a), d);
    EXPECT_EQ(group.guess(d), nobody) << "D is last";
    group.enter(e);
    group.deliver_all();
    EXPECT_EQ(group.after(d), e);
    EXPECT_EQ(group.guess(d), e);
    EXPECT_EQ(group.guess(e), nobody) << "E is last";
    EXPECT_EQ(group.after(e), nobody);
}

// MX-25: the list is nowhere as a whole; each knows who comes next, and hands over by one message.
TEST(PathToken, WaitingListIsMadeOfPointersAndTakenInOrder) {
    constexpr std::uint32_t n = 6;
    PathGroup group(n);
    for (std::uint32_t id : Ids{1, 4, 2, 6, 3, 5}) {
        group.enter(id);
        group.deliver_all();
    }
    const Ids order{1, 4, 2, 6, 3, 5};
    for (std::size_t at = 0; at + 1 < n; ++at) EXPECT_EQ(group.after(order[at]), order[at + 1]);
    for (std::uint32_t id : order) {
        EXPECT_TRUE(group.inside(id));
        group.leave(id);
        EXPECT_EQ(group.mail.size(), id == order.back() ? 0U : 1U) << "synchronization delay 1";
        group.deliver_all();
    }
    EXPECT_EQ(group.entered, order);
}

// MX-25, incomplete information: 2 was never told that the token has left 1, and need not be.
TEST(PathToken, OldGuessIsWrongAndGoodEnough) {
    PathGroup group(4);
    group.visit(3);
    group.visit(4);
    EXPECT_EQ(group.guess(2), 1U) << "it has the token no more";
    EXPECT_EQ(group.guess(3), 4U);
    group.asks = 0;
    group.visit(2);
    EXPECT_EQ(group.asks, 2U) << "one for the mistake";
}

// MX-25, update: whoever asks is a better guess than any before; all on its way take it.
TEST(PathToken, EveryRequestImprovesTheGuessesOnItsWay) {
    PathGroup group(5);
    group.stand_in_a_row();
    group.visit(2);
    EXPECT_EQ(group.guess(1), 2U) << "not on the way, and none the worse";
    for (std::uint32_t id : {3U, 4U, 5U}) EXPECT_EQ(group.guess(id), 2U);
    EXPECT_EQ(group.guess(2), nobody);
}

// MX-25, recovery: a request is repeated at nodes that are better and better informed, which is to
// say that each asked later than the one before; so it never turns in circles.
TEST(PathToken, RequestsGoToWhoAskedLaterUntilTheyFindTheEnd) {
    constexpr std::uint32_t n = 9;
    PathGroup group(n);
    Dice dice(7);
    std::vector<int> asked(n + 1, 0);
    asked[1] = 1;
    for (int when = 2; when < 2000; ++when) {
        const auto id = static_cast<std::uint32_t>(1 + dice.below(n));
        group.visit(id);
        asked[id] = when;
        for (std::uint32_t one = 1; one <= n; ++one) {
            const auto guess = group.guess(one);
            EXPECT_TRUE(!guess || asked[*guess] > asked[one]) << one << " at " << when;
        }
    }
}

// Two ask at once through the same node: whoever is forwarded second goes to the first.
TEST(PathToken, SecondOfTwoAtOnceIsSentAfterTheFirst) {
    PathGroup group(3);
    group.enter(2);
    group.enter(3);
    group.deliver(1);  // 3's request is the faster one
    group.deliver(0);  // and 2's finds 1 pointing to 3
    EXPECT_EQ(group.guess(1), 2U);
    group.deliver_all();
    EXPECT_EQ(group.after(3), 2U);
    group.leave(3);
    group.deliver_all();
    EXPECT_EQ(group.entered, (Ids{3, 2}));
}

// ME3 is not claimed: 2 asked first and told 3 of it; 3's request was the faster one.
TEST(PathToken, FasterRequestOvertakesOneThatHappenedBefore) {
    PathGroup group(3);
    group.enter(2);
    group.enter(3);  // having heard of it from 2
    group.deliver(1);
    group.deliver_all();
    EXPECT_EQ(group.entered, (Ids{3}));
}

// M-MX-PC: a copy of the token comes when 2 has left and 1 is inside.
TEST(PathToken, WithoutTokenNumberACopyOfTheTokenLetsTwoIn) {
    for (const bool fixed : {true, false}) {
        PathGroup group =
            fixed ? PathGroup(2) : PathGroup(2, {std::size_t{PathToken::token_number}});
        group.enter(2);
        group.deliver();  // 1 sends the token
        group.copy();
        group.deliver();
        group.leave(2);
        group.enter(1);
        group.deliver(1);  // 1 asks 2, 2 hands over
        group.deliver(1);
        ASSERT_TRUE(group.inside(1));
        group.deliver();  // the copy
        EXPECT_EQ(group[2].list.token, !fixed);
        group.enter(2);
        EXPECT_EQ(group.inside(2), !fixed) << "beside 1";
    }
}

// A copy of a request puts its origin on the list once more: 2 is to follow itself, the token ends
// up where nobody's guesses lead, and 1 waits for ever.
TEST(PathToken, WithoutRidACopyOfARequestLosesTheEndOfTheList) {
    for (const bool fixed : {true, false}) {
        PathGroup group = fixed ? PathGroup(2) : PathGroup(2, {std::size_t{PathToken::rid}});
        group.enter(2);
        group.copy();
        group.deliver_all();
        ASSERT_TRUE(group.inside(2));
        EXPECT_EQ(group.after(2), fixed ? nobody : std::optional(2U));
        group.enter(1);
        group.deliver_all();
        group.leave(2);
        group.deliver_all();
        EXPECT_EQ(group.inside(1), fixed);
    }
}

// Reordered, at any speed; and doubled, which it need not claim.
TEST(PathToken, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<PathToken>(300); }

TEST(PathToken, SurvivesDoubledMessages) {
    const auto simulator = make_simulator<PathToken>("tested");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Plan plan = claimed_plan(PathToken::assumes, Kind::mutex, seed);
        plan.adversary.duplicate = 0.2;
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
