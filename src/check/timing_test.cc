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
