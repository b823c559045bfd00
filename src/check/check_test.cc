// check/check_test.cc -- worlds whose states can be counted by hand.
#include "check/check.h"

#include <gtest/gtest.h>

#include "check/toys_test.h"

namespace conclave::toys {
namespace {

// Everybody greets everybody else once.
struct Greeting {
    static constexpr Model assumes{Links::reliable, Timing::asynchronous, Faults::none};
    static constexpr Claim claim = toys::claim;
    using Config = Plain;
    static Config configure(const Settings&) { return {}; }
    struct Hello {};
    using Message = std::variant<Hello>;
    using Timer = std::variant<None>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<Greeting>;

    NodeSet heard;

    void on(Turn& turn, const Booted<Greeting>&) {
        for (const Member& member : turn.seat.members) {
            if (member.node != turn.seat.self) turn.send(member.node, Hello{});
        }
    }
    void on(Turn&, NodeId from, Hello) { heard.insert(from); }

    static std::optional<std::string> incomplete(const View<Greeting>& view) {
        for (const auto& node : view.nodes) {
            if (node.state->heard.size() + 1 < view.nodes.size()) return "somebody was not greeted";
        }
        return std::nullopt;
    }
    static std::span<const Property<Greeting>> properties() {
        static constexpr std::array list{
            Property<Greeting>{"all are greeted", Demand::settled, incomplete}};
        return list;
    }
};

// Before everybody has booted there are as many states as nodes.
TEST(Check, EveryOrderOfArrivalIsTheSameState) {
    EXPECT_EQ(check<Greeting>(plan<Greeting>(2)).findings.states, 2U + 4U);
    const CheckReport three = check<Greeting>(plan<Greeting>(3));
    EXPECT_EQ(three.findings.states, 3U + 64U);  // each of six messages arrived or not
    EXPECT_EQ(three.findings.transitions, 3U + 6U * 32U);
    EXPECT_EQ(three.findings.depth, 3U + 6U);
    EXPECT_TRUE(three.findings.complete);
    EXPECT_FALSE(three.violated());
}

TEST(Check, ALossIsAChoiceThatBreaksWhatMustSettle) {
    CheckPlan lossy = plan<Greeting>(3);
    lossy.budget[Spend::loss] = 1;
    const CheckReport report = check<Greeting>(lossy);
    EXPECT_EQ(report.findings.states, 3U + 64U + 6U * 32U);
    ASSERT_TRUE(report.violated());
    EXPECT_EQ(report.verdicts[0].what, "somebody was not greeted");
    const ScriptResult story = replay<Greeting>(report);
    EXPECT_TRUE(story.ok()) << explain(story, "story");
}

TEST(Check, ADuplicateIsAChoiceThatChangesNothingHere) {
    CheckPlan doubling = plan<Greeting>(3);
    doubling.budget[Spend::duplicate] = 1;
    const CheckReport report = check<Greeting>(doubling);
    // One message is there twice or still once after it came (6 * 2 * 32), or all is as before but
    // the budget (63: something must have come), or nothing was doubled (64).
    EXPECT_EQ(report.findings.states, 3U + 6U * 2U * 32U + 63U + 64U);
    EXPECT_FALSE(report.violated());
}

TEST(Check, WhatIsForTheDeadForGoodIsForgotten) {
    CheckPlan mortal = plan<Greeting>(2);
    mortal.budget[Spend::crash] = 1;
    // Of either who is dead, the greeting has come or is on its way; the other's is forgotten.
    EXPECT_EQ(check<Greeting>(mortal).findings.states, 2U + 4U + 2U * 2U);
}

TEST(Check, WaysToSearchAgree) {
    CheckPlan plain = plan<Greeting>(4);
    plain.budget[Spend::loss] = 1;
    const Findings one = check<Greeting>(plain).findings;
    for (int way = 0; way < 4; ++way) {
        CheckPlan other = plain;
        if (way == 0) other.limits.threads = 3;
        if (way == 1) other.limits.hashes_only = true;
        if (way == 2) other.limits.depth_first = true;
        if (way == 3) other.limits.single_states = true;
        const Findings found = check<Greeting>(other).findings;
        EXPECT_EQ(found.states, one.states) << way;
        EXPECT_EQ(found.transitions, one.transitions) << way;
        EXPECT_TRUE(found.complete) << way;
        EXPECT_EQ(found.broken.empty(), way >= 2);  // the last two see no endless runs
    }
}

TEST(Check, ALimitEndsTheSearchInOrder) {
    CheckPlan large = plan<Greeting>(4);
    large.limits.states = 1000;
    const CheckReport few = check<Greeting>(large);
    EXPECT_FALSE(few.findings.complete);
    EXPECT_FALSE(few.verdicts[0].holds.has_value());
    large.limits = {.bytes = 1 << 20};
    EXPECT_FALSE(check<Greeting>(large).findings.complete);
}

}  // namespace
}  // namespace conclave::toys
