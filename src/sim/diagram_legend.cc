// sim/diagram_legend.cc -- samples with a word each, filled in like text.
#include "sim/diagram_legend.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "sim/diagram_glyphs.h"

namespace conclave {
namespace {

using svg::Canvas;
using svg::Point;

constexpr double line_height = 22, type_size = 11, margin = 20;

// A pen that walks along the lines of the legend.
class Legend {
public:
    using Sample = std::function<void(Point)>;  // draws around this middle of its left edge

    Legend(Canvas& canvas, const svg::Box& room)
        : canvas_(canvas), room_(room), at_{room.x, room.y} {}

    void add(std::string_view words, double width, const Sample& sample) {
        const double whole = width + 6 + svg::text_width(words, type_size);
        if (at_.x > room_.x && at_.x + whole > room_.right()) at_ = {room_.x, at_.y + line_height};
        sample(at_);
        canvas_.text({at_.x + width + 6, at_.y + 4}, words,
                     {.size = type_size, .fill = svg::faded});
        at_.x += whole + margin;
    }
    double bottom() const { return at_.y + line_height / 2; }

private:
    Canvas& canvas_;
    svg::Box room_;
    Point at_;
};

void add_arrows(Legend& legend, Canvas& canvas, const Diagram& diagram) {
    using Kind = Diagram::Kind;
    using Fate = Diagram::Fate;
    const auto add = [&](std::string_view words, Kind kind, Fate fate, bool used) {
        if (!used) return;
        legend.add(words, 32, [&](Point p) { draw_arrow(canvas, p, {p.x + 30, p.y}, kind, fate); });
    };
    const auto any_kind = [&](Kind kind) {
        return std::any_of(diagram.arrows.begin(), diagram.arrows.end(),
                           [&](const auto& arrow) { return arrow.kind == kind; });
    };
    const auto any_fate = [&](Fate fate) {
        return std::any_of(diagram.arrows.begin(), diagram.arrows.end(),
                           [&](const auto& arrow) { return arrow.fate == fate; });
    };
    add("message", Kind::source, Fate::delivered, any_kind(Kind::source));
    add("repair (ack, re-send)", Kind::repair, Fate::delivered, any_kind(Kind::repair));
    add("failure detector", Kind::detector, Fate::delivered, any_kind(Kind::detector));
    add("lost", Kind::source, Fate::lost, any_fate(Fate::lost));
    add("in flight at the end", Kind::source, Fate::in_flight, any_fate(Fate::in_flight));
}

void add_marks(Legend& legend, Canvas& canvas, const Diagram& diagram) {
    using What = Diagram::Mark::What;
    const auto add = [&](std::string_view words, What what) {
        const bool used = std::any_of(diagram.marks.begin(), diagram.marks.end(),
                                      [&](const auto& mark) { return mark.what == what; });
        if (!used) return;
        legend.add(words, 14, [&](Point p) { draw_mark(canvas, {p.x + 7, p.y}, what); });
    };
    add("crash", What::crash);
    add("restart", What::restart);
    add("timer armed", What::arm);
    add("timer expires", What::timer);
    add("request", What::call);
    add("suspects", What::suspect);
    add("trusts again", What::trust);
    add("note", What::note);
}

void add_states(Legend& legend, Canvas& canvas, const Diagram& diagram) {
    const auto line = [&](Point p, const svg::Pen& pen) { canvas.line(p, {p.x + 30, p.y}, pen); };
    if (!diagram.down.empty()) legend.add("down", 30, [&](Point p) { line(p, down_pen()); });
    if (!diagram.paused.empty()) {
        legend.add("paused", 30, [&](Point p) { draw_hatching(canvas, {p.x, p.y - 5, 30, 10}); });
    }
    if (!diagram.held.empty()) {
        legend.add("in the critical section", 30, [&](Point p) {
            canvas.rect({p.x, p.y - 6, 30, 12}, {.fill = svg::ink}, 2);
        });
    }
    if (!diagram.cuts.empty()) {
        legend.add("network cut", 30, [&](Point p) {
            canvas.rect({p.x, p.y - 7, 30, 14}, band_pen());
            line(p, wall_pen());
        });
    }
}

void add_leaders(Legend& legend, Canvas& canvas, const Diagram& diagram, const Layout& layout) {
    if (diagram.reigns.empty()) return;
    const auto office = std::find_if(layout.badges.begin(), layout.badges.end(),
                                     [](const auto& badge) { return badge.crowned; });
    if (!layout.badges.empty()) {
        const auto& badge = office != layout.badges.end() ? *office : layout.badges.front();
        const NodeId node = diagram.lanes[badge.leader].node;
        const auto hue = layout.colours[badge.leader];
        const std::string digits = std::to_string(number(node));
        legend.add("names " + digits + " as leader", 42, [&](Point p) {
            canvas.line({p.x, p.y}, {p.x + 40, p.y}, {.stroke = hue, .width = 4});
            draw_badge(canvas, {p.x + 11.5, p.y}, node, hue);
        });
        if (office != layout.badges.end()) {
            legend.add("takes office", 16, [&](Point p) {
                draw_crown(canvas, {p.x + 8, p.y + 5}, hue);
            });
        }
    }
    legend.add("names nobody", 30, [&](Point p) {
        canvas.line(p, {p.x + 30, p.y}, {.stroke = svg::pale, .width = 2});
    });
}

}  // namespace

double draw_legend(Canvas& canvas, const Diagram& diagram, const Layout& layout,
                   const svg::Box& room) {
    canvas.open("legend");
    Legend legend(canvas, room);
    add_arrows(legend, canvas, diagram);
    add_leaders(legend, canvas, diagram, layout);
    add_marks(legend, canvas, diagram);
    add_states(legend, canvas, diagram);
    if (!layout.scale.folds.empty()) {
        legend.add("idle time folded", 14, [&](Point p) { draw_fold(canvas, {p.x + 7, p.y}); });
    }
    if (layout.scale.uneven) legend.add("(busy stretches are drawn wider)", 0, [](Point) {});
    if (layout.left_out > 0) {
        const std::string count = std::to_string(layout.left_out);
        legend.add("(" + count + " labels left out for want of room)", 0, [](Point) {});
    }
    canvas.close();
    return legend.bottom();
}

}  // namespace conclave
