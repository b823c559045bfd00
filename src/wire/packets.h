// wire/packets.h -- what is in the frames: a hello, then letters, and a bye with the reason.
//
// The hello is the first frame of each side. It may only ever grow at its end, whatever else
// changes with the version: who cannot talk to each other must still be able to say so. A letter is
// one message of one machine. Its group is the place of that group in the list of its sender's
// hello, so that no letter carries a name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "wire/frame.h"

namespace conclave::wire {

inline constexpr std::uint32_t current_version = 1;
inline constexpr std::size_t name_limit = 255;  // bytes of any text in a hello or bye
inline constexpr std::size_t group_limit = 1024;
// Of the frame; the limit of a FrameReader until the hello is there. It is all that a stranger can
// make us keep, and just enough for the largest number of groups if their names are of usual
// length.
inline constexpr std::size_t hello_limit = 16 * 1024;

// A murmur is a letter that can wait. It does not wake its reader, who asks to be woken for this
// many bytes only, and it counts from when it came. So the last letter that cannot wait and what is
// written behind it are as many, if need be with a filler: wherever the stream is cut, the letter
// is read already, or has begun, or is enough.
inline constexpr std::uint32_t ring_size = 32;

// How a client of the lock service asks for frames instead of HTTP, and where. Its first frame is
// a welcome; then it sends and hears letters, all of group 0.
inline constexpr std::string_view guest_target = "/v1/wire", guest_protocol = "conclave-1";

struct Offer {  // a group that the sender is in
    std::string name, algorithm;
};
struct Hello {
    std::uint32_t version = current_version;
    std::string cluster;
    NodeId node{};
    std::string name;
    Incarnation incarnation;
    std::string store;  // identity of the sender's disk; may be empty, all other texts may not
    std::vector<Offer> groups;
    std::uint32_t ring = 0;  // bytes: what cannot wait is no shorter; 0: I know of no murmurs
};
struct Bye {
    std::string why;
};
struct Welcome {  // to a client, which need not say who it is: it has been let in
    std::string cluster, node;
    Duration longest_session{};
};
struct Letter {
    std::uint32_t group = 0;
    ByteView message;
};

// What a reader would refuse in a hello, by the name of the field.
std::optional<Error> wrong_with(const Hello& hello);

// Each appends one frame. A hello that its reader would refuse is not appended.
[[nodiscard]] std::optional<Error> append_hello(Bytes& out, const Hello& hello);
[[nodiscard]] bool append_letter(Bytes& out, std::uint32_t group, ByteView message,
                                 std::size_t limit = frame_limit);  // as append_frame
[[nodiscard]] bool append_murmur(Bytes& out, std::uint32_t group, ByteView message,
                                 std::size_t limit = frame_limit);
void append_bye(Bytes& out, std::string_view why);
void append_filler(Bytes& out, std::size_t size);  // of the whole frame: 2 to 128
void append_welcome(Bytes& out, const Welcome& welcome);

// Each takes a frame's body.
Result<Hello> read_hello(ByteView body);
std::optional<Letter> read_letter(ByteView body);  // or murmur
std::optional<Welcome> read_welcome(ByteView body);
Result<Bye> read_bye(ByteView body);  // made fit to be logged: cut, and unprintable bytes are '?'

}  // namespace conclave::wire
