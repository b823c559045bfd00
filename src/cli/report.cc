// cli/report.cc -- what a run came to.
#include "cli/report.h"

#include <boost/json/array.hpp>
#include <cmath>

namespace conclave {

namespace {

std::string leader_line(const Terminal& terminal, const Report& report) {
    if (report.leaders.empty()) return "";
    std::size_t naming = 0;
    for (const auto& [node, named] : report.leaders) naming += named.has_value();
    if (report.agreed) {
        const auto leader = std::to_string(number(*report.leaders.front().second));
        std::string line = "leader " + terminal.bold(leader) + ", agreed by all " +
                           std::to_string(report.leaders.size()) + " nodes that are up";
        if (report.agreed_at) line += " since " + number_text(*report.agreed_at);
        return line + "\n";
    }
    std::string line = "no agreement:";
    for (const auto& [node, named] : report.leaders) {
        line += " " + std::to_string(number(node)) + " names " +
                (named ? std::to_string(number(*named)) : "nobody") + ",";
    }
    line.back() = '\n';
    return line;
}

std::string messages_line(const Report& report) {
    std::string line = "messages " + std::to_string(report.total());
    char separator = ':';
    for (const MessageCount& one : report.messages) {
        if (one.kind == Kind::detector || one.sent == 0) continue;
        line += std::string(1, separator) + " " + one.type + " " + std::to_string(one.sent);
        separator = ',';
    }
    line += "; repair " + std::to_string(report.repairs());
    line += "; detector " + std::to_string(report.total(Kind::detector));
    return line + "\n";
}

}  // namespace

std::string report_text(const Terminal& terminal, std::string_view algorithm, const Plan& plan,
                        const Report& report) {
    std::string text = terminal.bold(algorithm) + ", " + std::to_string(plan.members.size()) +
                       " nodes, seed " + std::to_string(plan.seed) + "\n";
    text += leader_line(terminal, report);
    text += messages_line(report);
    text += "time " + number_text(report.time) + " units to the last message";
    if (report.elected_at) text += ", first in office at " + number_text(*report.elected_at);
    text += "\n";
    for (const Violation& one : report.violations) {
        text += terminal.bad("violated") + ": " + one.property + " (" + one.what + ") at " +
                number_text(one.at) + "\n";
    }
    if (report.violations.empty()) text += terminal.good("every property holds") + "\n";
    return text;
}

boost::json::value json_number(double value) {
    constexpr double exact = 9007199254740992.0;  // 2^53
    if (std::abs(value) < exact && value == std::floor(value)) {
        return static_cast<std::int64_t>(value);
    }
    return value;
}

boost::json::object report_json(std::string_view algorithm, const Plan& plan,
                                const Report& report) {
    boost::json::object by_type;
    for (const MessageCount& one : report.messages) by_type[one.type] = one.sent + one.repair;
    boost::json::object leader;
    for (const auto& [node, named] : report.leaders) {
        boost::json::value value;  // null: it names nobody
        if (named) value = number(*named);
        leader[std::to_string(number(node))] = value;
    }
    boost::json::array violations;
    for (const Violation& one : report.violations) {
        violations.push_back(boost::json::object{
            {"property", one.property}, {"what", one.what}, {"at", json_number(one.at)}});
    }
    boost::json::object out{
        {"algorithm", algorithm},
        {"nodes", plan.members.size()},
        {"seed", plan.seed},
        {"time", json_number(report.time)},
        {"messages", boost::json::object{{"total", report.total()},
                                         {"repair", report.repairs()},
                                         {"detector", report.total(Kind::detector)},
                                         {"by_type", std::move(by_type)}}},
        {"leader", std::move(leader)},
        {"agreed", report.agreed},
        {"violations", std::move(violations)},
        {"events", report.events},
        {"end", json_number(report.end)},
    };
    if (report.elected_at) out["elected_at"] = json_number(*report.elected_at);
    if (report.agreed_at) out["agreed_at"] = json_number(*report.agreed_at);
    return out;
}

}  // namespace conclave
