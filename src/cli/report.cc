// cli/report.cc -- what a run came to.
#include "cli/report.h"

#include <boost/json/array.hpp>
#include <cmath>

namespace conclave {

namespace {

std::string leader_line(const Terminal& terminal, const Report& report) {
    if (report.leaders.empty()) return "";
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

std::string optional_text(const std::optional<double>& value) {
    return value ? number_text(*value) : "unknown";
}

std::string turns_lines(const Report& report) {
    if (!report.turns) return "";
    const Turns& turns = *report.turns;
    std::string text = std::to_string(turns.entries) + " entries, " +
                       optional_text(messages_per_entry(report)) + " messages each\n";
    text += "client delay " + optional_text(turns.client_delay) + ", synchronization delay " +
            optional_text(turns.synchronization_delay) + ", longest wait " +
            number_text(turns.longest_wait) + "\n";
    text += std::to_string(turns.overtakings) + " overtakings; the happened-before order was " +
            (!turns.order_kept   ? "not followed"
             : *turns.order_kept ? "kept"
                                 : "not kept") +
            "\n";
    return text;
}

std::string messages_line(const Report& report) {
    std::string line = "messages " + std::to_string(report.total());
    char separator = ':';
    for (const MessageCount& one : report.messages) {
        if (one.kind != report.kind || one.sent == 0) continue;
        line += std::string(1, separator) + " " + one.type + " " + std::to_string(one.sent);
        separator = ',';
    }
    line += "; repair " + std::to_string(report.repairs());
    if (report.kind != Kind::election && report.total(Kind::election) > 0) {
        line += "; election " + std::to_string(report.total(Kind::election));
    }
    line += "; detector " + std::to_string(report.total(Kind::detector));
    return line + "\n";
}

std::string violations_lines(const Terminal& terminal, const Report& report) {
    std::string text;
    for (const Violation& one : report.violations) {
        text += terminal.bad("violated") + ": " + one.property + " (" + one.what + ") at " +
                number_text(one.at) + "\n";
    }
    return text.empty() ? terminal.good("every property holds") + "\n" : text;
}

}  // namespace

std::string report_text(const Terminal& terminal, std::string_view algorithm, const Plan& plan,
                        const Report& report) {
    std::string text = terminal.bold(algorithm) + ", " + std::to_string(plan.members.size()) +
                       " nodes, seed " + std::to_string(plan.seed) + "\n";
    text += leader_line(terminal, report);
    text += messages_line(report);
    text += turns_lines(report);
    text += "time " + number_text(report.time) + " units to the last message";
    if (report.elected_at) text += ", first in office at " + number_text(*report.elected_at);
    text += "\n";
    return text + violations_lines(terminal, report);
}

std::string outcome_text(const Terminal& terminal, const Report& report) {
    return leader_line(terminal, report) + messages_line(report) +
           violations_lines(terminal, report);
}

std::optional<double> messages_per_entry(const Report& report) {
    if (!report.turns || report.turns->entries == 0) return std::nullopt;
    return static_cast<double>(report.total()) / static_cast<double>(report.turns->entries);
}

boost::json::value json_number(double value) {
    constexpr double exact = 9007199254740992.0;  // 2^53
    if (std::abs(value) < exact && value == std::floor(value)) {
        return static_cast<std::int64_t>(value);
    }
    return value;
}

boost::json::value json_number(const std::optional<double>& value) {
    return value ? json_number(*value) : boost::json::value();
}

namespace {

void add_turns(const Report& report, boost::json::object& out) {
    const Turns& turns = *report.turns;
    out["entries"] = turns.entries;
    out["messages_per_entry"] = json_number(messages_per_entry(report));
    out["client_delay"] = json_number(turns.client_delay);
    out["synchronization_delay"] = json_number(turns.synchronization_delay);
    out["order_kept"] =
        turns.order_kept ? boost::json::value(*turns.order_kept) : boost::json::value();
    out["longest_wait"] = json_number(turns.longest_wait);
    out["overtakings"] = turns.overtakings;
}

}  // namespace

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
                                         {"election", report.total(Kind::election)},
                                         {"detector", report.total(Kind::detector)},
                                         {"by_type", std::move(by_type)}}},
        {"leader", std::move(leader)},
        {"agreed", report.agreed},
        {"violations", std::move(violations)},
        {"events", report.events},
        {"end", json_number(report.end)},
    };
    if (report.elected_at) out["elected_at"] = json_number(*report.elected_at);
    if (report.turns) add_turns(report, out);
    if (report.agreed_at) out["agreed_at"] = json_number(*report.agreed_at);
    return out;
}

}  // namespace conclave
