// bench/simulator.cc -- how fast the random walk is, and how much memory a node takes.
//
// Many elections in one world, so that the number is steady, without tracing. What is counted is
// this process's own time, which a busy machine changes least, without what setting up the nodes
// takes: the median of seven runs. The numbers are for people; no test depends on them.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string_view>

#include "catalog/simulators.h"
#include "sim/plan_text.h"

namespace conclave {
namespace {

std::unique_ptr<Simulator> simulator(std::string_view name) {
    for (const SimulatorEntry& entry : simulators()) {
        if (entry.name == name) return entry.make();
    }
    return nullptr;
}

double resident_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

double seconds_used() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// The lowest node calls again and again: with the bully half of all pairs of nodes have a message
// in flight at once, with the ring it is two at most.
Plan elections(std::size_t nodes, std::int64_t count, Duration apart) {
    Plan plan = default_plan(nodes);
    plan.settings.join = Join::stay;
    for (std::int64_t i = 0; i < count; ++i) {
        plan.schedule.push_back({Instant(i * apart), fault::Call{NodeId{1}}});
    }
    return plan;
}

double time_of(const Simulator& of, const Plan& plan, std::uint64_t& events) {
    const double begin = seconds_used();
    events = of.run(plan).events;
    return seconds_used() - begin;
}

double time_to_set_up(const Simulator& of, Plan plan) {
    plan.schedule.clear();
    plan.until = Duration(1);
    std::uint64_t none = 0;
    return time_of(of, plan, none);
}

void walk(benchmark::State& state, std::string_view name, Duration apart) {
    const auto of = simulator(name);
    const Plan plan = elections(static_cast<std::size_t>(state.range(0)), state.range(1), apart);
    std::uint64_t events = 0;
    for (auto _ : state) {
        std::array<double, 7> times{};
        for (double& time : times) {
            const double set_up = time_to_set_up(*of, plan);
            time = time_of(*of, plan, events) - set_up;
        }
        std::ranges::sort(times);
        state.SetIterationTime(times[times.size() / 2]);
    }
    state.counters["events"] = static_cast<double>(events);
    state.counters["events/s"] =
        benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
    state.counters["bytes/node"] = static_cast<double>(of->describe({}).bytes_per_node);
    state.counters["peak MiB"] = resident_mib();
}

void median(benchmark::internal::Benchmark* of) {
    of->ArgNames({"nodes", "elections"})->Unit(benchmark::kMillisecond);
    of->UseManualTime()->Iterations(1);
}

BENCHMARK_CAPTURE(walk, ring, "ring", 4'100 * unit)->Args({1'000, 500})->Apply(median);
BENCHMARK_CAPTURE(walk, bully, "bully", 20 * unit)->Args({1'000, 3})->Apply(median);
BENCHMARK_CAPTURE(walk, ring, "ring", unit)->Args({1'000'000, 1})->Apply(median);

}  // namespace
}  // namespace conclave
