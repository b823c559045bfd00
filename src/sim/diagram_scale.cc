// sim/diagram_scale.cc -- gaps between moments: proportional to time, within reason.
#include "sim/diagram_scale.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace conclave {
namespace {

constexpr double usual_flight = 96;  // how wide a message of median duration is drawn,
constexpr double least_flight = 58;  // and in a long run
constexpr double longest_gap = 300;  // a longer silence is folded
constexpr double elbow_room = 15;    // between two events on one lane
constexpr double badge_room = 34;    // after a change of leader, for the new one's badge
constexpr double slide = 1500;       // a run that fits into this is drawn at full width
constexpr double widest = 9000;      // and beyond this, flights are narrower still

// Something on a lane that later things on the same lane must keep their distance from.
struct Touch {
    double time;
    Diagram::Index lane;
    double room;
};

std::vector<Touch> touches_of(const Diagram& diagram) {
    std::vector<Touch> touches;
    for (const auto& arrow : diagram.arrows) {
        touches.push_back({arrow.sent, arrow.from, elbow_room});
        if (arrow.fate == Diagram::Fate::delivered) {
            touches.push_back({arrow.arrived, arrow.to, elbow_room});
        }
    }
    for (const auto& mark : diagram.marks) touches.push_back({mark.at, mark.lane, elbow_room});
    for (const auto* spans : {&diagram.down, &diagram.paused, &diagram.held}) {
        for (const auto& span : *spans) {
            touches.push_back({span.from, span.lane, elbow_room});
            touches.push_back({span.to, span.lane, elbow_room});
        }
    }
    for (const auto& reign : diagram.reigns) {
        touches.push_back({reign.from, reign.lane, reign.leader ? badge_room : elbow_room});
    }
    std::stable_sort(touches.begin(), touches.end(),
                     [](const Touch& a, const Touch& b) { return a.time < b.time; });
    return touches;
}

std::vector<double> moments_of(const Diagram& diagram, const std::vector<Touch>& touches) {
    std::vector<double> moments{diagram.begin, diagram.end};
    for (const auto& touch : touches) moments.push_back(touch.time);
    for (const auto& cut : diagram.cuts) moments.insert(moments.end(), {cut.from, cut.to});
    for (const auto& reign : diagram.reigns) moments.push_back(reign.to);
    for ([[maybe_unused]] const double moment : moments) assert(std::isfinite(moment));
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    return moments;
}

double unit_of(const Diagram& diagram, double length) {
    std::vector<double> flights;
    for (const auto& arrow : diagram.arrows) {
        const double flight = arrow.arrived - arrow.sent;
        if (arrow.fate == Diagram::Fate::delivered && flight > 0) flights.push_back(flight);
    }
    if (length <= 0) return 1;
    if (flights.empty()) return 800 / length;
    const auto middle = flights.begin() + static_cast<std::ptrdiff_t>(flights.size() / 2);
    std::nth_element(flights.begin(), middle, flights.end());
    return usual_flight / *middle;
}

// How long the axis would be at this unit, folds included.
double even_length(const std::vector<double>& moments, double unit) {
    double length = 1;
    for (std::size_t i = 1; i < moments.size(); ++i) {
        length += std::min((moments[i] - moments[i - 1]) * unit, longest_gap);
    }
    return length;
}

}  // namespace

double TimeScale::x(double time) const {
    const auto after = std::upper_bound(times.begin(), times.end(), time);
    if (after == times.begin()) return places.front();
    if (after == times.end()) return places.back();
    const auto i = static_cast<std::size_t>(after - times.begin());
    const double share = (time - times[i - 1]) / (times[i] - times[i - 1]);
    return places[i - 1] + share * (places[i] - places[i - 1]);
}

TimeScale scale_of(const Diagram& diagram, double left, const Widening& widening) {
    const auto touches = touches_of(diagram);
    TimeScale scale;
    scale.times = moments_of(diagram, touches);
    double unit = unit_of(diagram, scale.times.back() - scale.times.front());
    unit *= std::clamp(slide / even_length(scale.times, unit), least_flight / usual_flight, 1.0);
    unit *= std::min(1.0, widest / even_length(scale.times, unit));

    std::vector<double> free_from(diagram.lanes.size(), left);  // per lane: the next event's place
    auto touch = touches.begin();
    double place = left;
    for (std::size_t i = 0; i < scale.times.size(); ++i) {
        const double even = i == 0 ? 0 : (scale.times[i] - scale.times[i - 1]) * unit;
        const double before = place;
        place += std::min(even, longest_gap);
        if (even > longest_gap) scale.folds.push_back((before + place) / 2);
        const auto first = touch;
        for (; touch != touches.end() && touch->time <= scale.times[i]; ++touch) {
            assert(touch->lane < diagram.lanes.size());
            place = std::max(place, free_from[touch->lane]);
        }
        if (i > 0) {
            const auto wider = widening.find(scale.times[i - 1]);
            if (wider != widening.end()) place += wider->second;
        }
        for (auto t = first; t != touch; ++t) {
            free_from[t->lane] = std::max(free_from[t->lane], place + t->room);
        }
        if (i > 0 && place - before > 1.05 * even) scale.uneven = true;
        scale.places.push_back(place);
    }
    return scale;
}

}  // namespace conclave
