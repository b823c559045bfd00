// net/address.h -- where somebody listens, as people write it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/result.h"

namespace conclave::net {

struct HostPort {
    std::string host;  // a name or a numeric address, without brackets
    std::uint16_t port = 0;
    friend bool operator==(const HostPort&, const HostPort&) = default;
};

struct UnixPath {
    std::string path;
    friend bool operator==(const UnixPath&, const UnixPath&) = default;
};

using Address = std::variant<HostPort, UnixPath>;

// "host:port", "127.0.0.1:port", "[::1]:port" or "unix:/path". Port 0 lets the system choose; it
// makes sense only where one listens.
Result<Address> parse_address(std::string_view text);

std::string to_text(const Address& address);

// Whether bytes sent there never leave this machine: decides where plaintext is allowed. Of names,
// only "localhost" is believed; what it resolves to is asked again once it is known.
bool is_loopback(const Address& address);

}  // namespace conclave::net
