// sim/plot_axis.h -- an axis that ends on round numbers.
#pragma once
#include <string>
#include <vector>

namespace conclave {

struct Axis {
    struct Tick {
        double value;
        std::string label;
    };
    bool logarithmic = false;
    double least = 0, most = 1;
    std::vector<Tick> ticks;  // ascending

    bool shows(double value) const;
    double share(double value) const;  // 0 at the low end, 1 at the high end
};

Axis axis_for(const std::vector<double>& values, bool logarithmic);  // values must be finite

}  // namespace conclave
