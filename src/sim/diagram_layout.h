// sim/diagram_layout.h -- where everything of a space-time diagram goes, before a line is drawn.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/diagram.h"
#include "sim/diagram_scale.h"
#include "sim/svg.h"

namespace conclave {

struct Layout {
    struct Stroke {  // the visible part of an arrow; one per arrow of the diagram
        svg::Point from, to;
        std::optional<svg::Point> bend;  // of a message to oneself
    };
    struct Thread {  // below a lane, from arming a timer to its expiry
        svg::Point from, to;
    };
    struct Word {
        svg::Box box;
        std::string text;
        Diagram::Kind kind;
        bool italic;
    };
    struct Badge {  // a lane starts to name a leader
        svg::Point centre;
        Diagram::Index lane, leader;
        bool crowned;  // it is the leader itself, taking office
    };

    TimeScale scale;
    double top = 0, gap = 0, bottom = 0;  // of the first lane, between lanes, of the last lane
    double pill = 0;                      // width of a lane's name
    std::vector<Stroke> strokes;
    std::vector<svg::Point> spots;  // one per mark
    std::vector<Thread> waits;
    std::vector<Badge> badges;
    std::vector<Word> words;
    std::vector<std::string_view> colours;  // one per lane; empty if nobody ever names it leader
    std::size_t left_out = 0;               // labels for which there was no room

    double y(Diagram::Index lane) const { return top + gap * lane; }
    svg::Point at(Diagram::Index lane, double time) const { return {scale.x(time), y(lane)}; }
};

inline constexpr double small_type = 11, badge_radius = 7.5, crown_offset = 18;

std::string name_of(const Diagram::Lane& lane);
Layout layout_of(const Diagram& diagram);

}  // namespace conclave
