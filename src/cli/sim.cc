// cli/sim.cc -- runs one world, or the same world over many seeds.
#include "cli/sim.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/catalogue.h"
#include "cli/report.h"
#include "cli/script_file.h"
#include "sim/claimed.h"
#include "sim/diagram.h"
#include "sim/plan_text.h"

namespace conclave {

namespace {

// Everything that stays the same from one seed to the next.
struct Job {
    const Terminal& terminal;
    const SimOptions& options;
    std::string algorithm;
    std::unique_ptr<Simulator> simulator;
    Plan plan;
};

std::optional<std::string> read_plan(Job& job) {
    Detector detector;
    if (!read_detector(job.options.detector, detector)) {
        return "unknown detector '" + job.options.detector +
               "' (oracle, heartbeat, adaptive, chen, bertier, accrual, ping, none)";
    }
    job.algorithm = job.options.what + detector.suffix;
    job.simulator = find_simulator(job.algorithm);
    if (!job.simulator) return unknown_algorithm(job.algorithm);
    job.plan = default_plan(5);
    for (const auto& [key, value] : job.options.settings) {
        if (const auto wrong = take_setting(job.plan, key, value)) return wrong;
    }
    if (const auto wrong = complete(job.plan)) return wrong;
    if (!detector.estimator.empty()) {
        job.plan.options.insert(job.plan.options.begin(), {"estimator", detector.estimator});
    }
    if (!detector.suffix.empty() || job.options.detector == "none") job.plan.oracle.present = false;
    job.plan.trace = !job.options.trace.empty();
    job.plan.diagram = !job.options.svg.empty();
    return job.simulator->refuse(job.plan);
}

Plan plan_of_seed(const Job& job, std::uint64_t seed) {
    if (job.options.claimed) {
        const Description about = job.simulator->describe(job.plan.settings);
        Plan plan = claimed_plan(about.assumes, about.claim.kind, seed);
        plan.without = job.plan.without;
        plan.options = job.plan.options;
        plan.oracle.present = plan.oracle.present && job.plan.oracle.present;
        plan.trace = job.plan.trace;
        plan.diagram = job.plan.diagram;
        return plan;
    }
    Plan plan = job.plan;
    plan.seed = seed;
    draw_faults(plan);
    return plan;
}

std::string repeat_command(const Job& job, std::uint64_t seed) {
    std::string command = "conclave sim " + job.options.what;
    if (job.options.detector != "oracle") command += " --detector " + job.options.detector;
    if (job.options.claimed) command += " --claimed";
    for (const auto& [key, value] : job.options.settings) {
        if (key == "seed") continue;
        const bool option = key.starts_with("set.");
        command += option ? " --set " + shell_quoted(key.substr(4) + "=" + value)
                          : " --" + key + " " + shell_quoted(value);
    }
    return command + " --seed " + std::to_string(seed);
}

bool write_pictures(const Job& job, const Report& report) {
    if (job.plan.trace && !write_file(job.options.trace, report.trace)) return false;
    return !job.plan.diagram || write_file(job.options.svg, to_svg(report.diagram));
}

Exit one_run(const Job& job) {
    const Plan plan = plan_of_seed(job, job.plan.seed);
    const Report report = job.simulator->run(plan);
    if (!write_pictures(job, report)) return Exit::cannot_create;
    if (job.terminal.format == Format::text) {
        if (!job.terminal.quiet) {
            std::fputs(report_text(job.terminal, job.algorithm, plan, report).c_str(), stdout);
        }
        if (!report.violations.empty()) {
            complain("repeat with: " + repeat_command(job, job.plan.seed));
        }
    } else {
        std::puts(boost::json::serialize(report_json(job.algorithm, plan, report)).c_str());
    }
    return report.violations.empty() ? Exit::ok : Exit::violated;
}

struct Tally {
    std::uint64_t runs = 0, failed = 0, messages = 0, repairs = 0, detector = 0, events = 0;
    std::uint64_t agreed = 0, entries = 0;
    bool elects = false;
    std::vector<std::uint64_t> failing_seeds;  // the first few
    std::optional<Report> first_failure;

