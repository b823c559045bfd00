// net/json_members.h -- what an answer says, if it says so: whoever answers may be of another
// version, or somebody else altogether.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace conclave {

const boost::json::value* member(const boost::json::value& of, std::string_view name);
std::string text_member(const boost::json::value& of, std::string_view name);
const boost::json::array& array_member(const boost::json::value& of, std::string_view name);
std::optional<std::uint64_t> number_member(const boost::json::value& of, std::string_view name);

}  // namespace conclave
