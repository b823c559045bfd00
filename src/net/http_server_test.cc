#include <gmock/gmock.h>
#include <sys/stat.h>

#include "net/http_kit_test.h"

namespace conclave::net {
namespace {

using testing::HasSubstr;

TEST(HttpServer, AnswersOverTcpAndOverAUnixSocket) {
    TestSite site;
    for (const std::string& address : {site.tcp, site.local}) {
        RawClient client(address);
        auto answer = client.ask(get("/hello"));
        EXPECT_EQ(answer.status, 200u);
        EXPECT_EQ(answer.header("content-type"), "text/plain");
        EXPECT_NE(answer.header("date"), "");
        EXPECT_EQ(answer.body, "hello");
    }
}

TEST(HttpServer, OnlyTheUnixSocketIsTrustedWithoutACertificate) {
    TestSite site;
    EXPECT_EQ(RawClient(site.tcp).ask(get("/trusted")).body, "no");
    EXPECT_EQ(RawClient(site.local).ask(get("/trusted")).body, "yes");
}

TEST(HttpServer, TheUnixSocketIsForOwnerAndGroup) {
    TestSite site;
    struct stat found {};
    ASSERT_EQ(::stat((site.folder.path + "/http.sock").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0660u);
}

TEST(HttpServer, ALiveUnixSocketIsRefusedAndADeadOneReplaced) {
    Folder folder;
    std::string address = "unix:" + folder.path + "/s";
    boost::asio::io_context loop;
    HttpServer second(loop, {.handler = [](const auto&) {}});
    {
        HttpServer first(loop, {.handler = [](const auto&) {}});
        ASSERT_TRUE(first.listen(address));
        auto refused = second.listen(address);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().what, address + ": cannot listen: another process listens on it");
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path + "/s"));  // a clean end leaves nothing

