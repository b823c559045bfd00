// bench/checker.cc -- states per second of the explorer, on the models that Spin gets as well.
//
// bench/spin.sh runs both and prints them side by side. `every_way` is the search without any
// reduction; else ways may sleep (check/sleep.h), which leaves out no state.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "check/check.h"
#include "models/chang_roberts.h"
#include "models/ricart_agrawala.h"

namespace conclave {
namespace {

template <class P> void explore(benchmark::State& state, std::uint32_t rounds) {
    const auto nodes = static_cast<std::size_t>(state.range(0));
    const auto checker = make_checker<P>("model");
    CheckPlan plan = checker->claimed(nodes);
    plan.world.settings.join = Join::stay;
    plan.world.oracle.present = false;
    plan.budget = {};
    plan.bounds = {};
    plan.own_calls = rounds;
    plan.limits.hashes_only = true;
    plan.limits.threads = static_cast<std::uint32_t>(state.range(1));
    plan.limits.every_way = state.range(2) != 0;
    CheckReport report;
    for (auto _ : state) report = checker->check(plan);
    const Findings& found = report.findings;
    const auto states = static_cast<double>(found.states);
    state.counters["states"] = states;
    state.counters["transitions"] = static_cast<double>(found.transitions);
    state.counters["taken"] = static_cast<double>(found.transitions - found.asleep);
    state.counters["complete"] = found.complete && !report.violated();
    state.counters["bytes_per_state"] = static_cast<double>(found.bytes) / states;
    state.counters["table_bytes_per_state"] = static_cast<double>(found.table_bytes) / states;
    state.counters["states_per_second"] = benchmark::Counter(
        states * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void chang_roberts(benchmark::State& state) { explore<ChangRoberts>(state, 1); }
void ricart_agrawala(benchmark::State& state) {
    explore<PrintedRicartAgrawala>(state, state.range(0) == 3 ? 2 : 1);
}

// One core is measured by what it works, two by the clock on the wall.
BENCHMARK(chang_roberts)
    ->ArgNames({"nodes", "threads", "every_way"})
    ->ArgsProduct({{8, 10, 11}, {1}, {1, 0}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ricart_agrawala)
    ->ArgNames({"nodes", "threads", "every_way"})
    ->ArgsProduct({{3, 4}, {1}, {1, 0}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(chang_roberts)
    ->ArgNames({"nodes", "threads", "every_way"})
    ->ArgsProduct({{11}, {1, 2}, {1, 0}})
    ->Iterations(1)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace conclave
