#include "node/gate.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "net/token.h"
#include "node/api_body.h"

namespace conclave::node {

namespace {

std::string ways_in(const Api& api) {
    const bool has_socket = std::ranges::any_of(api.listen, [](const net::Address& address) {
        return std::holds_alternative<net::UnixPath>(address);
    });
    std::string ways;
    const auto add = [&ways](const char* way) {
        ways.append(ways.empty() ? "" : ", or ").append(way);
    };
    if (has_socket) add("ask at the local socket");
    if (api.tls.given()) add("show a client certificate of this cluster");
    if (!api.token_file.empty()) add("show the token (Authorization: Bearer TOKEN)");
    if (!api.tls.given() && api.token_file.empty())
        add("set [api] tls or token_file at the node, which has neither");
    return ways;
}

}  // namespace

Gate::Gate(const Api& settings) : settings_(settings), ways_in_(ways_in(settings)) {}

std::optional<Error> Gate::load() {
    const Tls& files = settings_.tls;
    std::optional<net::Tls> tls;
    if (files.given()) {
        auto loaded = net::Tls::load({files.ca.string(), files.cert.string(), files.key.string()},
                                     net::Tls::Takes::operators);
        if (!loaded) return loaded.error();
        tls = std::move(*loaded);
    }
    if (!settings_.token_file.empty()) {
        auto token = net::read_token(settings_.token_file);
        if (!token) return token.error();
        token_ = std::move(*token);
    }
    if (!tls_) {
        tls_ = std::move(tls);
    } else if (tls) {
        tls_->context() = std::move(tls->context());  // in its place: the server looks there
    }
    return std::nullopt;
}

boost::asio::ssl::context* Gate::tls() { return tls_ ? &tls_->context() : nullptr; }

bool Gate::admits(const net::Request& request) const {
    return request.trusted ||
           net::same_token(token_, net::token_in(request.header("Authorization")));
}

void Gate::refuse(net::Exchange& exchange) const {
    const std::string advice = std::string("to change something: ").append(ways_in_);
    if (exchange.request().header("Authorization").empty())
        return exchange.problem(403, "Not trusted", advice);
    exchange.header("WWW-Authenticate", "Bearer");
    if (!token_.empty())
        return exchange.problem(401, "Not authorized", "this token is not known here");
    exchange.problem(401, "Not authorized", std::string("there is no token here; ").append(advice));
}

net::Handler Gate::deed(net::Handler handler) const {
    return [this, handler = std::move(handler)](const std::shared_ptr<net::Exchange>& one) {
        const net::Request& request = one->request();
        if (!admits(request)) return refuse(*one);
        // A browser shows an operator's certificate for any page that asks it to.
        if (!request.header("Origin").empty())
            return one->problem(403, "Not trusted", "nothing is changed for a web page");
        if (!request.body.empty() && request.content_type() != json_type)
            return one->problem(415, "Not JSON", "this needs Content-Type: application/json");
        handler(one);
    };
}

}  // namespace conclave::node
