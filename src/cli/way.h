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
#include "net/tls.h"

namespace conclave {

struct Way {
    net::ClientOptions options;
    std::unique_ptr<net::Tls> tls;
    Duration timeout{};
};

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

// Of an object; a node of another version may lack it, or mean something else by it.
const boost::json::value* member(const boost::json::value& of, std::string_view name);
std::string text_member(const boost::json::value& of, std::string_view name);
std::optional<std::uint64_t> number_member(const boost::json::value& of, std::string_view name);

}  // namespace conclave
