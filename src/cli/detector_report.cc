// cli/detector_report.cc -- what the detectors came to.
#include "cli/detector_report.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "sim/unit.h"

namespace conclave {

namespace {

// Small shares of wrong answers must not vanish in rounding.
std::string fine(double value) {
    if (!std::isfinite(value)) return "never";
    if (value == 0 || std::abs(value) >= 0.01) return number_text(value);
    const double scale = std::pow(10, 2 - std::floor(std::log10(std::abs(value))));
    char text[32];
    std::snprintf(text, sizeof text, "%g", std::round(value * scale) / scale);
    return text;
}
std::string share(double accuracy) {  // 0.99996: as many nines as there are
    const double wrong = 1 - accuracy;
    if (wrong <= 0) return "1";
    const int digits = std::clamp(static_cast<int>(-std::log10(wrong)) + 2, 2, 12);
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, accuracy);
    return text;
}
std::string foretold(const std::optional<double>& value) { return value ? fine(*value) : ""; }

std::string mean_text(const std::vector<Duration>& samples) {
    return samples.empty() ? "-" : fine(mean_in_units(samples));
}
std::string detection_text(Duration value, const Outcome& outcome) {
    return outcome.detection.empty() ? "-" : fine(in_units(value));
}
std::string forward_good(const Outcome& outcome) {
    const Seconds length = forward_good_of(outcome.good);
    return length == endless ? "-" : fine(length / Seconds(unit));
}
double messages_per_unit(const Outcome& outcome) {
    return outcome.time > 0 ? outcome.messages / outcome.time : 0;
}
std::string plural(std::uint64_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// What the formulas do not know of.
bool widened(const Tried& one) {
    return one.outcome.foretold && one.outcome.mistakes > 0 &&
           one.trial.kind->algorithm == "heartbeat" &&
           std::ranges::find(one.trial.plan.without, "widening") == one.trial.plan.without.end();
}
constexpr std::string_view caveat =
    "The formulas know nothing of margins that mistakes have widened (--without widening).\n";

boost::json::value or_null(double value) {  // JSON has no infinity
    return std::isfinite(value) ? boost::json::value(value) : boost::json::value();
}
boost::json::value or_null(const std::vector<Duration>& samples) {
    return samples.empty() ? boost::json::value() : boost::json::value(mean_in_units(samples));
}
boost::json::object foretold_json(const Foretold& known) {
    boost::json::object out{{"detection_most", known.detection_most}};
    if (known.rate) out["mistakes_per_1000"] = or_null(*known.rate);
    if (known.duration) out["mistake_duration"] = or_null(*known.duration);
    if (known.recurrence) out["mistake_recurrence"] = or_null(*known.recurrence);
    if (known.accuracy) out["accuracy"] = or_null(*known.accuracy);
    return out;
}

}  // namespace

std::string tried_text(const Terminal& terminal, const Tried& one) {
    const Outcome& out = one.outcome;
    const Summary detection = summary(out.detection);
    const Foretold known = out.foretold.value_or(Foretold{});
    std::string most = out.foretold ? fine(known.detection_most) : "";
    std::vector<std::vector<std::string>> lines{
        {"", "measured", out.foretold ? "by formula" : ""},
        {"detection time, p50", detection_text(detection.p50, out), ""},
        {"detection time, p99", detection_text(detection.p99, out), ""},
        {"detection time, max", detection_text(detection.most, out), most},
        {"mistakes in 1000 units", fine(out.per_thousand()), foretold(known.rate)},
        {"mistake duration", mean_text(out.mistake), foretold(known.duration)},
        {"mistake recurrence", mean_text(out.recurrence), foretold(known.recurrence)},
        {"query accuracy", share(out.accuracy()),
         known.accuracy ? share(*known.accuracy) : std::string()},
        {"forward good period", forward_good(out), ""},
        {"messages in a unit", fine(messages_per_unit(out)), ""},
    };
    if (out.elections) {
        lines.push_back({"false elections in 1000 units", fine(*out.elections), ""});
    }
    std::string text =
        terminal.bold(one.trial.kind->name) + ", " + plural(one.trial.plan.members.size(), "node") +
        ": " + std::to_string(out.detection.size()) + " of " + std::to_string(out.crashes) +
        " crashes noticed, " + plural(static_cast<std::uint64_t>(out.mistakes), "mistake") +
        " in " + fine(out.life) + " units of watching\n";
    text += table(terminal, lines);
    return widened(one) ? text + std::string(caveat) : text;
}

std::string tried_table(const Terminal& terminal, const std::vector<Tried>& all) {
    const bool swept = !all.front().trial.setting.empty();
    const auto has = [&](auto what) { return std::ranges::any_of(all, what); };
    const bool formula = has([](const Tried& one) { return one.outcome.foretold.has_value(); });
    std::vector<std::vector<std::string>> lines;
    const auto line = [&](const std::string& setting, std::vector<std::string> cells,
                          const std::vector<std::string>& known) {
        if (swept) cells.insert(cells.begin() + 1, setting);
        if (formula) cells.insert(cells.end(), known.begin(), known.end());
        lines.push_back(std::move(cells));
    };
    line("setting",
         {"detector", "T_D p50", "p99", "max", "noticed", "mistakes", "T_M", "T_MR", "P_A", "T_FG",
          "messages", "elections"},
         {"formula: T_D", "mistakes", "P_A"});
    for (const Tried& one : all) {
        const Outcome& out = one.outcome;
        const Summary detection = summary(out.detection);
        const Foretold known = out.foretold.value_or(Foretold{});
        line(one.trial.setting + "=" + one.trial.value,
             {std::string(one.trial.kind->name), detection_text(detection.p50, out),
              detection_text(detection.p99, out), detection_text(detection.most, out),
              std::to_string(out.detection.size()) + "/" + std::to_string(out.crashes),
              fine(out.per_thousand()), mean_text(out.mistake), mean_text(out.recurrence),
              share(out.accuracy()), forward_good(out), fine(messages_per_unit(out)),
              out.elections ? fine(*out.elections) : ""},
             {out.foretold ? fine(known.detection_most) : "", foretold(known.rate),
              known.accuracy ? share(*known.accuracy) : ""});
    }
    std::string text = table(terminal, lines);
    text += "In units: T_D detection time, T_M mistake duration, T_MR mistake recurrence, T_FG ";
    text += "forward\ngood period; mistakes and false elections in 1000 units, messages in one. ";
    text += "P_A: query accuracy.\n";
    return has(widened) ? text + std::string(caveat) : text;
}

boost::json::object tried_json(const Tried& one) {
    const Outcome& out = one.outcome;
    const Summary detection = summary(out.detection);
    boost::json::object times{{"count", detection.count}, {"crashes", out.crashes}};
    if (!out.detection.empty()) {
        times["p50"] = in_units(detection.p50);
        times["p99"] = in_units(detection.p99);
        times["max"] = in_units(detection.most);
    }
    boost::json::object row{
        {"kind", one.trial.kind->name},
        {"nodes", one.trial.plan.members.size()},
        {"detection_time", std::move(times)},
        {"mistakes", out.mistakes},
        {"watched", out.life},
        {"mistakes_per_1000", out.per_thousand()},
        {"mistake_duration", or_null(out.mistake)},
        {"mistake_recurrence", or_null(out.recurrence)},
        {"accuracy", out.accuracy()},
        {"forward_good_period", or_null(forward_good_of(out.good) / Seconds(unit))},
        {"messages_per_unit", messages_per_unit(out)},
    };
    if (!one.trial.setting.empty()) {
        row["setting"] = boost::json::object{{one.trial.setting, one.trial.value}};
    }
    if (out.elections) row["false_elections_per_1000"] = *out.elections;
    if (out.foretold) row["foretold"] = foretold_json(*out.foretold);
    return row;
}

Plot trade_off(const std::vector<Tried>& all) {
    Plot plot;
    plot.title = "What a quicker verdict costs";
    plot.x_label = "detection time (units, 99 % of the crashes)";
    plot.y_label = "mistakes in 1000 units";
    plot.log_y =
        std::ranges::all_of(all, [](const Tried& one) { return one.outcome.per_thousand() > 0; });
    for (const Tried& one : all) {
        if (one.outcome.detection.empty()) continue;
        const std::string name = std::string(one.trial.kind->name) +
                                 (one.trial.setting.empty() ? "" : ", " + one.trial.setting);
        auto series = std::ranges::find(plot.series, name, &Plot::Series::name);
        if (series == plot.series.end()) {
            plot.series.push_back({name, {}, true, true, false, ""});
            series = plot.series.end() - 1;
        }
        series->points.emplace_back(in_units(summary(one.outcome.detection).p99),
                                    one.outcome.per_thousand());
    }
    return plot;
}

}  // namespace conclave