    void add(const Report& report, std::uint64_t seed) {
        ++runs;
        messages += report.total();
        repairs += report.repairs();
        detector += report.total(Kind::detector);
        events += report.events;
        agreed += report.agreed;
        elects = elects || !report.leaders.empty();
        entries += report.turns ? report.turns->entries : 0;
        if (report.violations.empty()) return;
        ++failed;
        constexpr std::size_t shown = 10;
        if (failing_seeds.size() < shown) failing_seeds.push_back(seed);
        if (!first_failure) first_failure = report;
    }
};

void print_tally(const Job& job, const Tally& tally) {
    const auto mean = [&](std::uint64_t sum) {
        return static_cast<double>(sum) / static_cast<double>(tally.runs);
    };
    if (job.terminal.format != Format::text) {
        boost::json::array seeds(tally.failing_seeds.begin(), tally.failing_seeds.end());
        boost::json::object out{
            {"algorithm", job.algorithm},
            {"runs", tally.runs},
            {"first_seed", job.plan.seed},
            {"failed", tally.failed},
            {"failing_seeds", std::move(seeds)},
            {"agreed", tally.agreed},
            {"entries", tally.entries},
            {"events", tally.events},
            {"mean_messages", boost::json::object{{"total", mean(tally.messages)},
                                                  {"repair", mean(tally.repairs)},
                                                  {"detector", mean(tally.detector)}}},
        };
        return static_cast<void>(std::puts(boost::json::serialize(out).c_str()));
    }
    if (job.terminal.quiet) return;
    std::string line = job.terminal.bold(job.algorithm) + ": " + std::to_string(tally.runs) +
                       " runs from seed " + std::to_string(job.plan.seed) + ", " +
                       std::to_string(tally.failed) + " failed";
    if (tally.elects) line += ", " + std::to_string(tally.agreed) + " ended in agreement";
    if (tally.entries > 0) line += ", " + std::to_string(tally.entries) + " entries";
    std::puts(line.c_str());
    std::printf("mean messages %s; repair %s; detector %s; %llu events in all\n",
                number_text(mean(tally.messages)).c_str(), number_text(mean(tally.repairs)).c_str(),
                number_text(mean(tally.detector)).c_str(),
                static_cast<unsigned long long>(tally.events));
}

Exit many_runs(const Job& job) {
    Tally tally;
    Progress progress(job.terminal, job.algorithm + ": run", job.options.runs);
    for (std::uint64_t done = 0; done < job.options.runs; ++done) {
        const std::uint64_t seed = job.plan.seed + done;
        const Plan plan = plan_of_seed(job, seed);
        const Report report = job.simulator->run(plan);
        if (job.terminal.format == Format::jsonl) {
            std::puts(boost::json::serialize(report_json(job.algorithm, plan, report)).c_str());
        }
        if (!report.violations.empty() && tally.failed == 0 && !write_pictures(job, report)) {
            return Exit::cannot_create;
        }
        tally.add(report, seed);
        progress.at(done + 1);
    }
    if (job.terminal.format != Format::jsonl) print_tally(job, tally);
    if (tally.failed == 0) return Exit::ok;
    for (const Violation& one : tally.first_failure->violations) {
        complain("violated: " + one.property + " (" + one.what + ") at " + number_text(one.at));
    }
    complain("repeat with: " + repeat_command(job, tally.failing_seeds.front()));
    return Exit::violated;
}

}  // namespace

Exit run_sim(const Terminal& terminal, const SimOptions& options) {
    if (std::filesystem::is_regular_file(options.what)) {
        return run_script_file(terminal, options.what,
                               options.rewrite ? Script::rewrite : Script::test);
    }
    Job job{terminal, options, {}, {}, {}};
    if (const auto wrong = read_plan(job)) {
        complain(*wrong);
        return Exit::usage;
    }
    return options.runs == 1 ? one_run(job) : many_runs(job);
}

}  // namespace conclave
