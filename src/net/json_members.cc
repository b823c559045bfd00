#include "net/json_members.h"

#include <boost/json/object.hpp>

namespace conclave {

const boost::json::value* member(const boost::json::value& of, std::string_view name) {
    const auto* object = of.if_object();
    return object ? object->if_contains(name) : nullptr;
}

std::string text_member(const boost::json::value& of, std::string_view name) {
    const auto* value = member(of, name);
    return value && value->is_string() ? std::string(value->get_string()) : "";
}

const boost::json::array& array_member(const boost::json::value& of, std::string_view name) {
    static const boost::json::array none;
    const auto* value = member(of, name);
    return value && value->is_array() ? value->get_array() : none;
}

std::optional<std::uint64_t> number_member(const boost::json::value& of, std::string_view name) {
    const auto* value = member(of, name);
    boost::system::error_code error;
    const auto number = value ? value->to_number<std::uint64_t>(error) : 0;
    return value && !error ? std::optional(number) : std::nullopt;
}

}  // namespace conclave
