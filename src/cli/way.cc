#include "cli/way.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cstdlib>
#include <utility>
#include <vector>

#include "client/answer.h"
#include "engine/place.h"
#include "node/duration_text.h"

namespace conclave {

namespace {

constexpr const char* local_socket = "unix:/run/conclave/api.sock";

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= list.size();) {
        const std::size_t end = std::min(list.find(',', start), list.size());
        if (end > start) parts.push_back(list.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

Exit exit_of_status(unsigned status) {
    if (status < 400) return Exit::ok;
    if (status == 400 || status == 404 || status == 405) return Exit::usage;
    if (status == 401 || status == 403) return Exit::refused;
    if (status == 409 || status == 503) return Exit::not_yet;
    return Exit::internal;
}

}  // namespace

std::string endpoints_of(const Endpoint& endpoint) {
    const char* surroundings = std::getenv("CONCLAVE_ENDPOINT");
    return !endpoint.urls.empty() ? endpoint.urls : surroundings ? surroundings : local_socket;
}

std::variant<Way, Exit> find_way(const Endpoint& endpoint) {
    Way way;
    const std::string urls = endpoints_of(endpoint);
    if (engine::is_place(urls)) {
        complain(
            "--endpoint: an engine knows of leaders and locks only: lead, lock, leader, "
            "watch, locks");
        return Exit::usage;
    }
    auto endpoints = net::parse_http_endpoints(split(urls));
    if (!endpoints) {
        const bool foreign = urls.find("://") != urls.npos;
        complain("--endpoint: " + endpoints.error().what +
                 (foreign ? "; engines are etcd://, etcds:// and zookeeper://" : ""));
        return Exit::usage;
    }
    way.options.endpoints = std::move(*endpoints);
    const auto timeout = node::parse_duration(endpoint.timeout);
    if (!timeout) {
        complain("--timeout: " + timeout.error().what);
        return Exit::usage;
    }
    way.timeout = *timeout;
    client::Credentials shown = endpoint.shown;
    const char* surroundings = std::getenv("CONCLAVE_TOKEN_FILE");
    if (shown.token_file.empty() && surroundings) shown.token_file = surroundings;
    auto tls = client::present(shown, way.options);
    if (!tls) {
        complain(tls.error().what);
        return Exit::refused;
    }
    way.tls = std::move(*tls);
    return way;
}

bool read_option(const char* option, const std::string& text, std::optional<Duration>& into) {
    if (text.empty()) return true;
    into = read_duration(text);
    if (!into) complain(std::string(option) + ": '" + text + "' is no duration");
    return into.has_value();
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

Answered understand(const net::Outcome& outcome) {
    if (const auto* failure = std::get_if<net::Failure>(&outcome)) {
        return {{exit_of(failure->trouble), 0, {}}, failure->what};
    }
    const auto& answer = std::get<net::Answer>(outcome);
    boost::system::error_code error;
    Answered told{{exit_of_status(answer.status), answer.status, {}}, ""};
    if (answer.status != 204) told.reply.body = boost::json::parse(answer.body, error);
    if (!told.reply.good()) {
        told.why = client::words_of(told.reply.body, answer.status);
    } else if (error) {
        told.reply.exit = Exit::mismatch;
        told.why = "the answer is not JSON: is that a conclave node?";
    }
    return told;
}

}  // namespace conclave
