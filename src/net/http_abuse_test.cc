#include <gmock/gmock.h>
#include <sys/resource.h>

#include "net/http_kit_test.h"

namespace conclave::net {
namespace {

using testing::HasSubstr;

unsigned status_of(TestSite& site, std::string_view bytes) {
    RawClient client(site.tcp);
    client.send(bytes);
    auto answer = client.answer();
    EXPECT_TRUE(client.closed_by_server()) << bytes;
    return answer.status;
}

bool await_connections(TestSite& site, std::size_t count) {
    auto end = std::chrono::steady_clock::now() + patience;
    while (site.on_loop([&] { return site.server->connections(); }) != count)
        if (std::chrono::steady_clock::now() > end) return false;
    return true;
}

TEST(HttpAbuse, GarbageIsA400AndTheEnd) {
    TestSite site({.linger = 50ms});
    EXPECT_EQ(status_of(site, "\x16\x03\x01\x02 not http at all\r\n\r\n"), 400u);
    EXPECT_EQ(status_of(site, "GET\r\n\r\n"), 400u);
    EXPECT_EQ(status_of(site, "GET /bad%zz HTTP/1.1\r\nHost: t\r\n\r\n"), 400u);
    EXPECT_EQ(status_of(site, "GET /bad%ff HTTP/1.1\r\nHost: t\r\n\r\n"), 400u);
    EXPECT_EQ(status_of(site, "CONNECT host:443 HTTP/1.1\r\nHost: t\r\n\r\n"), 400u);
    EXPECT_EQ(status_of(site, "GET / HTTP/1.1\r\n\r\n"), 400u);
    EXPECT_EQ(status_of(site, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400u);
    EXPECT_EQ(status_of(site, "GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400u);
    EXPECT_EQ(status_of(site, "GET / HTTP/3.0\r\nHost: a\r\n\r\n"), 505u);
    EXPECT_EQ(RawClient(site.tcp).ask(get("/hello")).status, 200u);
}

TEST(HttpAbuse, TwoLengthsOfOneBodyAreRefused) {
    TestSite site({.linger = 50ms});
    auto smuggle = [&](const std::string& fields) {
        return status_of(
            site, "POST /echo HTTP/1.1\r\nHost: t\r\n" + fields + "\r\n0\r\n\r\n" + get("/hello"));
    };
    EXPECT_EQ(smuggle("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400u);
    EXPECT_EQ(smuggle("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400u);
    EXPECT_EQ(smuggle("Content-Length: 5\r\nContent-Length: 6\r\n"), 400u);
    EXPECT_EQ(smuggle("Content-Length: -1\r\n"), 400u);
    EXPECT_EQ(smuggle("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400u);
    EXPECT_EQ(smuggle("Transfer-Encoding: gzip\r\n"), 501u);
    EXPECT_EQ(smuggle("Transfer-Encoding: chunked, identity\r\n"), 501u);
    EXPECT_EQ(status_of(site, "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400u);
}

TEST(HttpAbuse, ABodyThatIsTooLargeIsA413BeforeItHasCome) {
    TestSite site({.parse = {.header = 16 << 10, .body = 1000}, .linger = 50ms});
    EXPECT_EQ(status_of(site,
                        "POST /echo HTTP/1.1\r\nHost: t\r\n"
                        "Content-Length: 18446744073709551615\r\n\r\n"),
              413u);
    EXPECT_EQ(status_of(site,
                        "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "ffffffff\r\n"),
              413u);
    EXPECT_EQ(status_of(site,
                        "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1001\r\n"
                        "Expect: 100-continue\r\n\r\n"),
              413u);
    EXPECT_EQ(RawClient(site.tcp).ask(post("/echo", std::string(1000, 'x'))).status, 200u);
}

TEST(HttpAbuse, AnEndlessHeaderIsCutOff) {
    TestSite site({.linger = 50ms});
    const std::pair<std::string, std::string> endless[] = {
        {"GET /", std::string(65536, 'a')},
        {"GET / HTTP/1.1\r\nHost: t\r\nX: ", std::string(65536, 'a')},
        {"GET / HTTP/1.1\r\nHost: t\r\n", "A: b\r\n"},  // each field is short, there is no end
        {"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "A: b\r\n"},
        {"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5;x=",
         std::string(65536, 'a')},
    };
    for (const auto& [start, more] : endless) {
        RawClient client(site.tcp);
        client.send(start);
        std::size_t gigabyte = 1 << 30, sent = 0;
        while (sent < gigabyte && client.send(more)) sent += more.size();
        EXPECT_LT(sent, gigabyte) << start;
    }
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(site.bell.await("none 431", i + 1));
}

TEST(HttpAbuse, TheLimitOfTheHeaderIsExact) {
    TestSite site({.parse = {.header = 200, .body = 1000}, .linger = 50ms});
    EXPECT_EQ(RawClient(site.tcp).ask(get("/hello", "X: " + std::string(150, 'x') + "\r\n")).status,
              200u);
    EXPECT_EQ(status_of(site, get("/hello", "X: " + std::string(200, 'x') + "\r\n")), 431u);
}

TEST(HttpAbuse, ASlowClientIsCutOffWhileOthersAreServed) {
    TestSite site({.request = 500ms, .linger = 50ms});
    for (const std::string& request : {get("/hello"), post("/echo", "a body that comes slowly")}) {
        RawClient slow(site.tcp);
        slow.send(request.substr(0, request.size() - 4));
        EXPECT_EQ(RawClient(site.tcp).ask(get("/hello")).status, 200u);
        EXPECT_EQ(slow.answer().status, 408u);
        EXPECT_TRUE(slow.closed_by_server());
    }
}

TEST(HttpAbuse, EveryByteDoesNotBuyMoreTime) {
    TestSite site({.request = 500ms, .linger = 50ms});
    RawClient slow(site.tcp);
    slow.send("GET / HTTP/1.1\r\nX: ");
    auto start = std::chrono::steady_clock::now();
    while (slow.send("x") && std::chrono::steady_clock::now() - start < patience)
        RawClient(site.tcp).ask(get("/hello"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, patience);
    EXPECT_TRUE(site.bell.await("none 408"));
}

TEST(HttpAbuse, ASilentNewcomerAndAnIdleClientAreClosed) {
    TestSite site({.request = 300ms, .idle = 300ms});
    RawClient silent(site.tcp), idle(site.tcp);
    EXPECT_EQ(idle.ask(get("/hello")).status, 200u);
    EXPECT_TRUE(silent.closed_by_server());
    EXPECT_TRUE(idle.closed_by_server());
}

TEST(HttpAbuse, AnIdleClientMayStayLongerThanARequestMayTake) {
    TestSite site({.request = 300ms});
    RawClient idle(site.tcp), silent(site.tcp);
    EXPECT_EQ(idle.ask(get("/hello")).status, 200u);
    EXPECT_TRUE(silent.closed_by_server());  // more than the time for a request has passed
    EXPECT_EQ(idle.ask(get("/hello")).status, 200u);
}

TEST(HttpAbuse, HalfAHeaderAndGoneLeavesNothing) {
    TestSite site;
    {
        RawClient client(site.tcp);
        client.send("GET /hello HTTP/1.1\r\nHo");
        ASSERT_TRUE(await_connections(site, 1));
    }
    EXPECT_TRUE(await_connections(site, 0));
}

TEST(HttpAbuse, TwoThousandSilentConnectionsDoNotKeepAnybodyOut) {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < 4096) GTEST_SKIP() << "too few file descriptors for the test itself";
    TestSite site;
    std::vector<std::unique_ptr<RawClient>> crowd;
    for (int i = 0; i < 2000; ++i) crowd.push_back(std::make_unique<RawClient>(site.tcp));
    EXPECT_EQ(RawClient(site.tcp).ask(get("/hello")).status, 200u);
    EXPECT_LE(site.on_loop([&] { return site.server->connections(); }), 1000u);
    EXPECT_TRUE(crowd.front()->closed_by_server());  // the longest idle one had to go
    EXPECT_EQ(crowd.back()->ask(get("/hello")).status, 200u);
}

TEST(HttpAbuse, WhenNobodyIsIdleTheNewcomerIsTurnedAway) {
    TestSite site({.connections = 2, .linger = 50ms});
    RawClient first(site.tcp), second(site.tcp);
    first.send(get("/later"));
    second.send(get("/later"));
    ASSERT_TRUE(site.bell.await("kept", 2));
    RawClient third(site.tcp);
    EXPECT_EQ(third.answer().status, 503u);
    EXPECT_TRUE(third.closed_by_server());
    first.close();
    ASSERT_TRUE(site.bell.await("gone"));
    ASSERT_TRUE(await_connections(site, 1));
    EXPECT_EQ(RawClient(site.tcp).ask(get("/hello")).status, 200u);
}

// The one that has taken longest is cut off: whoever comes next needs only a moment.
TEST(HttpAbuse, RequestsThatDoNotEndMakeRoomForTheNext) {
    TestSite site({.connections = 2});
    RawClient first(site.tcp), second(site.tcp);
    for (RawClient* slow : {&first, &second}) {
        slow->send(
            "GET /hello HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
        EXPECT_NE(slow->read_until("100 Continue").find("100 Continue"), std::string::npos);
    }
    EXPECT_EQ(RawClient(site.tcp).ask(get("/hello")).status, 200u);
    EXPECT_TRUE(first.closed_by_server());
    second.send("x");
    EXPECT_NE(second.read_until("200 OK").find("200 OK"), std::string::npos);
}

TEST(HttpAbuse, WhoSitsAtTheMachineGetsInThoughThePortIsFull) {
    TestSite site({.connections = 2, .linger = 50ms});
    RawClient first(site.tcp), second(site.tcp);
    first.send(get("/later"));
    second.send(get("/later"));
    ASSERT_TRUE(site.bell.await("kept", 2));
    EXPECT_EQ(RawClient(site.tcp).answer().status, 503u);
    EXPECT_EQ(RawClient(site.local).ask(get("/hello")).status, 200u);
}

TEST(HttpAbuse, AStreamNobodyReadsIsClosed) {
    TestSite site({.backlog = 100'000});
    RawClient client(site.tcp);
    client.send(get("/events"));
    ASSERT_TRUE(site.bell.await("kept"));
    std::string data(10'000, 'x');
    bool gone = false;
    for (int i = 0; i < 10'000 && !gone; ++i)
        gone = site.on_loop([&] { return !site.held.at(0)->event({"", "", data}); });
    EXPECT_TRUE(gone);
    EXPECT_TRUE(site.bell.await("gone"));
}

TEST(HttpAbuse, AStreamThatTakesNothingForTooLongIsClosedEvenIfLittleIsSaid) {
    TestSite site({.backlog = 64 << 20, .write = 100ms, .ping = 20ms});
    RawClient client(site.tcp);
    client.send(get("/events"));
    ASSERT_TRUE(site.bell.await("kept"));
    site.on_loop([&] { site.held.at(0)->event({"", "", std::string(32 << 20, 'x')}); });
    EXPECT_TRUE(site.bell.await("gone"));
}

TEST(HttpAbuse, WhoAsksWithoutReadingGetsNoMoreAnswersMade) {
    TestSite site({.write = 200ms});
    std::atomic<int> made = 0;
    site.on_loop([&] {
        site.router.add("GET /large", "large", [&](const std::shared_ptr<Exchange>& exchange) {
            ++made;
            exchange->respond(200, "text/plain", std::string(1 << 20, 'x'));
        });
    });
    RawClient client(site.tcp);
    for (int i = 0; i < 300; ++i) client.send(get("/large"));
    ASSERT_TRUE(site.bell.await("large 200"));
    ASSERT_TRUE(await_connections(site, 0));  // nothing was read for too long
    EXPECT_LT(made, 50);
}

}  // namespace
}  // namespace conclave::net
