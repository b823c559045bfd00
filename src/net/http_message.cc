#include "net/http_message.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cassert>

namespace conclave::net {

std::string_view header(const HeaderFields& fields, std::string_view name) {
    for (const HeaderField& field : fields)
        if (boost::beast::iequals(field.name, name)) return field.value;
    return {};
}

std::string_view Request::content_type() const {
    std::string_view type = header("content-type");
    type = type.substr(0, type.find(';'));
    return type.substr(0, type.find_last_not_of(" \t") + 1);
}

std::string_view reason_phrase(unsigned status) {
    auto phrase = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(status));
    return {phrase.data(), phrase.size()};
}

std::string problem_text(unsigned status, std::string_view title, std::string_view detail) {
    return boost::json::serialize(
        boost::json::object{{"type", "about:blank"},
                            {"title", boost::json::string_view(title)},
                            {"status", status},
                            {"detail", boost::json::string_view(detail)}});
}

std::string answer_head(unsigned status, const HeaderFields& fields) {
    std::string head = "HTTP/1.1 " + std::to_string(status) + ' ';
    head += reason_phrase(status);
    head += "\r\n";
    for (const auto& [name, value] : fields) {
        assert(name.find_first_of("\r\n:") == name.npos);
        assert(value.find_first_of("\r\n") == value.npos);  // or a value could forge an answer
        head += name + ": " + value + "\r\n";
    }
    return head + "\r\n";
}

}  // namespace conclave::net
