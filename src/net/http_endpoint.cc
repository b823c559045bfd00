#include "net/http_endpoint.h"

#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace conclave::net {
namespace {

constexpr std::string_view unix_mark = "unix:";
constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size();
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

Result<HttpEndpoint> unix_endpoint(std::string_view text, std::string_view path) {
    std::string name(text);
    if (!path.starts_with('/')) return Error{name + ": the path of a unix socket begins with /"};
    if (path.size() > longest_path)
        return Error{name + ": the path of a unix socket has at most " +
                     std::to_string(longest_path) + " bytes"};
    return HttpEndpoint{.text = name, .path = std::string(path)};
}

}  // namespace

Result<HttpEndpoint> parse_http_endpoint(std::string_view text) {
    std::string_view rest = text;
    if (take_prefix(rest, unix_mark)) return unix_endpoint(text, rest);
    HttpEndpoint endpoint{.text = std::string(text)};
    Error none{endpoint.text +
               ": not an address: unix:/path, host:port, http://host or https://host"};
    endpoint.secure = take_prefix(rest, "https://");
    bool has_scheme = endpoint.secure || take_prefix(rest, "http://");
    if (has_scheme && rest.ends_with('/')) rest.remove_suffix(1);

    std::string_view host = rest, port = endpoint.secure ? "443" : "80";
    std::size_t bracket = rest.starts_with('[') ? rest.find(']') : 0;
    if (bracket == rest.npos) return none;
    std::size_t colon = rest.find(':', bracket);
    if (colon == rest.npos && !has_scheme) return none;  // a port cannot be guessed
    if (colon != rest.npos) {
        host = rest.substr(0, colon);
        port = rest.substr(colon + 1);
    }
    if (bracket > 0) {
        if (host.size() != bracket + 1) return none;
        host = host.substr(1, bracket - 1);
    }
    bool odd = std::ranges::any_of(host, [](char c) { return c <= ' ' || c == '/' || c == '@'; });
    if (host.empty() || odd || !is_port(port)) return none;
    endpoint.host = host;
    endpoint.port = port;
    return endpoint;
}

}  // namespace conclave::net
