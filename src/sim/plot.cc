// sim/plot.cc -- grid, curves, markers, and a legend in the order of the curves' ends.
#include "sim/plot.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>

#include "sim/plot_axis.h"
#include "sim/svg.h"

namespace conclave {
namespace {

using svg::Canvas;
using svg::Point;

constexpr double area_width = 560, area_height = 360, top = 58, legend_line = 20;

struct Frame {
    Axis x, y;
    double left = 0;
    std::vector<std::size_t> groups;  // one per series

    double right() const { return left + area_width; }
    double bottom() const { return top + area_height; }
    bool shows(std::pair<double, double> point) const {
        return x.shows(point.first) && y.shows(point.second);
    }
    Point at(std::pair<double, double> point) const {
        return {left + area_width * x.share(point.first),
                bottom() - area_height * y.share(point.second)};
    }
};

Frame frame_of(const Plot& plot) {
    Frame frame;
    frame.x.logarithmic = plot.log_x;  // enough to ask what can be shown
    frame.y.logarithmic = plot.log_y;
    std::vector<double> xs, ys;
    std::map<std::string, std::size_t> groups;
    for (const auto& series : plot.series) {
        const std::string& group = series.group.empty() ? series.name : series.group;
        frame.groups.push_back(groups.try_emplace(group, groups.size()).first->second);
        for (const auto& point : series.points) {
            if (!frame.shows(point)) continue;
            xs.push_back(point.first);
            ys.push_back(point.second);
        }
    }
    frame.x = axis_for(xs, plot.log_x);
    frame.y = axis_for(ys, plot.log_y);
    double widest = 0;
    for (const auto& tick : frame.y.ticks) {
        widest = std::max(widest, svg::text_width(tick.label, 11));
    }
    frame.left = 52 + widest;
    return frame;
}

// Eight shapes; the group's colour and shape change at different strides, so pairs stay distinct.
void draw_marker(Canvas& canvas, Point p, std::size_t group) {
    const double r = 4.2;
    const svg::Pen solid{.stroke = svg::paper, .width = 0.8, .fill = svg::colour(group)};
    const svg::Pen hollow{.stroke = svg::colour(group), .width = 1.8, .fill = svg::paper};
    const svg::Pen& pen = group % 8 < 4 ? solid : hollow;
    switch (group % 4) {
        case 0:
            return canvas.circle(p, r, pen);
        case 1:
            return canvas.rect({p.x - r, p.y - r, 2 * r, 2 * r}, pen);
        case 2:
            return canvas.polygon(
                {{p.x, p.y - r - 1}, {p.x + r + 1, p.y + r}, {p.x - r - 1, p.y + r}}, pen);
        default:
            return canvas.polygon({{p.x, p.y - r - 1.5},
                                   {p.x + r + 1.5, p.y},
                                   {p.x, p.y + r + 1.5},
                                   {p.x - r - 1.5, p.y}},
                                  pen);
    }
}

svg::Pen pen_of(const Plot::Series& series, std::size_t group) {
    return {.stroke = svg::colour(group), .width = 1.8, .dash = series.dashed ? "6 4" : ""};
}

void draw_axes(Canvas& canvas, const Plot& plot, const Frame& frame) {
    canvas.open("axes");
    for (const auto& tick : frame.x.ticks) {
        const double x = frame.left + area_width * frame.x.share(tick.value);
        canvas.line({x, top}, {x, frame.bottom() + 4}, {.stroke = svg::faint});
        canvas.text({x, frame.bottom() + 18}, tick.label,
                    {.fill = svg::faded, .anchor = svg::Anchor::middle});
    }
    for (const auto& tick : frame.y.ticks) {
        const double y = frame.bottom() - area_height * frame.y.share(tick.value);
        canvas.line({frame.left - 4, y}, {frame.right(), y}, {.stroke = svg::faint});
        canvas.text({frame.left - 8, y + 4}, tick.label,
                    {.fill = svg::faded, .anchor = svg::Anchor::end});
    }
    canvas.path("M" + svg::at({frame.left, top}) + " L" + svg::at({frame.left, frame.bottom()}) +
                    " L" + svg::at({frame.right(), frame.bottom()}),
                {.stroke = svg::faded});
    const svg::Type middle{.size = 12.5, .anchor = svg::Anchor::middle};
    svg::Type upward = middle;
    upward.upward = true;
    canvas.text({frame.left + area_width / 2, frame.bottom() + 40}, plot.x_label, middle);
    canvas.text({24, top + area_height / 2}, plot.y_label, upward);
    canvas.close();
}

void draw_series(Canvas& canvas, const Plot::Series& series, std::size_t group,
                 const Frame& frame) {
    canvas.open("series", series.name);
    std::string commands;
    bool drawing = false;
    for (const auto& point : series.points) {
        const bool shown = frame.shows(point);
        if (shown) commands += (drawing ? " L" : " M") + svg::at(frame.at(point));
        drawing = shown;
    }
    if (series.line && !commands.empty()) canvas.path(commands.substr(1), pen_of(series, group));
    for (const auto& point : series.points) {
        if (!series.markers || !frame.shows(point)) continue;
        canvas.open("point", series.name + ": " + svg::fixed(point.first, 6) + ", " +
                                 svg::fixed(point.second, 6));
        draw_marker(canvas, frame.at(point), group);
        canvas.close();
    }
    canvas.close();
}

// Groups from the top curve to the bottom one, as the eye meets them at the right edge.
std::vector<std::size_t> legend_order(const Plot& plot, const Frame& frame) {
    std::map<std::size_t, double> height;  // of a group: its highest end
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
        double end = -std::numeric_limits<double>::infinity();
        for (const auto& point : plot.series[i].points) {
            if (frame.shows(point)) end = point.second;
        }
        const auto [entry, fresh] = height.try_emplace(frame.groups[i], end);
        if (!fresh) entry->second = std::max(entry->second, end);
    }
    std::vector<std::size_t> order(plot.series.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const std::size_t left = frame.groups[a], right = frame.groups[b];
        if (height[left] != height[right]) return height[left] > height[right];
        return left < right;
    });
    return order;
}

