// sim/plan_settings.cc -- reads the values of settings.
#include "sim/plan_settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "sim/options.h"
#include "sim/plan_faults.h"
#include "sim/words.h"

namespace conclave {

namespace {

Start& start_of(Plan& plan, NodeId node) {
    const auto found = std::ranges::find(plan.starts, node, &Start::node);
    return found != plan.starts.end() ? *found : plan.starts.emplace_back(Start{.node = node});
}

// --- Who takes part. ---

Wrong take_nodes(Plan& plan, std::string_view name, std::string_view value) {
    const bool listed = value.ends_with(',');  // 7, is the one node 7, and 7 are the nodes 1 to 7
    const auto ids = read_nodes(listed ? value.substr(0, value.size() - 1) : value);
    if (!ids) return must_be(name, "a number or a list of ids", value);
    plan.members.clear();
    if (listed || ids->size() > 1) {
        for (NodeId node : *ids) plan.members.push_back({.node = node});
        return std::nullopt;
    }
    const std::uint32_t count = number(ids->front());
    if (count == 0) return must_be(name, "at least 1", value);
    for (std::uint32_t id = 1; id <= count; ++id) plan.members.push_back({.node = NodeId{id}});
    return std::nullopt;
}

// ID:VALUE,..., each read into a field of that member.
template <auto field> Wrong take_member(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto [id, text] = halve(word, ":");
        const auto node = read_node(id);
        if (!node || !text) return must_be(name, "ID:VALUE", word);
        Member trial;
        const auto found = std::ranges::find(plan.members, *node, &Member::node);
        Member& member = found == plan.members.end() ? trial : *found;
        if (!detail::read_option(*text, member.*field)) return must_be(name, "ID:VALUE", word);
        if (&member != &trial || plan.members.empty()) return std::nullopt;
        return stranger(*node, plan.members.size());
    });
}

// A number as it is (raw), an address as a number, else in thousandths: they must be integers.
std::optional<Attribute> read_attribute(std::string_view kind, std::string_view text) {
    if (kind == "raw") return read_integer(text);
    if (kind == "ip" && text.find('.') != text.npos) {
        Attribute address = 0;
        const auto bytes = split(text, '.');
        for (std::string_view byte : bytes) {
            const auto number = read_integer(byte);
            if (bytes.size() != 4 || !number || *number < 0 || *number > 255) return std::nullopt;
            address = address * 256 + *number;
        }
        return address * 1000;
    }
    const auto value = read_real(text);
    if (!value || std::abs(*value) > 1e15) return std::nullopt;
    const Attribute thousandths = std::llround(*value * 1000);
    return kind == "load" ? -thousandths : thousandths;  // the less of it, the better
}

Wrong take_attribute(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto [id, rest] = halve(word, "=");
        const auto [kind, timed] = halve(rest.value_or(""), ":");
        const auto [text, time] = halve(timed.value_or(""), "@");
        const auto node = read_node(id);
        const auto attribute = read_attribute(kind, text);
        const auto when = read_time(time.value_or("0"));
        if (!node || kind.empty() || !attribute || !when) {
            return must_be(name, "ID=NAME:VALUE", word);
        }
        plan.settings.live_attribute = true;
        if (time) {
            plan.schedule.push_back({Instant(*when), fault::Attribute{*node, *attribute}});
        } else {
            start_of(plan, *node).attribute = *attribute;
        }
        return std::nullopt;
    });
}

Wrong take_down(Plan& plan, std::string_view name, std::string_view value) {
    const auto nodes = read_nodes(value);
    if (!nodes) return must_be(name, "a list of ids", value);
    for (NodeId node : *nodes) {
        if (std::ranges::find(plan.down, node) == plan.down.end()) plan.down.push_back(node);
    }
    return std::nullopt;
}

// Nodes boot silently, only these call, no detector runs: how exact counts are asserted.
Wrong take_start(Plan& plan, std::string_view name, std::string_view value) {
    const auto nodes = read_nodes(value);
    if (!nodes) return must_be(name, "a list of ids", value);
    plan.settings.join = Join::stay;
    plan.oracle.present = false;
    for (NodeId node : *nodes) plan.schedule.push_back({Instant{}, fault::Call{node}});
    return std::nullopt;
}

// --- Words and switches. ---

