// sim/options.h -- an algorithm's settings and fixes by name, through any number of stacked parts.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/names.h"
#include "core/protocol.h"
#include "core/stack.h"
#include "core/value.h"
#include "sim/simulator.h"
#include "sim/unit.h"

namespace conclave {

// The envelope's own fix, which belongs to no algorithm.
inline constexpr std::string_view incarnation_fix = "incarnation";

template <class P, class F> void each_fix(F visit) {
    if constexpr (requires { typename P::Lower; }) {
        each_fix<typename P::Lower>(visit);
        each_fix<typename P::Upper>(visit);
    } else if constexpr (requires { P::fixes; }) {
        for (const Fix& fix : P::fixes) visit(fix);
    }
}

template <class P> bool drop_fix(typename P::Config& config, std::string_view name) {
    if constexpr (requires { typename P::Lower; }) {
        const bool below = drop_fix<typename P::Lower>(config.lower, name);
        return drop_fix<typename P::Upper>(config.upper, name) || below;
    } else if constexpr (requires { P::fixes; }) {
        for (std::size_t at = 0; at < P::fixes.size(); ++at) {
            if (P::fixes[at].name != name) continue;
            config.fixes.drop(at);
            return true;
        }
    }
    return false;
}

template <class P, class F> void each_option(typename P::Config& config, F visit) {
    if constexpr (requires { typename P::Lower; }) {
        each_option<typename P::Lower>(config.lower, visit);
        each_option<typename P::Upper>(config.upper, visit);
    } else if constexpr (requires { P::each_option(config, visit); }) {
        P::each_option(config, visit);
    }
}

namespace detail {

inline std::optional<Duration> read_units(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
    double scale = static_cast<double>(unit.count());
    if (suffix == "ns") scale = 1;
    if (suffix == "us") scale = 1e3;
    if (suffix == "ms") scale = 1e6;
    if (suffix == "s") scale = 1e9;
    if (!suffix.empty() && scale == static_cast<double>(unit.count()) && suffix != "ms") {
        return std::nullopt;
    }
    const double length = value * scale;
    if (length < -9e18 || length > 9e18) return std::nullopt;
    return Duration(std::llround(length));
}

template <class T> bool read_option(std::string_view text, T& into) {
    if constexpr (std::is_same_v<T, Duration>) {
        const auto read = read_units(text);
        if (read) into = *read;
        return read.has_value();
    } else if constexpr (std::is_same_v<T, Wait>) {
        const auto dots = text.find("..");
        const auto least = read_units(text.substr(0, dots));
        const auto most = dots == text.npos ? least : read_units(text.substr(dots + 2));
        if (!least || !most || *most < *least) return false;
        into = {*least, *most};
        return true;
    } else if constexpr (std::is_same_v<T, bool>) {
        into = text == "true" || text == "on" || text == "yes";
        return into || text == "false" || text == "off" || text == "no";
    } else if constexpr (std::is_enum_v<T>) {
        for (int value = 0; value < 32; ++value) {
            if (to_text(static_cast<T>(value)) != text) continue;
            into = static_cast<T>(value);
            return true;
        }
        return false;
    } else {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
        return error == std::errc{} && end == text.data() + text.size();
    }
}

}  // namespace detail

template <class P> std::vector<Option> options_of(typename P::Config& config) {
    std::vector<Option> options;
    each_option<P>(config, [&](std::string_view name, const auto& value) {
        options.push_back({std::string(name), to_text(value)});
    });
    return options;
}

// What is wrong, or nothing.
template <class P>
std::optional<std::string> set_option(typename P::Config& config, std::string_view name,
                                      std::string_view text) {
    bool known = false, read = false;
    each_option<P>(config, [&](std::string_view option, auto& value) {
        if (option != name) return;
        known = true;
        read = detail::read_option(text, value);
    });
    if (!known) return "unknown option '" + std::string(name) + "'";
    if (!read)
        return "bad value '" + std::string(text) + "' for option '" + std::string(name) + "'";
    return std::nullopt;
}

// How long a group of this size needs after the last fault, by the algorithm's own word.
template <class P> Duration settling_time(const typename P::Config& config, std::size_t nodes) {
    if constexpr (requires { typename P::Lower; }) {
        return settling_time<typename P::Lower>(config.lower, nodes) +
               settling_time<typename P::Upper>(config.upper, nodes);
    } else if constexpr (requires { P::settles_within(config, nodes); }) {
        return P::settles_within(config, nodes);
    } else {
        return Duration{};
    }
}

// How long what has settled must be watched, lest a timer that is still armed undo it.
template <class P> Duration lingering_time(const typename P::Config& config) {
    if constexpr (requires { typename P::Lower; }) {
        return std::max(lingering_time<typename P::Lower>(config.lower),
                        lingering_time<typename P::Upper>(config.upper));
    } else if constexpr (requires { P::lingers(config); }) {
        return P::lingers(config);
    } else {
        return Duration{};
    }
}

}  // namespace conclave
