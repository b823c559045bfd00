// sim/diagram_legend.h -- what the symbols mean: only those that the diagram uses.
#pragma once
#include "sim/diagram.h"
#include "sim/diagram_layout.h"
#include "sim/svg.h"

namespace conclave {

double draw_legend(svg::Canvas& canvas, const Diagram& diagram, const Layout& layout,
                   const svg::Box& room);  // as wide as `room`; answers where it ended

}  // namespace conclave
