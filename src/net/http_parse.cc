#include "net/http_parse.h"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <cassert>
#include <limits>
#include <utility>

#include "net/http_target.h"

namespace conclave::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::iequals;
using Code = boost::beast::error_code;
using View = boost::beast::string_view;

// The last chunk and the end of the trailers: what is missing of a chunked body is never shorter.
constexpr std::size_t shortest_end_of_chunks = 5;

// What requests and answers have in common: fields and body, collected within the limits.
template <bool is_request> class Collector : public http::basic_parser<is_request> {
public:
    explicit Collector(ParseLimits limits) : limit_(limits.header) {
        this->eager(true);
        this->header_limit(static_cast<std::uint32_t>(limits.header));
        this->body_limit(limits.body);
    }

    HeaderFields fields;
    std::string body;

    // Takes what it can from the front of `pending`. An error of Beast's, or none.
    Code consume(std::string& pending) {
        // Beast asserts that it is not shown the first four bytes of "0\r\n\r\n" alone after it
        // has seen three of them: a client could stop the process.
        bool in_chunks = this->is_header_done() && this->chunked();
        if (in_chunks && pending.size() < shortest_end_of_chunks) return {};
        Code code;
        std::size_t used = this->put({pending.data(), pending.size()}, code);
        pending.erase(0, used);
        if (code == http::error::need_more) code = {};
        // Beast waits for the end of a chunk's line for as long as it takes.
        bool too_long = !this->is_done() && pending.size() > limit_;
        return !code && too_long ? Code(http::error::header_limit) : code;
    }

protected:
    void count(std::size_t bytes, Code& code) {
        header_size_ += bytes;
        if (header_size_ > limit_) code = http::error::header_limit;
    }

    void on_request_impl(http::verb, View, View, int, Code&) override {}
    void on_response_impl(int, View, int, Code&) override {}
    void on_field_impl(http::field, View name, View value, Code& code) override {
        if (this->is_header_done()) return;  // trailers: nobody asks for them
        count(name.size() + value.size() + 4, code);
        if (!code) fields.push_back({std::string(name), std::string(value)});
    }
    void on_header_impl(Code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
    std::size_t on_body_impl(View piece, Code&) override {
        on_piece(piece);
        return piece.size();
    }
    void on_chunk_header_impl(std::uint64_t, View, Code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, View piece, Code&) override {
        on_piece(piece);
        return piece.size();
    }
    void on_finish_impl(Code&) override {}

    virtual void on_piece(std::string_view piece) { body += piece; }

private:
    std::size_t limit_;
    std::size_t header_size_ = 0;
};

}  // namespace

class RequestReader::Parser final : public Collector<true> {
public:
    explicit Parser(ParseLimits limits) : Collector(limits) {}

    Request request;
    std::optional<Refusal> refusal;  // ours; Beast's come as codes
    bool expects_continue = false;

    Request take() {
        request.fields = std::move(fields);
        request.body = std::move(body);
        request.keep_alive = keep_alive();
        return std::move(request);
    }

private:
    void refuse(unsigned status, std::string detail, Code& code) {
        refusal = {status, std::move(detail)};
        code = http::error::bad_value;
    }

    void on_request_impl(http::verb, View method, View target, int version, Code& code) override {
        count(method.size() + target.size(), code);
        if (code) return;
        std::optional<Target> parsed = net::parse_target(target);
        if (!parsed) return refuse(400, "the target of the request is none", code);
        request.method = method;
        request.target = target;
        request.path = std::move(parsed->path);
        request.query = std::move(parsed->query);
        request.version = static_cast<unsigned>(version);
    }

    void on_field_impl(http::field field, View name, View value, Code& code) override {
        if (field == http::field::transfer_encoding) {
            if (is_header_done()) return refuse(400, "Transfer-Encoding after the body", code);
            if (request.version < 11) return refuse(400, "Transfer-Encoding in HTTP/1.0", code);
            if (!iequals(value, "chunked")) return refuse(501, "only chunked is understood", code);
        }
        Collector::on_field_impl(field, name, value, code);
    }

    void on_header_impl(Code& code) override {
        int hosts = 0;
        for (const HeaderField& field : fields) hosts += iequals(field.name, "host");
        if (hosts > 1) return refuse(400, "more than one Host", code);
        if (hosts == 0 && request.version >= 11) return refuse(400, "no Host", code);
        std::string_view expectation = header(fields, "expect");
        if (expectation.empty() || request.version < 11) return;
        if (!iequals(expectation, "100-continue")) return refuse(417, "unknown Expect", code);
        expects_continue = true;
    }
};

