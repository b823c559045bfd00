#include "net/http_client.h"

#include <gmock/gmock.h>

#include "net/event_source.h"
#include "net/http_kit_test.h"

namespace conclave::net {
namespace {

using testing::HasSubstr;

ClientOptions to(const std::vector<std::string>& endpoints) {
    auto parsed = parse_http_endpoints(endpoints);
    EXPECT_TRUE(parsed);
    return {.endpoints = *parsed};
}

Failure failure_of(const Outcome& outcome) {
    const Failure* failure = std::get_if<Failure>(&outcome);
    EXPECT_TRUE(failure) << "answered " << std::get<Answer>(outcome).status;
    return failure ? *failure : Failure{};
}

Answer answer_of(const Outcome& outcome) {
    const Answer* answer = std::get_if<Answer>(&outcome);
    EXPECT_TRUE(answer) << std::get<Failure>(outcome).what;
    return answer ? *answer : Answer{};
}

class Listener {  // a port on which nobody speaks HTTP
public:
    explicit Listener(std::string says) : says_(std::move(says)) {
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
        EXPECT_EQ(::listen(socket_, 8), 0);
        socklen_t size = sizeof name;
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&name), &size);
        address = "http://127.0.0.1:" + std::to_string(ntohs(name.sin_port));
        if (!says_.empty()) thread_ = std::thread([this] { speak(); });
    }
    ~Listener() {
        if (thread_.joinable()) thread_.join();
        ::close(socket_);
    }
    std::string address;

private:
    void speak() {
        int client = ::accept(socket_, nullptr, nullptr);
        char request[4096];
        if (::recv(client, request, sizeof request, 0) > 0)
            ::send(client, says_.data(), says_.size(), MSG_NOSIGNAL);
        ::close(client);
    }
    std::string says_;
    int socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    std::thread thread_;
};

// A port that was free a moment ago.
std::string nobody() { return Listener("").address; }

TEST(HttpClient, AsksOverTcpAndUnixSockets) {
    TestSite site;
    for (const std::string& endpoint : {site.local, "http://" + site.tcp, site.tcp}) {
        Answer answer = answer_of(ask(to({endpoint}), {.target = "/hello"}, patience));
        EXPECT_EQ(answer.status, 200u);
        EXPECT_EQ(answer.body, "hello");
    }
}

