// mutex/maekawa_test.cc -- what voting sets cost, and what they survive.
#include "mutex/maekawa.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::node;
using Options = std::vector<std::pair<std::string, std::string>>;

// Nobody crashes; only the listed ones ask, or all.
Plan asking(std::uint32_t nodes, std::uint32_t requests, std::vector<NodeId> askers = {}) {
    Plan plan = default_plan(nodes);
    plan.oracle.present = false;
    plan.workload.requests = requests;
    plan.workload.askers = std::move(askers);
    return plan;
}
Plan with(Plan plan, Options options) {
    plan.options = std::move(options);
    return plan;
}
std::uint64_t effort(Sets kind, std::uint32_t nodes, std::uint32_t place) {
    return make_coterie(kind, nodes).set_of(place).size();
}

// --- The price. ----------------------------------------------------------------------------------

// MX-13, MX-22: the own vote needs no network.
TEST(Maekawa, CostsThreeTimesKMinusOneAlone) {
    const std::pair<Sets, const char*> kinds[] = {{Sets::smallest, "smallest"},
                                                  {Sets::plane, "plane"},
                                                  {Sets::grid, "grid"},
                                                  {Sets::majority, "majority"}};
    for (std::uint32_t n = 1; n <= 31; ++n) {
        for (const auto& [kind, name] : kinds) {
            const std::uint32_t asker = 1 + n / 2 % n;
            const Report report =
                kit::run<Maekawa>(with(asking(n, 3, {node(asker)}), {{"sets", name}}));
            const std::uint64_t k = effort(kind, n, asker - 1);
            EXPECT_EQ(report.turns->entries, 3U);
            EXPECT_EQ(report.total(), 3 * 3 * (k - 1)) << name << " of " << n;
            EXPECT_EQ(report.repairs(), 0U);
            EXPECT_EQ(report.turns->client_delay, k == 1 ? 0 : 2) << name << " of " << n;
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        }
    }
}

// MX-22: 6 messages where Ricart and Agrawala's algorithm needs 2(N - 1) = 12, and a square grid is
// cheaper than that from 9 nodes on.
TEST(Maekawa, SevenNodesPaySix) {
    EXPECT_EQ(kit::run<Maekawa>(asking(7, 1, {node(3)})).total(), 6U);
    for (std::uint32_t side = 1; side <= 10; ++side) {
        const std::uint32_t n = side * side;
        const Report report = kit::run<Maekawa>(with(asking(n, 1, {node(1)}), {{"sets", "grid"}}));
        EXPECT_EQ(report.total(), 6 * (side - 1));
        EXPECT_EQ(report.total() < 2 * (n - 1), n > 4) << n << " nodes";
    }
}

// MX-22: a release and a grant, "round-trip time instead of single-message transmission time". Less
// where the voter that both wait for is one of them.
TEST(Maekawa, SynchronizationTakesARoundTrip) {
    Plan seven = with(asking(7, 1, {node(2), node(3)}), {{"sets", "lecture"}});
    EXPECT_EQ(kit::run<Maekawa>(seven).turns->synchronization_delay, 2);
    for (std::uint32_t n = 2; n <= 31; ++n) {
        Plan plan = asking(n, 2, {node(1), node(n)});
        plan.workload.hold_least = plan.workload.hold_most = 10 * unit;
        const Report report = kit::run<Maekawa>(plan);
        EXPECT_EQ(report.turns->entries, 4U);
        EXPECT_GE(report.turns->least_synchronization, 1) << n << " nodes";
        EXPECT_LE(report.turns->most_synchronization, 2) << n << " nodes";
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}

// Each request makes at most one voter ask its vote back: REQUEST, GRANT, RELEASE, INQUIRE, YIELD
// and the vote given again; with FAILED, one more. At the own vote only the last ones travel.
void expect_bounded(const char* form, std::uint64_t per_voter, std::uint64_t at_own_vote) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Plan plan = with(asking(static_cast<std::uint32_t>(2 + seed % 19), 3), {{"form", form}});
        plan.seed = seed;
        plan.adversary.delay_least = unit / 8;
        plan.adversary.delay_most = 4 * unit;
        plan.adversary.reorder = seed % 2 == 0;
        const Report report = kit::run<Maekawa>(plan);
        const auto n = static_cast<std::uint32_t>(plan.members.size());
        const std::uint64_t k = burden_of(make_coterie(Sets::smallest, n)).effort_most;
        EXPECT_EQ(report.turns->entries, 3 * n);
        EXPECT_LE(report.total(), 3 * n * (per_voter * (k - 1) + at_own_vote)) << "seed " << seed;
        EXPECT_EQ(report.repairs(), 0U);
        EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    }
}
TEST(Maekawa, ContentionCostsAtMostSixPerVoter) { expect_bounded("eager", 6, 3); }
TEST(Maekawa, ContentionCostsAtMostSevenPerVoterWithFailed) { expect_bounded("failed", 7, 4); }

// --- Crashes. ------------------------------------------------------------------------------------

