// net/http_message.h -- what is asked and answered over HTTP, as plain values.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace conclave::net {

struct HeaderField {
    std::string name, value;
};
using HeaderFields = std::vector<HeaderField>;

// The first field of that name, whatever its case; empty if there is none.
std::string_view header(const HeaderFields& fields, std::string_view name);

using Words = std::map<std::string, std::string, std::less<>>;  // name -> value

struct Request {
    std::string method;             // as sent: methods are case sensitive
    std::string target;             // as sent; visible ASCII only
    std::vector<std::string> path;  // "/a/b%2Fc" is {"a", "b/c"}, "/" is {}; valid UTF-8, no NUL
    Words query;                    // of a name given twice, the first
    Words parameters;               // what stood at the route's {name}: the router fills it in
    HeaderFields fields;
    std::string body;
    unsigned version = 11;    // 10 or 11
    bool keep_alive = false;  // the connection may carry another request
    bool trusted = false;     // from a unix socket, or with a verified client certificate

    std::string_view header(std::string_view name) const { return net::header(fields, name); }
    // "application/json" of "application/json; charset=utf-8".
    std::string_view content_type() const;
};

struct Answer {
    unsigned status = 0;
    HeaderFields fields;
    std::string body;

    std::string_view header(std::string_view name) const { return net::header(fields, name); }
};

std::string_view reason_phrase(unsigned status);

// An error for people and programs (RFC 9457), the text of an application/problem+json body.
std::string problem_text(unsigned status, std::string_view title, std::string_view detail);

// The head of an answer, up to and with the empty line; `fields` must be free of CR and LF.
std::string answer_head(unsigned status, const HeaderFields& fields);

}  // namespace conclave::net
