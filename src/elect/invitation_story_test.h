// elect/invitation_story_test.h -- for the tests of the invitation election: worlds that are told
// in time, and what became of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/plan_text.h"
#include "sim/simulator.h"

namespace conclave::story {

using Ids = std::vector<std::uint32_t>;

Report play(const Plan& plan);  // by the invitation election

// Nodes 1 to n boot silently, and nobody does anything before it is told to.
inline Plan silent(std::size_t nodes) {
    Plan plan = default_plan(nodes);
    plan.settings.join = Join::stay;
    plan.oracle.present = false;
    return plan;
}
inline void at(Plan& plan, double units, Fault fault) {
    const Instant when(
        Duration(static_cast<std::int64_t>(units * static_cast<double>(unit.count()))));
    const auto after = std::ranges::upper_bound(plan.schedule, when, {}, &Scheduled::at);
    plan.schedule.insert(after, {when, std::move(fault)});
}
inline void call(Plan& plan, double when, std::uint32_t id) {
    at(plan, when, fault::Call{NodeId{id}});
}
inline void cut(Plan& plan, double when, std::uint32_t from, std::uint32_t to) {
    at(plan, when, fault::Cut{NodeId{from}, NodeId{to}});
}
inline void heal(Plan& plan, double when, std::uint32_t from, std::uint32_t to) {
    at(plan, when, fault::Heal{NodeId{from}, NodeId{to}});
}
inline void part(Plan& plan, double when, const Ids& some, const Ids& others) {
    for (std::uint32_t a : some) {
        for (std::uint32_t b : others) cut(plan, when, a, b), cut(plan, when, b, a);
    }
}
inline void mend(Plan& plan, double when, const Ids& some, const Ids& others) {
    for (std::uint32_t a : some) {
        for (std::uint32_t b : others) heal(plan, when, a, b), heal(plan, when, b, a);
    }
}
inline Plan until(Plan plan, double units) {
    plan.until = Duration(static_cast<std::int64_t>(units * static_cast<double>(unit.count())));
    return plan;
}
inline Plan with(Plan plan, std::string_view option, std::string_view value) {
    plan.options.emplace_back(option, value);
    return plan;
}
inline Plan without(Plan plan, std::string_view fix) {
    plan.without.emplace_back(fix);
    return plan;
}
// As the listings have it: whoever merges first coordinates, and everybody may be merged.
inline Plan printed(Plan plan) {
    for (const auto* option : {"only_lower", "note_lower", "answer_with_coordinator"}) {
        plan.options.emplace_back(option, "false");
    }
    return with(std::move(plan), "coordinates", "initiator");
}

inline std::uint64_t sent(const Report& report, std::string_view type) {
    for (const MessageCount& one : report.messages) {
        if (one.type == type) return one.sent;
    }
    return 0;
}
inline std::uint32_t leader(const Report& report, std::uint32_t id) {  // 0: nobody
    for (const auto& [node, named] : report.leaders) {
        if (node == NodeId{id}) return named ? number(*named) : 0;
    }
    return 0;
}
inline bool violated(const Report& report, std::string_view property) {
    return std::ranges::any_of(report.violations,
                               [&](const Violation& one) { return one.property == property; });
}
inline bool happened(const Report& report, std::string_view text) {  // in a traced run
    return report.trace.find(text) != std::string::npos;
}

}  // namespace conclave::story
