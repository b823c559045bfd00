// cli/compare_mutex.cc -- every mutual exclusion at several sizes, or under growing contention.
#include "cli/compare_mutex.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <optional>

#include "cli/catalogue.h"
#include "cli/mutex_cases.h"
#include "cli/report.h"
#include "cli/sizes.h"
#include "sim/plot.h"

namespace conclave {

namespace {

struct Row {
    std::string_view algorithm, name;
    const MutexCase* what = nullptr;  // nothing: no source says what it costs
    std::uint32_t nodes = 0;
    std::uint32_t contention = 0;  // 0: as the case has it
    double messages = 0;           // per entry
    Turns turns{};

    bool as_expected() const {
        if (!what) return true;
        return what->messages.met_by(messages, nodes) &&
               (!turns.client_delay || what->client.met_by(*turns.client_delay, nodes)) &&
               (!turns.synchronization_delay ||
                what->synchronization.met_by(*turns.synchronization_delay, nodes));
    }
};

Row measure(std::string_view algorithm, const Plan& plan) {
    const Report report = find_simulator(algorithm)->run(plan);
    return {.algorithm = algorithm,
            .name = "",
            .nodes = static_cast<std::uint32_t>(plan.members.size()),
            .messages = messages_per_entry(report).value_or(-1),
            .turns = report.turns.value_or(Turns{})};
}

bool chosen(const CompareOptions& options, std::string_view algorithm) {
    return options.algorithms.empty() ||
           std::ranges::find(options.algorithms, algorithm) != options.algorithms.end();
}

std::vector<Row> by_size(const Terminal& terminal, const CompareOptions& options) {
    std::vector<Row> rows;
    Progress progress(terminal, "compare: case", mutex_cases().size());
    std::uint64_t done = 0;
    for (const MutexCase& one : mutex_cases()) {
        progress.at(done++);
        if (!chosen(options, one.algorithm)) continue;
        for (std::uint32_t nodes : sizes_in(*read_sizes(options.nodes))) {
            Row row = measure(one.algorithm, one.plan(nodes));
            row.what = &one;
            row.name = one.name;
            rows.push_back(row);
        }
    }
    return rows;
}

std::vector<Row> by_contention(const Terminal& terminal, const CompareOptions& options) {
    std::vector<std::string_view> algorithms;
    for (const MutexCase& one : mutex_cases()) {
        if (!chosen(options, one.algorithm)) continue;
        if (!algorithms.empty() && algorithms.back() == one.algorithm) continue;
        algorithms.push_back(one.algorithm);
    }
    const std::uint32_t nodes = read_sizes(options.nodes)->second;
    std::vector<Row> rows;
    Progress progress(terminal, "compare: algorithm", algorithms.size());
    std::uint64_t done = 0;
    for (std::string_view algorithm : algorithms) {
        progress.at(done++);
        for (std::uint32_t contention : sizes_in({1, nodes})) {
            Row row = measure(algorithm, contended_plan(algorithm, nodes, contention));
            row.contention = contention;
            rows.push_back(row);
        }
    }
    return rows;
}

std::string text_of(const std::optional<double>& value) {
    return value ? number_text(*value) : "-";
}

void print_text(const Terminal& terminal, const std::vector<Row>& rows) {
    std::vector<std::vector<std::string>> lines{{"algorithm", "case", "N", "messages", "formula",
                                                 "", "client", "formula", "sync", "formula",
                                                 "longest", "overtakings"}};
    const auto expected = [](const Price& price, std::uint32_t nodes) {
        return price.of ? number_text(price.of(nodes)) : std::string("-");
    };
    for (const Row& row : rows) {
        std::vector<std::string> line{std::string(row.algorithm), std::string(row.name),
                                      std::to_string(row.nodes), number_text(row.messages)};
        if (!row.what) {
            line[1] = std::to_string(row.contention) + " at once";
            line.insert(line.end(), {"-", "", text_of(row.turns.client_delay), "-",
                                     text_of(row.turns.synchronization_delay), "-"});
        } else {
            line.insert(
                line.end(),
                {expected(row.what->messages, row.nodes), std::string(row.what->messages.formula),
                 text_of(row.turns.client_delay), std::string(row.what->client.formula),
                 text_of(row.turns.synchronization_delay),
                 std::string(row.what->synchronization.formula)});
        }
        line.push_back(number_text(row.turns.longest_wait));
        line.push_back(std::to_string(row.turns.overtakings));
        lines.push_back(std::move(line));
    }
    std::fputs(table(terminal, lines).c_str(), stdout);
}

boost::json::object price_json(const std::optional<double>& measured, const Price& price,
                               std::uint32_t nodes) {
    boost::json::object out{{"measured", json_number(measured)}};
    if (!price.of) return out;
    out["expected"] = json_number(price.of(nodes));
    out["formula"] = price.formula;
    return out;
}

void print_json(const std::vector<Row>& rows) {
    boost::json::array all;
    for (const Row& row : rows) {
        static constexpr MutexCase unknown{};
        const MutexCase& what = row.what ? *row.what : unknown;
        boost::json::object one{{"algorithm", row.algorithm}, {"nodes", row.nodes}};
        if (row.what) one["case"] = row.name;
        if (row.contention > 0) one["contention"] = row.contention;
        one["entries"] = row.turns.entries;
        one["messages_per_entry"] = price_json(row.messages, what.messages, row.nodes);
        one["client_delay"] = price_json(row.turns.client_delay, what.client, row.nodes);
        one["synchronization_delay"] =
            price_json(row.turns.synchronization_delay, what.synchronization, row.nodes);
        one["longest_wait"] = json_number(row.turns.longest_wait);
        one["overtakings"] = row.turns.overtakings;
        all.push_back(std::move(one));
    }
    std::puts(boost::json::serialize(all).c_str());
}

Plot draw(const std::vector<Row>& rows, bool contention) {
    Plot plot;
    plot.title = "Messages per entry";
    plot.x_label = contention ? "nodes that want in at once" : "nodes";
    plot.y_label = "messages per entry";
    plot.log_x = plot.log_y = true;
    for (const Row& row : rows) {
        std::string name(row.algorithm);
        if (row.what) name += ", " + std::string(row.name);
        if (plot.series.empty() || plot.series.back().name != name) {
            plot.series.push_back({.name = name, .points = {}, .markers = true, .group = ""});
        }
        plot.series.back().points.emplace_back(contention ? row.contention : row.nodes,
                                               row.messages);
    }
    return plot;
}

std::optional<std::string> wrong_with(const CompareOptions& options) {
    for (const std::string& name : options.algorithms) {
        if (!find_simulator(name)) return unknown_algorithm(name);
        if (std::ranges::none_of(mutex_cases(),
                                 [&](const MutexCase& one) { return one.algorithm == name; })) {
            return "no formula is known for '" + name + "'";
        }
    }
    return wrong_sizes(options.nodes, 4096);
}

}  // namespace

Exit run_compare_mutex(const Terminal& terminal, const CompareOptions& options) {
    if (const auto wrong = wrong_with(options)) {
        complain(*wrong);
        return Exit::usage;
    }
    const std::vector<Row> rows =
        options.contention ? by_contention(terminal, options) : by_size(terminal, options);
    if (terminal.format == Format::text) {
        print_text(terminal, rows);
    } else {
        print_json(rows);
    }
    if (!options.svg.empty() && !write_file(options.svg, to_svg(draw(rows, options.contention)))) {
        return Exit::cannot_create;
    }
    bool expected = true;
    for (const Row& row : rows) {
        if (row.as_expected()) continue;
        expected = false;
        complain(std::string(row.algorithm) + ", " + std::string(row.name) + ", " +
                 std::to_string(row.nodes) + " nodes: not what the formula says");
    }
    return expected ? Exit::ok : Exit::violated;
}

}  // namespace conclave
