// check/timing_test.cc -- what may happen when, in each of the time models.
#include <gtest/gtest.h>

#include "check/check.h"
#include "check/toys_test.h"

namespace conclave::toys {
namespace {

// The lowest asks, the others answer; who has not answered in time is taken for dead.
struct Asking {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::crash};
    static constexpr Claim claim = toys::claim;
    struct Config {
        FixSet fixes{};
        Duration wait{};
    };
    static Config configure(const Settings& settings) { return {{}, settings.round_trip()}; }
    struct Ask {};
    struct Answer {};
    using Message = std::variant<Ask, Answer>;
    struct Late {};
    using Timer = std::variant<Late>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<Asking>;

    NodeSet answered, mistaken;
    bool over = false;
    bool cheated = false;  // somebody spoke who had been declared dead
    NodeSet failed;

    void on(Turn& turn, const Booted<Asking>&) {
        if (turn.seat.self != turn.seat.members[0].node) return;
        for (const Member& member : turn.seat.members) {
            if (member.node != turn.seat.self) turn.send(member.node, Ask{});
        }
        if (turn.config().wait > 0ms) turn.arm(Late{}, turn.config().wait);
    }
    void on(Turn& turn, NodeId from, Ask) { turn.send(from, Answer{}); }
    void on(Turn&, NodeId from, Answer) {
        answered.insert(from);
        if (over) mistaken.insert(from);
        cheated = cheated || failed.contains(from);
    }
    void on(Turn&, Late) { over = true; }
    void on(Turn&, Suspected peer) { failed.insert(peer.node); }

    static std::optional<std::string> late(const View<Asking>& view) {
        if (view.nodes[0].state->mistaken.empty()) return std::nullopt;
        return "an answer came late";
    }
    static std::optional<std::string> from_the_dead(const View<Asking>& view) {
        if (!view.nodes[0].state->cheated) return std::nullopt;
        return "a dead node spoke";
    }
    static std::span<const Property<Asking>> properties() {
        static constexpr std::array list{
            Property<Asking>{"no answer is late", Demand::always, late},
            Property<Asking>{"the dead are silent", Demand::always, from_the_dead}};
        return list;
    }
};

TEST(Check, AnAnswerIsInTimeIfTheNetworkIs) {
    CheckPlan timely = plan<Asking>(3);
    const CheckReport report = check<Asking>(timely);
    EXPECT_TRUE(report.findings.complete);
    EXPECT_FALSE(report.violated());
    timely.model.timing = Timing::asynchronous;
    const CheckReport late = check<Asking>(timely);
    EXPECT_EQ(late.verdicts[0].holds, false);
    EXPECT_EQ(late.findings.broken[0].path.size(), 3U + 3U);  // boots; asked, too late, answered
    const ScriptResult story = replay<Asking>(late);
    EXPECT_TRUE(story.ok()) << explain(story, "story");
    EXPECT_GT(story.violations, 0U);
}

TEST(Check, AReliableOracleLetsTheDeadSpeakFirst) {
    CheckPlan mortal = plan<Asking>(3);
    mortal.world.oracle.present = true;
    mortal.budget[Spend::crash] = 1;
    EXPECT_FALSE(check<Asking>(mortal).violated());
    mortal.patient = true;
    EXPECT_FALSE(check<Asking>(mortal).violated());
    mortal.patient = false;
    mortal.world.settings.tm = 0ms;  // nobody waits for an answer
    mortal.model.timing = Timing::asynchronous;
    mortal.world.oracle.reliable = false;
    EXPECT_EQ(check<Asking>(mortal).verdicts[1].holds, false);
}

}  // namespace
}  // namespace conclave::toys
