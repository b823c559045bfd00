// net/http_parse.h -- bytes to requests, and bytes to answers, without a socket.
//
// Built on Beast's parser; what Beast leaves open is closed here: the header is limited as a whole
// (Beast limits only what is not yet parsed, so endless small fields would pass), only one coding
// of the body is known, and both Content-Length and Transfer-Encoding, a coding Beast would skip
// over, no Host or two are refused: each is a way to smuggle a request past a proxy.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "net/http_message.h"

namespace conclave::net {

struct ParseLimits {
    std::size_t header = 16 << 10;  // request line and fields
    std::size_t body = 1 << 20;
};

struct Refusal {  // of a request that cannot be understood: the connection ends after the answer
    unsigned status = 0;
    std::string detail;
};

class RequestReader {
public:
    explicit RequestReader(ParseLimits limits);
    ~RequestReader();

    // Bytes as they come, of any number of requests; ignored after a refusal.
    void feed(std::string_view bytes);
    // The next request if it is complete. The ones behind it wait for the next call.
    [[nodiscard]] std::optional<Request> take();

    const std::optional<Refusal>& refusal() const { return refusal_; }
    // True once per request that waits for "100 Continue" before it sends its body.
    [[nodiscard]] bool take_expectation();
    bool untouched() const;  // not one byte of a next request has come
    // How many bytes wait behind a complete request: who feeds must stop at some point.
    std::size_t waiting() const { return pending_.size(); }

private:
    class Parser;
    void parse();
    void refuse(unsigned status, std::string detail);

    ParseLimits limits_;
    std::string pending_;  // not yet parsed
    std::unique_ptr<Parser> parser_;
    std::optional<Refusal> refusal_;
};

class AnswerReader {
public:
    enum class Body { expected, none };  // none: the answer to a HEAD
    // Gets the status and then the body piece by piece, as an endless answer needs it.
    using OnBody = std::function<void(const Answer& head, std::string_view piece)>;

    AnswerReader(ParseLimits limits, Body body, OnBody on_body = {});
    ~AnswerReader();

    // Both return what is wrong with the bytes, or an empty text.
    [[nodiscard]] std::string feed(std::string_view bytes);
    [[nodiscard]] std::string feed_end();

    bool done() const;
    bool header_done() const;
    bool streams() const { return static_cast<bool>(on_body_); }
    Answer& answer();                                   // complete once done()
    std::string rest() { return std::move(pending_); }  // what came behind it

private:
    class Parser;
    void begin();

    ParseLimits limits_;
    Body body_;
    OnBody on_body_;
    std::string pending_;
    std::unique_ptr<Parser> parser_;
};

}  // namespace conclave::net