    int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    (folder.path + "/s").copy(name.sun_path, sizeof name.sun_path - 1);
    ASSERT_EQ(::bind(dead, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    ::close(dead);
    EXPECT_TRUE(second.listen(address));
}

TEST(HttpServer, AFileThatIsNoSocketStays) {
    Folder folder;
    std::string path = folder.path + "/precious";
    ASSERT_EQ(::close(::creat(path.c_str(), 0600)), 0);
    boost::asio::io_context loop;
    HttpServer server(loop, {.handler = [](const auto&) {}});
    EXPECT_FALSE(server.listen("unix:" + path));
    EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(HttpServer, ATakenPortAndANonsenseAddressAreNamed) {
    TestSite site;
    boost::asio::io_context loop;
    HttpServer server(loop, {.handler = [](const auto&) {}});
    auto taken = server.listen(site.tcp);
    ASSERT_FALSE(taken);
    EXPECT_THAT(taken.error().what,
                HasSubstr(site.tcp + ": cannot listen: Address already in use"));
    auto nonsense = server.listen("nonsense");
    ASSERT_FALSE(nonsense);
    EXPECT_THAT(nonsense.error().what, HasSubstr("nonsense: not an address"));
}

TEST(HttpServer, KeepsTheConnectionUntilToldToCloseIt) {
    TestSite site;
    RawClient client(site.tcp);
    EXPECT_EQ(client.ask(get("/hello")).status, 200u);
    EXPECT_EQ(client.ask(get("/hello")).header("connection"), "");
    EXPECT_EQ(client.ask(get("/hello", "Connection: close\r\n")).header("connection"), "close");
    EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, Http10ClosesUnlessAskedToStay) {
    TestSite site;
    RawClient stays(site.tcp);
    auto answer = stays.ask("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(answer.header("connection"), "keep-alive");
    EXPECT_EQ(stays.ask("GET /hello HTTP/1.0\r\n\r\n").body, "hello");
    EXPECT_TRUE(stays.closed_by_server());
}

TEST(HttpServer, PipelinedRequestsAreServedInOrderAndLateOnesHoldTheRest) {
    TestSite site;
    RawClient client(site.tcp);
    client.send(get("/groups/a/check") + get("/later") + get("/groups/b/check"));
    EXPECT_EQ(client.answer().body, "a");
    ASSERT_TRUE(site.bell.await("kept"));
    site.on_loop([&] { site.held.at(0)->respond(200, "text/plain", "late"); });
    EXPECT_EQ(client.answer().body, "late");
    EXPECT_EQ(client.answer().body, "b");
}

TEST(HttpServer, WhatWasPipelinedBeforeTheEndOfInputIsAnswered) {
    TestSite site;
    RawClient client(site.tcp);
    client.send(get("/groups/a/check") + get("/groups/b/check"));
    client.end_of_input();
    EXPECT_EQ(client.answer().body, "a");
    EXPECT_EQ(client.answer().body, "b");
    EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, BodiesComeWithALengthOrInChunks) {
    TestSite site;
    RawClient client(site.tcp);
    std::string large(1 << 20, 'x');
    EXPECT_EQ(client.ask(post("/echo", large)).body, large);
    auto answer = client.ask(
        "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Type: application/json; charset=utf-8\r\n"
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n");
    EXPECT_EQ(answer.body, "abcde");
    EXPECT_EQ(answer.header("content-type"), "application/json");
}

TEST(HttpServer, AClientThatExpectsToContinueIsToldTo) {
    TestSite site;
    RawClient client(site.tcp);
    client.send(
        "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("body");
    EXPECT_EQ(client.answer().body, "body");
}

TEST(HttpServer, HeadHasTheLengthButNoBody) {
    TestSite site;
    RawClient client(site.tcp);
    client.send("HEAD /hello HTTP/1.1\r\nHost: test\r\n\r\n" + get("/groups/next/check"));
    auto head = client.answer(AnswerReader::Body::none);
    EXPECT_EQ(head.status, 200u);
    EXPECT_EQ(head.header("content-length"), "5");
    EXPECT_EQ(client.answer().body, "next");
}

TEST(HttpServer, UnknownPathsAndMethodsAreProblems) {
    TestSite site;
    RawClient client(site.tcp);
    auto nothing = client.ask(get("/nowhere"));
    EXPECT_EQ(nothing.status, 404u);
    EXPECT_EQ(nothing.header("content-type"), "application/problem+json");
    EXPECT_EQ(nothing.body, R"({"type":"about:blank","title":"Not found","status":404,)"
                            R"("detail":"there is nothing at /nowhere"})");
    auto wrong = client.ask(post("/hello", "x"));
    EXPECT_EQ(wrong.status, 405u);
    EXPECT_EQ(wrong.header("allow"), "GET, HEAD, OPTIONS");
    auto options = client.ask("OPTIONS /echo HTTP/1.1\r\nHost: test\r\n\r\n");
    EXPECT_EQ(options.status, 204u);
    EXPECT_EQ(options.header("allow"), "OPTIONS, POST");
    EXPECT_EQ(client.ask("OPTIONS * HTTP/1.1\r\nHost: test\r\n\r\n").header("allow"),
              "GET, HEAD, OPTIONS, POST");
}

TEST(HttpServer, ParametersAreDecodedSegmentBySegment) {
    TestSite site;
    EXPECT_EQ(RawClient(site.tcp).ask(get("/groups/a%2Fb%20c/check?x=1")).body, "a/b c");
}

TEST(HttpServer, AHandlerThatThrowsOrForgetsIsA500AndTheServerLives) {
    TestSite site;
    RawClient client(site.tcp);
    EXPECT_EQ(client.ask(get("/throws")).status, 500u);
    EXPECT_EQ(client.ask(get("/forgets")).status, 500u);
    EXPECT_EQ(client.ask(get("/hello")).status, 200u);
    EXPECT_TRUE(site.bell.await("throws 500"));
    EXPECT_TRUE(site.bell.await("hello 200"));
}

TEST(HttpServer, ALineBreakInAFieldIsA500AndForgesNothing) {
    TestSite site;
    site.on_loop([&] {
        site.router.add("GET /moved/{to}", "moved", [](const std::shared_ptr<Exchange>& exchange) {
            exchange->header("Location", exchange->request().parameters.at("to"));
            exchange->respond(302, "", "");
        });
    });
    Answer answer = RawClient(site.tcp).ask(get("/moved/x%0D%0AForged:%20yes"));
    EXPECT_EQ(answer.status, 500u);
    EXPECT_EQ(answer.header("forged"), "");
}

TEST(HttpServer, ALongPollIsAnsweredLaterOrToldThatTheClientHasLeft) {
    TestSite site;
    RawClient patient(site.tcp), hasty(site.tcp);
    patient.send(get("/later"));
    ASSERT_TRUE(site.bell.await("kept"));
    hasty.send(get("/later"));
    ASSERT_TRUE(site.bell.await("kept", 2));
    hasty.close();
    ASSERT_TRUE(site.bell.await("gone"));
    EXPECT_TRUE(site.bell.await("later 499"));
    site.on_loop([&] {
        EXPECT_TRUE(site.held.at(1)->gone());
        site.held.at(1)->respond(200, "text/plain", "to nobody");
        site.held.at(0)->respond(200, "text/plain", "news");
    });
    EXPECT_EQ(patient.answer().body, "news");
}

TEST(HttpServer, AStreamSendsEventsAsTheyHappen) {
    TestSite site;
    RawClient client(site.tcp);
    client.send(get("/events"));
    ASSERT_TRUE(site.bell.await("kept"));
    site.on_loop([&] { EXPECT_TRUE(site.held.at(0)->event({"7", "leader", "two\nlines"})); });
    EXPECT_THAT(client.read_until("lines\n\n"),
                HasSubstr("id: 7\nevent: leader\ndata: two\ndata: lines\n\n"));
    site.on_loop([&] { site.held.at(0)->event({"8", "", "more"}); });
    EXPECT_THAT(client.read_until("more\n\n"), HasSubstr("id: 8\ndata: more\n\n"));
    client.close();
    ASSERT_TRUE(site.bell.await("gone"));
    site.on_loop([&] { EXPECT_FALSE(site.held.at(0)->event({"9", "", "too late"})); });
}

TEST(HttpServer, AStreamThatIsLetGoOfEndsAndTheConnectionGoesOn) {
    TestSite site;
    RawClient client(site.tcp);
    client.send(get("/events"));
    ASSERT_TRUE(site.bell.await("kept"));
    site.on_loop([&] {
        site.held.at(0)->event({"", "", "only"});
        site.held.at(0)->on_gone({});
        site.held.clear();
    });
    EXPECT_EQ(client.answer().body, "data: only\n\n");
    EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST(HttpServer, AQuietStreamIsPinged) {
    TestSite site({.ping = 20ms});
    RawClient client(site.tcp);
    client.send(get("/events"));
    EXPECT_THAT(client.read_until(":\n\n"), HasSubstr("3\r\n:\n\n\r\n"));
}

TEST(HttpServer, HeadOfAStreamEndsAtOnce) {
    TestSite site;
    RawClient client(site.tcp);
    client.send("HEAD /events HTTP/1.1\r\nHost: test\r\n\r\n" + get("/hello"));
    EXPECT_EQ(client.answer(AnswerReader::Body::none).header("content-type"), "text/event-stream");
    EXPECT_EQ(client.answer().body, "hello");
}

TEST(HttpServer, AConnectionCanBeUpgradedAndSpeaksHttpNoMore) {
    TestSite site;
    RawClient client(site.local);
    const auto answer = client.ask(get("/upgrade"));
    EXPECT_EQ(answer.status, 101u);
    EXPECT_EQ(answer.header("upgrade"), "echo");
    ASSERT_TRUE(client.send("GET / HTTP/1.1"));
    EXPECT_EQ(client.read_until("1.1"), "GET / HTTP/1.1");
    ASSERT_TRUE(client.send("end"));
    EXPECT_TRUE(client.closed_by_server());
    EXPECT_TRUE(site.bell.await("gone"));
    site.on_loop([&] { site.held.clear(); });
}

TEST(HttpServer, WhoSpeaksBeforeItIsUpgradedIsCutOff) {
    TestSite site;
    RawClient client(site.local);
    ASSERT_TRUE(client.send(get("/upgrade") + "too early"));
    EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, AnUpgradedClientThatReadsNothingIsCutOff) {
    TestSite site({.backlog = 1 << 16});
    RawClient client(site.local);
    EXPECT_EQ(client.ask(get("/upgrade")).status, 101u);
    const std::string piece(1 << 14, 'x');
    while (client.send(piece)) continue;
    EXPECT_TRUE(site.bell.await("gone"));
}

TEST(HttpServer, StoppingTellsThoseWhoWait) {
    TestSite site;
    RawClient client(site.tcp);
    client.send(get("/later"));
    ASSERT_TRUE(site.bell.await("kept"));
    site.on_loop([&] { site.server->stop(); });
    EXPECT_TRUE(site.bell.await("gone"));
    EXPECT_TRUE(client.closed_by_server());
}

}  // namespace
}  // namespace conclave::net
