#include "cli/ask.h"

#include <boost/asio/ssl/context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <memory>
#include <utility>
#include <variant>

#include "net/event_source.h"
#include "net/http_client.h"
#include "net/tls.h"
#include "node/duration_text.h"

namespace conclave {

namespace {

constexpr const char* local_socket = "unix:/run/conclave/api.sock";

struct Way {  // how to reach somebody
    net::ClientOptions options;
    std::unique_ptr<net::Tls> tls;
    Duration timeout{};
};

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= list.size();) {
        const std::size_t end = std::min(list.find(',', start), list.size());
        if (end > start) parts.push_back(list.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

// Nothing: it was complained about, with this exit code.
std::variant<Way, Exit> find_way(const Endpoint& endpoint) {
    Way way;
    const char* surroundings = std::getenv("CONCLAVE_ENDPOINT");
    const std::string urls = !endpoint.urls.empty() ? endpoint.urls
                             : surroundings         ? surroundings
                                                    : local_socket;
    auto endpoints = net::parse_http_endpoints(split(urls));
    if (!endpoints) {
        complain("--endpoint: " + endpoints.error().what);
        return Exit::usage;
    }
    way.options.endpoints = std::move(*endpoints);
    const auto timeout = node::parse_duration(endpoint.timeout);
    if (!timeout) {
        complain("--timeout: " + timeout.error().what);
        return Exit::usage;
    }
    way.timeout = *timeout;
    if (!endpoint.cacert.empty() || !endpoint.cert.empty()) {
        auto tls = net::Tls::load({endpoint.cacert, endpoint.cert, endpoint.key});
        if (!tls) {
            complain(tls.error().what);
            return Exit::refused;
        }
        way.tls = std::make_unique<net::Tls>(std::move(*tls));
        way.options.tls = &way.tls->context();
    }
    return way;
}

Exit exit_of(net::Trouble trouble) {
    switch (trouble) {
        case net::Trouble::unreachable:
        case net::Trouble::timeout:
            return Exit::unreachable;
        case net::Trouble::bad_answer:
            return Exit::mismatch;
        case net::Trouble::refused:
            return Exit::refused;
    }
    return Exit::unreachable;
}

Exit exit_of_status(unsigned status) {
    if (status < 400) return Exit::ok;
    if (status == 400 || status == 404 || status == 405) return Exit::usage;
    if (status == 401 || status == 403) return Exit::refused;
    if (status == 409 || status == 503) return Exit::not_yet;
    return Exit::internal;
}

std::string words_of(const boost::json::value& problem, unsigned status) {
    if (const auto* object = problem.if_object()) {
        const auto* detail = object->if_contains("detail");
        if (detail && detail->is_string()) return std::string(detail->get_string());
    }
    return "the node answered " + std::to_string(status);
}

}  // namespace

Reply ask(const Endpoint& endpoint, std::string_view method, const std::string& target,
          const boost::json::value& body, std::chrono::nanoseconds patience) {
    auto found = find_way(endpoint);
    if (const auto* exit = std::get_if<Exit>(&found)) return {*exit, 0, {}};
    Way& way = std::get<Way>(found);
    net::Call call;
    call.method = method;
    call.target = target;
    if (!body.is_null()) call.body = boost::json::serialize(body);
    const net::Outcome outcome = net::ask(way.options, call, way.timeout + patience);
    if (const auto* failure = std::get_if<net::Failure>(&outcome)) {
        if (!endpoint.silent) complain(failure->what);
        return {exit_of(failure->trouble), 0, {}};
    }
    const auto& answer = std::get<net::Answer>(outcome);
    boost::system::error_code error;
    Reply reply{exit_of_status(answer.status), answer.status, {}};
    reply.body = boost::json::parse(answer.body, error);
    if (!reply.good()) {
        if (!endpoint.silent) complain(words_of(reply.body, answer.status));
    } else if (error) {
        complain("the answer is not JSON: is that a conclave node?");
        reply.exit = Exit::mismatch;
    }
    return reply;
}

Exit follow(const Endpoint& endpoint, const std::string& target, const std::string& since,
            const std::function<bool(const StreamEvent&)>& take) {
    using Next = net::EventSource::Next;
    auto found = find_way(endpoint);
    if (const auto* exit = std::get_if<Exit>(&found)) return *exit;
    Way& way = std::get<Way>(found);
    Exit end = Exit::ok;
    std::size_t losses = 0;
    net::follow(
        way.options, {.target = target, .last_id = since},
        [&](const net::ServerEvent& event) {
            losses = 0;
            return take({event.id, event.name, event.data}) ? Next::go_on : Next::stop;
        },
        [&](const net::Failure& failure) {
            // A node that restarts is back within a few tries.
            if (++losses < 3 * way.options.endpoints.size()) return Next::go_on;
            complain(failure.what);
            end = exit_of(failure.trouble);
            return Next::stop;
        });
    return end;
}

std::optional<std::chrono::nanoseconds> read_duration(std::string_view text) {
    const auto length = node::parse_duration(text);
    return length ? std::optional<std::chrono::nanoseconds>(*length) : std::nullopt;
}

std::string path_segment(std::string_view name) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                           (byte >= 'A' && byte <= 'Z') || c == '-' || c == '_' || c == '.';
        if (plain) {
            text += c;
        } else {
            text += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return text;
}

}  // namespace conclave
