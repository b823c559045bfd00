// sim/plot_test.cc -- the two plots we need most, and the corners of the axes.
#include "sim/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "sim/golden.h"
#include "sim/plot_axis.h"
#include "sim/svg.h"

namespace conclave {
namespace {

Plot messages_against_nodes() {
    Plot plot{.title = "Messages per election against the number of nodes",
              .x_label = "nodes N",
              .y_label = "messages",
              .log_x = true,
              .log_y = true,
              .series = {}};
    const auto add = [&](const std::string& name, const std::string& formula,
                         const std::function<double(double)>& messages) {
        Plot::Series theory{formula, {}, true, false, true, name};
        Plot::Series measured{name + ", measured", {}, false, true, false, name};
        for (double n = 3; n <= 96; n *= 2) {
            theory.points.emplace_back(n, messages(n));
            measured.points.emplace_back(n, messages(n));
        }
        plot.series.push_back(theory);
        plot.series.push_back(measured);
    };
    add("bully, worst", "N\u00b2 - 1", [](double n) { return n * n - 1; });
    add("bully, best", "N - 2", [](double n) { return n - 2; });
    add("ring, worst", "3N - 1", [](double n) { return 3 * n - 1; });
    add("ring, all start", "N log N", [](double n) { return std::ceil(n * std::log2(n)); });
    return plot;
}

Plot detector_trade_off() {
    Plot plot{.title = "What a quicker verdict costs",
              .x_label = "detection time (heartbeat periods)",
              .y_label = "mistakes per hour",
              .log_x = false,
              .log_y = true,
              .series = {}};
    Plot::Series fixed{"fixed timeout", {}, true, true, false, ""};
    Plot::Series adaptive{"adaptive (Chen)", {}, true, true, false, ""};
    Plot::Series accrual{"accrual (phi)", {}, true, true, false, ""};
    for (int i = 0; i < 8; ++i) {
        fixed.points.emplace_back(1.5 + 0.5 * i, 4000 * std::pow(0.18, i));
        adaptive.points.emplace_back(1.3 + 0.4 * i, 900 * std::pow(0.16, i));
        accrual.points.emplace_back(1.2 + 0.45 * i, 600 * std::pow(0.12, i));
    }
    plot.series = {fixed, adaptive, accrual};
    return plot;
}

std::string ends(const Axis& axis) {
    return axis.ticks.front().label + ".." + axis.ticks.back().label;
}

TEST(Plot, DrawsMessagesAgainstNodes) {
    expect_golden("messages.svg", to_svg(messages_against_nodes()));
}
TEST(Plot, DrawsTheDetectorsTradeOff) {
    expect_golden("detectors.svg", to_svg(detector_trade_off()));
}
TEST(Plot, IsTheSameEveryTime) {
    EXPECT_EQ(to_svg(messages_against_nodes()), to_svg(messages_against_nodes()));
}

TEST(Plot, LeavesOutWhatHasNoPlace) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    Plot plot{.title = "gaps", .x_label = "", .y_label = "", .log_y = true, .series = {}};
    plot.series.push_back(
        {"s", {{1, 10}, {2, 0}, {3, nan}, {4, 20}, {5, 30}}, true, true, false, ""});
    const auto picture = to_svg(plot);
    std::size_t points = 0;
    for (auto at = picture.find("data-what=\"point\""); at != picture.npos; ++points) {
        at = picture.find("data-what=\"point\"", at + 1);
    }
    EXPECT_EQ(points, 3U);
    EXPECT_EQ(picture.find("nan"), picture.npos);
}

TEST(Plot, SurvivesNothingAndOnePoint) {
    EXPECT_NE(to_svg(Plot{}).find("</svg>"), std::string::npos);
    for (const bool logarithmic : {false, true}) {
        Plot plot{.title = "one",
                  .x_label = "",
                  .y_label = "",
                  .log_x = logarithmic,
                  .log_y = logarithmic,
                  .series = {}};
        plot.series.push_back({"s", {{10, 10}}, false, true, false, ""});
        EXPECT_NE(to_svg(plot).find("data-what=\"point\""), std::string::npos);
    }
}

TEST(Axis, EndsOnRoundNumbers) {
    EXPECT_EQ(ends(axis_for({3, 97}, false)), "0..100");
    EXPECT_EQ(ends(axis_for({950, 1010}, false)), "940..1020");
    EXPECT_EQ(ends(axis_for({-0.3, 0.42}, false)), "-0.4..0.6");
    EXPECT_EQ(ends(axis_for({3, 97}, true)), "2..100");
    EXPECT_EQ(ends(axis_for({1e-9, 1e3}, true)), "10\u207b\u2079..1000");
}

TEST(Svg, WritesNumbersPlainly) {
    EXPECT_EQ(svg::fixed(2), "2");
    EXPECT_EQ(svg::fixed(-0.04), "0");
    EXPECT_EQ(svg::fixed(1234.56), "1234.6");
    EXPECT_EQ(svg::fixed(100), "100");
}

TEST(Svg, EscapesAndRepairsText) {
    EXPECT_EQ(svg::escape("<a & 'b'>"), "&lt;a &amp; &#39;b&#39;&gt;");
    EXPECT_EQ(svg::escape("\u00fc \u2192 \U0001F451"), "\u00fc \u2192 \U0001F451");
    EXPECT_EQ(svg::escape(std::string_view("\0\xFF\xED\xA0\x80", 5)).size(), 15U);
}

}  // namespace
}  // namespace conclave
