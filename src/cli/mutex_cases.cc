// cli/mutex_cases.cc -- the prices of mutual exclusion, algorithm by algorithm.
#include "cli/mutex_cases.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mutex/coterie.h"
#include "sim/plan_text.h"

namespace conclave {

bool Price::met_by(double measured, std::uint32_t nodes) const {
    if (!of) return true;
    const double expected = of(nodes);
    constexpr double rounding = 1e-9;
    switch (precision) {
        case Precision::exact:
            return std::abs(measured - expected) <= rounding * expected;
        case Precision::mean:
            return std::abs(measured - expected) <= 0.05 * expected;
        case Precision::bound:
            return measured <= expected * (1 + rounding);
    }
    return false;
}

namespace {

// No faults, no detector, unit delays: what the sources count.
Plan quiet(std::uint32_t nodes) {
    Plan plan = default_plan(nodes);
    plan.oracle.present = false;
    return plan;
}
Plan one_at_a_time(std::uint32_t nodes) {
    Plan plan = quiet(nodes);
    plan.workload.contention = 1;
    plan.workload.requests = 3;
    return plan;
}
// A mean needs many requests; how many of them does not depend on how many nodes make them.
Plan very_many(std::uint32_t nodes) {
    Plan plan = one_at_a_time(nodes);
    plan.workload.requests = std::max(20U, 20'000 / nodes);
    return plan;
}
Plan all_compete(std::uint32_t nodes) {
    Plan plan = quiet(nodes);
    plan.workload.requests = 3;
    return plan;
}
// Long enough that the token's first hop, before anybody has asked, does not show.
Plan saturated(std::uint32_t nodes) {
    Plan plan = all_compete(nodes);
    plan.workload.requests = 20;
    return plan;
}
// The server's own requests cost nothing; the price is that of the others.
Plan clients_only(Plan plan) {
    for (const Member& member : plan.members) plan.workload.askers.push_back(member.node);
    plan.workload.askers.pop_back();
    return plan;
}
Plan one_client(std::uint32_t nodes) { return clients_only(one_at_a_time(nodes)); }
Plan all_clients(std::uint32_t nodes) { return clients_only(all_compete(nodes)); }
constexpr std::uint32_t again = 10;
Plan one_again_and_again(std::uint32_t nodes) {
    Plan plan = quiet(nodes);
    plan.options.emplace_back("retained", "on");
    plan.workload.askers = {NodeId{1}};
    plan.workload.requests = again;
    return plan;
}

double harmonic(std::uint32_t nodes) {
    double sum = 0;
    for (std::uint32_t i = 1; i <= nodes; ++i) sum += 1.0 / i;
    return sum;
}
double votes(std::uint32_t nodes) {
    return burden_of(make_coterie(Sets::smallest, nodes)).mean - 1;
}
double most_votes(std::uint32_t nodes) {
    return burden_of(make_coterie(Sets::smallest, nodes)).effort_most - 1.0;
}
template <int value> double constant(std::uint32_t) { return value; }
constexpr double (*others_twice)(std::uint32_t) = [](std::uint32_t n) { return 2.0 * (n - 1); };

constexpr Price one{"1", constant<1>}, two{"2", constant<2>}, three{"3", constant<3>};

constexpr std::array all{
    MutexCase{"central", "one at a time", one_client, three, two, {}},
    MutexCase{"central", "all compete", all_clients, three, {}, two},
    MutexCase{"token-ring", "all compete", saturated, {"1", constant<1>, Precision::mean}, {}, one},
    MutexCase{"ricart-agrawala", "one at a time", one_at_a_time, {"2(N-1)", others_twice}, two, {}},
    MutexCase{"ricart-agrawala", "all compete", all_compete, {"2(N-1)", others_twice}, {}, one},
    MutexCase{"ricart-agrawala",
              "retained, one asks ten times",
              one_again_and_again,
              {"2(N-1)/10", [](std::uint32_t n) { return 2.0 * (n - 1) / again; }},
              {},
              {}},
    MutexCase{"maekawa",
              "one at a time",
              one_at_a_time,
              {"3(K-1)", [](std::uint32_t n) { return 3 * votes(n); }, Precision::mean},
              two,
              {}},
    MutexCase{"maekawa",
              "all compete",
              all_compete,
              {"<= 6(K-1)", [](std::uint32_t n) { return 6 * most_votes(n); }, Precision::bound},
              {},
              {}},
    MutexCase{"path-token",
              "one at a time",
              very_many,
              {"H_N - 1/N", [](std::uint32_t n) { return harmonic(n) - 1.0 / n; }, Precision::mean},
              {},
              {}},
    MutexCase{"path-token", "all compete", all_compete, {}, {}, one},
};

}  // namespace

std::span<const MutexCase> mutex_cases() { return all; }

Plan contended_plan(std::string_view algorithm, std::uint32_t nodes, std::uint32_t contention) {
    Plan plan = quiet(nodes);
    plan.workload.requests = std::max(3U, 1'000 / nodes);
    plan.workload.contention = contention;
    return algorithm == "central" ? clients_only(plan) : plan;
}

}  // namespace conclave
