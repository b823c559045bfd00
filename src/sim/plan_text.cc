// sim/plan_text.cc -- reads and writes plans.
#include "sim/plan_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/value.h"
#include "sim/narrate.h"
#include "sim/plan_settings.h"
#include "sim/starts.h"
#include "sim/words.h"

namespace conclave {

Plan default_plan(std::size_t nodes) {
    Plan plan;
    for (std::size_t id = 1; id <= nodes; ++id) {
        plan.members.push_back({.node = NodeId{static_cast<std::uint32_t>(id)}});
    }
    plan.settings.tm = unit;
    plan.settings.nodes = nodes;
    plan.oracle.least = plan.oracle.most = plan.settings.round_trip();
    return plan;
}

Wrong take_setting(Plan& plan, std::string_view key, std::string_view value) {
    const Setting* setting = find_setting(key);
    if (setting == nullptr) return "unknown setting " + quote(key);
    Plan trial;
    if (Wrong wrong = setting->apply(trial, key, value)) return wrong;
    plan.written.emplace_back(key, value);
    return std::nullopt;
}

namespace {

Wrong apply_written(Plan& plan) {
    for (const Setting& setting : plan_settings()) {
        for (const auto& [key, value] : plan.written) {
            if (find_setting(key) != &setting) continue;
            if (Wrong wrong = setting.apply(plan, key, value)) return wrong;
        }
        if (plan.members.empty()) return "there are no nodes";
    }
    return std::nullopt;
}

// The algorithm's timeouts follow the network, and the oracle follows both, as far as nobody has
// said otherwise.
Wrong agree_on_times(Plan& plan) {
    auto given = [&](std::string_view name) {
        return std::ranges::any_of(plan.written,
                                   [&](const auto& one) { return one.first == name; });
    };
    const Duration longest = plan.adversary.delay_most;
    if (plan.oracle.reliable && longest > plan.settings.tm) {
        if (given("tm") && given("timing")) {
            return "a delay of " + units_text(longest) + " is longer than tm " +
                   units_text(plan.settings.tm) + ": that is not synchronous";
        }
        if (!given("tm") && given("delay")) plan.settings.tm = longest;
    }
    if (!given("verdict") && (given("tm") || given("tp") || given("delay"))) {
        plan.oracle.least = plan.oracle.most = plan.settings.round_trip();
    }
    return std::nullopt;
}

// A node that crashes before anything happens was never there.
void bury_the_dead(Plan& plan) {
    std::erase_if(plan.schedule, [&](const Scheduled& one) {
        const auto* crash = std::get_if<fault::Crash>(&one.fault);
        if (crash == nullptr || crash->torn || one.at > Instant{}) return false;
        if (std::ranges::find(plan.down, crash->node) == plan.down.end()) {
            plan.down.push_back(crash->node);
        }
        return true;
    });
}

Wrong check_nodes(const Plan& plan) {
    const MemberList members(plan.members);
    std::vector<NodeId> ids;
    for (const Member& member : plan.members) ids.push_back(member.node);
    std::ranges::sort(ids);
    const auto twice = std::ranges::adjacent_find(ids);
    if (twice != ids.end()) return "node " + to_text(*twice) + " is there twice";
    Wrong wrong;
    auto check = [&](NodeId node) {
        if (!wrong && !members.contains(node)) wrong = stranger(node, members.size());
    };
    for (NodeId node : plan.down) check(node);
    for (const Start& start : plan.starts) check(start.node);
    for (const Scheduled& one : plan.schedule) {
        for_each_leaf(one.fault, [&](const NodeId& node) { check(node); });
    }
    return wrong;
}

}  // namespace

Wrong complete(Plan& plan) {
    if (Wrong wrong = apply_written(plan)) return wrong;
    if (Wrong wrong = agree_on_times(plan)) return wrong;
    if (Wrong wrong = check_nodes(plan)) return wrong;
    bury_the_dead(plan);
    std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
    plan.settings.nodes = plan.members.size();
    plan.written.clear();
    return std::nullopt;
}

void draw_faults(Plan& plan) {
    std::vector<NodeId> ids;
    for (const Member& member : plan.members) ids.push_back(member.node);
    for (Scheduled& one : draw_schedule(plan.adversary, ids, plan.seed)) {
        plan.schedule.push_back(std::move(one));
    }
    std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
}

namespace {

// Collects key and value where the value is not what it would be anyway.
class Lines {
public:
    std::vector<std::pair<std::string, std::string>> all;