TEST(HttpClient, SendsABodyAndReadsHeadWithoutOne) {
    TestSite site;
    std::string large(900'000, 'x');
    Answer echo = answer_of(
        ask(to({site.tcp}), {.method = "POST", .target = "/echo", .body = large}, patience));
    EXPECT_EQ(echo.body, large);
    EXPECT_EQ(echo.header("Content-Type"), "application/json");
    Answer head = answer_of(ask(to({site.tcp}), {.method = "HEAD", .target = "/hello"}, patience));
    EXPECT_EQ(head.status, 200u);
    EXPECT_EQ(head.body, "");
}

TEST(HttpClient, ReadsTheRefusalOfABodyThatIsTooLarge) {
    TestSite site;
    Call call{.method = "POST", .target = "/echo", .body = std::string(20 << 20, 'x')};
    EXPECT_EQ(answer_of(ask(to({site.tcp}), call, patience)).status, 413u);
}

TEST(HttpClient, FindsTheFirstEndpointThatAnswers) {
    TestSite site;
    auto options =
        to({"unix:/nonexistent/socket", nobody(), "http://localhost:" + site.tcp.substr(10)});
    EXPECT_EQ(
        answer_of(ask(options, {.method = "POST", .target = "/echo", .body = "x"}, patience)).body,
        "x");
}

TEST(HttpClient, NamesEveryEndpointThatFailed) {
    std::string closed = nobody();
    Failure failure = failure_of(ask(to({"unix:/nonexistent/socket", closed}), {}, patience));
    EXPECT_EQ(failure.trouble, Trouble::unreachable);
    EXPECT_FALSE(failure.sent);
    EXPECT_EQ(failure.what, "unix:/nonexistent/socket: No such file or directory; " + closed +
                                ": Connection refused");
}

TEST(HttpClient, ASilentServerIsATimeoutAndThePostMayHaveBeenDone) {
    TestSite site;
    Failure failure = failure_of(ask(to({site.local, site.tcp}), {.target = "/later"}, 100ms));
    EXPECT_EQ(failure.trouble, Trouble::timeout);
    EXPECT_TRUE(failure.sent);
    EXPECT_THAT(failure.what, HasSubstr(site.local + ": no answer within "));
    EXPECT_TRUE(site.bell.await("later 499"));
}

// Its connections are accepted, by the kernel.
TEST(HttpClient, WhoHangsIsNotWaitedForIfAnotherAnswers) {
    TestSite site;
    Listener hung("");
    ClientOptions options = to({hung.address, site.tcp});
    options.turn = 20ms;
    EXPECT_EQ(answer_of(ask(options, {.target = "/hello"}, patience)).body, "hello");
    const Call order{.method = "POST", .target = "/echo", .body = "x"};
    EXPECT_EQ(answer_of(ask(options, order, patience)).body, "x");
}

TEST(HttpClient, AnOrderIsGivenOnceHoweverManyWouldTakeIt) {
    TestSite first, second;
    Listener hung("");
    ClientOptions options = to({hung.address, first.tcp, second.tcp});
    options.turn = 20ms;
    const Call order{.method = "POST", .target = "/echo", .body = "x"};
    EXPECT_EQ(answer_of(ask(options, order, patience)).body, "x");
    first.on_loop([] {});  // whatever was on its way has been counted
    second.on_loop([] {});
    EXPECT_EQ(first.bell.times("echo 200") + second.bell.times("echo 200"), 1);
}

TEST(HttpClient, WhoIsSlowMayStillBeTheFirstToAnswer) {
    TestSite slow, slower;
    ClientOptions options = to({slow.tcp, slower.tcp});
    options.turn = 20ms;
    std::jthread story([&] {
        slow.bell.await("kept");
        slower.bell.await("kept");  // that one was asked as well
        slow.on_loop([&] { slow.held.at(0)->respond(200, "text/plain", "slow"); });
    });
    EXPECT_EQ(answer_of(ask(options, {.target = "/later"}, patience)).body, "slow");
    EXPECT_TRUE(slower.bell.await("gone"));  // and is let go of
}

// Only when it should have been answered.
TEST(HttpClient, ALongPollIsLeftToWhoWasAsked) {
    TestSite first, other;
    ClientOptions options = to({first.tcp, other.tcp});
    options.turn = 20ms;
    std::jthread story([&] {
        first.bell.await("kept");
        std::this_thread::sleep_for(200ms);  // ten turns
        first.on_loop([&] { first.held.at(0)->respond(200, "text/plain", "news"); });
    });
    const Call poll{.target = "/later", .takes = 10s};
    EXPECT_EQ(answer_of(ask(options, poll, patience)).body, "news");
    EXPECT_EQ(other.bell.times("kept"), 0);
}

TEST(HttpClient, ALongPollOfWhoHangsIsAskedOfAnother) {
    TestSite site;
    Listener hung("");
    ClientOptions options = to({hung.address, site.tcp});
    options.turn = 20ms;
    EXPECT_EQ(answer_of(ask(options, {.target = "/hello", .takes = 50ms}, patience)).body, "hello");
}

TEST(HttpClient, IfAllHangTheTimeIsUpForAll) {
    Listener one(""), other("");
    ClientOptions options = to({one.address, other.address});
    options.turn = 20ms;
    const Failure failure = failure_of(ask(options, {.method = "POST", .body = "x"}, 200ms));
    EXPECT_EQ(failure.trouble, Trouble::timeout);
    EXPECT_FALSE(failure.sent);  // the order was given to nobody
    EXPECT_THAT(failure.what, HasSubstr(one.address + ": no answer within "));
    EXPECT_THAT(failure.what, HasSubstr(other.address + ": no answer within "));
}

TEST(PatienceWithEndpoints, GrowsWhenNobodyAnswersAndIsWholeForTheOnlyOne) {
    Patience several(3, 1s, 5s), alone(1, 1s, 5s);
    EXPECT_EQ(several.now(), 1s);
    several.in_vain();
    EXPECT_EQ(several.now(), 2s);
    several.in_vain();
    several.in_vain();
    EXPECT_EQ(several.now(), 5s);
    several.rewarded();
    EXPECT_EQ(several.now(), 1s);
    EXPECT_EQ(alone.now(), 5s);
}

TEST(HttpClient, GarbageAndAnEarlyEndAreBadAnswers) {
    Listener garbage("SSH-2.0-OpenSSH\r\n\r\n");
    Failure failure = failure_of(ask(to({garbage.address}), {}, patience));
    EXPECT_EQ(failure.trouble, Trouble::bad_answer);
    EXPECT_THAT(failure.what, HasSubstr(garbage.address + ": the answer is no HTTP"));
    Listener hasty("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort");
    failure = failure_of(ask(to({hasty.address}), {}, patience));
    EXPECT_EQ(failure.trouble, Trouble::bad_answer);
    EXPECT_THAT(failure.what, HasSubstr("breaks off"));
}

TEST(HttpClient, OnlyAHarmlessCallGoesOnAfterABadAnswer) {
    TestSite site;
    Listener first("nonsense\r\n\r\n"), second("nonsense\r\n\r\n");
    EXPECT_EQ(answer_of(ask(to({first.address, site.tcp}), {.target = "/hello"}, patience)).status,
              200u);
    Call call{.method = "POST", .target = "/echo", .body = "x"};
    Failure failure = failure_of(ask(to({second.address}), call, patience));
    EXPECT_EQ(failure.trouble, Trouble::bad_answer);
    EXPECT_TRUE(failure.sent);
}

TEST(HttpClient, AnUnknownNameIsUnreachable) {
    Failure failure = failure_of(ask(to({"http://does-not-exist.invalid:1"}), {}, patience));
    EXPECT_THAT(failure.what, HasSubstr("http://does-not-exist.invalid:1: "));
    EXPECT_TRUE(failure.trouble == Trouble::unreachable || failure.trouble == Trouble::timeout);
}

TEST(HttpClient, ManyCallsAtOnceOnOneLoop) {
    TestSite site;
    boost::asio::io_context loop(1);
    int answered = 0;
    for (int i = 0; i < 50; ++i)
        ask(loop, to({site.local}), {.target = "/hello"}, patience,
            [&](const Outcome& outcome) { answered += answer_of(outcome).status == 200; });
    EXPECT_EQ(answered, 0);  // never before ask returns
    loop.run();
    EXPECT_EQ(answered, 50);
}

TEST(EventSource, ResumesBehindTheLastEventAtTheNextEndpoint) {
    TestSite first, second;
    std::vector<std::string> seen, losses;
    std::jthread story([&] {
        first.bell.await("kept");
        first.on_loop([&] { first.held.at(0)->event({"41", "", "one"}); });
        first.bell.await("seen");  // a server that stops drops what it has not yet written
        first.on_loop([&] { first.server->stop(); });
        second.bell.await("kept");
        second.on_loop([&] {
            auto& exchange = second.held.at(0);
            exchange->event({"42", "", std::string(exchange->request().header("last-event-id"))});
        });
    });
    follow(
        to({first.tcp, second.local}), {.target = "/events", .pause = 10ms},
        [&](const ServerEvent& event) {
            seen.push_back(event.id + ' ' + event.data);
            first.bell.ring("seen");
            return event.id == "42" ? EventSource::Next::stop : EventSource::Next::go_on;
        },
        [&](const Failure& failure) {
            losses.push_back(failure.what);
            return EventSource::Next::go_on;
        });
    EXPECT_THAT(seen, testing::ElementsAre("41 one", "42 41"));
    ASSERT_EQ(losses.size(), 1u);
    EXPECT_THAT(losses[0], HasSubstr(first.tcp));
    EXPECT_TRUE(second.bell.await("gone"));  // who stops leaves
}

TEST(EventSource, WhoHangsIsLeftForTheNextEndpoint) {
    TestSite site;
    Listener hung("");
    ClientOptions options = to({hung.address, site.tcp});
    options.turn = 20ms;
    std::vector<std::string> seen, losses;
    std::jthread story([&] {
        site.bell.await("kept");
        site.on_loop([&] { site.held.at(0)->event({"1", "", "x"}); });
    });
    follow(
        options, {.target = "/events"},
        [&](const ServerEvent& event) {
            seen.push_back(event.data);
            return EventSource::Next::stop;
        },
        [&](const Failure& failure) {
            losses.push_back(failure.what);
            return EventSource::Next::go_on;
        });
    EXPECT_THAT(seen, testing::ElementsAre("x"));
    ASSERT_FALSE(losses.empty());
    EXPECT_THAT(losses[0], HasSubstr(hung.address + ": no answer within "));
}

TEST(EventSource, WhatIsNoStreamIsALossWithTheAnswersWords) {
    TestSite site;
    std::string loss;
    follow(
        to({site.tcp}), {.target = "/nowhere"},
        [](const ServerEvent&) { return EventSource::Next::go_on; },
        [&](const Failure& failure) {
            loss = failure.what;
            return EventSource::Next::stop;
        });
    EXPECT_THAT(loss, HasSubstr(site.tcp + ": no stream but 404 {\"type\""));
}

TEST(EventSource, AServerThatFallsSilentIsLost) {
    TestSite site;
    std::string loss;
    follow(
        to({site.tcp}), {.target = "/events", .silence = 200ms},
        [](const ServerEvent&) { return EventSource::Next::go_on; },
        [&](const Failure& failure) {
            loss = failure.what;
            return EventSource::Next::stop;
        });
    EXPECT_THAT(loss, HasSubstr(" 200 ms"));
}

TEST(EventSource, LettingGoOfItStopsIt) {
    TestSite site;
    boost::asio::io_context loop(1);
    auto fail = [](const Failure& failure) {
        ADD_FAILURE() << failure.what;
        return EventSource::Next::stop;
    };
    std::shared_ptr<EventSource> source;
    auto drop = [&source](const ServerEvent&) {
        source.reset();
        return EventSource::Next::go_on;
    };
    source = std::make_shared<EventSource>(loop, to({site.tcp}), Subscription{.target = "/events"},
                                           drop, fail);
    source->start();
    std::jthread story([&] {
        site.bell.await("kept");
        site.on_loop([&] { site.held.at(0)->event({"1", "", "x"}); });
    });
    loop.run();
    EXPECT_TRUE(site.bell.await("gone"));
}

}  // namespace
}  // namespace conclave::net
