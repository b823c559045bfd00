// elect/plans_test.h -- for the tests of elections: plans told step by step, and what became of
// them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elect/election.h"
#include "sim/test_kit.h"

namespace conclave::kit {

inline Plan without(Plan plan, std::vector<std::string> fixes) {
    plan.without = std::move(fixes);
    return plan;
}
inline Plan and_then(Plan plan, double when, Fault fault) {
    plan.schedule.push_back({at(when), std::move(fault)});
    return plan;
}
inline Plan with_detector(Plan plan) {
    plan.oracle.present = true;
    return plan;
}
// Each node's successor is the next in the list.
inline Plan in_ring_order(Plan plan, const std::vector<std::uint32_t>& ids) {
    for (std::size_t place = 0; place < ids.size(); ++place) {
        plan.members[place].node = node(ids[place]);
    }
    return plan;
}
// A claimed plan whose adversary may do something else as well.
template <class Change> Plan redrawn(Plan plan, Change change) {
    change(plan.adversary);
    plan.schedule.clear();
    draw_faults(plan);
    return plan;
}
// The detector lies, and takes it back.
inline Plan lied_to(Plan plan) {
    plan.oracle.reliable = false;
    return redrawn(std::move(plan), [](Adversary& adversary) { adversary.false_suspicions = 3; });
}

inline bool breaks(const Report& report, std::string_view property) {
    return std::ranges::count(report.violations, property, &Violation::property) > 0;
}
inline std::uint64_t sent(const Report& report, std::string_view type) {
    const auto found = std::ranges::find(report.messages, type, &MessageCount::type);
    return found == report.messages.end() ? 0 : found->sent;
}
template <class P> std::string wrong_with(const Plan& plan) { return text(run<P>(plan)); }
template <class P> std::string leader_of_all(const Plan& plan) {
    const Report report = run<P>(plan);
    return report.agreed ? election::name(report.leaders.front().second) : "not agreed";
}

}  // namespace conclave::kit
