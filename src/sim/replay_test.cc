// sim/replay_test.cc -- what a random walk wrote down, the script walker does again.
#include <gtest/gtest.h>

#include "elect/bully.h"
#include "sim/script.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

std::unique_ptr<Simulator> find(std::string_view name) {
    return name == "bully" ? make_simulator<Bully>("bully") : nullptr;
}

// Everything at once, whether the bully claims to survive it or not: only the replay matters.
Plan hostile_plan(std::uint64_t seed) {
    Plan plan = default_plan(2 + seed % 6);
    Adversary& adversary = plan.adversary;
    adversary.loss = seed % 2 == 0 ? 0.15 : 0;
    adversary.duplicate = seed % 3 == 0 ? 0.1 : 0;
    adversary.delay_least = unit / 4;
    adversary.delay_most = 3 * unit;
    adversary.reorder = seed % 5 != 0;
    adversary.drift_ppm = 50'000;
    adversary.scatter_clocks = seed % 2 == 1;
    adversary.crashes = 2;
    adversary.torn_saves = 1;
    adversary.restarts = true;
    adversary.amnesia = seed % 4 == 0;
    adversary.pauses = 2;
    adversary.partitions = 1;
    adversary.one_way_cuts = 1;
    adversary.false_suspicions = 2;
    adversary.calls = 2;
    adversary.attribute_changes = 2;
    adversary.calm = 40 * unit;
    plan.oracle.reliable = seed % 2 == 0;
    plan.oracle.most = 5 * unit;
    plan.settings.live_attribute = seed % 3 == 1;
    if (seed % 4 == 1) plan.starts.push_back({.node = NodeId{1}, .attribute = 3});
    if (seed % 7 == 0) plan.without = {"incarnation", "epoch"};
    if (seed % 6 == 0) plan.down = {NodeId{2}};
    plan.seed = seed;
    plan.trace = true;
    draw_faults(plan);
    return plan;
}

TEST(Script, RandomWalkTracesReplayToEqualFinalStates) {
    const auto simulator = find("bully");
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const std::string trace = simulator->run(hostile_plan(seed)).trace;
        ASSERT_NE(trace.find(" show\n"), trace.npos);
        const ScriptResult result = run_script(trace, find);
        ASSERT_TRUE(result.ok()) << "seed " << seed << ":\n" << explain(result, "trace");
        ASSERT_EQ(result.text, trace) << "seed " << seed;
        ASSERT_GT(result.commands, 20U);
    }
}

TEST(Script, SameSeedGivesTheSameTrace) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const std::string once = find("bully")->run(hostile_plan(seed)).trace;
        EXPECT_EQ(once, find("bully")->run(hostile_plan(seed)).trace);
        EXPECT_NE(once, find("bully")->run(hostile_plan(seed + 1)).trace);
    }
}

// The trace of a plain run is what a script's `run` prints.
TEST(Script, RunDoesWhatTheRandomWalkDoesWithoutDice) {
    Plan plan = kit::started(default_plan(5), {2});
    plan.down = {kit::node(5)};
    plan.trace = true;
    std::string walked = find("bully")->run(plan).trace;
    const ScriptResult scripted =
        run_script("world bully nodes=5 crash=5 start=2\n----\n\nrun\n----\n", find);
    std::size_t events = 0;
    for (std::size_t at = 0; (at = walked.find("\nat ", at)) != walked.npos; ++at) {
        const std::string event = walked.substr(at, walked.find('\n', at + 1) - at);
        if (event.ends_with(" show") || event.ends_with(" check")) continue;
        EXPECT_NE(scripted.text.find(event), scripted.text.npos) << event;
        ++events;
    }
    EXPECT_EQ(events, 17U);  // a call, 12 messages, 3 acknowledgements, a timeout
}

}  // namespace
}  // namespace conclave
