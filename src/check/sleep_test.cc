// check/sleep_test.cc -- ways that are asleep are not missed.
#include "check/sleep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "check/check.h"
#include "check/toys_test.h"
#include "core/small.h"
#include "elect/election.h"

namespace conclave::toys {
namespace {

// Everybody calls everybody else once, and says so when all the others have called.
struct Rollcall {
    static constexpr Model assumes{Links::reliable, Timing::asynchronous, Faults::none};
    static constexpr Claim claim = toys::claim;
    using Config = Plain;
    static Config configure(const Settings&) { return {}; }
    struct Call {};
    struct Complete {};
    using Message = std::variant<Call>;
    using Timer = std::variant<None>;
    using Request = std::variant<Campaign>;
    using Notice = std::variant<Complete>;
    using Durable = None;
    using Turn = conclave::Turn<Rollcall>;
    struct History {  // two that are complete do not commute
        Small<NodeId, 4> complete;
        void observe(NodeId node, const Complete&) { complete.push_back(node); }
    };

    NodeSet heard;

    void on(Turn&, const Booted<Rollcall>&) {}
    void on(Turn& turn, Campaign) {
        for (const Member& member : turn.seat.members) {
            if (member.node != turn.seat.self) turn.send(member.node, Call{});
        }
    }
    void on(Turn& turn, NodeId from, Call) {
        heard.insert(from);
        if (heard.size() + 1 == turn.seat.members.size()) turn.tell(Complete{});
    }

    static inline bool forbidden = false;  // that the highest is the first, and so on down
    static std::optional<std::string> descending(const View<Rollcall>& view) {
        const auto& complete = view.history.complete;
        if (!forbidden || complete.size() < view.nodes.size()) return std::nullopt;
        if (!std::ranges::is_sorted(complete, std::greater{})) return std::nullopt;
        return "complete from the highest down";
    }
    static std::span<const Property<Rollcall>> properties() {
        static constexpr std::array list{
            Property<Rollcall>{"not from the highest down", Demand::always, descending}};
        return list;
    }
};

CheckPlan rollcall(Links links) {
    CheckPlan calls = plan<Rollcall>(3);
    calls.model.links = links;
    calls.own_calls = 1;
    return calls;
}

void expect_same(CheckPlan reduced) {
    Rollcall::forbidden = false;
    CheckPlan whole = reduced;
    whole.limits.every_way = true;
    const Findings every = check<Rollcall>(whole).findings;
    EXPECT_EQ(every.asleep, 0U);
    for (std::uint32_t threads : {1U, 2U}) {
        reduced.limits.threads = threads;
        const Findings found = check<Rollcall>(reduced).findings;
        EXPECT_TRUE(found.complete);
        EXPECT_EQ(found.states, every.states);
        EXPECT_EQ(found.transitions, every.transitions);
        EXPECT_EQ(found.depth, every.depth);
        EXPECT_GT(found.asleep, 0U);
    }
}

TEST(Sleep, LeavesOutNoState) {
    expect_same(rollcall(Links::reliable));
    expect_same(rollcall(Links::fifo));
}

TEST(Sleep, LeavesOutNoStateAmongFaults) {
    CheckPlan faulty = rollcall(Links::fifo);
    faulty.budget[Spend::crash] = faulty.budget[Spend::restart] = 1;
    faulty.budget[Spend::loss] = 1;
    faulty.budget[Spend::pause] = 1;
    expect_same(faulty);
}

TEST(Sleep, LeavesOutNoStateWithinABoundOnWhatIsInFlight) {
    CheckPlan narrow = rollcall(Links::fifo);
    narrow.bounds.flight = 3;
    const Findings found = check<Rollcall>(narrow).findings;
    narrow.limits.every_way = true;
    EXPECT_EQ(found.states, check<Rollcall>(narrow).findings.states);
    EXPECT_EQ(found.asleep, 0U);  // which of two steps is first makes a difference
}

TEST(Sleep, FindsTheSameCounterexample) {
    CheckPlan reduced = rollcall(Links::reliable);
    Rollcall::forbidden = true;
    const CheckReport found = check<Rollcall>(reduced);
    reduced.limits.every_way = true;
    const CheckReport every = check<Rollcall>(reduced);
    ASSERT_TRUE(found.counterexample.has_value());
    EXPECT_EQ(found.counterexample, every.counterexample);
    EXPECT_EQ(found.findings.states, every.findings.states);
    const ScriptResult story = replay<Rollcall>(found);
    EXPECT_TRUE(story.ok()) << explain(story, "story");
}

TEST(Sleepers, SleepOnAfterWhatCommutesWithThem) {
    Sleepers sleepers(2);
    const std::size_t index = 1;
    sleepers.enter(Sleep{1} << sleepers.arrival_bit(index));
    const Sleeper arrival{.bit = sleepers.arrival_bit(index), .at = 0, .packet = 7, .tells = true};
    const Sleeper begins{.bit = sleepers.begin_bit(1), .at = 1};
    const Sleeper tells{.bit = sleepers.leave_bit(1), .at = 1, .tells = true};
    EXPECT_TRUE(sleepers.is_asleep(arrival));
    EXPECT_FALSE(sleepers.is_asleep(begins));
    sleepers.pass(arrival);
    // The packet is third now.
    EXPECT_EQ(sleepers.after(begins, {3, 5, 7}), Sleep{1} << sleepers.arrival_bit(2));
    EXPECT_EQ(sleepers.after(tells, {3, 5, 7}), 0U);    // both are remembered
    EXPECT_EQ(sleepers.after(arrival, {3, 5, 7}), 0U);  // of the same node
}

}  // namespace
}  // namespace conclave::toys
