#include "cli/ask.h"

#include <boost/json/serialize.hpp>
#include <utility>
#include <variant>

#include "cli/way.h"
#include "net/event_source.h"
#include "node/duration_text.h"

namespace conclave {

Reply ask(const Endpoint& endpoint, std::string_view method, const std::string& target,
          const boost::json::value& body, std::chrono::nanoseconds patience) {
    auto found = find_way(endpoint);
    if (const auto* exit = std::get_if<Exit>(&found)) return {*exit, 0, {}};
    Way& way = std::get<Way>(found);
    net::Call call;
    call.method = method;
    call.target = target;
    if (!body.is_null()) call.body = boost::json::serialize(body);
    call.takes = patience;
    Answered told = understand(net::ask(way.options, call, way.timeout + patience));
    if (!told.reply.good() && !endpoint.silent) complain(told.why);
    return std::move(told.reply);
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
