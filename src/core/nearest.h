// core/nearest.h -- what somebody who mistyped a name probably meant.
#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conclave {

// Letters to add, drop or change until the one is the other.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
        }
    }
    return row.back();
}

// Nothing if even the nearest would be a guess: more than three letters off, or more than half of
// what was written. A name of unreasonable length is no typing error, and would cost its square.
inline std::optional<std::string> nearest(std::string_view written,
                                          const std::vector<std::string>& names) {
    constexpr std::size_t longest = 100;
    if (names.empty() || written.size() > longest) return std::nullopt;
    const auto distance = [&](const std::string& name) { return edit_distance(written, name); };
    const std::string& best = *std::ranges::min_element(names, {}, distance);
    const std::size_t allowed = std::min<std::size_t>(3, written.size() / 2);
    return distance(best) <= allowed ? std::optional(best) : std::nullopt;
}

}  // namespace conclave
