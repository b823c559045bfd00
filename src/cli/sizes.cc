// cli/sizes.cc -- reads ranges of group sizes.
#include "cli/sizes.h"

#include <charconv>

namespace conclave {

std::optional<SizeRange> read_sizes(const std::string& text) {
    std::uint32_t from = 0, to = 0;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, from);
    if (first.ec != std::errc{}) return std::nullopt;
    if (first.ptr == end) return SizeRange(from, from);
    if (end - first.ptr < 3 || first.ptr[0] != '.' || first.ptr[1] != '.') return std::nullopt;
    const auto second = std::from_chars(first.ptr + 2, end, to);
    if (second.ec != std::errc{} || second.ptr != end) return std::nullopt;
    return SizeRange(from, to);
}

std::optional<std::string> wrong_sizes(const std::string& text, std::uint32_t most) {
    const auto range = read_sizes(text);
    if (range && range->first >= 2 && range->second >= range->first && range->second <= most) {
        return std::nullopt;
    }
    return "--nodes takes A..B with 2 <= A <= B <= " + std::to_string(most) + ", not '" + text +
           "'";
}

std::vector<std::uint32_t> sizes_in(SizeRange range) {
    const auto [from, to] = range;
    std::vector<std::uint32_t> all{from};
    for (std::uint32_t n = 2; n < to; n *= 2) {
        if (n > from) all.push_back(n);
    }
    if (to > from) all.push_back(to);
    return all;
}

}  // namespace conclave
