// net/address.cc -- parsing by hand: a few forms, and an error that says which part is wrong.
#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace conclave::net {
namespace {

constexpr std::string_view unix_prefix = "unix:";
constexpr std::size_t longest_name = 253;                                // of a host in DNS
constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;  // what the kernel takes

Error wrong(std::string_view text, std::string_view what) {
    return Error{"address \"" + std::string(text) + "\": " + std::string(what)};
}

std::optional<in6_addr> as_ipv6(const std::string& host) {
    in6_addr address{};
    if (inet_pton(AF_INET6, host.c_str(), &address) != 1) return std::nullopt;
    return address;
}

std::optional<in_addr> as_ipv4(const std::string& host) {
    in_addr address{};
    if (inet_pton(AF_INET, host.c_str(), &address) != 1) return std::nullopt;
    return address;
}

bool may_stand_in_a_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc() || stop != end) return std::nullopt;
    return port;
}

Result<Address> parse_path(std::string_view text) {
    const std::string_view path = text.substr(unix_prefix.size());
    if (!path.starts_with('/')) return wrong(text, "the path of a unix socket starts with /");
    if (path.size() > longest_path)
        return wrong(text, "the path of a unix socket has at most " + std::to_string(longest_path) +
                               " bytes");
    if (path.find('\0') != path.npos) return wrong(text, "a path has no zero byte");
    return Address(UnixPath{std::string(path)});
}

Result<std::string> parse_host(std::string_view text, std::string_view host) {
    if (host.starts_with('[')) {
        if (!host.ends_with(']')) return wrong(text, "expected [address]:port");
        std::string inside(host.substr(1, host.size() - 2));
        if (!as_ipv6(inside)) return wrong(text, "no IPv6 address between the brackets");
        return inside;
    }
    if (host.empty()) return wrong(text, "there is no host before the port");
    if (host.find(':') != host.npos)
        return wrong(text, "an IPv6 address is written in brackets, [::1]:7420");
    if (host.size() > longest_name) return wrong(text, "the host's name is too long");
    if (!std::ranges::all_of(host, may_stand_in_a_name))
        return wrong(text, "a host's name has only letters, digits, '-', '_' and '.'");
    return std::string(host);
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
    if (text.starts_with(unix_prefix)) return parse_path(text);
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos) return wrong(text, "expected host:port, [::1]:port or unix:/path");
    const auto port = parse_port(text.substr(colon + 1));
    if (!port) return wrong(text, "the port is a number from 0 to 65535");
    auto host = parse_host(text, text.substr(0, colon));
    if (!host) return host.error();
    return Address(HostPort{std::move(*host), *port});
}

std::string to_text(const Address& address) {
    if (const auto* path = std::get_if<UnixPath>(&address))
        return std::string(unix_prefix) + path->path;
    const auto& [host, port] = std::get<HostPort>(address);
    const bool bracketed = host.find(':') != host.npos;
    return (bracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool is_loopback(const Address& address) {
    const auto* place = std::get_if<HostPort>(&address);
    if (!place) return true;  // a unix socket
    const auto in_127 = [](std::uint8_t first) { return first == 127; };
    if (const auto v4 = as_ipv4(place->host))
        return in_127(static_cast<std::uint8_t>(ntohl(v4->s_addr) >> 24));
    if (const auto v6 = as_ipv6(place->host)) {
        // A socket that serves both families shows 127.0.0.1 as ::ffff:127.0.0.1.
        if (IN6_IS_ADDR_V4MAPPED(&*v6)) return in_127(v6->s6_addr[12]);
        return IN6_IS_ADDR_LOOPBACK(&*v6);
    }
    return place->host == "localhost";
}

}  // namespace conclave::net
