// bench/checker.cc -- states per second of the explorer, on the models that Spin gets as well.
//
// bench/spin.sh runs Spin on the same models with the same atomicity and no reduction on either
// side, and prints both.
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
    CheckReport report;
    for (auto _ : state) report = checker->check(plan);
    const auto states = static_cast<double>(report.findings.states);
    state.counters["states"] = states;
    state.counters["transitions"] = static_cast<double>(report.findings.transitions);
    state.counters["complete"] = report.findings.complete && !report.violated();
    state.counters["bytes_per_state"] = static_cast<double>(report.findings.bytes) / states;
    state.counters["states_per_second"] = benchmark::Counter(
        states * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void chang_roberts(benchmark::State& state) { explore<ChangRoberts>(state, 1); }
void ricart_agrawala(benchmark::State& state) { explore<PrintedRicartAgrawala>(state, 2); }

BENCHMARK(chang_roberts)->Arg(8)->Arg(10)->Arg(11)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(ricart_agrawala)->Arg(3)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace conclave
