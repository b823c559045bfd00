#include "engine/etcd_words.h"

#include <boost/json/array.hpp>
#include <charconv>
#include <utility>

#include "net/json_members.h"

namespace conclave::engine::etcd {

namespace json = boost::json;

namespace {

std::string text_of(std::uint64_t number) { return std::to_string(number); }

}  // namespace

json::object range_of(const std::string& key) { return {{"key", base64(key)}}; }

json::object range_of(const Keys& keys) {
    return {{"key", base64(keys.first)}, {"range_end", base64(keys.end)}};
}

json::object put_unless_there(const Keys& keys, std::int64_t lease, const std::string& value) {
    const std::string key = base64(keys.key(lease));
    const json::object absent{{"key", key}, {"target", "CREATE"}, {"create_revision", "0"}};
    const json::object put{
        {"key", key}, {"value", base64(value)}, {"lease", std::to_string(lease)}};
    const json::object all{{"request_range", range_of(keys)}};
    return {
        {"compare", json::array{absent}},
        {"success", json::array{json::object{{"request_put", put}}, all}},
        {"failure", json::array{json::object{{"request_range", range_of(keys.key(lease))}}, all}}};
}

json::object changes_of(json::object range, std::uint64_t revision) {
    range["start_revision"] = text_of(revision);
    return {{"create_request", std::move(range)}};
}

json::object deletions_of(json::object range, std::uint64_t revision) {
    range["filters"] = json::array{"NOPUT"};
    return changes_of(std::move(range), revision);
}

std::optional<std::int64_t> signed_member(const json::value& of, std::string_view name) {
    if (!member(of, name)) return 0;
    const std::string text = text_member(of, name);
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

std::optional<Header> header_of(const json::value& answer) {
    const auto* header = member(answer, "header");
    if (!header) return std::nullopt;
    const auto revision = signed_member(*header, "revision");
    const auto term = signed_member(*header, "raft_term");
    if (!revision || *revision <= 0 || !term || *term <= 0) return std::nullopt;
    return Header{static_cast<std::uint64_t>(*revision), static_cast<std::uint64_t>(*term)};
}

json::value response_of(const json::value& answer, std::size_t at) {
    const auto* responses = member(answer, "responses");
    if (!responses || !responses->is_array() || at >= responses->get_array().size()) return {};
    const auto* range = member(responses->get_array()[at], "response_range");
    return range ? *range : json::value{};
}

}  // namespace conclave::engine::etcd
