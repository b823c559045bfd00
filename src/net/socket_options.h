// net/socket_options.h -- what a link wants of its socket, and what the kernel knows about it.
#pragma once
#include <cstdint>

#include "core/types.h"

namespace conclave::net {

// A kernel that does not know the option has slower links, and nothing worse.
void set_option(int socket, int level, int name, std::int64_t value);

// For how long the last bytes that came have been there, on a TCP connection; never too long.
Duration since_last_word(int socket);

}  // namespace conclave::net
