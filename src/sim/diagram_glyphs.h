// sim/diagram_glyphs.h -- the symbols of a space-time diagram, drawn alike in the run and its
// legend.
#pragma once
#include <string_view>

#include "sim/diagram.h"
#include "sim/svg.h"

namespace conclave {

struct ArrowLook {
    svg::Pen pen;
    double head;
};
ArrowLook look_of(Diagram::Kind kind, Diagram::Fate fate);

void draw_arrow(svg::Canvas& canvas, svg::Point from, svg::Point to, Diagram::Kind kind,
                Diagram::Fate fate);
void draw_mark(svg::Canvas& canvas, svg::Point centre, Diagram::Mark::What what);
void draw_badge(svg::Canvas& canvas, svg::Point centre, NodeId leader, std::string_view colour);
void draw_crown(svg::Canvas& canvas, svg::Point base, std::string_view colour);
void draw_hatching(svg::Canvas& canvas, const svg::Box& box);
void draw_fold(svg::Canvas& canvas, svg::Point centre);
svg::Pen down_pen();
svg::Pen wall_pen();
svg::Pen band_pen();

}  // namespace conclave
