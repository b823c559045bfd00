// check/drift_test.cc -- clocks that do not agree.
#include <gtest/gtest.h>

#include "check/check.h"
#include "check/toys_test.h"

namespace conclave::toys {
namespace {

// The first may act for `held` on its own clock, the second after `waited` on its own.
struct Relay {
    static constexpr Model assumes{Links::hostile, Timing::drifting, Faults::none};
    static constexpr Claim claim = toys::claim;
    struct Config {
        FixSet fixes{};
        Duration held = 4ms, waited = 6ms;
    };
    static Config configure(const Settings&) { return {}; }
    template <class F> static void each_option(Config& config, F option) {
        option("held", config.held);
    }
    using Message = std::variant<None>;
    struct Mine {};
    using Timer = std::variant<Mine>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<Relay>;

    std::optional<Instant> until;
    bool taken = false;

    void on(Turn& turn, const Booted<Relay>&) {
        if (turn.seat.self == turn.seat.members[0].node) {
            until = turn.now + turn.config().held;
        } else {
            turn.arm(Mine{}, turn.config().waited);
        }
    }
    void on(Turn&, NodeId, None) {}
    void on(Turn&, Mine) { taken = true; }

    static std::optional<std::string> both(const View<Relay>& view) {
        const bool first = view.nodes[0].state->until > view.nodes[0].now;
        if (first && view.nodes[1].state->taken) return "both act";
        return std::nullopt;
    }
    static std::optional<std::string> waiting(const View<Relay>& view) {
        if (view.nodes[1].state->taken) return std::nullopt;
        return "the second never acts";
    }
    static std::span<const Property<Relay>> properties() {
        static constexpr std::array list{Property<Relay>{"one at a time", Demand::always, both},
                                         Property<Relay>{"handed on", Demand::settled, waiting}};
        return list;
    }
};

TEST(Check, AClockThatRunsTooFastEndsAWaitTooEarly) {
    CheckPlan drifting = plan<Relay>(2);
    drifting.tick = 1ms;
    drifting.world.starts = {{.node = NodeId{2}, .ppm = 500'000}};  // three ticks to two
    EXPECT_FALSE(check<Relay>(drifting).violated());                // 4 before 6 / 1.5
    drifting.world.options = {{"held", "6"}};
    const CheckReport early = check<Relay>(drifting);
    EXPECT_EQ(early.verdicts[0].holds, false);
    drifting.world.starts.clear();
    EXPECT_FALSE(check<Relay>(drifting).violated());
}

}  // namespace
}  // namespace conclave::toys