template <class T>
Wrong take_word(T& into, std::string_view name, std::string_view value,
                std::initializer_list<std::pair<std::string_view, T>> words) {
    std::string all;
    for (const auto& [word, meaning] : words) {
        if (word == value) return into = meaning, std::nullopt;
        all += (all.empty() ? "" : " or ") + std::string(word);
    }
    return must_be(name, all, value);
}
Wrong take_timing(Plan& plan, std::string_view name, std::string_view value) {
    return take_word(plan.oracle.reliable, name, value,
                     {{"synchronous", true}, {"asynchronous", false}});
}
Wrong take_detector(Plan& plan, std::string_view name, std::string_view value) {
    return take_word(plan.oracle.present, name, value, {{"oracle", true}, {"none", false}});
}
Wrong take_join(Plan& plan, std::string_view name, std::string_view value) {
    return take_word(plan.settings.join, name, value, {{"call", Join::call}, {"stay", Join::stay}});
}
Wrong take_direction(Plan& plan, std::string_view name, std::string_view value) {
    return take_word(plan.settings.direction, name, value,
                     {{"next", Direction::next}, {"previous", Direction::previous}});
}
Wrong take_live(Plan& plan, std::string_view name, std::string_view value) {
    return take_word(plan.settings.live_attribute, name, value, {{"on", true}, {"off", false}});
}
template <auto field> Wrong take_flag(Plan& plan, std::string_view name, std::string_view value) {
    return take_word(plan.adversary.*field, name, value, {{"on", true}, {"off", false}});
}

// --- Numbers and times. ---

template <auto field> Wrong take_count(Plan& plan, std::string_view name, std::string_view value) {
    const auto count = read_integer(value);
    if (!count || *count < 0 || *count > 10'000) return must_be(name, "0 to 10000", value);
    plan.adversary.*field = static_cast<std::uint32_t>(*count);
    return std::nullopt;
}
Wrong take_probability(double& into, std::string_view name, std::string_view value) {
    const auto chance = read_real(value);
    if (!chance || *chance < 0 || *chance > 1) return must_be(name, "between 0 and 1", value);
    into = *chance;
    return std::nullopt;
}
template <auto field> Wrong take_chance(Plan& plan, std::string_view name, std::string_view value) {
    return take_probability(plan.adversary.*field, name, value);
}
Wrong take_time(Duration& into, std::string_view name, std::string_view value) {
    const auto time = read_time(value);
    if (!time) return must_be(name, "a time", value);
    into = *time;
    return std::nullopt;
}
template <auto field> Wrong take_length(Plan& plan, std::string_view name, std::string_view value) {
    return take_time(plan.*field, name, value);
}
Wrong take_tm(Plan& plan, std::string_view name, std::string_view value) {
    if (Wrong wrong = take_time(plan.settings.tm, name, value)) return wrong;
    if (plan.settings.tm > Duration{}) return std::nullopt;
    return must_be(name, "more than 0", value);
}
Wrong take_tp(Plan& plan, std::string_view name, std::string_view value) {
    return take_time(plan.settings.tp, name, value);
}
Wrong take_calm(Plan& plan, std::string_view name, std::string_view value) {
    return take_time(plan.adversary.calm, name, value);
}
Wrong take_range(Duration& least, Duration& most, std::string_view name, std::string_view value) {
    const auto range = read_span(value);
    if (!range) return must_be(name, "a time or a range LO..HI", value);
    const Instant end = range->to.value_or(range->from);
    if (end < range->from) return must_be(name, "LO..HI with the smaller first", value);
    least = range->from.time_since_epoch();
    most = end.time_since_epoch();
    return std::nullopt;
}
Wrong take_delay(Plan& plan, std::string_view name, std::string_view value) {
    return take_range(plan.adversary.delay_least, plan.adversary.delay_most, name, value);
}
Wrong take_verdict(Plan& plan, std::string_view name, std::string_view value) {
    return take_range(plan.oracle.least, plan.oracle.most, name, value);
}
Wrong take_seed(Plan& plan, std::string_view name, std::string_view value) {
    if (detail::read_option(value, plan.seed)) return std::nullopt;
    return must_be(name, "a number", value);
}

// --- What applications want. ---

template <auto field> Wrong take_wishes(Plan& plan, std::string_view name, std::string_view value) {
    const auto count = read_integer(value);
    if (!count || *count < 0 || *count > 1'000'000) return must_be(name, "0 to 1000000", value);
    plan.workload.*field = static_cast<std::uint32_t>(*count);
    return std::nullopt;
}
Wrong take_hold(Plan& plan, std::string_view name, std::string_view value) {
    return take_range(plan.workload.hold_least, plan.workload.hold_most, name, value);
}
Wrong take_think(Plan& plan, std::string_view name, std::string_view value) {
    return take_range(plan.workload.think_least, plan.workload.think_most, name, value);
}
Wrong take_whispers(Plan& plan, std::string_view name, std::string_view value) {
    return take_probability(plan.workload.whispers, name, value);
}

// --- Clocks. ---

Wrong take_skew(Plan& plan, std::string_view name, std::string_view value) {
    const auto ppm = read_ppm(value);
    if (!ppm || *ppm < 0) return must_be(name, "a clock's error in ppm", value);
    plan.adversary.drift_ppm = *ppm;
    return std::nullopt;
}
Wrong take_drift(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto [id, text] = halve(word, "=");
        const auto node = read_node(id);
        const auto rate = read_real(text.value_or(""));
        if (!node || !rate) return must_be(name, "ID=RATE", word);
        if (*rate <= 0.5 || *rate >= 1.5) return must_be(name, "a rate near 1", *text);
        start_of(plan, *node).ppm = std::llround((*rate - 1) * 1e6);
        return std::nullopt;
    });
}
Wrong take_clock(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto parts = split(word, ':');
        if (parts.size() != 3) return must_be(name, "ID:PPM:OFFSET", word);
        const auto node = read_node(parts[0]);
        const auto ppm = read_ppm(parts[1]);
        const auto offset = read_time(parts[2]);
        if (!node || !ppm || !offset) return must_be(name, "ID:PPM:OFFSET", word);
        Start& start = start_of(plan, *node);
        start.ppm = *ppm;
        start.offset = *offset;
        return std::nullopt;
    });
}

