// sim/plot_axis.cc -- steps of 1, 2 or 5 times a power of ten; decades if logarithmic.
#include "sim/plot_axis.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sim/svg.h"

namespace conclave {
namespace {

std::string superscript(int number) {
    static constexpr std::string_view digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                                  "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    std::string out = number < 0 ? "\u207b" : "";
    for (const char digit : std::to_string(std::abs(number))) {
        out += digits[static_cast<std::size_t>(digit - '0')];
    }
    return out;
}

// mantissa * 10^exponent as people write it.
std::string label_of(double mantissa, int exponent) {
    if (mantissa == 0) return "0";
    if (exponent > 5 || exponent < -3) {
        const std::string power = "10" + superscript(exponent);
        return mantissa == 1 ? power : svg::fixed(mantissa, 6) + "\u00b7" + power;
    }
    return svg::fixed(mantissa * std::pow(10, exponent), std::max(0, 3 - exponent));
}

std::string label_of(double value) {
    if (value == 0) return "0";
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
    return label_of(value / std::pow(10, exponent), exponent);
}

Axis linear(double least, double most) {
    if (least > 0 && least < 0.4 * most) least = 0;  // show the origin unless it costs the detail
    if (most == least) most = least + (least == 0 ? 1 : std::abs(least));
    const double wanted = (most - least) / 6;
    const double power = std::pow(10, std::floor(std::log10(wanted)));
    const double step = wanted <= 2 * power   ? 2 * power
                        : wanted <= 5 * power ? 5 * power
                                              : 10 * power;
    const double first = std::floor(least / step + 1e-9), last = std::ceil(most / step - 1e-9);
    Axis axis{false, first * step, last * step, {}};
    for (double i = first; i <= last; ++i) axis.ticks.push_back({i * step, label_of(i * step)});
    return axis;
}

Axis logarithmic(double least, double most) {
    const int first = static_cast<int>(std::floor(std::log10(least) + 1e-9));
    const int last = static_cast<int>(std::ceil(std::log10(most) - 1e-9));
    const bool few = last - first <= 3;
    const int stride = 1 + (last - first) / 9;
    Axis axis{true, 0, 0, {}};
    std::vector<Axis::Tick> all;
    for (int exponent = first; exponent <= last; exponent += few ? 1 : stride) {
        for (const double mantissa : {1.0, 2.0, 5.0}) {
            if (mantissa > 1 && !few) continue;
            all.push_back({mantissa * std::pow(10, exponent), label_of(mantissa, exponent)});
        }
    }
    // The axis runs from the last tick at or below the data to the first at or above it.
    std::size_t low = 0, high = all.size() - 1;
    while (low + 1 < all.size() && all[low + 1].value <= least * (1 + 1e-9)) ++low;
    while (high > low + 1 && all[high - 1].value >= most * (1 - 1e-9)) --high;
    if (high == low) return logarithmic(least / 10, most);
    axis.ticks.assign(all.begin() + static_cast<std::ptrdiff_t>(low),
                      all.begin() + static_cast<std::ptrdiff_t>(high) + 1);
    axis.least = axis.ticks.front().value;
    axis.most = std::max(axis.ticks.back().value, most);
    return axis;
}

}  // namespace

bool Axis::shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }

double Axis::share(double value) const {
    if (!logarithmic) return (value - least) / (most - least);
    return std::log(value / least) / std::log(most / least);
}

Axis axis_for(const std::vector<double>& values, bool wants_logarithm) {
    if (values.empty()) return wants_logarithm ? logarithmic(1, 10) : linear(0, 1);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return wants_logarithm ? logarithmic(*least, *most) : linear(*least, *most);
}

}  // namespace conclave
