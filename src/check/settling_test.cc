// check/settling_test.cc -- bounded liveness: by when all must be settled.
#include <gtest/gtest.h>

#include "check/check.h"
#include "check/toys_test.h"

namespace conclave::toys {
namespace {

// Everybody knocks once a millisecond, a few times or for ever. The rounds only grow: no state
// comes twice, and no cycle shows that there is no end to it.
template <std::uint64_t times> struct Knocking {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::none};
    static constexpr Claim claim = toys::claim;
    using Config = Plain;
    static Config configure(const Settings&) { return {}; }
    using Message = std::variant<None>;
    struct Knock {};
    using Timer = std::variant<Knock>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<Knocking>;

    Round knocks{};

    void on(Turn& turn, const Booted<Knocking>&) { turn.arm(Knock{}, 1ms); }
    void on(Turn&, NodeId, None) {}
    void on(Turn& turn, Knock) {
        knocks = knocks.next();
        if (knocks.value < times) turn.arm(Knock{}, 1ms);
    }

    static std::optional<std::string> knocking(const View<Knocking>& view) {
        for (const auto& node : view.nodes) {
            if (node.up && node.state->knocks.value < times) return "somebody knocks";
        }
        return std::nullopt;
    }
    static std::span<const Property<Knocking>> properties() {
        static constexpr std::array list{Property<Knocking>{"silence", Demand::settled, knocking}};
        return list;
    }
};
using Endless = Knocking<UINT64_MAX>;
using Thrice = Knocking<3>;

TEST(Check, WhatNeverEndsButNeverRepeatsIsFoundByTheClock) {
    CheckPlan endless = plan<Endless>(2);
    endless.bounds.rounds = 64;
    EXPECT_FALSE(check<Endless>(endless).violated());  // beyond the bound anything may happen
    endless.bounds.settle = 10;
    const CheckReport report = check<Endless>(endless);
    EXPECT_EQ(report.verdicts[0].holds, false);
    const ScriptResult story = replay<Endless>(report);
    EXPECT_TRUE(story.ok()) << explain(story, "story");
}

TEST(Check, WhatEndsMustEndInTime) {
    CheckPlan thrice = plan<Thrice>(2);
    thrice.bounds.settle = 4;
    EXPECT_FALSE(check<Thrice>(thrice).violated());
    thrice.bounds.settle = 2;
    EXPECT_TRUE(check<Thrice>(thrice).violated());
}

TEST(Check, TheTimeToSettleBeginsWhenTheLastFaultIsOver) {
    CheckPlan thrice = plan<Thrice>(1);
    thrice.bounds.settle = 4;
    thrice.budget[Spend::pause] = 1;
    thrice.budget[Spend::crash] = thrice.budget[Spend::restart] = 1;
    const CheckReport report = check<Thrice>(thrice);
    EXPECT_TRUE(report.findings.complete);
    EXPECT_FALSE(report.violated());
}

}  // namespace
}  // namespace conclave::toys
