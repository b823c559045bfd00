// node/log_line.h -- an event and its fields as one line of logfmt or of JSON.
//
// Fields hold what strangers say (a peer's reason, a path, a host), so nothing in them may end the
// line, forge a field, break the JSON or steer a terminal: controls, direction marks and bytes that
// are no UTF-8 are escaped or replaced, and a long value is cut.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "net/log.h"
#include "node/time_text.h"

namespace conclave::node {

enum class LogFormat { logfmt, json };

constexpr std::size_t log_value_max = 1024;  // bytes of a field's value that are kept

std::string_view level_text(Level level);

// What strangers call things, fit for JSON: bytes that are no UTF-8 are replaced.
std::string as_utf8(std::string_view bytes);

// What comes after the time: the same for the same event with the same fields.
std::string log_body(LogFormat format, Level level, std::string_view event,
                     std::span<const LogField> fields);
// The same, said so many times more.
std::string with_count(LogFormat format, std::string body, std::uint64_t repeated);
std::string log_line(LogFormat format, WallTime when, std::string_view body);

}  // namespace conclave::node