// MX-23: whoever is in no set that is needed may be dead.
TEST(Maekawa, NodesOutsideTheVotingSetMayAllBeDead) {
    for (std::uint32_t n = 3; n <= 31; ++n) {
        Plan plan = with(asking(n, 2, {node(1)}), {{"reroute", "off"}});
        const Places needed = make_coterie(Sets::smallest, n).set_of(0);
        for (std::uint32_t place = 0; place < n; ++place) {
            if (!needed.contains(place)) plan.down.push_back(node(place + 1));
        }
        const Report report = kit::run<Maekawa>(plan);
        EXPECT_EQ(report.turns->entries, 2U) << n << " nodes";
        EXPECT_EQ(report.total(), 2 * 3 * (needed.size() - 1));
    }
}

// MX-23: those whose set contains it wait, and all the others come and go.
TEST(Maekawa, DeadVoterBlocksExactlyThoseWhoNeedIt) {
    for (std::uint32_t n = 3; n <= 21; ++n) {
        const Coterie coterie = make_coterie(Sets::smallest, n);
        for (std::uint32_t dead = 0; dead < n; ++dead) {
            Plan plan = with(asking(n, 1), {{"reroute", "off"}});
            plan.oracle.present = true;
            plan.down = {node(dead + 1)};
            std::uint32_t unaffected = 0;
            for (std::uint32_t place = 0; place < n; ++place) {
                unaffected += !coterie.set_of(place).contains(dead);
            }
            const Report report = kit::run<Maekawa>(plan);
            EXPECT_EQ(report.turns->entries, unaffected) << n << " without " << dead + 1;
            EXPECT_EQ(report.violations.empty(), unaffected == n - 1);
        }
    }
}

// MX-23 "may be exploited further": any set will do, for all of them meet.
TEST(Maekawa, AnotherSetIsAskedInPlaceOfOneWithADeadVoter) {
    for (std::uint32_t n = 3; n <= 21; ++n) {
        for (std::uint32_t dead = 1; dead <= n; ++dead) {
            Plan plan = asking(n, 2);
            plan.oracle.present = true;
            plan.down = {node(dead)};
            const Report report = kit::run<Maekawa>(plan);
            EXPECT_EQ(report.turns->entries, 2 * (n - 1)) << n << " without " << dead;
            EXPECT_TRUE(report.violations.empty()) << kit::text(report);
        }
    }
}

// MX-04: what the section protects may be half-written, and the voters say so.
TEST(Maekawa, HolderThatDiesIsMourned) {
    Plan plan = asking(3, 0);
    plan.oracle.present = true;
    plan.trace = true;
    plan.workload.hold_least = plan.workload.hold_most = 9 * unit;
    plan.schedule = {{kit::at(0), fault::Ask{node(1), "Enter"}},
                     {kit::at(5), fault::Crash{node(1), false}},
                     {kit::at(6), fault::Ask{node(2), "Enter"}}};
    const Report report = kit::run<Maekawa>(plan);
    EXPECT_NE(report.trace.find("2 tells HolderDied(1)"), std::string::npos) << report.trace;
    EXPECT_EQ(report.turns->entries, 2U);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

// --- Many seeds. ---------------------------------------------------------------------------------

void expect_seeds_hold(const Model& model, const Options& options, std::uint64_t seeds) {
    const auto simulator = make_simulator<Maekawa>("maekawa");
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Plan plan = claimed_plan(model, Kind::mutex, seed, 20);
        plan.options = options;
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

// Crashes and restarts, torn saves, messages out of order, a detector that may be wrong.
TEST(Maekawa, RandomWorldsHold) { expect_seeds_hold(Maekawa::assumes, {}, 300); }
TEST(Maekawa, RandomWorldsHoldWithFailed) {
    expect_seeds_hold(Maekawa::assumes, {{"form", "failed"}}, 300);
}
TEST(Maekawa, RandomWorldsHoldWithEveryKindOfSets) {
    for (const char* kind : {"plane", "grid", "majority"}) {
        expect_seeds_hold(Maekawa::assumes, {{"sets", kind}}, 100);
    }
}
// The same with one that is never wrong.
TEST(Maekawa, RandomWorldsHoldWithAReliableDetector) {
    constexpr Model model{Links::reliable, Timing::synchronous, Faults::restart};
    expect_seeds_hold(model, {}, 200);
    expect_seeds_hold(model, {{"reroute", "off"}}, 100);
}
// One node dies at some time, and does not come back.
TEST(Maekawa, RandomWorldsHoldWithoutAnyOneNode) {
    constexpr Model model{Links::reliable, Timing::synchronous, Faults::none};
    const auto simulator = make_simulator<Maekawa>("maekawa");
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Plan plan = claimed_plan(model, Kind::mutex, seed, 20);
        const auto n = static_cast<std::uint32_t>(plan.members.size());
        if (n < 3) continue;  // two need each other
        const double when = 0.5 * static_cast<double>(seed % 80);
        const auto victim = static_cast<std::uint32_t>(1 + seed / 3 % n);
        plan.schedule = {{kit::at(when), fault::Crash{node(victim), false}}};
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
