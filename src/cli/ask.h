// cli/ask.h -- a command's question to a node, and what its answer means for the exit code.
#pragma once
#include <boost/json/value.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit.h"
#include "cli/terminal.h"
#include "client/credentials.h"

namespace conclave {

struct Endpoint {               // whom to ask, as typed: the global options
    std::string urls;           // comma separated; empty: CONCLAVE_ENDPOINT, else the local socket
    client::Credentials shown;  // without a token_file: CONCLAVE_TOKEN_FILE, if there is one
    std::string timeout = "5s";
    bool silent = false;  // complain about nothing
};

struct Reply {
    Exit exit = Exit::ok;  // anything else: it was complained about already
    unsigned status = 0;
    boost::json::value body;

    bool good() const { return exit == Exit::ok; }
};

// A refusal by the node (4xx, 5xx) is complained about in the node's own words. `patience` is what
// the question itself may take, on top of the timeout.
Reply ask(const Endpoint& endpoint, std::string_view method, const std::string& target,
          const boost::json::value& body = {},
          std::chrono::nanoseconds patience = std::chrono::nanoseconds{0});

// Server-sent events from `target` until `take` says no more. Lost connections are taken up again
// where they were, unless nobody answers.
struct StreamEvent {
    std::string id, name, data;
};
Exit follow(const Endpoint& endpoint, const std::string& target, const std::string& since,
            const std::function<bool(const StreamEvent&)>& take);

std::optional<std::chrono::nanoseconds> read_duration(std::string_view text);
std::string path_segment(std::string_view name);  // percent-encoded

}  // namespace conclave