RequestReader::RequestReader(ParseLimits limits)
    : limits_(limits), parser_(std::make_unique<Parser>(limits)) {}
RequestReader::~RequestReader() = default;

void RequestReader::feed(std::string_view bytes) {
    if (refusal_ || bytes.empty()) return;
    pending_ += bytes;
    if (!parser_->is_done()) parse();
}

std::optional<Request> RequestReader::take() {
    if (refusal_ || !parser_->is_done()) return std::nullopt;
    Request request = parser_->take();
    parser_ = std::make_unique<Parser>(limits_);
    if (!pending_.empty()) parse();
    return request;
}

bool RequestReader::take_expectation() {
    bool waits = parser_->expects_continue && !parser_->is_done() && pending_.empty() &&
                 parser_->body.empty();
    if (waits) parser_->expects_continue = false;
    return waits;
}

bool RequestReader::untouched() const {
    return !refusal_ && !parser_->got_some() && pending_.empty();
}

void RequestReader::parse() {
    if (!parser_->got_some()) {
        // A client may send an empty line too many after a body (RFC 9112, 2.2).
        while (pending_.starts_with("\r\n")) pending_.erase(0, 2);
        if (pending_.empty() || pending_ == "\r") return;
    }
    Code code = parser_->consume(pending_);
    if (!code) return;
    if (parser_->refusal) {
        refuse(parser_->refusal->status, parser_->refusal->detail);
    } else if (code == http::error::header_limit) {
        refuse(431, "the header is larger than " + std::to_string(limits_.header) + " bytes");
    } else if (code == http::error::body_limit) {
        refuse(413, "the body is larger than " + std::to_string(limits_.body) + " bytes");
    } else if (code == http::error::bad_version) {
        refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    } else {
        refuse(400, "this is no HTTP: " + code.message());
    }
}

void RequestReader::refuse(unsigned status, std::string detail) {
    refusal_ = {status, std::move(detail)};
    pending_.clear();
    pending_.shrink_to_fit();
}

class AnswerReader::Parser final : public Collector<false> {
public:
    Parser(ParseLimits limits, const OnBody& on_body) : Collector(limits), on_body_(on_body) {
        if (on_body) body_limit(boost::none);  // nothing is kept
    }

    Answer answer;

private:
    void on_response_impl(int status, View, int, Code&) override {
        answer.status = static_cast<unsigned>(status);
    }
    void on_header_impl(Code& code) override {
        // Beast would take an unknown coding for no coding at all.
        std::string_view coding = header(fields, "transfer-encoding");
        if (!coding.empty() && !iequals(coding, "chunked"))
            code = http::error::bad_transfer_encoding;
        answer.fields = std::move(fields);
    }
    void on_piece(std::string_view piece) override {
        if (on_body_)
            on_body_(answer, piece);
        else
            answer.body += piece;
    }

    const OnBody& on_body_;
};

AnswerReader::AnswerReader(ParseLimits limits, Body body, OnBody on_body)
    : limits_(limits), body_(body), on_body_(std::move(on_body)) {
    begin();
}
AnswerReader::~AnswerReader() = default;

void AnswerReader::begin() {
    parser_ = std::make_unique<Parser>(limits_, on_body_);
    parser_->skip(body_ == Body::none);
}

std::string AnswerReader::feed(std::string_view bytes) {
    pending_ += bytes;
    while (!pending_.empty() && !done()) {
        std::size_t before = pending_.size();
        if (Code code = parser_->consume(pending_)) return code.message();
        constexpr unsigned switching_protocols = 101;
        if (done() && answer().status / 100 == 1 && answer().status != switching_protocols)
            begin();  // "100 Continue": the answer itself is still to come
        else if (pending_.size() == before)
            break;
    }
    return {};
}

std::string AnswerReader::feed_end() {
    Code code = http::error::end_of_stream;
    if (parser_->got_some()) parser_->put_eof(code);
    return code ? code.message() : std::string();
}

bool AnswerReader::done() const { return parser_->is_done(); }
bool AnswerReader::header_done() const { return parser_->is_header_done(); }
Answer& AnswerReader::answer() { return parser_->answer; }

}  // namespace conclave::net
