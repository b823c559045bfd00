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

json::value any_field(const std::shared_ptr<net::Exchange>& exchange, std::string_view name) {
    boost::system::error_code error;
    const json::value body = json::parse(exchange->request().body, error);
    const auto* object = error ? nullptr : body.if_object();
    const auto* value = object ? object->if_contains(name) : nullptr;
    return value ? *value : json::value();
}

std::optional<std::string> field(const std::shared_ptr<net::Exchange>& exchange,
                                 std::string_view name) {
    const json::value value = any_field(exchange, name);
    const auto* text = value.if_string();
    return text ? std::optional(std::string(*text)) : std::nullopt;
}

std::optional<std::uint64_t> number_field(const std::shared_ptr<net::Exchange>& exchange,
                                          std::string_view name) {
    const json::value value = any_field(exchange, name);
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

}  // namespace conclave::node