    void add(std::string_view key, std::string value) { all.emplace_back(key, std::move(value)); }
    void add_if(bool unusual, std::string_view key, std::string_view value) {
        if (unusual) add(key, std::string(value));
    }
    void time(std::string_view key, Duration value, Duration usual) {
        if (value != usual) add(key, units_text(value));
    }
    void range(std::string_view key, Duration least, Duration most, Duration usual) {
        if (least == usual && most == usual) return;
        add(key, units_text(least) + (least == most ? "" : ".." + units_text(most)));
    }
    void chance(std::string_view key, double value) {
        if (value == 0) return;
        std::array<char, 32> text{};
        add(key, {text.data(), std::to_chars(text.begin(), text.end(), value).ptr});
    }
    // key=a,b,c of what each element has to say; elements may pass.
    template <class List, class F> void list(std::string_view key, const List& list, F word_of) {
        std::string value;
        for (const auto& element : list) {
            const std::string word = word_of(element);
            if (!word.empty()) value += (value.empty() ? "" : ",") + word;
        }
        if (!value.empty()) add(key, value);
    }
};

std::string nodes_text(const std::vector<Member>& members) {
    std::string listed;
    bool counted = true;
    for (std::size_t at = 0; at < members.size(); ++at) {
        counted = counted && number(members[at].node) == at + 1;
        listed += (at == 0 ? "" : ",") + to_text(members[at].node);
    }
    if (counted) return std::to_string(members.size());
    return members.size() == 1 ? listed + "," : listed;
}

void write_members(const Plan& plan, Lines& lines) {
    lines.add("nodes", nodes_text(plan.members));
    lines.list("priority", plan.members, [](const Member& member) {
        if (member.priority == 0) return std::string();
        return to_text(member.node) + ":" + std::to_string(member.priority);
    });
    lines.list("role", plan.members, [](const Member& member) {
        if (member.role == Role::voter) return std::string();
        return to_text(member.node) + ":" + to_text(member.role);
    });
    lines.list("weight", plan.members, [](const Member& member) {
        if (member.weight == 1) return std::string();
        return to_text(member.node) + ":" + std::to_string(member.weight);
    });
}

void write_starts(const Plan& plan, Lines& lines) {
    const std::vector<Start> starts = starts_of(plan);
    lines.list("attr", starts, [](const Start& start) {
        if (!start.attribute) return std::string();
        return to_text(start.node) + "=raw:" + std::to_string(*start.attribute);
    });
    const bool implied =
        std::ranges::any_of(starts, [](const Start& start) { return start.attribute.has_value(); });
    const bool live = plan.settings.live_attribute;
    lines.add_if(live != implied, "live", live ? "on" : "off");
    lines.list("clock", starts, [](const Start& start) {
        if (start.ppm == 0 && start.offset == Duration{}) return std::string();
        return to_text(start.node) + ":" + std::to_string(start.ppm) + ":" +
               units_text(start.offset);
    });
    lines.list("down", plan.down, [](NodeId node) { return to_text(node); });
}

void write_network(const Plan& plan, Lines& lines) {
    const Settings& settings = plan.settings;
    const Adversary& adversary = plan.adversary;
    // A long delay stretches tm unless it is said that tm is shorter.
    const bool stretched = plan.oracle.reliable && adversary.delay_most > unit;
    lines.add_if(!plan.oracle.reliable, "timing", "asynchronous");
    lines.time("tm", settings.tm, stretched ? adversary.delay_most : unit);
    lines.time("tp", settings.tp, {});
    lines.range("delay", adversary.delay_least, adversary.delay_most, unit);
    lines.chance("loss", adversary.loss);
    lines.chance("dup", adversary.duplicate);
    lines.add_if(adversary.reorder, "reorder", "on");
    lines.add_if(!plan.oracle.present, "detector", "none");
    lines.range("verdict", plan.oracle.least, plan.oracle.most, settings.round_trip());
    lines.add_if(settings.join == Join::stay, "join", "stay");
    lines.add_if(settings.direction == Direction::previous, "direction", "previous");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_of(const Plan& plan) {
    Lines lines;
    write_members(plan, lines);
    write_network(plan, lines);
    write_starts(plan, lines);
    lines.list("without", plan.without, [](const std::string& fix) { return fix; });
    for (const auto& [name, value] : plan.options) lines.add("set." + name, value);
    if (plan.seed != 1) lines.add("seed", std::to_string(plan.seed));
    lines.time("until", plan.until, {});
    lines.time("linger", plan.linger, {});
    return lines.all;
}

std::string world_line(const Plan& plan, std::string_view algorithm) {
    std::string line = "world " + std::string(algorithm);
    for (const auto& [key, value] : settings_of(plan)) line += " " + key + "=" + value;
    return line;
}

Wrong read_world(std::string_view line, std::string& algorithm, Plan& plan) {
    plan = default_plan(0);
    algorithm.clear();
    bool first = true;
    for (std::string_view word : split(line, ' ')) {
        if (word.empty() || std::exchange(first, false)) continue;
        const auto [key, value] = halve(word, "=");
        if (!value) {
            if (!algorithm.empty()) return quote(word) + " is not of the form key=value";
            algorithm = word;
        } else if (Wrong wrong = take_setting(plan, key, *value)) {
            return wrong;
        }
    }
    if (algorithm.empty()) return "which algorithm? Write: world ALGORITHM nodes=N";
    return complete(plan);
}

}  // namespace conclave
