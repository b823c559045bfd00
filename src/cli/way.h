// cli/way.h -- how to reach the nodes that the global options name, and what their answers mean.
#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/ask.h"
#include "net/http_client.h"
#include "net/json_members.h"
#include "net/tls.h"

namespace conclave {

struct Way {
    net::ClientOptions options;
    std::unique_ptr<net::Tls> tls;
    Duration timeout{};
};

// As typed, else CONCLAVE_ENDPOINT, else the local socket.
std::string endpoints_of(const Endpoint& endpoint);

// Nothing: it was complained about, with this exit code.
std::variant<Way, Exit> find_way(const Endpoint& endpoint);

Exit exit_of(net::Trouble trouble);

// A duration that was typed after an option, or nothing. False: it was complained about.
[[nodiscard]] bool read_option(const char* option, const std::string& text,
                               std::optional<Duration>& into);

// What a node has answered, or that none did. Nobody has complained about it yet.
struct Answered {
    Reply reply;
    std::string why;  // if it is not good
};
Answered understand(const net::Outcome& outcome);

}  // namespace conclave
