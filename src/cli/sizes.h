// cli/sizes.h -- ranges of group sizes, as `--nodes A..B` gives them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace conclave {

using SizeRange = std::pair<std::uint32_t, std::uint32_t>;

// A, or A..B.
std::optional<SizeRange> read_sizes(const std::string& text);
// What is wrong with the text as a range within 2..most, or nothing.
std::optional<std::string> wrong_sizes(const std::string& text, std::uint32_t most);
// The ends and the powers of two between them.
std::vector<std::uint32_t> sizes_in(SizeRange range);

}  // namespace conclave
