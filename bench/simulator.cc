// bench/simulator.cc -- how fast the random walk is, and how much memory a node takes.
//
// Events per second on one core without tracing, at 1,000 nodes; and a ring of a million nodes,
// whose resident memory is printed. The numbers are for people; no test depends on them.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
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

void report(benchmark::State& state, const Simulator& of, std::uint64_t events) {
    state.counters["events/s"] =
        benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
    state.counters["bytes/node"] = static_cast<double>(of.describe({}).bytes_per_node);
    state.counters["resident MiB"] = resident_mib();
}

// Everybody calls an election at boot: as many messages in flight as there can be.
void all_call(benchmark::State& state, std::string_view name) {
    const auto of = simulator(name);
    const Plan plan = default_plan(static_cast<std::size_t>(state.range(0)));
    std::uint64_t events = 0;
    for (auto _ : state) events += of->run(plan).events;
    report(state, *of, events);
}

void one_calls(benchmark::State& state, std::string_view name) {
    const auto of = simulator(name);
    Plan plan = default_plan(static_cast<std::size_t>(state.range(0)));
    plan.settings.join = Join::stay;
    plan.schedule.push_back({Instant{}, fault::Call{NodeId{1}}});
    std::uint64_t events = 0;
    for (auto _ : state) events += of->run(plan).events;
    report(state, *of, events);
}

BENCHMARK_CAPTURE(all_call, ring, "ring")->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_call, bully, "bully")->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_calls, ring, "ring")
    ->Arg(1'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace conclave
