// net/peer.h -- the plain values around links: to whom, within which limits, and what came of it.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/types.h"
#include "wire/frame.h"

namespace conclave::net {

struct Peer {
    NodeId id{};
    std::string name, address;
};

// One link per pair of nodes, and the smaller id dials. If both dialled, two half-open links could
// cross, and the two ends would have to agree which one to drop before they can talk.
constexpr bool dials(NodeId self, NodeId peer) { return self < peer; }

struct TlsFiles {  // PEM
    std::string ca, cert, key;
};

// Whether a letter wakes its reader, or is read when that is awake: whatever follows wakes it.
enum class Hurry : std::uint8_t { at_once, can_wait };

struct Traffic {
    std::uint64_t frames_sent = 0, frames_received = 0;
    std::uint64_t bytes_sent = 0, bytes_received = 0;  // of frames, before TLS
    std::uint64_t writes = 0;                          // how many batches those were sent in
    std::uint64_t dropped = 0;  // letters nobody was there to take, or too large to be sent
    std::uint64_t links = 0;    // how often a link came up

    Traffic& operator+=(const Traffic& more);
};

struct LinkLimits {
    // From the connection to the peer's hello, handshake included.
    Duration hello_within = std::chrono::seconds(5);
    // Sent but not acknowledged for that long, the link is dead. Without it TCP goes on for a
    // quarter of an hour, and after a partition its next try may be half a minute away while a new
    // connection would work at once.
    Duration unacknowledged = std::chrono::seconds(2);
    Duration linger = std::chrono::seconds(1);  // for the goodbye to arrive
    std::size_t frame = wire::frame_limit;
    std::size_t backlog = 4 * 1024 * 1024;  // bytes that wait because the peer does not read
};

}  // namespace conclave::net
