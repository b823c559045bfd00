// sim/words.h -- the small words that plans and scripts are made of: nodes, times, links, lists.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/members.h"
#include "core/types.h"

namespace conclave {

// Every reader answers nothing for a word that it does not understand.
inline constexpr std::uint32_t largest_node = 2'000'000;  // ids and how many; sets take a bit each

std::vector<std::string_view> split(std::string_view text, char separator);
// Before and after the first separator; the second is missing where there is none.
struct Halves {
    std::string_view first;
    std::optional<std::string_view> second;
};
Halves halve(std::string_view text, std::string_view separator);

std::optional<std::int64_t> read_integer(std::string_view text);
std::optional<double> read_real(std::string_view text);
std::optional<NodeId> read_node(std::string_view text);
std::optional<std::vector<NodeId>> read_nodes(std::string_view text);  // 1,2,5
// In units, or with its own (5us, 2s); not negative and at most a billion units, so that sums of a
// few never overflow.
std::optional<Duration> read_time(std::string_view text);
std::optional<std::int64_t> read_ppm(std::string_view text);  // a clock's error, below one half

struct Span {  // 3..5, or 3 for "from 3 on"
    Instant from{};
    std::optional<Instant> to{};
};
std::optional<Span> read_span(std::string_view text);

struct Link {  // 1>2, or 1-2 for both directions
    NodeId from{}, to{};
    bool both = false;
};
std::optional<Link> read_link(std::string_view text);

// What is wrong, or nothing.
using Wrong = std::optional<std::string>;
std::string stranger(NodeId node, std::size_t nodes);  // "node 9 is not one of the 5 nodes"
std::string quote(std::string_view text);              // 'text', shortened where it is very long
// "loss must be between 0 and 1, not 1.5"
std::string must_be(std::string_view name, std::string_view what, std::string_view value);

// Every part of a list with commas, up to the first that `take` complains about.
template <class F> Wrong each(std::string_view list, F take) {
    for (std::string_view word : split(list, ',')) {
        if (Wrong wrong = take(word)) return wrong;
    }
    return std::nullopt;
}

}  // namespace conclave
