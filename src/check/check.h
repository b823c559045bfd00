// check/check.h -- an algorithm behind the checker's door. Included by one generated file each.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "check/checker.h"
#include "check/retelling.h"
#include "sim/ask.h"

namespace conclave {

template <Protocol P> class CheckerOf final : public Checker {
public:
    explicit CheckerOf(std::string_view name) : name_(name) {}

    CheckPlan claimed(std::size_t nodes) const override {
        CheckPlan plan = claimed_check(P::assumes, P::claim.kind, nodes);
        if (read_request<P>("Campaign")) plan.requests = {"Campaign"};
        if constexpr (requires { Top<P>::needs_calls; }) plan.budget[Spend::call] = 1;
        if constexpr (requires { Top<P>::needs_returns; }) {
            if (Top<P>::needs_returns) plan.budget[Spend::restart] = plan.budget[Spend::crash];
        }
        if constexpr (detects<P>()) {  // which never rests, and begins with a word to everybody
            plan.bounds.ticks = 4;
            plan.bounds.flight = static_cast<std::uint32_t>(2 * nodes * (nodes - 1));
        }
        if (looks_far_back<P>() && !plan.counts_time()) {
            plan.patient = false;
            plan.model.timing = Timing::synchronous;
        }
        return plan;
    }
    std::optional<std::string> refuse(const CheckPlan& plan) const override {
        constexpr std::size_t most_nodes = 16;
        if (plan.world.members.size() > most_nodes) {
            return "at most " + std::to_string(most_nodes) + " nodes can be explored";
        }
        for (const std::string& request : plan.requests) {
            if (!read_request<P>(request)) {
                return std::string(name_) + " knows no request '" + request + "'";
            }
        }
        if (plan.own_calls > 0 && !read_request<P>(TakesTurns<Top<P>> ? "Enter" : "Campaign")) {
            return std::string(name_) + " has nothing to call for";
        }
        for (const std::string& name : plan.judged) {
            if (!demands(name)) return std::string(name_) + " has no property '" + name + "'";
        }
        if (looks_far_back<P>()) {
            if (const auto wrong = refuse_time(plan)) return wrong;
        }
        Setup<P> setup;
        return prepare<P>(plan.world, name_, setup);
    }
    CheckReport check(const CheckPlan& plan) const override {
        Setup<P> setup;
        prepare<P>(plan.world, name_, setup);
        Country<P> country(plan, setup);
        CheckReport report;
        report.findings = Explorer(country, plan.limits, plan.bounds.depth, plan.progress).run();
        report.local_states = country.repertoire().residents();
        report.packets = country.repertoire().packets();
        give_verdicts(plan, report);
        for (const Findings::Broken& broken : report.findings.broken) {
            CheckPlan told = plan;
            told.world.trace = told.world.diagram = true;
            told.world.oracle.present = false;  // every verdict is told by name
            told.world.schedule.clear();
            auto story = Retelling<P>(told, setup, name_, country).tell(broken.path);
            report.verdicts[broken.property].what = story.wrong[broken.property];
            if (report.counterexample) continue;
            const CheckReport::Verdict& verdict = report.verdicts[broken.property];
            report.counterexample = "# " + verdict.name + ": " + verdict.what + "\n" + story.script;
            report.diagram = std::move(story.diagram);
        }
        return report;
    }

private:
    std::optional<std::string> refuse_time(const CheckPlan& plan) const {
        if (!plan.counts_time()) {
            return std::string(name_) +
                   " looks at its clock: --timing must be synchronous or drifting";
        }
        if (plan.bounds.end_time() || plan.bounds.depth > 0) return std::nullopt;
        return std::string(name_) +
               " never does the same twice: without --ticks, --settle or --depth there is no end";
    }
    static bool demands(std::string_view property) {
        const auto all = demands_of<P>(CheckPlan{});
        return std::ranges::any_of(all, [&](const auto& one) { return one.name == property; });
    }
    static void give_verdicts(const CheckPlan& plan, CheckReport& report) {
        const Findings& found = report.findings;
        for (const auto& property : demands_of<P>(plan)) {
            CheckReport::Verdict verdict{std::string(property.name), property.demand};
            const bool seen = (found.seen >> report.verdicts.size() & 1U) != 0;
            const bool sometimes = property.demand == Demand::sometimes;
            const bool judged = plan.limits.judges_endless() || !of_endless_runs(property.demand);
            if (found.complete && judged) verdict.holds = !sometimes || seen;
            if (sometimes && seen) verdict.holds = true;
            if (sometimes && verdict.holds == false) verdict.what = "never seen";
            report.verdicts.push_back(std::move(verdict));
        }
        for (const auto& broken : found.broken) report.verdicts[broken.property].holds = false;
    }

    std::string_view name_;
};

template <Protocol P> std::unique_ptr<Checker> make_checker(std::string_view name) {
    return std::make_unique<CheckerOf<P>>(name);
}

}  // namespace conclave
