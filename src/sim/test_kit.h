// sim/test_kit.h -- short words for tests: plans, exact runs, many seeds.
//
// Of algorithms in the catalog; a test of another one, or of a stack that some presets leave out,
// includes sim/simulate.h as well.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "sim/claimed.h"
#include "sim/plan_text.h"
#include "sim/simulator.h"
#include "sim/unit.h"

namespace conclave::kit {

inline NodeId node(std::uint32_t id) { return NodeId{id}; }
inline Instant at(double units) {
    return Instant(Duration(static_cast<std::int64_t>(units * static_cast<double>(unit.count()))));
}

// Nodes boot silently, only the listed ones call an election, no detector runs: how exact counts
// are asserted.
inline Plan started(Plan plan, const std::vector<std::uint32_t>& callers) {
    plan.settings.join = Join::stay;
    plan.oracle.present = false;
    for (std::uint32_t id : callers) plan.schedule.push_back({Instant{}, fault::Call{node(id)}});
    return plan;
}

template <class P> Report run(const Plan& plan) {
    const auto simulator = make_simulator<P>("tested");
    const auto wrong = simulator->refuse(plan);
    EXPECT_FALSE(wrong) << *wrong;
    return simulator->run(plan);
}

inline std::string text(const Report& report) {
    std::string all;
    for (const Violation& one : report.violations) {
        all += one.property + ": " + one.what + " at " + std::to_string(one.at) + "\n";
    }
    return all;
}

// Random worlds within what the protocol assumes. Says which seed failed and how.
template <class P> void expect_claimed_seeds_hold(std::uint64_t seeds, std::uint64_t first = 1) {
    const auto simulator = make_simulator<P>("tested");
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
        const Report report = simulator->run(claimed_plan(P::assumes, P::claim.kind, seed));
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ":\n" << text(report);
    }
}

// Many seeds of the same plan, its faults drawn anew for each; 2 to `nodes` nodes. Says which seed
// failed and how.
template <class P> void expect_all_seeds_hold(Plan plan, std::uint64_t seeds, std::uint32_t nodes) {
    const auto simulator = make_simulator<P>("tested");
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Plan one = plan;
        one.seed = seed;
        one.members = default_plan(2 + seed % (nodes - 1)).members;
        std::vector<NodeId> ids;
        for (const Member& member : one.members) ids.push_back(member.node);
        one.schedule = draw_schedule(one.adversary, ids, seed);
        const Report report = simulator->run(one);
        ASSERT_TRUE(report.violations.empty())
            << "seed " << seed << " of " << one.members.size() << " nodes:\n"
            << text(report);
    }
}

}  // namespace conclave::kit
