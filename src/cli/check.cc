// cli/check.cc -- reads what to explore, and says what came of it.
#include "cli/check.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "catalog/checkers.h"
#include "check/checker.h"
#include "cli/catalogue.h"
#include "core/print.h"
#include "sim/diagram.h"
#include "sim/options.h"
#include "sim/plan_text.h"

namespace conclave {

namespace {

using Wrong = std::optional<std::string>;

std::unique_ptr<Checker> find_checker(std::string_view name) {
    for (const CheckerEntry& entry : checkers()) {
        if (entry.name == name) return entry.make();
    }
    return nullptr;
}

std::string no_checker(const std::string& name) {
    if (!find_simulator(name)) return unknown_algorithm(name);
    return "'" + name + "' has no checker in this build: `make check-all` builds them all";
}

// 3, or 3k, 3M, 3G where sizes are meant.
std::optional<std::uint64_t> read_count(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    const unsigned shift = unit.empty() ? 0 : unit == "k" ? 10 : unit == "M" ? 20 : 30;
    if (error != std::errc{} || (shift == 30 && unit != "G")) return std::nullopt;
    if (value > UINT64_MAX >> shift) return std::nullopt;
    return value << shift;
}

template <class T>
Wrong take_count(const std::string& key, const std::string& value, T& into, std::uint64_t most) {
    const auto read = read_count(value);
    if (!read || *read > most) {
        return "--" + key + " must be a number up to " + std::to_string(most) + ", not '" + value +
               "'";
    }
    into = static_cast<T>(*read);
    return std::nullopt;
}

Wrong take_timing(CheckPlan& plan, const std::string& value) {
    plan.patient = value == "patient";
    if (value == "synchronous" || plan.patient) {
        plan.model.timing = Timing::synchronous;
    } else if (value == "asynchronous") {
        plan.model.timing = Timing::asynchronous;
    } else if (value == "drifting") {
        plan.model.timing = Timing::drifting;
    } else {
        return "--timing must be synchronous, asynchronous, drifting or patient, not '" + value +
               "'";
    }
    plan.world.oracle.reliable = plan.model.timing == Timing::synchronous;
    return std::nullopt;
}

Wrong take_links(CheckPlan& plan, const std::string& value) {
    for (Links links : {Links::fifo, Links::reliable, Links::hostile}) {
        if (to_text(links) != value) continue;
        plan.model.links = links;
        return std::nullopt;
    }
    return "--links must be fifo, reliable or hostile, not '" + value + "'";
}

Wrong take_bound(CheckPlan& plan, const std::string& key, const std::string& value, bool& known) {
    constexpr std::uint64_t many = UINT32_MAX - 1, few = 200;
    for (std::size_t at = 0; at < spends; ++at) {
        if (key == spend_names[at]) return take_count(key, value, plan.budget.left[at], few);
    }
    if (key == "epochs") return take_count(key, value, plan.bounds.epochs, many);
    if (key == "rounds") {  // of those who take turns, how often each does
        if (plan.own_calls > 0) return take_count(key, value, plan.own_calls, few);
        return take_count(key, value, plan.bounds.rounds, many);
    }
    if (key == "nonces") return take_count(key, value, plan.bounds.nonces, many);
    if (key == "flight") return take_count(key, value, plan.bounds.flight, many);
    if (key == "depth") return take_count(key, value, plan.bounds.depth, many);
    if (key == "ticks") return take_count(key, value, plan.bounds.ticks, many);
    if (key == "settle") return take_count(key, value, plan.bounds.settle, many);
    if (key == "memory") return take_count(key, value, plan.limits.bytes, UINT64_MAX);
    if (key == "states") return take_count(key, value, plan.limits.states, UINT64_MAX);
    if (key == "threads") return take_count(key, value, plan.limits.threads, 64);
    known = false;
    return std::nullopt;
}

Wrong take(CheckPlan& plan, const std::string& key, const std::string& value) {
    if (key == "timing") return take_timing(plan, value);
    if (key == "links") return take_links(plan, value);
    if (key == "ask") {
        plan.requests.push_back(value);
        return std::nullopt;
    }
    if (key == "tick") {
        if (detail::read_option(value, plan.tick) && plan.tick > Duration{}) return std::nullopt;
        return "--tick must be a time, not '" + value + "'";
    }
    bool known = true;
    if (const auto wrong = take_bound(plan, key, value, known)) return wrong;
    return known ? std::nullopt : take_setting(plan.world, key, value);
}

// Whoever is told to start calls once, at any time. Links can be cut from the beginning; whatever
// else may happen is the explorer's to choose.
Wrong take_schedule(CheckPlan& plan) {
    for (const Scheduled& one : plan.world.schedule) {
        if (const auto* call = std::get_if<fault::Call>(&one.fault)) {
            plan.callers.push_back(call->node);
        } else if (const auto* cut = std::get_if<fault::Cut>(&one.fault);
                   cut && one.at == Instant{}) {
            plan.cuts.cut(cut->from, cut->to);
        } else {
            return "a check knows no faults at given times, but for a --cut at 0: it tries them at "
                   "all times, as many as --crashes, --cuts, ... say";
        }
    }
    std::ranges::sort(plan.cuts.links);
    plan.world.schedule.clear();
    if (!plan.callers.empty() && plan.own_calls == 0) plan.own_calls = 1;
    return std::nullopt;
}

Wrong read_plan(const CheckOptions& options, const Checker& checker, CheckPlan& plan) {
    constexpr std::size_t usual = 3;
    plan = checker.claimed(usual);
    const Timing assumed = plan.model.timing;
    for (const auto& [key, value] : options.settings) {
        if (const auto wrong = take(plan, key, value)) return wrong;
    }
    if (const auto wrong = complete(plan.world)) return wrong;
    if (const auto wrong = take_schedule(plan)) return wrong;
    if (plan.bounds.settle > 0 && !plan.counts_time()) {
        return "--settle counts ticks: it needs --timing synchronous or drifting";
    }
    plan.limits.threads = std::max(plan.limits.threads, 1U);
    plan.limits.hashes_only = options.compact;
    plan.limits.depth_first = options.depth_first;
    plan.limits.single_states = options.single_states;
    // Outside of what it assumes an algorithm is asked the most that people expect of it.
    const bool beyond = assumed == Timing::synchronous && plan.model.timing != assumed;
    plan.one_leader = options.one_leader || beyond;
    plan.judged = options.judged;
    return checker.refuse(plan);
}

double omission(const CheckReport& report) {
    const double states = static_cast<double>(report.findings.states);
    return states * states / std::ldexp(1.0, 65);
}

boost::json::object report_json(const CheckOptions& options, const CheckPlan& plan,
                                const CheckReport& report) {
    boost::json::object bounds;
    for (const auto& [name, value] : bounds_of(plan)) bounds[name] = value;
    boost::json::array properties;
    for (const auto& one : report.verdicts) {
        properties.push_back(boost::json::object{
            {"name", one.name},
            {"kind", demand_text(one.demand)},
            {"holds", one.holds ? boost::json::value(*one.holds) : boost::json::value()}});
    }
    const Findings& found = report.findings;
    boost::json::object out{
        {"algorithm", options.algorithm},
        {"nodes", plan.world.members.size()},
        {"states", found.states},
        {"transitions", found.transitions},
        {"depth", found.depth},
        {"complete", found.complete},
        {"bounded", found.bounded},
        {"bounds", std::move(bounds)},
        {"seconds", found.seconds},
        {"properties", std::move(properties)},
        {"counterexample",
         report.counterexample ? boost::json::value(*report.counterexample) : boost::json::value()},
    };
    if (options.compact) out["omission_probability"] = omission(report);
    return out;
}

std::string verdict_text(const Terminal& terminal, const CheckReport::Verdict& one) {
    const std::string name = one.name + " (" + std::string(demand_text(one.demand)) + ")";
    if (!one.holds) return "not decided: " + name + "\n";
    if (*one.holds) return terminal.good("holds") + ": " + name + "\n";
    return terminal.bad("violated") + ": " + name + ": " + one.what + "\n";
}

std::string report_text(const Terminal& terminal, const CheckOptions& options,
                        const CheckPlan& plan, const CheckReport& report) {
    const Findings& found = report.findings;
    std::string text = terminal.bold(options.algorithm) + ", " +
                       std::to_string(plan.world.members.size()) + " nodes, " +
                       (plan.patient ? "patient" : to_text(plan.model.timing)) + ", " +
                       to_text(plan.model.links) + " links\n";
    text += "within";
    for (const auto& [name, value] : bounds_of(plan)) {
        if (value > 0) text += " " + name + " " + std::to_string(value);
    }
    text += "\n" + std::to_string(found.states) + " states, " + std::to_string(found.transitions) +
            " transitions, depth " + std::to_string(found.depth) + ", " +
            number_text(found.seconds) + " s" +
            (!found.complete ? ", not complete"
             : found.bounded ? ", complete within its bounds"
                             : ", complete") +
            "\n";
    if (options.compact) {
        text += "two states were taken for one with a probability of at most " +
                std::to_string(omission(report)) + "\n";
    }
    for (const auto& one : report.verdicts) text += verdict_text(terminal, one);
    return text;
}

std::string progress_text(const CheckOptions& options, const Findings& found) {
    const double speed = static_cast<double>(found.states) / found.seconds;
    return options.algorithm + ": " + std::to_string(found.states) + " states, depth " +
           std::to_string(found.depth) + ", " + std::to_string(std::llround(speed)) +
           " a second, " + std::to_string(found.bytes >> 20) + " MiB";
}

bool write_story(const CheckOptions& options, const CheckReport& report) {
    if (!report.counterexample) return true;
    if (!options.script.empty() && !write_file(options.script, *report.counterexample)) {
        return false;
    }
    return options.svg.empty() || write_file(options.svg, to_svg(report.diagram));
}

}  // namespace

Exit run_check(const Terminal& terminal, const CheckOptions& options) {
    const auto checker = find_checker(options.algorithm);
    CheckPlan plan;
    const Wrong wrong =
        checker ? read_plan(options, *checker, plan) : no_checker(options.algorithm);
    if (wrong) {
        complain(*wrong);
        return Exit::usage;
    }
    CheckReport report;
    {
        Progress progress(terminal, options.algorithm, 0);
        plan.progress = [&](const Findings& found) {
            if (progress.due()) progress.show(progress_text(options, found));
        };
        report = checker->check(plan);
    }
    if (!write_story(options, report)) return Exit::cannot_create;
    if (terminal.format != Format::text) {
        std::puts(boost::json::serialize(report_json(options, plan, report)).c_str());
    } else if (!terminal.quiet) {
        std::fputs(report_text(terminal, options, plan, report).c_str(), stdout);
        if (report.counterexample) std::fputs(("\n" + *report.counterexample).c_str(), stdout);
    }
    if (report.violated()) return Exit::violated;
    return report.findings.complete ? Exit::ok : Exit::not_yet;
}

}  // namespace conclave
