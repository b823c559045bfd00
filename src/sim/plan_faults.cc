// sim/plan_faults.cc -- reads faults at known times.
#include "sim/plan_faults.h"

#include <algorithm>
#include <utility>

#include "core/value.h"

namespace conclave {

namespace {

void at(Plan& plan, Instant when, Fault fault) {
    plan.schedule.push_back({when, std::move(fault)});
}

// ID[@TIME][:WORD]
struct Moment {
    NodeId node{};
    std::optional<Instant> time{};
    std::string_view word;
};
std::optional<Moment> read_moment(std::string_view text) {
    const auto [timed, word] = halve(text, ":");
    const auto [id, time] = halve(timed, "@");
    const auto node = read_node(id);
    const auto when = read_time(time.value_or("0"));
    if (!node || !when || (word && word->empty())) return std::nullopt;
    const auto given = time ? std::optional(Instant(*when)) : std::nullopt;
    return Moment{*node, given, word.value_or("")};
}

Wrong wrong_span(std::string_view name, std::string_view word, const Span& span) {
    if (!span.to || *span.to > span.from) return std::nullopt;
    return std::string(name) + " " + std::string(word) + " ends before it begins";
}

template <class F> Wrong take_pair(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto [pair, time] = halve(word, "@");
        const auto [first, second] = halve(pair, ":");
        const auto observer = read_node(first), subject = read_node(second.value_or(""));
        const auto when = read_time(time.value_or("0"));
        if (!observer || !subject || !when) return must_be(name, "A:B@TIME", word);
        at(plan, Instant(*when), F{*observer, *subject});
        return std::nullopt;
    });
}

}  // namespace

Wrong take_crash(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto moment = read_moment(word);
        if (!moment || (!moment->word.empty() && moment->word != "torn")) {
            return must_be(name, "ID, ID@TIME or ID@TIME:torn", word);
        }
        at(plan, moment->time.value_or(Instant{}),
           fault::Crash{moment->node, !moment->word.empty()});
        return std::nullopt;
    });
}

Wrong take_restart(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto moment = read_moment(word);
        const bool known = moment && (moment->word.empty() || moment->word == "amnesia");
        if (!known || !moment->time) return must_be(name, "ID@TIME or ID@TIME:amnesia", word);
        at(plan, *moment->time, fault::Restart{moment->node, !moment->word.empty()});
        return std::nullopt;
    });
}

Wrong take_pause(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto [id, time] = halve(word, "@");
        const auto node = read_node(id);
        const auto span = read_span(time.value_or(""));
        if (!node || !span) return must_be(name, "ID@FROM..TO", word);
        if (Wrong wrong = wrong_span(name, word, *span)) return wrong;
        at(plan, span->from, fault::Pause{*node});
        if (span->to) at(plan, *span->to, fault::Resume{*node});
        return std::nullopt;
    });
}

Wrong take_cut(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto [ends, time] = halve(word, "@");
        const auto link = read_link(ends);
        const auto span = read_span(time.value_or("0"));
        if (!link || !span) return must_be(name, "A-B@FROM..TO or A>B@FROM..TO", word);
        if (link->from == link->to) return must_be(name, "between two nodes", word);
        if (Wrong wrong = wrong_span(name, word, *span)) return wrong;
        for (const bool back : {false, true}) {
            if (back && !link->both) break;
            const NodeId from = back ? link->to : link->from, to = back ? link->from : link->to;
            at(plan, span->from, fault::Cut{from, to});
            if (span->to) at(plan, *span->to, fault::Heal{from, to});
        }
        return std::nullopt;
    });
}

Severed sever(std::string_view groups, const std::vector<Member>& members) {
    const std::string called = "partition " + quote(groups);
    std::vector<std::pair<NodeId, std::size_t>> sides;
    std::size_t side = 0;
    for (std::string_view group : split(groups, '|')) {
        const auto nodes = read_nodes(group);
        if (!nodes) return {{}, must_be("partition", "groups of nodes like 1,2|3,4", groups)};
        for (NodeId node : *nodes) sides.emplace_back(node, side);
        ++side;
    }
    if (members.empty()) return {};
    auto in_list = [&](NodeId node) {
        return std::ranges::count(sides, node, &std::pair<NodeId, std::size_t>::first);
    };
    for (const auto& [node, group] : sides) {
        if (std::ranges::find(members, node, &Member::node) == members.end()) {
            return {{}, stranger(node, members.size())};
        }
        if (in_list(node) > 1) return {{}, called + " has node " + to_text(node) + " twice"};
    }
    for (const Member& member : members) {
        if (in_list(member.node) == 0) return {{}, called + " misses node " + to_text(member.node)};
    }
    Severed severed;
    for (const auto& [a, one] : sides) {
        for (const auto& [b, other] : sides) {
            if (one != other) severed.cuts.push_back({a, b});
        }
    }
    return severed;
}

Wrong take_partition(Plan& plan, std::string_view name, std::string_view value) {
    const auto [groups, time] = halve(value, "@");
    const auto span = read_span(time.value_or("0"));
    if (!span) return must_be(name, "GROUPS@FROM..TO", value);
    if (Wrong wrong = wrong_span(name, value, *span)) return wrong;
    const Severed severed = sever(groups, plan.members);
    for (const fault::Cut& cut : severed.cuts) {
        at(plan, span->from, cut);
        if (span->to) at(plan, *span->to, fault::Heal{cut.from, cut.to});
    }
    return severed.wrong;
}

Wrong take_suspect(Plan& plan, std::string_view name, std::string_view value) {
    return take_pair<fault::Suspect>(plan, name, value);
}
Wrong take_trust(Plan& plan, std::string_view name, std::string_view value) {
    return take_pair<fault::Trust>(plan, name, value);
}

Wrong take_call(Plan& plan, std::string_view name, std::string_view value) {
    return each(value, [&](std::string_view word) -> Wrong {
        const auto moment = read_moment(word);
        if (!moment || !moment->word.empty()) return must_be(name, "ID@TIME", word);
        at(plan, moment->time.value_or(Instant{}), fault::Call{moment->node});
        return std::nullopt;
    });
}

Wrong take_ask(Plan& plan, std::string_view name, std::string_view value) {
    const auto moment = read_moment(value);
    if (!moment || moment->word.empty()) return must_be(name, "ID@TIME:REQUEST", value);
    at(plan, moment->time.value_or(Instant{}), fault::Ask{moment->node, std::string(moment->word)});
    return std::nullopt;
}

}  // namespace conclave
