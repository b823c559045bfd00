// check/ageing_test.cc -- who counts from its birth looks further back than any of its waits.
#include <gtest/gtest.h>

#include "check/check.h"
#include "check/toys_test.h"

namespace conclave::toys {
namespace {

// The first tells the second how old it is, in periods since its birth.
struct Ageing {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::none};
    static constexpr Claim claim = toys::claim;
    static constexpr bool looks_far_back = true;
    struct Config {
        FixSet fixes{};
        Duration period{};
    };
    static Config configure(const Settings& settings) { return {{}, settings.tm}; }
    struct Age {
        std::int64_t periods = 0;
    };
    using Message = std::variant<Age>;
    struct Birthday {};
    using Timer = std::variant<Birthday>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<Ageing>;

    Instant born;
    std::int64_t told = 0;

    void on(Turn& turn, const Booted<Ageing>&) {
        born = turn.now;
        if (turn.seat.self == turn.seat.members[0].node) {
            turn.arm(Birthday{}, turn.config().period);
        }
    }
    void on(Turn& turn, Birthday) {
        const Duration period = turn.config().period;
        turn.send(turn.seat.members[1].node, Age{(turn.now - born) / period});
        turn.arm(Birthday{}, period);
    }
    void on(Turn&, NodeId, Age age) { told = std::max(told, age.periods); }

    static std::optional<std::string> old(const View<Ageing>& view) {
        if (view.nodes[1].state->told < 9) return std::nullopt;
        return "the first is nine";
    }
    static std::span<const Property<Ageing>> properties() {
        static constexpr std::array list{Property<Ageing>{"nobody is old", Demand::always, old}};
        return list;
    }
};

TEST(Check, WhoCountsFromItsBirthKeepsItsPast) {
    CheckPlan endless = plan<Ageing>(2);
    EXPECT_TRUE(make_checker<Ageing>("toy")->refuse(endless).has_value());
    CheckPlan bounded = endless;
    bounded.bounds.ticks = 12;
    EXPECT_FALSE(make_checker<Ageing>("toy")->refuse(bounded).has_value());
    const CheckReport report = check<Ageing>(bounded);
    ASSERT_EQ(report.verdicts[0].holds, false);
    const ScriptResult story = replay<Ageing>(report);  // where the world says the same ages
    EXPECT_TRUE(story.ok()) << explain(story, "story");
    EXPECT_GT(story.violations, 0U);
}

}  // namespace
}  // namespace conclave::toys
