#include "node/api_body.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "node/duration_text.h"

namespace conclave::node {

namespace json = boost::json;

void respond(const std::shared_ptr<net::Exchange>& exchange, const json::value& value,
             unsigned status) {
    exchange->respond(status, json_type, json::serialize(value) + "\n");
}

namespace {

// Null if there is none.
json::value value_of(const net::Exchange& exchange, std::string_view name) {
    boost::system::error_code error;
    const json::value body = json::parse(exchange.request().body, error);
    const auto* object = error ? nullptr : body.if_object();
    const auto* value = object ? object->if_contains(name) : nullptr;
    return value ? *value : json::value();
}

}  // namespace

std::optional<std::string> field(const std::shared_ptr<net::Exchange>& exchange,
                                 std::string_view name) {
    const json::value value = value_of(*exchange, name);
    const auto* text = value.if_string();
    return text ? std::optional(std::string(*text)) : std::nullopt;
}

std::optional<std::uint64_t> number_field(const std::shared_ptr<net::Exchange>& exchange,
                                          std::string_view name) {
    const json::value value = value_of(*exchange, name);
    if (!value.is_int64() || value.get_int64() < 0) return std::nullopt;
    return static_cast<std::uint64_t>(value.get_int64());
}

std::int64_t milliseconds(Duration length) {
    return std::chrono::floor<std::chrono::milliseconds>(length).count();
}

void session_gone(const std::shared_ptr<net::Exchange>& exchange) {
    exchange->problem(410, "Session gone", "there is no such session here any more: open another");
}

std::optional<Duration> duration(const std::string& text) {
    const auto length = parse_duration(text);
    return length ? std::optional(*length) : std::nullopt;
}

net::Handler deed(net::Handler handler) {
    return [handler = std::move(handler)](const std::shared_ptr<net::Exchange>& one) {
        const net::Request& request = one->request();
        if (!request.trusted) {
            return one->problem(403, "Not trusted",
                                "this needs the local socket or a client certificate");
        }
        if (!request.body.empty() && request.content_type() != json_type) {
            return one->problem(415, "Not JSON", "this needs Content-Type: application/json");
        }
        handler(one);
    };
}

}  // namespace conclave::node
