// cli/detector_trial.cc -- runs worlds and measures what their detectors said in them.
#include "cli/detector_trial.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/catalogue.h"
#include "sim/options.h"
#include "sim/plan_text.h"

namespace conclave {

namespace {

constexpr Duration usual_life = 1000 * unit;

NodeId subject_of(const Plan& plan) { return plan.members.back().node; }

// The plan of one run. Where nobody said when the world ends, a crash can still be noticed.
Plan plan_of(const Trial& trial, const Simulator& simulator, std::uint64_t run) {
    Plan plan = trial.plan;
    plan.seed += run;
    draw_faults(plan);
    if (trial.crash_wanted) {
        const double golden = 0.6180339887498949;  // its multiples spread evenly
        const double phase = std::fmod(static_cast<double>(run) * golden, 1) * 100;
        const Duration end = plan.until > Duration{} ? plan.until * 3 / 4 : usual_life;
        const Duration spread(std::llround(phase * static_cast<double>(unit.count())));
        plan.schedule.push_back({Instant(end + spread), fault::Crash{subject_of(plan)}});
        std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
    }
    if (plan.until == Duration{}) {
        const Duration last =
            plan.schedule.empty() ? Duration{} : plan.schedule.back().at.time_since_epoch();
        plan.until = std::max(last, usual_life) + simulator.settles_within(plan);
    }
    return plan;
}

// When a node's first life ends, and when the next one begins.
struct Life {
    std::optional<Instant> crash, restart;
};
Life life_of(const Plan& plan, NodeId node) {
    Life life;
    for (const Scheduled& one : plan.schedule) {
        const auto* crash = std::get_if<fault::Crash>(&one.fault);
        const auto* restart = std::get_if<fault::Restart>(&one.fault);
        if (crash && crash->node == node && !crash->torn && !life.crash) life.crash = one.at;
        if (restart && restart->node == node && life.crash && !life.restart) {
            life.restart = one.at;
        }
    }
    return life;
}

void append(std::vector<Duration>& all, const std::vector<Duration>& some) {
    all.insert(all.end(), some.begin(), some.end());
}

void measure_pair(const Plan& plan, const Report& report, NodeId observer, NodeId subject,
                  Outcome& out) {
    std::vector<Verdict> history;
    for (const Told& told : report.verdicts) {
        if (told.observer == observer && told.subject == subject) {
            history.push_back({told.at, told.suspected});
        }
    }
    const Life theirs = life_of(plan, subject);
    Instant end(plan.until);
    if (const auto crash = life_of(plan, observer).crash) end = std::min(end, *crash);
    if (theirs.restart) end = std::min(end, *theirs.restart);
    const bool crashed = theirs.crash && *theirs.crash < end;
    const Quality seen =
        measure(history, Instant{}, end, crashed ? theirs.crash : std::optional<Instant>{});
    const Duration life = (crashed ? *theirs.crash : end).time_since_epoch();
    out.crashes += crashed;
    if (seen.detection) out.detection.push_back(*seen.detection);
    append(out.recurrence, seen.recurrence);
    append(out.mistake, seen.mistake);
    append(out.good, seen.good);
    out.life += in_units(life);
    out.wrong += (1 - seen.accuracy) * in_units(life);
    out.mistakes += std::round(seen.mistakes_per_second * Seconds(life).count());
}

void measure_run(const Plan& plan, const Report& report, Outcome& out) {
    const auto boots = [&](NodeId node) {
        return std::ranges::find(plan.down, node) == plan.down.end();
    };
    for (const Member& observer : plan.members) {
        for (const Member& subject : plan.members) {
            if (observer.node == subject.node || !boots(observer.node)) continue;
            if (boots(subject.node)) measure_pair(plan, report, observer.node, subject.node, out);
        }
    }
    out.messages += static_cast<double>(report.total(Kind::detector));
    out.time += in_units(plan.until);
}

// How often somebody takes office although nobody crashes. What the start costs is no fault of the
// detector: the same seed begins in the same way, so a shorter run tells how much that is.
std::optional<double> false_elections(const Trial& trial, std::uint64_t runs) {
    const auto bully = find_simulator("bully-on-" + std::string(trial.kind->algorithm));
    if (!bully) return std::nullopt;
    constexpr Duration start = 100 * unit;
    Plan plan = trial.plan;
    plan.schedule.clear();
    if (bully->refuse(plan)) return std::nullopt;
    double elections = 0, time = 0;
    for (std::uint64_t run = 0; run < runs; ++run) {
        plan.seed = trial.plan.seed + run;
        plan.until = start;
        elections -= static_cast<double>(bully->run(plan).changes);
        plan.until = start + usual_life;
        elections += static_cast<double>(bully->run(plan).changes);
        time += in_units(usual_life);
    }
    return 1000 * elections / time;
}

// An option as the run will have it: what was set last, or what the algorithm makes of the world.
Duration option_of(const Trial& trial, const Simulator& simulator, std::string_view name) {
    std::string text;
    for (const Option& one : simulator.describe(trial.plan.settings).options) {
        if (one.name == name) text = one.value;
    }
    for (const auto& [option, value] : trial.plan.options) {
        if (option == name) text = value;
    }
    return detail::read_units(text).value_or(Duration{});
}

// Heartbeats that are numbered and judged by freshness points: Chen, Toueg and Aguilera's formulas
// hold, for delays that are drawn evenly between two bounds and a margin that is not widened.
Foretold foretell_chen(const Adversary& adversary, Duration period, Duration margin) {
    const Seconds least = adversary.delay_least, most = adversary.delay_most;
    const auto tail = [&](Seconds x) {
        if (x < least) return 1.0;
        return x >= most ? 0.0 : (most - x) / (most - least);
    };
    const Seconds delta = Seconds(margin) + (least + most) / 2;
    const Forecast seen = forecast(Seconds(period), delta, adversary.loss, tail);
    const double units = 1 / Seconds(unit).count();
    Foretold out{.detection_most = seen.detection_most.count() * units};
    out.recurrence = seen.mistake_recurrence.count() * units;
    out.duration = seen.mistake_duration.count() * units;
    out.rate = 1000 / *out.recurrence;
    out.accuracy = seen.accuracy;
    return out;
}

std::optional<Foretold> foretell(const Trial& trial, const Simulator& simulator) {
    const Adversary& adversary = trial.plan.adversary;
    const auto option = [&](std::string_view name) { return option_of(trial, simulator, name); };
    const Duration period = option("period");
    if (trial.kind->name == "chen") return foretell_chen(adversary, period, option("margin"));
    if (trial.kind->name == "heartbeat") {  // d + W - x, at worst
        return Foretold{.detection_most =
                            in_units(adversary.delay_most + period + option("margin"))};
    }
    if (trial.kind->name == "ping") {  // it crashes when it has just been asked
        const Duration wait = option("answer") + option("slop");
        return Foretold{.detection_most =
                            in_units(std::max(period, wait) + wait - adversary.delay_least)};
    }
    return std::nullopt;
}

}  // namespace

std::span<const DetectorKind> detector_kinds() {
    static const std::array kinds{
        DetectorKind{"heartbeat", "heartbeat", "fixed", {"period", "margin"}},
        DetectorKind{"adaptive", "heartbeat", "jacobson", {"period", "margin"}},
        DetectorKind{"chen", "heartbeat", "chen", {"period", "margin"}},
        DetectorKind{"bertier", "heartbeat", "bertier", {"period"}},
        DetectorKind{"accrual", "heartbeat", "accrual", {"period", "threshold"}},
        DetectorKind{"ping", "ping", "", {"period", "answer", "slop"}},
    };
    return kinds;
}

std::optional<std::string> refuse(const Trial& trial) {
    const auto simulator = find_simulator(trial.kind->algorithm);
    if (!simulator) return unknown_algorithm(trial.kind->algorithm);
    return simulator->refuse(trial.plan);
}

Outcome try_out(const Trial& trial, std::uint64_t runs, const std::function<void()>& done) {
    const auto simulator = find_simulator(trial.kind->algorithm);
    Outcome out;
    for (std::uint64_t run = 0; run < runs; ++run) {
        const Plan plan = plan_of(trial, *simulator, run);
        measure_run(plan, simulator->run(plan), out);
        done();
    }
    constexpr std::uint64_t enough = 20;  // elections only show the consequence
    out.elections = false_elections(trial, std::min(runs, enough));
    out.foretold = foretell(trial, *simulator);
    return out;
}

double mean_in_units(const std::vector<Duration>& samples) {
    double sum = 0;
    for (const Duration sample : samples) sum += in_units(sample);
    return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

}  // namespace conclave
