// cli/catalogue.cc -- looks algorithms up.
#include "cli/catalogue.h"

#include "catalog/simulators.h"
#include "core/nearest.h"

namespace conclave {

std::unique_ptr<Simulator> find_simulator(std::string_view name) {
    for (const SimulatorEntry& entry : simulators()) {
        if (entry.name == name) return entry.make();
    }
    return nullptr;
}

std::string unknown_algorithm(std::string_view name) {
    std::string text = "unknown algorithm '" + std::string(name) + "'";
    if (const auto guess = nearest(name, algorithm_names())) {
        text += ", did you mean '" + *guess + "'?";
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
