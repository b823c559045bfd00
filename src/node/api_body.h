// node/api_body.h -- what the API's calls are made of: JSON in, JSON out, and who may do something.
#pragma once
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_router.h"

namespace conclave::node {

constexpr std::string_view json_type = "application/json";
constexpr Duration longest_poll = std::chrono::minutes(5);

void respond(const std::shared_ptr<net::Exchange>& exchange, const boost::json::value& value,
             unsigned status = 200);

// The text of a field of the body, if there is a body with that field.
std::optional<std::string> field(const std::shared_ptr<net::Exchange>& exchange,
                                 std::string_view name);

// Whatever it is; null if there is none.
boost::json::value any_field(const std::shared_ptr<net::Exchange>& exchange, std::string_view name);

// Likewise a whole number that is not negative.
std::optional<std::uint64_t> number_field(const std::shared_ptr<net::Exchange>& exchange,
                                          std::string_view name);

std::optional<Duration> duration(const std::string& text);
std::int64_t milliseconds(Duration length);  // never more than there is

void session_gone(const std::shared_ptr<net::Exchange>& exchange);  // 410

}  // namespace conclave::node
