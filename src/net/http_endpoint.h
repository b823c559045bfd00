// net/http_endpoint.h -- where HTTP is spoken: a unix socket, or a host and a port.
#pragma once
#include <string>
#include <string_view>

#include "core/result.h"

namespace conclave::net {

struct HttpEndpoint {
    std::string text{};          // as written, for messages
    std::string path{};          // of a unix socket; otherwise empty
    std::string host{}, port{};  // of TCP; an IPv6 address stands here without its brackets
    bool secure = false;         // https://

    bool local() const { return !path.empty(); }
};

// "unix:/path", "host:port", "[::1]:port", "http://host[:port]", "https://host[:port]".
Result<HttpEndpoint> parse_http_endpoint(std::string_view text);

}  // namespace conclave::net
