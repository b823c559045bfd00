// net/http_kit_test.h -- a server on a thread of its own, and a client that may misbehave.
#pragma once
#include <gtest/gtest.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/http_endpoint.h"
#include "net/http_router.h"
#include "net/http_server.h"

namespace conclave::net {

using namespace std::chrono_literals;

constexpr auto patience = 20s;  // for what must happen; never waited for when it does

struct Folder {  // a fresh one, gone with the test
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "http-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string path;
};

class Bell {  // counts what has happened, by name, and lets a test wait for it
public:
    void ring(const std::string& name) {
        std::lock_guard lock(mutex_);
        ++rung_[name];
        changed_.notify_all();
    }
    bool await(const std::string& name, int times = 1) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, [&] { return rung_[name] >= times; });
    }
    int times(const std::string& name) {
        std::lock_guard lock(mutex_);
        return rung_[name];
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, int> rung_;
};

// The routes every test may use; exchanges that are kept are in `held`, on the loop's thread.
class TestSite {
public:
    explicit TestSite(HttpLimits limits = {}, boost::asio::ssl::context* tls = nullptr)
        : guard_(loop.get_executor()) {
        add_routes();
        server.emplace(loop,
                       HttpServer::Options{
                           .limits = limits,
                           .handler = [this](const auto& exchange) { router.serve(exchange); },
                           .observer =
                               [this](std::string_view route, unsigned status, Duration) {
                                   bell.ring(std::string(route) + ' ' + std::to_string(status));
                               }});
        auto bound = server->listen("127.0.0.1:0", tls);
        EXPECT_TRUE(bound) << bound.error().what;
        tcp = *bound;
        local = "unix:" + folder.path + "/http.sock";
        auto opened = server->listen(local);
        EXPECT_TRUE(opened) << opened.error().what;
        thread_ = std::thread([this] { loop.run(); });
    }
    ~TestSite() {
        on_loop([this] {
            held.clear();
            server.reset();
        });
        guard_.reset();
        thread_.join();
    }

    template <class Work> auto on_loop(Work work) -> decltype(work()) {
        std::packaged_task<decltype(work())()> task(std::move(work));
        auto result = task.get_future();
        boost::asio::post(loop, std::move(task));
        return result.get();
    }

    Folder folder;
    Bell bell;
    boost::asio::io_context loop{1};
    Router router;
    std::vector<std::shared_ptr<Exchange>> held;
    std::optional<HttpServer> server;
    std::string tcp, local;

private:
    using Shared = std::shared_ptr<Exchange>;

    void add_routes() {
        router.add("GET /hello", "hello",
                   [](const Shared& exchange) { exchange->respond(200, "text/plain", "hello"); });
        router.add("POST /echo", "echo", [](const Shared& exchange) {
            exchange->respond(200, exchange->request().content_type(), exchange->request().body);
        });
        router.add("GET /groups/{group}/check", "check", [](const Shared& exchange) {
            const Request& request = exchange->request();
            exchange->respond(200, "text/plain", request.parameters.at("group"));
        });
        router.add("GET /trusted", "trusted", [](const Shared& exchange) {
            exchange->respond(200, "text/plain", exchange->request().trusted ? "yes" : "no");
        });
        router.add("GET /throws", "throws",
                   [](const Shared&) { throw std::runtime_error("planted"); });
        router.add("GET /forgets", "forgets", [](const Shared&) {});
        router.add("GET /later", "later", [this](const Shared& exchange) { keep(exchange); });
        router.add("GET /events", "events", [this](const Shared& exchange) {
            exchange->stream();
            keep(exchange);
        });
        router.add("GET /upgrade", "upgrade", [this](const Shared& exchange) {
            exchange->upgrade("echo", [weak = std::weak_ptr(exchange)](auto bytes) {
                if (const auto one = weak.lock())
                    bytes == "end" ? one->hang_up() : say(*one, bytes);
            });
            keep(exchange);
        });
    }
    static void say(Exchange& exchange, std::string_view bytes) {
        for (const char c : bytes) exchange.send(std::string(1, c));
    }
    void keep(const Shared& exchange) {
        held.push_back(exchange);
        exchange->on_gone([this, exchange] { bell.ring("gone"); });
        bell.ring("kept");
    }

    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
    std::thread thread_;
};

class RawClient {  // a blocking socket: it sends whatever it likes
public:
    explicit RawClient(const std::string& address) {
        HttpEndpoint endpoint = *parse_http_endpoint(address);
        endpoint.local() ? connect_unix(endpoint.path) : connect_tcp(endpoint);
        timeval limit{.tv_sec = patience.count(), .tv_usec = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
    ~RawClient() { close(); }
    RawClient(RawClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
    RawClient& operator=(RawClient&&) = delete;

    bool send(std::string_view text) {  // false: the other side has closed
        while (!text.empty()) {
            ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    void end_of_input() { ::shutdown(socket_, SHUT_WR); }
    void close() {
        if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    }

    // The next answer; its status is 0 if the server closes first.
    Answer answer(AnswerReader::Body body = AnswerReader::Body::expected) {
        AnswerReader reader({.header = 16 << 10, .body = 8 << 20}, body);
        std::size_t used = 0;
        while (!reader.done()) {
            if (used == buffer_.size() && !receive()) return {};
            // Byte by byte: what follows belongs to the next answer.
            EXPECT_EQ(reader.feed({&buffer_[used++], 1}), "");
        }
        buffer_.erase(0, used);
        return std::move(reader.answer());
    }
    Answer ask(std::string_view request) {
        send(request);
        return answer();
    }
    std::string read_until(std::string_view mark) {
        while (buffer_.find(mark) == buffer_.npos && receive()) continue;
        return buffer_;
    }
    bool closed_by_server() {  // having read whatever came before
        while (receive()) continue;
        return ended_;
    }

private:
    void connect_unix(const std::string& path) {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        path.copy(name.sun_path, sizeof name.sun_path - 1);
        socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    }
    void connect_tcp(const HttpEndpoint& endpoint) {
        addrinfo* found = nullptr;
        EXPECT_EQ(::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), nullptr, &found), 0);
        socket_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(::connect(socket_, found->ai_addr, found->ai_addrlen), 0);
        ::freeaddrinfo(found);
    }
    bool receive() {
        char piece[4096];
        ssize_t size = ::recv(socket_, piece, sizeof piece, 0);
        ended_ = size == 0 || (size < 0 && errno == ECONNRESET);
        if (size <= 0) return false;
        buffer_.append(piece, static_cast<std::size_t>(size));
        return true;
    }

    int socket_ = -1;
    bool ended_ = false;
    std::string buffer_;
};

inline std::string get(std::string_view target, std::string_view fields = "") {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: test\r\n" + std::string(fields) +
           "\r\n";
}
inline std::string post(std::string_view target, std::string_view body,
                        std::string_view fields = "") {
    return "POST " + std::string(target) +
           " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string(fields) + "\r\n" + std::string(body);
}

}  // namespace conclave::net
