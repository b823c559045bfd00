// elect/consensus_test.cc -- whoever can elect can agree on a bit, and the other way round.
//
// Consensus from election: the decision is the last bit of the leader's id, but of the first leader
// of epoch 1 only. The bit of "the current leader" changes with every leader.
//
// Election from consensus: every epoch is one instance of consensus on the leader's id; each node
// proposes itself, or the best it knows, and the one decided on leads that epoch. The appointment
// with a unique epoch and the quorum election are of this kind: a majority grants an epoch to one
// node, once. Hence neither problem can be solved without any bound on time.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "core/stack.h"
#include "elect/garcia_molina.h"
#include "sim/simulate.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;

// Stands on any election. Later leaders pass the decision on to those who were not there.
struct LastBit {
    static constexpr Model assumes = GarciaMolina::assumes;
    static constexpr Claim claim{Kind::service, "lecture 001", "all decide alike", "", "", ""};
    struct Config {
        FixSet fixes{};
    };
    static Config configure(const Settings&) { return {}; }

    struct Decided {
        bool bit = false;
    };
    using Message = std::variant<Decided>;
    using Timer = std::variant<None>;
    using Request = std::variant<None>;
    using Notice = std::variant<Decided>;
    struct Durable {
        std::optional<bool> decision;
    };
    using Turn = conclave::Turn<LastBit>;

    std::optional<bool> decision;
    std::optional<bool> current;  // of whoever leads now: what must not be decided by

    static std::span<const Property<LastBit>> properties();

    void on(Turn&, const Booted<LastBit>& booted) { decision = booted.durable.decision; }
    void on(Turn& turn, LeaderIs told) {
        if (!told.leader) return;
        current = number(*told.leader) & 1U;
        if (told.epoch == Epoch{1}) decide(turn, *current);
        if (told.leader != turn.seat.self || !decision) return;
        for (const Member& member : turn.seat.members) {
            if (member.node != turn.seat.self) turn.send(member.node, Decided{*decision});
        }
    }
    void on(Turn& turn, NodeId, Decided decided) { decide(turn, decided.bit); }

private:
    void decide(Turn& turn, bool bit) {
        if (decision) return;
        decision = bit;
        turn.save({decision});
        turn.tell(Decided{bit});
    }
};
static_assert(Protocol<LastBit>);

std::optional<std::string> all_decided_alike(const View<LastBit>& view) {
    std::optional<bool> first;
    for (const auto& one : view.nodes) {
        if (!one.up || !one.state->decision) continue;
        if (!first) first = one.state->decision;
        if (one.state->decision != first) return election::name(one.node) + " differs";
    }
    return std::nullopt;
}
// The top node wins epoch 1 in the runs below.
template <std::optional<bool> LastBit::*bit>
std::optional<std::string> is_the_top_nodes(const View<LastBit>& view) {
    const bool expected = number(view.nodes.back().node) & 1U;
    for (const auto& one : view.nodes) {
        if (one.up && one.state->*bit != expected) return election::name(one.node) + " differs";
    }
    return std::nullopt;
}
std::span<const Property<LastBit>> LastBit::properties() {
    static constexpr std::array list{
        Property<LastBit>{"agreement", Demand::always, all_decided_alike},
        Property<LastBit>{"decision", Demand::settled, is_the_top_nodes<&LastBit::decision>},
        Property<LastBit>{"current bit", Demand::settled, is_the_top_nodes<&LastBit::current>},
    };
    return list;
}

using Consensus = Stack<GarciaMolina, LastBit>;

TEST(ConsensusFromElection, DecidesTheLastBitOfTheFirstLeaderOfEpochOne) {
    for (std::uint32_t n = 2; n <= 9; ++n) {
        const Report report = kit::run<Consensus>(kit::started(default_plan(n), {1}));
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

TEST(ConsensusFromElection, OutlivesTheLeaderWhoseBitItIs) {
    for (std::uint32_t n = 3; n <= 9; ++n) {
        Plan plan = kit::started(default_plan(n), {n});
        plan.down = {node(1)};
        plan.schedule.push_back({kit::at(20), fault::Crash{node(n)}});
        plan.schedule.push_back({kit::at(30), fault::Suspect{node(n - 1), node(n)}});
        plan.schedule.push_back({kit::at(60), fault::Restart{node(1)}});
        plan.schedule.push_back({kit::at(60), fault::Call{node(1)}});
        const Report report = kit::run<Consensus>(plan);
        ASSERT_EQ(report.violations.size(), 1U) << kit::text(report);
        EXPECT_EQ(report.violations.front().property, "current bit");  // its bit has changed
    }
}

}  // namespace
}  // namespace conclave
