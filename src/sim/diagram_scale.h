// sim/diagram_scale.h -- where a moment lands on the paper: time, stretched where much happens.
#pragma once
#include <map>
#include <vector>

#include "sim/diagram.h"

namespace conclave {

struct TimeScale {
    std::vector<double> times, places;  // ascending, equally many; straight in between
    std::vector<double> folds;          // places of the idle stretches that were shortened
    bool uneven = false;                // some stretch was drawn wider than its share

    double x(double time) const;
    double left() const { return places.front(); }
    double right() const { return places.back(); }
};

using Widening = std::map<double, double>;  // from a moment on: this much more room

TimeScale scale_of(const Diagram& diagram, double left, const Widening& widening);

}  // namespace conclave
