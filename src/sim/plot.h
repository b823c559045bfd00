// sim/plot.h -- curves and points on two axes: a plain value, and its picture.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace conclave {

struct Plot {
    struct Series {
        std::string name;
        std::vector<std::pair<double, double>> points;  // drawn in this order
        bool line = true, markers = false, dashed = false;
        std::string
            group;  // series of one group share colour and marker; empty: a group of its own
    };

    std::string title, x_label, y_label;
    bool log_x = false, log_y = false;  // leaves out what is not above zero
    std::vector<Series> series;
};

std::string to_svg(const Plot& plot);  // points that are not finite are left out, and cut the line

}  // namespace conclave
