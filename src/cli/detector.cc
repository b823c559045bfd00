// cli/detector.cc -- from the words of the command line to detectors that are tried out.
#include "cli/detector.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <optional>

#include "cli/detector_report.h"
#include "cli/detector_trial.h"
#include "sim/plan_text.h"

namespace conclave {

namespace {

using Wrong = std::optional<std::string>;

template <class List> std::string listed(const List& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

Wrong choose_kinds(const std::string& word, std::vector<const DetectorKind*>& chosen) {
    std::vector<std::string_view> names;
    for (const DetectorKind& kind : detector_kinds()) {
        names.push_back(kind.name);
        if (word.empty() || word == kind.name) chosen.push_back(&kind);
    }
    if (!chosen.empty()) return std::nullopt;
    return "unknown detector '" + word + "' (" + listed(names) + ")";
}

Wrong wrong_options(const DetectorOptions& options) {
    if (options.sim.claimed || options.sim.rewrite || !options.sim.trace.empty()) {
        return "sim detector takes no --claimed, --rewrite or --trace: it measures, and runs many";
    }
    if (options.sim.detector != "oracle") return "sim detector takes --kind, not --detector";
    return std::nullopt;
}

Wrong read_world(const DetectorOptions& options, Trial& trial) {
    trial.plan = default_plan(2);
    for (const auto& [key, value] : options.sim.settings) {
        if (Wrong wrong = take_setting(trial.plan, key, value)) return wrong;
    }
    if (Wrong wrong = complete(trial.plan)) return wrong;
    if (trial.plan.members.size() < 2) return "a detector needs somebody to watch: --nodes 2";
    trial.crash_wanted = trial.plan.adversary.crashes == 0 &&
                         std::ranges::none_of(trial.plan.schedule, [](const Scheduled& one) {
                             return std::holds_alternative<fault::Crash>(one.fault);
                         });
    return std::nullopt;
}

// NAME=VALUE,VALUE,...
struct Sweep {
    std::string name;
    std::vector<std::string> values;
};
Wrong read_sweep(const std::string& text, Sweep& sweep) {
    const auto equals = text.find('=');
    sweep.name = text.substr(0, equals);
    for (std::size_t from = equals; from < text.size();) {
        const auto comma = std::min(text.find(',', from + 1), text.size());
        sweep.values.push_back(text.substr(from + 1, comma - from - 1));
        from = comma;
    }
    const bool gap = std::ranges::any_of(sweep.values, &std::string::empty);
    if (!sweep.name.empty() && !sweep.values.empty() && !gap) return std::nullopt;
    return "--sweep takes NAME=VALUE,VALUE,..., not '" + text + "'";
}

bool knows(const DetectorKind& kind, const std::string& setting) {
    return std::ranges::find(kind.settings, setting) != kind.settings.end();
}

// Where all kinds are compared, each takes what concerns it.
void keep_own(Trial& trial, std::vector<Sweep>& sweeps) {
    std::erase_if(sweeps, [&](const Sweep& sweep) { return !knows(*trial.kind, sweep.name); });
    std::erase_if(trial.plan.options, [&](const auto& option) {
        const bool somebodys = std::ranges::any_of(
            detector_kinds(), [&](const auto& kind) { return knows(kind, option.first); });
        return somebodys && !knows(*trial.kind, option.first);
    });
    if (trial.kind->algorithm == "ping") std::erase(trial.plan.without, "widening");
}

// The worlds of one kind: the one given, or one for each value of each sweep.
Wrong plan_trials(Trial one, const std::vector<Sweep>& sweeps, std::vector<Trial>& trials) {
    if (!one.kind->estimator.empty()) {
        one.plan.options.emplace_back("estimator", one.kind->estimator);
    }
    if (Wrong wrong = refuse(one)) return wrong;
    if (sweeps.empty()) trials.push_back(one);
    for (const Sweep& sweep : sweeps) {
        if (!knows(*one.kind, sweep.name)) {
            return "'" + sweep.name + "' makes no difference to " + std::string(one.kind->name) +
                   " (" + listed(one.kind->settings) + ")";
        }
        for (const std::string& value : sweep.values) {
            Trial& swept = trials.emplace_back(one);
            swept.setting = sweep.name;
            swept.value = value;
            swept.plan.options.emplace_back(sweep.name, value);
            if (Wrong wrong = refuse(swept)) return wrong;
        }
    }
    return std::nullopt;
}

Wrong read_trials(const DetectorOptions& options, std::vector<Trial>& trials) {
    std::vector<const DetectorKind*> kinds;
    std::vector<Sweep> sweeps;
    Trial base;
    if (Wrong wrong = wrong_options(options)) return wrong;
    if (Wrong wrong = choose_kinds(options.kind, kinds)) return wrong;
    if (Wrong wrong = read_world(options, base)) return wrong;
    for (const std::string& text : options.sweep) {
        if (Wrong wrong = read_sweep(text, sweeps.emplace_back())) return wrong;
        const std::string& name = sweeps.back().name;
        if (kinds.size() == 1) continue;
        if (std::ranges::any_of(kinds, [&](auto* kind) { return knows(*kind, name); })) continue;
        return "'" + name + "' makes no difference to any detector";
    }
    for (const DetectorKind* kind : kinds) {
        Trial one = base;
        std::vector<Sweep> own = sweeps;
        one.kind = kind;
        if (kinds.size() > 1) keep_own(one, own);
        if (own.empty() && !sweeps.empty()) continue;
        if (Wrong wrong = plan_trials(one, own, trials)) return wrong;
    }
    if (trials.size() == 1 && !options.sim.svg.empty()) {
        return "--svg draws a trade-off: it needs a --sweep, or every --kind";
    }
    return std::nullopt;
}

void print(const Terminal& terminal, const DetectorOptions& options,
           const std::vector<Tried>& all) {
    if (terminal.format == Format::text) {
        if (terminal.quiet) return;
        const std::string text =
            all.size() == 1 ? tried_text(terminal, all.front()) : tried_table(terminal, all);
        std::fputs(text.c_str(), stdout);
        return;
    }
    boost::json::array rows;
    for (const Tried& one : all) {
        rows.push_back(tried_json(one));
        if (terminal.format != Format::jsonl) continue;
        std::puts(boost::json::serialize(rows.back()).c_str());
    }
    if (terminal.format == Format::jsonl) return;
    boost::json::object out{{"runs", options.sim.runs},
                            {"first_seed", all.front().trial.plan.seed},
                            {"rows", std::move(rows)}};
    std::puts(boost::json::serialize(out).c_str());
}

}  // namespace

Exit run_detector(const Terminal& terminal, const DetectorOptions& options) {
    std::vector<Trial> trials;
    if (const Wrong wrong = read_trials(options, trials)) {
        complain(*wrong);
        return Exit::usage;
    }
    std::vector<Tried> all;
    Progress progress(terminal, "detector: run", trials.size() * options.sim.runs);
    std::uint64_t runs = 0;
    for (const Trial& trial : trials) {
        all.push_back({trial, try_out(trial, options.sim.runs, [&] { progress.at(++runs); })});
    }
    if (!options.sim.svg.empty() && !write_file(options.sim.svg, to_svg(trade_off(all)))) {
        return Exit::cannot_create;
    }
    print(terminal, options, all);
    return Exit::ok;
}

}  // namespace conclave
