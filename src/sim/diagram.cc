// sim/diagram.cc -- draws a laid-out diagram, back to front.
#include "sim/diagram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "sim/diagram_glyphs.h"
#include "sim/diagram_layout.h"
#include "sim/diagram_legend.h"
#include "sim/svg.h"

namespace conclave {
namespace {

using svg::Canvas;
using svg::Point;

constexpr double margin = 20, long_picture = 1500;

// A time as people write it: no digits beyond what the number needs, three after the point at most.
std::string clock(double time) { return svg::fixed(time, 3); }

std::string from_to(double from, double to) { return clock(from) + " to " + clock(to); }

void draw_heading(Canvas& canvas, const Diagram& diagram) {
    canvas.text({margin, 30}, diagram.title, {.size = 17, .bold = true});
    canvas.text({margin, 50}, diagram.subtitle, {.size = 12.5, .fill = svg::faded});
}

void draw_cuts(Canvas& canvas, const Diagram& diagram, const Layout& layout) {
    const double top = layout.top - 40, bottom = layout.bottom + 30;
    for (const auto& cut : diagram.cuts) {
        const double left = layout.scale.x(cut.from), right = layout.scale.x(cut.to);
        canvas.open("cut", cut.label + ", " + from_to(cut.from, cut.to));
        canvas.rect({left, top, right - left, bottom - top}, band_pen());
        canvas.text({left + 4, top - 6}, cut.label, {.size = 12, .fill = svg::alarm});
        const std::set<Diagram::Index> side(cut.side.begin(), cut.side.end());
        for (Diagram::Index lane = 1; lane < diagram.lanes.size(); ++lane) {
            if (side.contains(lane) == side.contains(lane - 1)) continue;
            const double y = layout.y(lane) - layout.gap / 2;
            canvas.line({left, y}, {right, y}, wall_pen());
        }
        canvas.close();
    }
}

void draw_axis(Canvas& canvas, const Layout& layout) {
    const auto& scale = layout.scale;
    const double y = layout.bottom + 44;
    const double length = scale.times.back() - scale.times.front();
    const double wanted = length * 70 / std::max(1.0, scale.right() - scale.left());
    const double power = wanted > 0 ? std::pow(10, std::floor(std::log10(wanted))) : 1;
    double step = 10 * power;
    for (const double nice : {5.0, 2.0, 1.0}) {
        if (nice * power >= wanted) step = nice * power;
    }
    canvas.open("axis");
    canvas.line({scale.left(), y}, {scale.right() + 16, y}, {.stroke = svg::faded});
    svg::arrow_head(canvas, {scale.left(), y}, {scale.right() + 22, y}, svg::faded, 8);
    canvas.text({scale.left() - 12, y + 4}, "time",
                {.fill = svg::faded, .anchor = svg::Anchor::end, .italic = true});
    double free_from = scale.left() - 1;
    for (double i = std::ceil(scale.times.front() / step); i * step <= scale.times.back(); ++i) {
        const double x = scale.x(i * step), half = svg::text_width(clock(i * step), 11) / 2;
        if (x - half < free_from && i > 0) continue;
        free_from = x + half + 12;
        canvas.line({x, layout.top - 30}, {x, y + 4}, {.stroke = svg::faint});
        canvas.line({x, y - 4}, {x, y + 4}, {.stroke = svg::faded});
        canvas.text({x, y + 17}, clock(i * step),
                    {.fill = svg::faded, .anchor = svg::Anchor::middle});
    }
    for (const double x : scale.folds) draw_fold(canvas, {x, y});
    canvas.close();
}

void draw_pill(Canvas& canvas, const Diagram& diagram, const Layout& layout, Diagram::Index lane,
               double x) {
    const auto hue = layout.colours[lane].empty() ? svg::faint : layout.colours[lane];
    const std::string name = name_of(diagram.lanes[lane]);
    const double y = layout.y(lane);
    canvas.rect({x, y - 12, layout.pill, 24}, {.fill = hue}, 6);
    canvas.text(
        {x + layout.pill / 2, y + 4.7}, name,
        {.size = 13, .fill = svg::text_on(hue), .anchor = svg::Anchor::middle, .bold = true});
}

void draw_lane(Canvas& canvas, const Diagram& diagram, const Layout& layout, Diagram::Index lane) {
    const auto& scale = layout.scale;
    const double y = layout.y(lane);
    const auto stretch = [&](double from, double to, const svg::Pen& pen) {
        canvas.line({scale.x(from), y}, {scale.x(to), y}, pen);
    };
    const std::string name = name_of(diagram.lanes[lane]);
    canvas.open("lane", name);
    canvas.line({scale.left() - 10, y}, {scale.right() + 8, y}, {.stroke = svg::pale, .width = 2});
    draw_pill(canvas, diagram, layout, lane, margin);
    if (scale.right() > long_picture) {
        draw_pill(canvas, diagram, layout, lane, scale.right() + 30);
    }
    canvas.close();
    for (const auto& reign : diagram.reigns) {
        if (reign.lane != lane || !reign.leader) continue;
        canvas.open("reign", name + " names " + name_of(diagram.lanes[*reign.leader]) +
                                 " as leader, " + from_to(reign.from, reign.to));
        stretch(reign.from, reign.to, {.stroke = layout.colours[*reign.leader], .width = 4});
        canvas.close();
    }
    for (const auto& span : diagram.down) {
        if (span.lane != lane) continue;
        canvas.open("down", name + " is down, " + from_to(span.from, span.to));
        stretch(span.from, span.to, {.stroke = svg::paper, .width = 6});
        stretch(span.from, span.to, down_pen());
        canvas.close();
    }
}

void draw_spans(Canvas& canvas, const Diagram& diagram, const Layout& layout) {
    for (const auto& span : diagram.paused) {
        const double left = layout.scale.x(span.from), right = layout.scale.x(span.to);
        canvas.open("paused", name_of(diagram.lanes[span.lane]) + " is paused, " +
                                  from_to(span.from, span.to));
        draw_hatching(canvas, {left, layout.y(span.lane) - 5, right - left, 10});
        canvas.close();
    }
    for (const auto& span : diagram.held) {
        const double left = layout.scale.x(span.from), right = layout.scale.x(span.to);
        canvas.open("held", name_of(diagram.lanes[span.lane]) + " is in the critical section, " +
                                from_to(span.from, span.to));
        canvas.rect({left, layout.y(span.lane) - 6, right - left, 12}, {.fill = svg::ink}, 2);
        canvas.close();
    }
}

void draw_arrows(Canvas& canvas, const Diagram& diagram, const Layout& layout) {
    static constexpr std::array<std::string_view, 3> fates{"delivered", "lost", "in flight"};
    for (std::size_t i = 0; i < diagram.arrows.size(); ++i) {
        const auto& arrow = diagram.arrows[i];
        const auto& stroke = layout.strokes[i];
        const std::string_view fate = fates[static_cast<std::size_t>(arrow.fate)];
        std::string story = arrow.label + ": " + name_of(diagram.lanes[arrow.from]) + " to " +
                            name_of(diagram.lanes[arrow.to]) + ", sent " + clock(arrow.sent);
        if (arrow.fate == Diagram::Fate::delivered) story += ", arrived " + clock(arrow.arrived);
        if (arrow.fate != Diagram::Fate::delivered) story.append(", ").append(fate);
        canvas.open(fate, story);
        if (stroke.bend) {
            const ArrowLook look = look_of(arrow.kind, arrow.fate);
            canvas.path("M" + svg::at(stroke.from) + " Q" + svg::at(*stroke.bend) + " " +
                            svg::at(stroke.to),
                        look.pen);
            if (arrow.fate == Diagram::Fate::lost) svg::cross(canvas, stroke.to, 4, 1.8);
            if (arrow.fate == Diagram::Fate::delivered) {
                svg::arrow_head(canvas, *stroke.bend, stroke.to, look.pen.stroke, look.head);
            }
        } else {
            draw_arrow(canvas, stroke.from, stroke.to, arrow.kind, arrow.fate);
        }
        if (arrow.kind == Diagram::Kind::source)
            canvas.circle(stroke.from, 2.2, {.fill = svg::ink});
        canvas.close();
    }
}

void draw_marks(Canvas& canvas, const Diagram& diagram, const Layout& layout) {
    static constexpr std::array<std::string_view, 8> verbs{
        "crashes", "restarts", "timer expires", "arms timer", "is asked", "suspects", "trusts", ""};
    for (const auto& wait : layout.waits) {
        canvas.line(wait.from, wait.to, {.stroke = svg::faded, .width = 1, .dash = "1 3"});
    }
    for (const auto& badge : layout.badges) {
        const auto hue = layout.colours[badge.leader];
        const std::string name = name_of(diagram.lanes[badge.lane]);
        const std::string leader = name_of(diagram.lanes[badge.leader]);
        canvas.open("leader", badge.crowned ? name + " takes office" : name + " names " + leader);
        if (badge.crowned) {
            draw_crown(canvas, {badge.centre.x + crown_offset, badge.centre.y + 5}, hue);
        }
        draw_badge(canvas, badge.centre, diagram.lanes[badge.leader].node, hue);
        canvas.close();
    }
    for (std::size_t i = 0; i < diagram.marks.size(); ++i) {
        const auto& mark = diagram.marks[i];
        const std::string_view verb = verbs[static_cast<std::size_t>(mark.what)];
        std::string story = name_of(diagram.lanes[mark.lane]);
        if (!verb.empty()) story.append(" ").append(verb);
        if (!mark.label.empty()) story.append(": ").append(mark.label);
        canvas.open("mark", story + ", at " + clock(mark.at));
        draw_mark(canvas, layout.spots[i], mark.what);
        canvas.close();
    }
}

void draw_words(Canvas& canvas, const Layout& layout) {
    canvas.open("labels");
    for (const auto& word : layout.words) {
        const double middle = word.box.x + word.box.width / 2;
        canvas.text({middle, word.box.bottom() - 2.5}, word.text,
                    {.size = small_type,
                     .fill = word.kind == Diagram::Kind::source ? svg::ink : svg::faded,
                     .anchor = svg::Anchor::middle,
                     .italic = word.italic,
                     .halo = true});
    }
    canvas.close();
}

}  // namespace

std::string to_svg(const Diagram& diagram) {
    const Layout layout = layout_of(diagram);
    const double tail = layout.scale.right() > long_picture ? 30 + layout.pill : 30;
    const double heading = std::max(svg::text_width(diagram.title, 17) * 1.08,
                                    svg::text_width(diagram.subtitle, 12.5));
    const double width =
        std::max({layout.scale.right() + tail + margin, heading + 2 * margin, 560.0});
    Canvas canvas;
    draw_heading(canvas, diagram);
    draw_cuts(canvas, diagram, layout);
    draw_axis(canvas, layout);
    for (Diagram::Index lane = 0; lane < diagram.lanes.size(); ++lane) {
        draw_lane(canvas, diagram, layout, lane);
    }
    draw_spans(canvas, diagram, layout);
    draw_arrows(canvas, diagram, layout);
    draw_marks(canvas, diagram, layout);
    draw_words(canvas, layout);
    // A wide picture is looked at in parts: its legend stays where the reading starts.
    const double legend_width = std::min(width, long_picture) - 2 * margin;
    const double bottom =
        draw_legend(canvas, diagram, layout, {margin, layout.bottom + 88, legend_width, 0});
    return canvas.finish(width, bottom + 10, diagram.title);
}

}  // namespace conclave
