// node/descriptors.h -- how many files and connections this process may have open at once.
//
// A shell's usual 1024 are fewer than the clients and strangers that a flood may bring. A node
// without a descriptor left cannot take back a peer, run a health check or open a file of its
// store, so whoever lets people in must know when to stop.
#pragma once
#include <cstddef>

namespace conclave::node {

std::size_t allowed_descriptors();

// Asks the system for so many, and returns how many there are then: perhaps fewer, perhaps more.
std::size_t allow_descriptors(std::size_t wanted);

// How many clients fit, of each of the two kinds that the HTTP server counts, if everything else
// needs `reserved`: a place is taken twice while somebody is being turned away.
constexpr std::size_t descriptors_per_place = 4;
std::size_t places_within(std::size_t descriptors, std::size_t reserved, std::size_t wanted);

}  // namespace conclave::node
