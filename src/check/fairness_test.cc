// check/fairness_test.cc -- what endless runs must come to.
#include <gtest/gtest.h>

#include "check/check.h"
#include "check/toys_test.h"

namespace conclave::toys {
namespace {

// Spins for ever; only a second timer, of its own or of the other node, ends it.
template <bool one_does_both> struct Spinning {
    static constexpr Model assumes{Links::reliable, Timing::asynchronous, Faults::none};
    static constexpr Claim claim = toys::claim;
    using Config = Plain;
    static Config configure(const Settings&) { return {}; }
    using Message = std::variant<None>;
    struct Spin {};
    struct Finish {};
    using Timer = std::variant<Spin, Finish>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<Spinning>;

    bool phase = false;
    bool done = false;

    void on(Turn& turn, const Booted<Spinning>&) {
        const bool first = turn.seat.self == turn.seat.members[0].node;
        if (first) turn.arm(Spin{}, 1ms);
        if (first == one_does_both) turn.arm(Finish{}, 1ms);
    }
    void on(Turn&, NodeId, None) {}
    void on(Turn& turn, Spin) {
        phase = !phase;
        turn.arm(Spin{}, 1ms);
    }
    void on(Turn&, Finish) { done = true; }

    static std::optional<std::string> unfinished(const View<Spinning>& view) {
        for (const auto& node : view.nodes) {
            if (node.state->done) return std::nullopt;
        }
        return "nobody is done";
    }
    static std::span<const Property<Spinning>> properties() {
        static constexpr std::array list{
            Property<Spinning>{"done, if it is let", Demand::recoverable, unfinished},
            Property<Spinning>{"done", Demand::eventually, unfinished}};
        return list;
    }
};

TEST(Check, AFairRunIsFairToNodesNotToTimers) {
    const CheckReport both = check<Spinning<true>>(plan<Spinning<true>>(2));
    EXPECT_EQ(both.verdicts[0].holds, true);   // it can always still come about
    EXPECT_EQ(both.verdicts[1].holds, false);  // but the other timer may be first for ever
    const CheckReport other = check<Spinning<false>>(plan<Spinning<false>>(2));
    EXPECT_EQ(other.verdicts[0].holds, true);
    EXPECT_EQ(other.verdicts[1].holds, true);  // nobody keeps another node from acting
}

}  // namespace
}  // namespace conclave::toys
