// node/time_text.cc -- libstdc++ 12 has calendars but does not print them.
#include "node/time_text.h"

#include <array>
#include <cstdio>

namespace conclave::node {

namespace {

std::string up_to_seconds(std::chrono::sys_seconds when) {
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(when - day);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                  static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()));
    return text.data();
}

}  // namespace

std::string time_text(WallTime when) {
    const auto second = std::chrono::floor<std::chrono::seconds>(when);
    const auto rest = std::chrono::floor<std::chrono::microseconds>(when - second);
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), ".%06dZ", static_cast<int>(rest.count()));
    return up_to_seconds(second) + text.data();
}

std::string time_text(std::chrono::sys_seconds when) { return up_to_seconds(when) + "Z"; }

}  // namespace conclave::node
