// engine/place.h -- where an engine is that is not ours, as it is typed or configured.
//
//     etcd://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...][/ROOT]      etcds:// under TLS
//     zookeeper://HOST[:PORT][,HOST[:PORT]...][/CHROOT]
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/types.h"
#include "net/peer.h"

namespace conclave::engine {

struct Place {
    enum class Kind : std::uint8_t { etcd, zookeeper };
    Kind kind = Kind::etcd;
    std::vector<std::string> servers{};  // HOST:PORT; an IPv6 address in brackets
    std::string root{};                  // every name is below it: "/apps", or empty
    bool secure = false;
    std::string user{}, password{};              // no user: nobody in particular
    net::TlsFiles tls{};                         // of a secure place; all may be empty
    Duration timeout = std::chrono::seconds(5);  // of an answer
};

// Whether a text is meant to be such a place, well written or not.
bool is_place(std::string_view text);

// The error does not repeat the password.
Result<Place> read_place(std::string_view text);

}  // namespace conclave::engine
