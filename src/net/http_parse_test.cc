#include "net/http_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_endpoint.h"
#include "net/http_target.h"
#include "net/server_sent_events.h"

namespace conclave::net {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(HttpTarget, IsSplitBeforeItIsDecoded) {
    EXPECT_THAT(parse_target("/a/b%2Fc/%C3%A9")->path, ElementsAre("a", "b/c", "é"));
    EXPECT_THAT(parse_target("/")->path, ElementsAre());
    EXPECT_THAT(parse_target("/a/")->path, ElementsAre("a", ""));
    EXPECT_THAT(parse_target("http://host:80/a?b")->path, ElementsAre("a"));
    EXPECT_THAT(parse_target("/?a=1+2&b=%26&&c&a=9&d=x+y%2B")->query,
                ElementsAre(Pair("a", "1 2"), Pair("b", "&"), Pair("c", ""), Pair("d", "x y+")));
}

TEST(HttpTarget, WhatCannotBeANameIsNone) {
    for (std::string_view text : {"", "a", "/%", "/%1", "/%gg", "/%00", "/%ff", "/%C0%80", "/?%f8",
                                  "/%ED%A0%80", "/%F4%90%80%80", "/%E2%82", "/\xC3\xA9", "/a b"})
        EXPECT_FALSE(parse_target(text)) << text;
}

TEST(HttpTarget, EncodingIsUndoneByParsing) {
    std::string name;
    for (int c = 1; c < 128; ++c) name += static_cast<char>(c);
    EXPECT_THAT(parse_target('/' + percent_encoded(name))->path, ElementsAre(name));
}

TEST(HttpEndpoint, FormsAndWhatIsNone) {
    EXPECT_EQ(parse_http_endpoint("unix:/run/x.sock")->path, "/run/x.sock");
    auto v6 = parse_http_endpoint("[::1]:80");
    EXPECT_EQ(v6->host, "::1");
    EXPECT_EQ(v6->port, "80");
    auto secure = parse_http_endpoint("https://n1.example/");
    EXPECT_TRUE(secure->secure);
    EXPECT_EQ(secure->host, "n1.example");
    EXPECT_EQ(secure->port, "443");
    EXPECT_EQ(parse_http_endpoint("http://h:8080")->port, "8080");
    for (std::string_view text : {"", "host", "host:", ":80", "host:x", "host:70000", "unix:x",
                                  "[::1:80", "[::1]x:80", "http://", "http://a/b", "http://u@h"})
        EXPECT_FALSE(parse_http_endpoint(text)) << text;
    EXPECT_FALSE(parse_http_endpoint("unix:/" + std::string(200, 'x')));
}

// Everything at once, or byte by byte: the requests must be the same.
std::vector<Request> requests_of(std::string_view bytes, std::size_t step) {
    RequestReader reader({});
    std::vector<Request> requests;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        reader.feed(bytes.substr(at, step));
        while (auto request = reader.take()) requests.push_back(*std::move(request));
    }
    EXPECT_FALSE(reader.refusal());
    EXPECT_TRUE(reader.untouched());
    return requests;
}

TEST(RequestReader, SameRequestsHoweverTheyAreCut) {
    std::string bytes =
        "POST /a?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc\r\n"
        "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        "1\r\nx\r\n2\r\nyz\r\n0\r\nT: t\r\n\r\n"
        "GET /d HTTP/1.0\r\n\r\n";
    for (std::size_t step = 1; step <= bytes.size(); ++step) {
        std::vector<Request> requests = requests_of(bytes, step);
        ASSERT_EQ(requests.size(), 4u) << step;
        EXPECT_EQ(requests[0].body, "abc");
        EXPECT_EQ(requests[0].query.at("x"), "1");
        EXPECT_EQ(requests[1].body, "");
        EXPECT_EQ(requests[2].body, "xyz");
        EXPECT_EQ(requests[2].header("t"), "");
        EXPECT_TRUE(requests[2].keep_alive);
        EXPECT_FALSE(requests[3].keep_alive);
    }
}

TEST(RequestReader, AnExpectationIsTakenOnce) {
    RequestReader reader({});
    reader.feed("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n");
    EXPECT_TRUE(reader.take_expectation());
    EXPECT_FALSE(reader.take_expectation());
    reader.feed("x");
    EXPECT_EQ(reader.take()->body, "x");
}

TEST(RequestReader, AnUnknownExpectationIsRefused) {
    RequestReader reader({});
    reader.feed("GET / HTTP/1.1\r\nHost: h\r\nExpect: the unexpected\r\n\r\n");
    ASSERT_TRUE(reader.refusal());
    EXPECT_EQ(reader.refusal()->status, 417u);
}

TEST(AnswerReader, PassesOverContinueAndReadsToTheEnd) {
    AnswerReader reader({}, AnswerReader::Body::expected);
    EXPECT_EQ(reader.feed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nabc"), "");
    EXPECT_FALSE(reader.done());
    EXPECT_EQ(reader.feed_end(), "");
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(reader.answer().status, 200u);
    EXPECT_EQ(reader.answer().body, "abc");
}

TEST(AnswerReader, AnAnswerThatBreaksOffOrIsTooLargeIsWrong) {
    AnswerReader cut({}, AnswerReader::Body::expected);
    EXPECT_EQ(cut.feed("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), "");
    EXPECT_NE(cut.feed_end(), "");
    AnswerReader large({.header = 100, .body = 8}, AnswerReader::Body::expected);
    EXPECT_NE(large.feed("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), "");
    AnswerReader silent({}, AnswerReader::Body::expected);
    EXPECT_NE(silent.feed_end(), "");
}

std::vector<ServerEvent> events_of(std::string_view text, std::size_t step) {
    EventReader reader(1000);
    std::vector<ServerEvent> events;
    for (std::size_t at = 0; at < text.size(); at += step)
        EXPECT_TRUE(reader.feed(text.substr(at, step),
                                [&](const ServerEvent& event) { events.push_back(event); }));
    return events;
}

TEST(ServerSentEvents, WhatIsWrittenIsReadHoweverItIsCut) {
    std::string text = event_text({"1", "leader", "two\nlines"}) + ":comment\n\n" +
                       "data:x\r\ndata\r\n\r\nid\rdata: y\r\rretry: 5\n\nevent: only\n\n";
    for (std::size_t step = 1; step <= text.size(); ++step) {
        auto events = events_of(text, step);
        ASSERT_EQ(events.size(), 3u) << step;
        EXPECT_EQ(events[0].id, "1");
        EXPECT_EQ(events[0].name, "leader");
        EXPECT_EQ(events[0].data, "two\nlines");
        EXPECT_EQ(events[1].id, "1");  // the last one stays
        EXPECT_EQ(events[1].name, "");
        EXPECT_EQ(events[1].data, "x\n");
        EXPECT_EQ(events[2].id, "");
        EXPECT_EQ(events[2].data, "y");
    }
}

TEST(ServerSentEvents, AnEndlessLineIsRefused) {
    EventReader reader(1000);
    EXPECT_FALSE(reader.feed("data: " + std::string(2000, 'x'), [](const ServerEvent&) {}));
}

}  // namespace
}  // namespace conclave::net
