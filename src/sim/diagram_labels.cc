// sim/diagram_labels.cc -- what a place costs: nothing hidden is free, hiding words is forbidden.
#include "sim/diagram_labels.h"

#include <algorithm>
#include <limits>

namespace conclave {
namespace {

constexpr double column_width = 80;
constexpr double forbidden = std::numeric_limits<double>::infinity();
constexpr double on_own_line = 1.5;  // the rim of the text keeps it readable there

bool overlap(const svg::Box& a, const svg::Box& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// The part of a segment between two bounds of one coordinate; empty if first > last.
struct Part {
    double first = 0, last = 1;
    void clip(double from, double step, double least, double most) {
        if (step == 0) {
            if (from < least || from > most) last = -1;
            return;
        }
        const double a = (least - from) / step, b = (most - from) / step;
        first = std::max(first, std::min(a, b));
        last = std::min(last, std::max(a, b));
    }
};

Part inside(svg::Point from, svg::Point to, const svg::Box& box) {
    Part part;
    part.clip(from.x, to.x - from.x, box.x, box.right());
    part.clip(from.y, to.y - from.y, box.y, box.bottom());
    return part;
}

}  // namespace

std::size_t LabelPlacer::column_at(double x) const {
    return static_cast<std::size_t>(std::max(0.0, (x - paper_.x) / column_width));
}

LabelPlacer::Column& LabelPlacer::column(std::size_t index) {
    if (index >= columns_.size()) columns_.resize(index + 1);
    return columns_[index];
}

void LabelPlacer::block(const svg::Box& box) {
    for (std::size_t i = column_at(box.x); i <= column_at(box.right()); ++i) {
        column(i).boxes.push_back(box);
    }
}

void LabelPlacer::avoid(svg::Point from, svg::Point to, double cost, Owner owner) {
    const auto [least, most] = std::minmax(from.x, to.x);
    for (std::size_t i = column_at(least); i <= column_at(most); ++i) {
        column(i).lines.push_back({from, to, cost, owner});
    }
}

double LabelPlacer::price(const Wish& wish, Owner owner, double limit) {
    const svg::Box& box = wish.box;
    if (box.x < paper_.x || box.y < paper_.y) return forbidden;
    if (box.right() > paper_.right() || box.bottom() > paper_.bottom()) return forbidden;
    double sum = wish.cost;
    for (std::size_t i = column_at(box.x); i <= column_at(box.right()); ++i) {
        const Column& strip = column(i);
        const auto hidden = [&](const svg::Box& other) { return overlap(box, other); };
        if (std::any_of(strip.boxes.begin(), strip.boxes.end(), hidden)) return forbidden;
        for (const Line& line : strip.lines) {
            const Part part = inside(line.from, line.to, box);
            if (part.first > part.last) continue;
            const double middle = (part.first + part.last) / 2;
            const double x = line.from.x + middle * (line.to.x - line.from.x);
            if (column_at(x) != i) continue;  // counted in the other column
            sum += line.owner == owner && owner != nobody ? on_own_line : line.cost;
            if (sum >= limit) return forbidden;
        }
    }
    return sum;
}

std::optional<svg::Box> LabelPlacer::place(const std::vector<Wish>& wishes, Owner owner) {
    std::optional<svg::Box> best;
    double lowest = 40;  // beyond it, words would only add to the tangle
    for (const Wish& wish : wishes) {
        const double cost = price(wish, owner, lowest);
        if (cost >= lowest) continue;
        lowest = cost;
        best = wish.box;
    }
    if (best) block(*best);
    return best;
}

}  // namespace conclave
