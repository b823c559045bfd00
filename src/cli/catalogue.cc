// cli/catalogue.cc -- looks algorithms up.
#include "cli/catalogue.h"

#include <algorithm>
#include <numeric>

#include "catalog/simulators.h"

namespace conclave {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
        }
    }
    return row.back();
}

}  // namespace

std::unique_ptr<Simulator> find_simulator(std::string_view name) {
    for (const SimulatorEntry& entry : simulators()) {
        if (entry.name == name) return entry.make();
    }
    return nullptr;
}

std::string unknown_algorithm(std::string_view name) {
    std::string text = "unknown algorithm '" + std::string(name) + "'";
    const auto all = simulators();
    const auto nearest = std::ranges::min_element(
        all, {}, [&](const SimulatorEntry& entry) { return edit_distance(name, entry.name); });
    if (nearest != all.end() && edit_distance(name, nearest->name) <= 3) {
        text += ", did you mean '" + std::string(nearest->name) + "'?";
    } else {
        text += " ('conclave algorithms' lists them)";
    }
    return text;
}

std::vector<std::string> algorithm_names() {
    std::vector<std::string> names;
    for (const SimulatorEntry& entry : simulators()) names.emplace_back(entry.name);
    return names;
}

bool read_detector(std::string_view word, Detector& into) {
    if (word == "oracle" || word == "none") {
        into = {};
    } else if (word == "heartbeat") {
        into = {"-on-heartbeat", "fixed"};
    } else if (word == "adaptive") {
        into = {"-on-heartbeat", "jacobson"};
    } else if (word == "chen" || word == "bertier" || word == "accrual") {
        into = {"-on-heartbeat", std::string(word)};
    } else if (word == "ping") {
        into = {"-on-ping", ""};
    } else {
        return false;
    }
    return true;
}

}  // namespace conclave
