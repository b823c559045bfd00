// net/free_ports.h -- ports of 127.0.0.1 for a cluster on this machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result.h"

namespace conclave::net {

// Free a moment ago. All are held at once, so that they differ.
Result<std::vector<std::uint16_t>> free_ports(std::size_t count);

}  // namespace conclave::net
