// sim/diagram_glyphs.cc -- small shapes that stay apart without colour.
#include "sim/diagram_glyphs.h"

#include <string>

namespace conclave {
namespace {

using svg::Canvas;
using svg::Point;

void draw_hourglass(Canvas& canvas, Point c, bool run_out) {
    const svg::Pen pen{.stroke = svg::ink, .width = 1.2, .fill = run_out ? svg::ink : svg::paper};
    canvas.polygon({{c.x - 4.5, c.y - 5.5},
                    {c.x + 4.5, c.y - 5.5},
                    {c.x - 4.5, c.y + 5.5},
                    {c.x + 4.5, c.y + 5.5}},
                   pen);
}

void draw_disc(Canvas& canvas, Point centre) {
    canvas.circle(centre, 6, {.stroke = svg::ink, .width = 1.2, .fill = svg::paper});
}

}  // namespace

ArrowLook look_of(Diagram::Kind kind, Diagram::Fate fate) {
    ArrowLook look{{.stroke = svg::ink, .width = 1.4}, 8};
    if (kind == Diagram::Kind::repair) look = {{.stroke = svg::faded, .width = 1}, 7};
    if (kind == Diagram::Kind::detector) {
        look = {{.stroke = svg::pale, .width = 1, .dash = "1.5 2.5"}, 6};
    }
    if (fate == Diagram::Fate::in_flight) look.pen.dash = "6 3";
    return look;
}

void draw_arrow(Canvas& canvas, Point from, Point to, Diagram::Kind kind, Diagram::Fate fate) {
    const ArrowLook look = look_of(kind, fate);
    canvas.line(from, to, look.pen);
    if (fate == Diagram::Fate::lost) return svg::cross(canvas, to, 4, 1.8);
    if (fate == Diagram::Fate::in_flight) return;
    svg::arrow_head(canvas, from, to, look.pen.stroke, look.head);
}

void draw_mark(Canvas& canvas, Point c, Diagram::Mark::What what) {
    using What = Diagram::Mark::What;
    const svg::Pen pen{.stroke = svg::ink, .width = 1.4};
    switch (what) {
        case What::crash:
            return svg::cross(canvas, c, 6.5, 3);
        case What::restart:
            return canvas.polygon({{c.x - 4, c.y - 6}, {c.x + 7, c.y}, {c.x - 4, c.y + 6}},
                                  {.stroke = svg::paper, .fill = svg::ink});
        case What::timer:
            return draw_hourglass(canvas, c, true);
        case What::arm:
            return draw_hourglass(canvas, c, false);
        case What::call:
            return canvas.polygon({{c.x - 5, c.y - 5}, {c.x + 5, c.y - 5}, {c.x, c.y + 6}},
                                  {.fill = svg::ink});
        case What::suspect:
            draw_disc(canvas, c);
            return canvas.text({c.x, c.y + 3.4}, "?",
                               {.size = 9.5, .anchor = svg::Anchor::middle, .bold = true});
        case What::trust:
            draw_disc(canvas, c);
            return canvas.path("M" + svg::at({c.x - 3, c.y}) + " L" +
                                   svg::at({c.x - 0.8, c.y + 2.6}) + " L" +
                                   svg::at({c.x + 3.2, c.y - 2.6}),
                               pen);
        case What::note:
            return canvas.circle(c, 3, {.fill = svg::ink});
    }
}

void draw_badge(Canvas& canvas, Point centre, NodeId leader, std::string_view colour) {
    const std::string digits = std::to_string(number(leader));
    canvas.circle(centre, 7.5, {.stroke = svg::paper, .width = 1, .fill = colour});
    if (digits.size() > 3) return;  // the colour has to do
    const double size = digits.size() == 1 ? 10 : digits.size() == 2 ? 8.5 : 6.5;
    canvas.text(
        {centre.x, centre.y + 0.36 * size}, digits,
        {.size = size, .fill = svg::text_on(colour), .anchor = svg::Anchor::middle, .bold = true});
}

void draw_crown(Canvas& canvas, Point b, std::string_view colour) {
    canvas.circle({b.x, b.y - 5}, 9, {.fill = svg::paper});
    canvas.polygon({{b.x - 6, b.y},
                    {b.x - 7.5, b.y - 8},
                    {b.x - 3.5, b.y - 4.5},
                    {b.x, b.y - 10},
                    {b.x + 3.5, b.y - 4.5},
                    {b.x + 7.5, b.y - 8},
                    {b.x + 6, b.y}},
                   {.stroke = svg::ink, .width = 0.8, .fill = colour});
}

void draw_hatching(Canvas& canvas, const svg::Box& box) {
    canvas.rect(box, {.stroke = svg::faded, .width = 1, .fill = svg::paper});
    std::string lines;
    for (double x = box.x; x + box.height <= box.right(); x += 5) {
        lines += "M" + svg::at({x, box.bottom()}) + " L" + svg::at({x + box.height, box.y});
    }
    if (!lines.empty()) canvas.path(lines, {.stroke = svg::faded, .width = 1});
}

void draw_fold(Canvas& canvas, Point c) {
    canvas.rect({c.x - 4, c.y - 3, 8, 6}, {.fill = svg::paper});
    canvas.path("M" + svg::at({c.x - 5, c.y + 5}) + " L" + svg::at({c.x - 1, c.y - 5}) + " M" +
                    svg::at({c.x + 1, c.y + 5}) + " L" + svg::at({c.x + 5, c.y - 5}),
                {.stroke = svg::faded, .width = 1.2});
}

svg::Pen down_pen() { return {.stroke = svg::pale, .width = 1.5, .dash = "2 5"}; }
svg::Pen wall_pen() { return {.stroke = svg::alarm, .width = 1.5, .dash = "9 4", .opacity = 0.7}; }
svg::Pen band_pen() { return {.fill = "#faf1e6"}; }

}  // namespace conclave