// --- The algorithm's own. ---

Wrong take_without(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view fix) -> Wrong {
        if (fix.empty()) return must_be(name, "a list of fixes", value);
        plan.without.emplace_back(fix);
        return std::nullopt;
    });
}
Wrong take_option(Plan& plan, std::string_view name, std::string_view value) {
    const auto dot = halve(name, ".");
    const auto equals = halve(value, "=");
    const auto option = dot.second ? *dot.second : equals.first;
    const auto text = dot.second ? value : equals.second.value_or("");
    if (option.empty() || text.empty()) return must_be(name, "NAME=VALUE", value);
    plan.options.emplace_back(option, text);
    return std::nullopt;
}

constexpr std::array settings{
    Setting{"nodes", take_nodes},
    Setting{"priority", take_member<&Member::priority>},
    Setting{"role", take_member<&Member::role>},
    Setting{"weight", take_member<&Member::weight>},
    Setting{"attr", take_attribute},
    Setting{"live", take_live},
    Setting{"timing", take_timing},
    Setting{"tm", take_tm},
    Setting{"tp", take_tp},
    Setting{"delay", take_delay},
    Setting{"start", take_start},
    Setting{"requests", take_wishes<&Workload::requests>},
    Setting{"hold", take_hold},
    Setting{"think", take_think},
    Setting{"contention", take_wishes<&Workload::contention>},
    Setting{"whispers", take_whispers},
    Setting{"join", take_join},
    Setting{"detector", take_detector},
    Setting{"verdict", take_verdict},
    Setting{"direction", take_direction},
    Setting{"without", take_without},
    Setting{"set", take_option},
    Setting{"loss", take_chance<&Adversary::loss>},
    Setting{"dup", take_chance<&Adversary::duplicate>},
    Setting{"reorder", take_flag<&Adversary::reorder>},
    Setting{"drift", take_drift},
    Setting{"clock", take_clock},
    Setting{"down", take_down},
    Setting{"crash", take_crash},
    Setting{"restart", take_restart},
    Setting{"pause", take_pause},
    Setting{"cut", take_cut},
    Setting{"partition", take_partition},
    Setting{"suspect", take_suspect},
    Setting{"trust", take_trust},
    Setting{"call", take_call},
    Setting{"ask", take_ask},
    Setting{"seed", take_seed},
    Setting{"until", take_length<&Plan::until>},
    Setting{"linger", take_length<&Plan::linger>},
    // How many of each a random schedule draws.
    Setting{"calm", take_calm},
    Setting{"crashes", take_count<&Adversary::crashes>},
    Setting{"restarts", take_flag<&Adversary::restarts>},
    Setting{"amnesia", take_flag<&Adversary::amnesia>},
    Setting{"torn", take_count<&Adversary::torn_saves>},
    Setting{"pauses", take_count<&Adversary::pauses>},
    Setting{"partitions", take_count<&Adversary::partitions>},
    Setting{"cuts", take_count<&Adversary::one_way_cuts>},
    Setting{"suspicions", take_count<&Adversary::false_suspicions>},
    Setting{"calls", take_count<&Adversary::calls>},
    Setting{"changes", take_count<&Adversary::attribute_changes>},
    Setting{"skew", take_skew},
    Setting{"scatter", take_flag<&Adversary::scatter_clocks>},
};

}  // namespace

std::span<const Setting> plan_settings() { return settings; }

const Setting* find_setting(std::string_view name) {
    const auto found =
        std::ranges::find(settings, name.starts_with("set.") ? "set" : name, &Setting::name);
    return found == settings.end() ? nullptr : &*found;
}

}  // namespace conclave
