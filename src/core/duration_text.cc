// core/duration_text.cc -- reads and writes lengths of time.
#include "core/duration_text.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace conclave {

namespace {

struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
};
constexpr std::array units{
    Unit{"h", 3'600'000'000'000}, Unit{"m", 60'000'000'000}, Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},        Unit{"us", 1'000},         Unit{"ns", 1},
};

Error wrong(std::string_view text, std::string_view what) {
    return Error{"duration \"" + std::string(text) + "\": " + std::string(what)};
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    if (error == std::errc::result_out_of_range) return wrong(text, "is too long");
    if (error != std::errc()) return wrong(text, "expected a number and a unit, such as 200ms");
    if (text.starts_with('-')) return wrong(text, "a duration is never negative");
    const std::string_view written(stop, static_cast<std::size_t>(end - stop));
    for (const Unit& unit : units) {
        if (unit.name != written) continue;
        if (count > std::numeric_limits<std::int64_t>::max() / unit.nanoseconds) {
            return wrong(text, "is too long");
        }
        return Duration(count * unit.nanoseconds);
    }
    return wrong(text, written.empty()
                           ? "the unit is missing; one of ns us ms s m h"
                           : "expected a whole number and one of the units ns us ms s m h");
}

std::string duration_text(Duration length) {
    if (length == Duration::zero()) return "0s";
    for (const Unit& unit : units) {
        if (length.count() % unit.nanoseconds != 0) continue;
        return std::to_string(length.count() / unit.nanoseconds) + std::string(unit.name);
    }
    return {};  // not reached: every length is a whole number of nanoseconds
}

}  // namespace conclave
