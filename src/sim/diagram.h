// sim/diagram.h -- a run of a few nodes as a space-time diagram: a plain value, and its picture.
//
// Time runs to the right, one line per node, arrows are messages: the textbook's drawing. Readable
// for 3 to 12 nodes and a few hundred messages. The time axis is honest but not to scale: busy
// stretches get room for their labels, idle ones are folded and the fold is marked.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/types.h"

namespace conclave {

struct Diagram {
    using Index = std::uint32_t;  // of a lane, from the top

    struct Lane {
        NodeId node{};
        std::string label;  // empty: the node's number
    };
    enum class Fate { delivered, lost, in_flight };
    enum class Kind {
        source,
        repair,
        detector
    };  // the algorithm's own, our fixes', the detector's
    struct Arrow {
        Index from = 0, to = 0;
        double sent = 0, arrived = 0;  // lost or in flight: when it would have arrived
        std::string label;
        Fate fate = Fate::delivered;
        Kind kind = Kind::source;
    };
    struct Span {
        Index lane = 0;
        double from = 0, to = 0;
    };
    struct Mark {
        enum class What { crash, restart, timer, arm, call, suspect, trust, note };
        What what = What::note;
        Index lane = 0;
        double at = 0;
        std::string label;
    };
    struct Reign {  // whom this lane names as leader; none: it knows that there is none
        Index lane = 0;
        double from = 0, to = 0;
        std::optional<Index> leader;
    };
    struct Cut {  // a partition of the network
        double from = 0, to = 0;
        std::string label;
        std::vector<Index> side;  // the lanes of one side; a wall is drawn between the two
    };

    std::string title, subtitle;
    double begin = 0, end = 0;  // events outside still widen the picture
    std::vector<Lane> lanes;
    std::vector<Arrow> arrows;
    std::vector<Span> down, paused, held;  // held: inside the critical section
    std::vector<Mark> marks;
    std::vector<Reign> reigns;
    std::vector<Cut> cuts;
};

std::string to_svg(const Diagram& diagram);  // lanes must exist and times be finite

}  // namespace conclave