double draw_legend(Canvas& canvas, const Plot& plot, const Frame& frame) {
    const double x = frame.right() + 20;
    double y = top + 8, widest = 0;
    canvas.open("legend");
    for (const std::size_t i : legend_order(plot, frame)) {
        const auto& series = plot.series[i];
        const std::size_t group = frame.groups[i];
        if (series.line) canvas.line({x, y}, {x + 28, y}, pen_of(series, group));
        if (series.markers) draw_marker(canvas, {x + 14, y}, group);
        canvas.text({x + 36, y + 4}, series.name, {.size = 12});
        widest = std::max(widest, svg::text_width(series.name, 12));
        y += legend_line;
    }
    canvas.close();
    return x + 36 + widest;
}

}  // namespace

std::string to_svg(const Plot& plot) {
    const Frame frame = frame_of(plot);
    Canvas canvas;
    canvas.text({20, 30}, plot.title, {.size = 17, .bold = true});
    draw_axes(canvas, plot, frame);
    for (const bool markers : {false, true}) {  // points lie on top of curves
        for (std::size_t i = 0; i < plot.series.size(); ++i) {
            if (plot.series[i].markers != markers) continue;
            draw_series(canvas, plot.series[i], frame.groups[i], frame);
        }
    }
    const double right = draw_legend(canvas, plot, frame);
    const double legend_end = top + legend_line * static_cast<double>(plot.series.size());
    const double width = std::max(right, 20 + svg::text_width(plot.title, 17) * 1.08) + 20;
    return canvas.finish(width, std::max(frame.bottom() + 58, legend_end + 20), plot.title);
}

}  // namespace conclave
