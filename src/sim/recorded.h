// sim/recorded.h -- what the nodes of one group recorded, put together in the order in which it
// happened: a plain list that any algorithm's world can go through again (sim/playback.h).
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/members.h"
#include "core/result.h"
#include "wire/recording.h"

namespace conclave {

struct RecordingFile {
    std::string name;
    Bytes bytes;
    wire::Recording recording;  // with views into the bytes
};
Result<RecordingFile> read_recording_file(std::string name, Bytes bytes);

struct Recorded {  // one thing of one node
    enum class What : std::uint8_t {
        segment,  // from here on there is a recording
        step,
        end,  // of a life
    };
    What what = What::step;
    std::uint32_t place = 0;  // in the member list
    Instant at{};             // in the time of the world: since the first thing of all
    Incarnation life{};       // segment: of the node; step: of the message's sender
    Attribute attribute = 0;
    ByteView bytes, effects;  // segment: the state, if it has booted; step: the event
    ByteView config{};        // segment: how the node's machine is tuned
    Duration clock{};         // segment: what the node's clock shows at time 0
    bool booted = false;      // segment: there is a state
    bool complete = false;    // segment: nothing is missing before it
    std::string_view how{};   // end: stops, crashes, falls silent
    const RecordingFile* file = nullptr;
    std::uint64_t offset = 0;
};

struct RecordedGroup {
    std::string cluster, group, algorithm;
    std::vector<Member> members;
    std::vector<NodeId> recorded;  // whose recordings there are
    std::vector<Recorded> events;
    std::int64_t wall_ns = 0;  // what people called time 0
    bool one_clock = true;     // else the clocks of two machines were compared by what people read
};

// Views into the files, which must outlive it. An empty `group` is the only one there is, besides
// the detector. An error names the file, or the groups to choose from.
Result<RecordedGroup> put_together(const std::vector<RecordingFile>& files, std::string_view group);

// Which part of it is told and drawn. What comes before is lived through in silence.
struct Window {
    Instant from{}, to = Instant::max();
    bool told = true, drawn = true;  // hours of it are long, either way
};

// Where the same event had another effect in the world than on the node.
struct Difference {
    NodeId node{};
    double at = 0;      // in units
    std::string place;  // file and byte
    std::string event, recorded, replayed;
};

}  // namespace conclave
