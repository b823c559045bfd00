// cli/compare.cc -- every election at several sizes: measured, and what the formula says.
#include "cli/compare.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <optional>

#include "cli/cases.h"
#include "cli/catalogue.h"
#include "cli/compare_mutex.h"
#include "cli/report.h"
#include "cli/sizes.h"
#include "sim/plot.h"

namespace conclave {

namespace {

struct Row {
    const Case* what;
    std::uint32_t nodes;
    double messages, time;
    double failover;  // from the leader's crash until all agree again

    double expected_messages() const { return what->messages(nodes); }
    double expected_time() const { return what->time(nodes); }
    bool as_expected() const { return messages == expected_messages() && time == expected_time(); }
};

Row measure(const Case& what, std::uint32_t nodes) {
    const auto simulator = find_simulator(what.algorithm);
    const Report report = simulator->run(what.plan(nodes));
    const double time =
        what.finish == Finish::all_know ? report.agreed_at.value_or(-1) : report.time;
    const Report failover = simulator->run(failover_plan(nodes));
    return {&what, nodes, static_cast<double>(report.total()), time,
            failover.agreed_at.value_or(-1) - failover_crash_at};
}

void print_text(const Terminal& terminal, const std::vector<Row>& rows) {
    std::vector<std::vector<std::string>> lines{
        {"algorithm", "case", "N", "messages", "formula", "", "time", "formula", "", "failover"}};
    for (const Row& row : rows) {
        lines.push_back({std::string(row.what->algorithm), std::string(row.what->name),
                         std::to_string(row.nodes), number_text(row.messages),
                         number_text(row.expected_messages()),
                         std::string(row.what->messages_formula), number_text(row.time),
                         number_text(row.expected_time()), std::string(row.what->time_formula),
                         number_text(row.failover)});
    }
    std::fputs(table(terminal, lines).c_str(), stdout);
}

void print_json(const std::vector<Row>& rows) {
    boost::json::array all;
    for (const Row& row : rows) {
        all.push_back(boost::json::object{
            {"algorithm", row.what->algorithm},
            {"case", row.what->name},
            {"nodes", row.nodes},
            {"messages", boost::json::object{{"measured", json_number(row.messages)},
                                             {"expected", json_number(row.expected_messages())},
                                             {"formula", row.what->messages_formula}}},
            {"time", boost::json::object{{"measured", json_number(row.time)},
                                         {"expected", json_number(row.expected_time())},
                                         {"formula", row.what->time_formula}}},
            {"failover", json_number(row.failover)}});
    }
    std::puts(boost::json::serialize(all).c_str());
}

Plot draw(const std::vector<Row>& rows) {
    Plot plot;
    plot.title = "Messages per election";
    plot.x_label = "nodes";
    plot.y_label = "messages";
    plot.log_x = plot.log_y = true;
    for (const Case& what : cases()) {
        Plot::Series measured, formula;
        measured.name = std::string(what.algorithm) + ", " + std::string(what.name);
        measured.group = formula.group = measured.name;
        measured.line = false;
        measured.markers = true;
        formula.name = std::string(what.messages_formula);
        formula.line = formula.dashed = true;
        formula.markers = false;
        for (const Row& row : rows) {
            if (row.what != &what) continue;
            measured.points.emplace_back(row.nodes, row.messages);
            formula.points.emplace_back(row.nodes, row.expected_messages());
        }
        if (measured.points.empty()) continue;
        plot.series.push_back(measured);
        plot.series.push_back(formula);
    }
    return plot;
}

bool chosen(const CompareOptions& options, const Case& what) {
    return options.algorithms.empty() ||
           std::ranges::find(options.algorithms, what.algorithm) != options.algorithms.end();
}

std::optional<std::string> wrong_with(const CompareOptions& options) {
    for (const std::string& name : options.algorithms) {
        if (!find_simulator(name)) return unknown_algorithm(name);
        if (std::ranges::none_of(cases(), [&](const Case& one) { return one.algorithm == name; })) {
            return "no formula is known for '" + name + "'";
        }
    }
    return wrong_sizes(options.nodes, 1024);
}

}  // namespace

Exit run_compare(const Terminal& terminal, const CompareOptions& options) {
    if (options.mutex) return run_compare_mutex(terminal, options);
    if (const auto wrong = wrong_with(options)) {
        complain(*wrong);
        return Exit::usage;
    }
    std::vector<Row> rows;
    Progress progress(terminal, "compare: case", cases().size());
    std::uint64_t done = 0;
    for (const Case& what : cases()) {
        progress.at(done++);
        if (!chosen(options, what)) continue;
        for (std::uint32_t nodes : sizes_in(*read_sizes(options.nodes))) {
            if (nodes >= what.least_nodes) rows.push_back(measure(what, nodes));
        }
    }
    if (terminal.format == Format::text) {
        print_text(terminal, rows);
    } else {
        print_json(rows);
    }
    if (!options.svg.empty() && !write_file(options.svg, to_svg(draw(rows)))) {
        return Exit::cannot_create;
    }
    bool exact = true;
    for (const Row& row : rows) {
        if (row.as_expected()) continue;
        exact = false;
        complain(std::string(row.what->algorithm) + ", " + std::string(row.what->name) + ", " +
                 std::to_string(row.nodes) + " nodes: not what the formula says");
    }
    return exact ? Exit::ok : Exit::violated;
}

}  // namespace conclave
