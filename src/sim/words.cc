// sim/words.cc -- reads small words.
#include "sim/words.h"

#include <charconv>
#include <cmath>

#include "core/value.h"
#include "sim/options.h"
#include "sim/unit.h"

namespace conclave {

namespace {

template <class T> std::optional<T> read_all(std::string_view text) {
    T value{};
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    return error == std::errc{} && end == last ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == text.npos) return parts;
        text.remove_prefix(end + 1);
    }
}

Halves halve(std::string_view text, std::string_view separator) {
    const auto at = text.find(separator);
    if (at == text.npos) return {text, std::nullopt};
    return {text.substr(0, at), text.substr(at + separator.size())};
}

std::optional<std::int64_t> read_integer(std::string_view text) {
    return read_all<std::int64_t>(text);
}

std::optional<double> read_real(std::string_view text) {
    const auto value = read_all<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<NodeId> read_node(std::string_view text) {
    const auto id = read_all<std::uint32_t>(text);
    return id && *id <= largest_node ? std::optional(NodeId{*id}) : std::nullopt;
}

std::optional<std::vector<NodeId>> read_nodes(std::string_view text) {
    std::vector<NodeId> nodes;
    for (std::string_view word : split(text, ',')) {
        const auto node = read_node(word);
        if (!node) return std::nullopt;
        nodes.push_back(*node);
    }
    return nodes;
}

std::optional<Duration> read_time(std::string_view text) {
    const auto time = detail::read_units(text);
    constexpr Duration longest = 1'000'000'000 * unit;
    return time && *time >= Duration{} && *time <= longest ? time : std::nullopt;
}

std::optional<std::int64_t> read_ppm(std::string_view text) {
    const auto ppm = read_integer(text);
    return ppm && *ppm > -500'000 && *ppm < 500'000 ? ppm : std::nullopt;
}

std::optional<Span> read_span(std::string_view text) {
    const auto [first, second] = halve(text, "..");
    const auto from = read_time(first);
    if (!from) return std::nullopt;
    if (!second) return Span{Instant(*from), std::nullopt};
    const auto to = read_time(*second);
    return to ? std::optional(Span{Instant(*from), Instant(*to)}) : std::nullopt;
}

std::optional<Link> read_link(std::string_view text) {
    const auto at = text.find_first_of("->");
    if (at == text.npos) return std::nullopt;
    const auto from = read_node(text.substr(0, at));
    const auto to = read_node(text.substr(at + 1));
    if (!from || !to) return std::nullopt;
    return Link{*from, *to, text[at] == '-'};
}

std::string quote(std::string_view text) {
    constexpr std::size_t longest = 60;
    const bool long_one = text.size() > longest;
    return "'" + std::string(text.substr(0, longest)) + (long_one ? "...'" : "'");
}

std::string stranger(NodeId node, std::size_t nodes) {
    return "node " + to_text(node) + " is not one of the " + std::to_string(nodes) + " nodes";
}

std::string must_be(std::string_view name, std::string_view what, std::string_view value) {
    return std::string(name) + " must be " + std::string(what) + ", not " +
           (read_real(value) ? std::string(value) : quote(value));
}

}  // namespace conclave
