// net/http_client.h -- asks the first of several endpoints that answers; on a loop, or blocking.
//
// An endpoint that cannot be reached, or that does not let us in, is passed over. Of one that says
// nothing nobody knows whether it ever will: after a while the next is asked as well. Only GET and
// HEAD are, and go on once a request may have been carried out: asking twice must not do twice. Of
// several endpoints any other request goes to one that has just answered something harmless.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "net/http_dialogue.h"

namespace conclave::net {

struct ClientOptions {
    std::vector<HttpEndpoint> endpoints{};       // in the order to be tried
    boost::asio::ssl::context* tls = nullptr;    // for https://; must outlive the calls
    std::string token{};                         // shown with every question; see Dialogue
    Duration connect = std::chrono::seconds(2);  // per endpoint
    Duration turn = std::chrono::seconds(1);     // of one that says nothing, if there are others
    ParseLimits limits{.header = 16 << 10, .body = 64 << 20};
};

Result<std::vector<HttpEndpoint>> parse_http_endpoints(const std::vector<std::string>& texts);

// `done` is called exactly once, never before this returns, within about `limit`.
void ask(boost::asio::io_context& loop, const ClientOptions& options, Call call, Duration limit,
         std::function<void(Outcome)> done);

// The same, on a loop of its own. A name server that does not answer can hold it longer: looking up
// a name cannot be broken off.
[[nodiscard]] Outcome ask(const ClientOptions& options, Call call, Duration limit);

}  // namespace conclave::net
