// core/duration_text.h -- lengths of time as people write them: "200ms", "2s", "1m".
#pragma once
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/types.h"

namespace conclave {

// A whole number and one of ns us ms s m h, with nothing between or around them. Neither fractions
// nor "1m30s": whatever is read can be written again in one way only.
Result<Duration> parse_duration(std::string_view text);

// In the largest unit that is exact; parse_duration reads it back.
std::string duration_text(Duration length);

}  // namespace conclave
