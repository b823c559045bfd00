// check/torn_test.cc -- crashes in the middle of a save.
#include <gtest/gtest.h>

#include "check/check.h"
#include "check/toys_test.h"

namespace conclave::toys {
namespace {

// Says a number once in each life, and each number once; unless it says it before it is on disk.
struct Diary {
    static constexpr Model assumes{Links::reliable, Timing::asynchronous, Faults::restart};
    static constexpr Claim claim = toys::claim;
    static constexpr std::array fixes{Fix{"save-first", "a number is on disk before it is said"}};
    using Config = Plain;
    static Config configure(const Settings&) { return {}; }
    struct Said {
        std::uint32_t number = 0;
    };
    using Message = std::variant<Said>;
    struct Speak {};
    using Timer = std::variant<Speak>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    struct Durable {
        std::uint32_t number = 0;
    };
    using Turn = conclave::Turn<Diary>;

    Durable said{};
    std::uint32_t heard = 0;
    bool twice = false;

    void on(Turn& turn, const Booted<Diary>& booted) {
        said = booted.durable;
        turn.arm(Speak{}, 1ms);
    }
    void on(Turn& turn, Speak) {
        ++said.number;
        if (turn.fixed(0)) turn.save(said);
        for (const Member& member : turn.seat.members) {
            if (member.node < turn.seat.self) turn.send(member.node, Said{said.number});
        }
        if (!turn.fixed(0)) turn.save(said);
    }
    void on(Turn&, NodeId, Said word) {
        twice = twice || word.number == heard;
        heard = word.number;
    }
    static std::optional<std::string> repeated(const View<Diary>& view) {
        for (const auto& node : view.nodes) {
            if (node.state->twice) return "a number was said twice";
        }
        return std::nullopt;
    }
    static std::span<const Property<Diary>> properties() {
        static constexpr std::array list{
            Property<Diary>{"no number twice", Demand::always, repeated}};
        return list;
    }
};

TEST(Check, ATornSaveShowsWhatWasSaidTooEarly) {
    CheckPlan torn = plan<Diary>(2);
    torn.budget[Spend::crash] = torn.budget[Spend::restart] = torn.budget[Spend::torn] = 1;
    EXPECT_FALSE(check<Diary>(torn).violated());
    torn.world.without = {"save-first"};
    const CheckReport report = check<Diary>(torn);
    ASSERT_TRUE(report.violated());
    const ScriptResult story = replay<Diary>(report);
    EXPECT_TRUE(story.ok()) << explain(story, "story");
    EXPECT_GT(story.violations, 0U);
}

}  // namespace
}  // namespace conclave::toys
