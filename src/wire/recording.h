// wire/recording.h -- what the machines of a node lived through, as a file that can be replayed.
//
//     magic, then frames:  head  machine...  step...  [end]
//
// A file is one segment of a recording, and stands for itself: it begins with the settings and the
// state of every machine. Then comes each step: the event, and the effects that it had. It may end
// anywhere, because a node may be killed at any moment; only one that stopped of its own accord
// says so. Like everything that outlives its writer, head and machines may grow at their end, and a
// frame of an unknown kind is passed over.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/members.h"
#include "core/result.h"
#include "core/types.h"
#include "wire/layout.h"

namespace conclave::wire {

inline constexpr std::string_view recording_magic = "conclave recording\n";
inline constexpr std::uint32_t recording_version = 1;
// Of a frame: a step has a message, which is at most a frame of a link, and all its answers.
inline constexpr std::size_t recorded_limit = 16 * 1024 * 1024;

struct RecordingHead {
    std::uint32_t version = recording_version;
    std::string cluster;
    NodeId node{};
    std::string name;
    Incarnation incarnation;
    std::string clock;          // instants of the same clock can be compared, others not
    Instant at;                 // when the segment begins, and
    std::int64_t wall_ns = 0;   //   what people called that moment
    std::uint64_t segment = 0;  // its number in this life of the node
    std::uint64_t steps = 0;    // that this life had before it, of all machines
};

struct RecordedMachine {
    std::string group, algorithm;
    std::vector<Member> members;
    Bytes config;                // as the algorithm was tuned
    std::optional<Bytes> state;  // none: it has not booted yet
};

struct RecordedStep {
    std::uint32_t machine = 0;  // its place among the machines
    Instant at{};
    Attribute attribute = 0;  // of the node, at that moment
    Incarnation life{};       // of the sender, if a message came
    ByteView event, effects;
    std::uint64_t offset = 0;  // of its frame in the file; only of a step that was read
};

// False, with nothing appended, if something is too large for a reader.
[[nodiscard]] bool append_recording(Bytes& out, const RecordingHead& head,
                                    std::span<const RecordedMachine> machines);
[[nodiscard]] bool append_step(Bytes& out, const RecordedStep& step);
void append_end(Bytes& out);

struct Recording {
    RecordingHead head;
    std::vector<RecordedMachine> machines;
    std::vector<RecordedStep> steps;  // with views into the file's bytes
    bool ended = false;               // the node stopped, and said so
};

bool is_recording(ByteView file);
// The error says at which byte it is, and what. A file that was cut off is as good as its whole
// frames; so is one whose end is nothing but zeros, which a file system may leave after a crash.
Result<Recording> read_recording(ByteView file);

}  // namespace conclave::wire
