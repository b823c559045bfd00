// net/log.h -- what happened, told to people: an event with its fields, into a sink of somebody's.
//
// No room prints. An application that embeds a node hands in its own sink; the daemon's writes JSON
// or logfmt lines.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace conclave {

enum class Level : std::uint8_t { debug, info, warning, error };

struct LogField {
    std::string_view name;
    std::string value;
};

class LogSink {
public:
    virtual ~LogSink() = default;
    // From any thread; `event` is a few fixed words ("link is up"), what varies is in the fields.
    virtual void log(Level level, std::string_view event, std::span<const LogField> fields) = 0;

    void log(Level level, std::string_view event, std::initializer_list<LogField> fields) {
        log(level, event, std::span<const LogField>(fields.begin(), fields.size()));
    }
};

}  // namespace conclave
