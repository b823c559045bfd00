// sim/show.h -- a world as text: its nodes, who leads, what was sent, what is pending.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/value.h"
#include "sim/judge.h"
#include "sim/narrate.h"
#include "sim/world.h"

namespace conclave {

// "3 up Bully(...), disk Durable(2), life 2, armed NoAnswer". When a timer is due is left out: it
// was drawn by dice, and a replay draws others.
template <class W> std::string show_node(const W& world, std::size_t at) {
    const auto& node = world.nodes[at];
    std::string line = to_text(world.id(at));
    line += !node.up ? " down" : node.paused ? " paused " : " up ";
    if (node.up) line += to_text(node.state);
    if (!std::is_empty_v<decltype(node.durable)>) line += ", disk " + to_text(node.durable);
    if (node.incarnation > Incarnation{1}) line += ", life " + to_text(node.incarnation);
    if (node.attribute != 0) line += ", attribute " + std::to_string(node.attribute);
    for (std::size_t i = 0; i < node.timers.size(); ++i) {
        line += (i == 0 ? ", armed " : " ") + to_text(node.timers[i].timer);
    }
    if (!node.held.empty()) line += ", " + std::to_string(node.held.size()) + " waiting";
    return line + "\n";
}
template <class W> std::string show_all(const W& world) {
    std::string lines;
    for (std::size_t at = 0; at < world.nodes.size(); ++at) lines += show_node(world, at);
    return lines;
}

// "1:4 2:4 3:none 4:4 5:down", or nothing where nobody is elected.
template <class P, class A> std::optional<std::string> show_leaders(const World<P, A>& world) {
    if constexpr (Elects<Top<P>>) {
        std::string line;
        for (std::size_t at = 0; at < world.nodes.size(); ++at) {
            const auto& node = world.nodes[at];
            line += (at == 0 ? "" : " ") + to_text(world.id(at)) + ":";
            line += node.up ? to_text(top(node.state).elected(node.clock.read(world.now))) : "down";
        }
        return line + "\n";
    } else {
        return std::nullopt;
    }
}

// "all agree: holds", one line for each property.
template <class P, class A>
std::string show_verdicts(const World<P, A>& world, const Judge<Top<P>>& judge) {
    if constexpr (Judged<Top<P>>) {
        return world.judge([&](const View<Top<P>>& view) { return judge.verdicts(view); });
    } else {
        return "nothing to check\n";
    }
}

namespace detail {

template <class P, class... M>
std::string show_counts_of(const Counts<P>& counts, std::variant<M...>*) {
    constexpr std::array names{name_of<M>()...};
    auto line = [&](const char* what, auto count_of) {
        std::uint64_t total = 0;
        std::string parts;
        for (std::size_t type = 0; type < names.size(); ++type) {
            const std::uint64_t count = count_of(type);
            if (count == 0) continue;
            total += count;
            parts += (parts.empty() ? "" : ", ") + std::string(names[type]) + " " +
                     std::to_string(count);
        }
        return parts.empty() ? "" : std::to_string(total) + " " + what + ": " + parts + "\n";
    };
    auto kind = [](std::size_t type) { return Counts<P>::kinds[type]; };
    auto own = [&](std::size_t t) { return kind(t) == Kind::detector ? 0 : counts.sent[t]; };
    auto beats = [&](std::size_t t) { return kind(t) == Kind::detector ? counts.sent[t] : 0; };
    auto repair = [&](std::size_t t) { return counts.repair[t]; };
    const std::string all =
        line("messages", own) + line("repair messages", repair) + line("detector messages", beats);
    return all.empty() ? "no messages\n" : all;
}

}  // namespace detail

// "12 messages: Election 6, Answer 3, Coordinator 3", then what our fixes and the detector sent.
template <class P> std::string show_counts(const Counts<P>& counts) {
    return detail::show_counts_of<P>(counts, static_cast<typename P::Message*>(nullptr));
}

}  // namespace conclave
