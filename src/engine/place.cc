#include "engine/place.h"

#include <algorithm>
#include <array>
#include <optional>

#include "net/http_endpoint.h"

namespace conclave::engine {

namespace {

struct Scheme {
    std::string_view name;
    Place::Kind kind;
    bool secure;
    std::string_view port;  // the usual one
};
constexpr std::array schemes{
    Scheme{"etcd://", Place::Kind::etcd, false, "2379"},
    Scheme{"etcds://", Place::Kind::etcd, true, "2379"},
    Scheme{"zookeeper://", Place::Kind::zookeeper, false, "2181"},
    Scheme{"zookeepers://", Place::Kind::zookeeper, true, "2281"},
};

const Scheme* scheme_of(std::string_view text) {
    const auto found = std::ranges::find_if(
        schemes, [&](const Scheme& scheme) { return text.starts_with(scheme.name); });
    return found == schemes.end() ? nullptr : &*found;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return -1;
    };
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            plain += text[at];
            continue;
        }
        if (at + 2 >= text.size()) return std::nullopt;
        const int high = digit(text[at + 1]), low = digit(text[at + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        plain += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return plain;
}

// "HOST" gets the usual port; what is no host and port is refused as for our own endpoints.
Result<std::string> server_of(std::string_view text, std::string_view usual_port) {
    const auto bracket = text.rfind(']');
    const auto colon = text.rfind(':');
    const bool has_port = colon != text.npos && (bracket == text.npos || colon > bracket);
    std::string server(text);
    if (!has_port) server.append(":").append(usual_port);
    const auto endpoint = net::parse_http_endpoint(server);
    if (!endpoint) return endpoint.error();
    return server;
}

}  // namespace

bool is_place(std::string_view text) { return scheme_of(text) != nullptr; }

Result<Place> read_place(std::string_view text) {
    const Scheme* scheme = scheme_of(text);
    if (!scheme) return Error{"no engine is meant by '" + std::string(text) + "'"};
    Place place{.kind = scheme->kind, .secure = scheme->secure};
    std::string_view rest = text.substr(scheme->name.size());
    if (const auto at = rest.rfind('@'); at != rest.npos) {
        const std::string_view who = rest.substr(0, at);
        const auto colon = std::min(who.find(':'), who.size());
        const auto user = percent_decoded(who.substr(0, colon));
        const auto password = percent_decoded(who.substr(std::min(colon + 1, who.size())));
        if (!user || !password || user->empty()) {
            return Error{std::string(scheme->name) + "...: USER:PASSWORD@ with % as %25, : as %3A"};
        }
        place.user = *user;
        place.password = *password;
        rest.remove_prefix(at + 1);
    }
    const auto slash = std::min(rest.find('/'), rest.size());
    place.root = rest.substr(slash);
    while (place.root.ends_with('/')) place.root.pop_back();
    rest = rest.substr(0, slash);
    while (!rest.empty()) {
        const auto comma = std::min(rest.find(','), rest.size());
        const auto server = server_of(rest.substr(0, comma), scheme->port);
        if (!server) return server.error();
        place.servers.push_back(*server);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    if (place.servers.empty()) return Error{std::string(scheme->name) + ": no server is named"};
    return place;
}

}  // namespace conclave::engine
