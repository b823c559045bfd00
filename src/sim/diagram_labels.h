// sim/diagram_labels.h -- finds room for words: off other words, and off the lines if possible.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "sim/svg.h"

namespace conclave {

// A greedy placer. Everything drawn is told to it first; then each label takes the cheapest of the
// places it would like, and is in the way of the next.
class LabelPlacer {
public:
    using Owner = std::size_t;  // whose line it is: a label may lie on its own
    static constexpr Owner nobody = static_cast<Owner>(-1);

    struct Wish {
        svg::Box box;
        double cost = 0;  // the lower, the dearer to us
    };

    explicit LabelPlacer(svg::Box paper) : paper_(paper) {}
    void block(const svg::Box& box);  // never cover this
    void avoid(svg::Point from, svg::Point to, double cost, Owner owner = nobody);
    std::optional<svg::Box> place(const std::vector<Wish>& wishes, Owner owner = nobody);

private:
    struct Line {
        svg::Point from, to;
        double cost;
        Owner owner;
    };
    struct Column {  // a strip of the paper, so that far-away things need not be looked at
        std::vector<svg::Box> boxes;
        std::vector<Line> lines;
    };
    std::size_t column_at(double x) const;
    Column& column(std::size_t index);
    double price(const Wish& wish, Owner owner, double limit);

    svg::Box paper_;
    std::vector<Column> columns_;
};

}  // namespace conclave
