// net/http_target.h -- the target of a request: path segments and query, decoded once and for all.
//
// The path is split before it is decoded, so an encoded slash stays inside its segment: a lock
// named "a/b" is "/v1/locks/a%2Fb". What is not UTF-8 after decoding is refused here, because
// names end up in JSON, logs and metrics.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_message.h"

namespace conclave::net {

struct Target {
    std::vector<std::string> path;
    Words query;
};

// Nothing if it is none: a bad %, not UTF-8, a NUL, or no path at all. "*" has an empty path.
[[nodiscard]] std::optional<Target> parse_target(std::string_view text);

// For those who build a target: everything but letters, digits and -._~ becomes %XX.
std::string percent_encoded(std::string_view text);

}  // namespace conclave::net
