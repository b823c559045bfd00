// net/fuzz/http.cc -- any bytes, cut anywhere, into the readers of requests, answers and events.
//
// The first byte says how the rest is cut. What is checked besides memory: the limits hold, nothing
// comes after a refusal, and the same bytes in one piece give the same requests.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_parse.h"
#include "net/server_sent_events.h"
#include "wire/fuzz/target.h"

namespace conclave::wire::fuzz {
namespace {

using namespace conclave::net;

constexpr ParseLimits limits{.header = 512, .body = 256};

struct Read {
    std::vector<std::string> requests;
    unsigned refused = 0;
};

Read requests_of(std::string_view bytes, std::size_t step) {
    RequestReader reader(limits);
    Read read;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        std::string_view piece = bytes.substr(at, step);
        reader.feed(piece);
        require(reader.waiting() <= limits.header + piece.size(), "what waits keeps the limit");
        while (auto request = reader.take()) {
            require(request->body.size() <= limits.body, "bodies keep the limit");
            read.requests.push_back(request->method + ' ' + request->target + '\n' + request->body);
        }
        (void)reader.take_expectation();
        if (reader.refusal()) require(reader.waiting() == 0, "nothing comes after a refusal");
    }
    if (reader.refusal()) read.refused = reader.refusal()->status;
    return read;
}

void answers_of(std::string_view bytes, std::size_t step) {
    EventReader events(limits.body);
    AnswerReader endless(limits, AnswerReader::Body::expected,
                         [&events](const Answer&, std::string_view piece) {
                             (void)events.feed(piece, [](const ServerEvent&) {});
                         });
    AnswerReader whole(limits, AnswerReader::Body::expected);
    for (AnswerReader* reader : {&endless, &whole}) {
        for (std::size_t at = 0; at < bytes.size() && !reader->done(); at += step)
            if (!reader->feed(bytes.substr(at, step)).empty()) break;
        require(reader->answer().body.size() <= limits.body, "answers keep the limit");
    }
}

}  // namespace

bool examine(ByteView input) {
    if (input.empty()) return false;
    const auto first = std::to_integer<std::size_t>(input[0]);
    const std::string_view bytes(reinterpret_cast<const char*>(input.data()) + 1, input.size() - 1);
    const std::size_t step = first == 0 ? input.size() : first;
    const Read cut = requests_of(bytes, step);
    // A refusal may come earlier or later: Beast waits for the end of a header that has begun.
    const Read whole = requests_of(bytes, bytes.size() + 1);
    if (cut.refused == 0) require(cut.requests == whole.requests, "cuts change nothing");
    answers_of(bytes, step);
    return !cut.requests.empty();
}

std::vector<Seed> seeds() {
    const auto seed = [](std::string name, char step, std::string_view text) {
        Bytes bytes{static_cast<std::byte>(step)};
        for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
        return Seed{std::move(name), std::move(bytes)};
    };
    return {
        seed("get", 0, "GET /v1/groups/a%2Fb?index=4&wait=30s HTTP/1.1\r\nHost: n1\r\n\r\n"),
        seed("post", 3,
             "POST /v1/groups/g/resign HTTP/1.1\r\nHost: n1\r\nContent-Type: "
             "application/json\r\nContent-Length: 11\r\n\r\n{\"to\":\"n2\"}"),
        seed("chunked", 1,
             "POST / HTTP/1.1\r\nHost: n1\r\nTransfer-Encoding: chunked\r\n\r\n"
             "4\r\nabcd\r\n0\r\n\r\n"),
        seed("pipelined", 7, "GET / HTTP/1.1\r\nHost: n\r\n\r\nHEAD /x HTTP/1.0\r\n\r\n"),
        seed("expecting", 0,
             "PUT / HTTP/1.1\r\nHost: n\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok"),
        seed("bad-smuggled", 0,
             "POST / HTTP/1.1\r\nHost: n\r\nContent-Length: 4\r\nTransfer-Encoding: "
             "chunked\r\n\r\n0\r\n\r\n"),
        seed("bad-garbage", 5, std::string_view("\x16\x03\x01\x02\x00\x01\x00", 7)),
        seed("bad-answer", 2,
             "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 7\ndata: x\n\n"),
    };
}

}  // namespace conclave::wire::fuzz
