// net/links_test.h -- nodes made of nothing but links, all on one loop, for tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/links.h"

namespace conclave::net {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

class Memory : public LogSink {
public:
    using LogSink::log;
    void log(Level, std::string_view event, std::span<const LogField> fields) override {
        std::string line(event);
        for (const LogField& field : fields)
            line.append(" ").append(field.name).append("=").append(field.value);
        lines.push_back(std::move(line));
    }
    std::ptrdiff_t count(std::string_view part) const {
        return std::ranges::count_if(lines,
                                     [part](const auto& l) { return l.find(part) != l.npos; });
    }
    bool says(std::string_view part) const { return count(part) > 0; }
    std::string text() const {
        std::string all;
        for (const auto& line : lines) all.append("\n  ").append(line);
        return all;
    }

    std::vector<std::string> lines;
};

class TestLoop : public boost::asio::io_context {
public:
    // False after 20 s, which is never waited for unless something is broken.
    [[nodiscard]] bool until(const std::function<bool()>& done) {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!done()) {
            if (std::chrono::steady_clock::now() > end) return false;
            if (stopped()) restart();
            run_one_for(10ms);
        }
        return true;
    }
};

inline std::string text_of(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline ByteView bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

inline std::string name_of(std::uint32_t id) { return "n" + std::to_string(id); }
inline std::string loopback(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

inline std::string hello_bytes(const wire::Hello& hello) {
    Bytes bytes;
    EXPECT_FALSE(wire::append_hello(bytes, hello));
    return text_of(bytes);
}

class TestNode : public Links::Events {
public:
    TestNode(TestLoop& test_loop, std::uint32_t id) : loop(test_loop) {
        settings.hello = {.cluster = "test",
                          .node = NodeId{id},
                          .name = name_of(id),
                          .incarnation = {1},
                          .store = "disk of " + name_of(id),
                          .groups = {}};
        settings.listen = loopback(0);
        settings.least_pause = 5ms;
        settings.most_pause = 20ms;
    }

    void knows(std::uint32_t id, std::uint16_t at) {
        settings.peers.push_back({NodeId{id}, name_of(id), loopback(at)});
    }
    // With a smaller id it dials: then `other` must have been started.
    void knows(const TestNode& other) { knows(number(other.settings.hello.node), other.port); }

    void start() {
        links = std::make_unique<Links>(loop, settings, *this, log);
        const auto started = links->start();
        ASSERT_TRUE(started) << started.error().what;
        port = *started;
    }
    void send(std::uint32_t to, std::string_view text, std::uint32_t group = 0) {
        links->send(NodeId{to}, group, bytes_of(text));
    }
    bool up(std::uint32_t peer) const { return links->up(NodeId{peer}); }
    Traffic traffic(std::uint32_t peer) const { return links->traffic(NodeId{peer}); }
    bool heard(std::string_view line) const { return std::ranges::count(story, line) > 0; }

    void linked(NodeId peer, const wire::Hello& hello) override {
        story.push_back("linked " + std::to_string(number(peer)) + " incarnation " +
                        std::to_string(hello.incarnation.value));
    }
    void unlinked(NodeId peer, std::string_view why) override {
        story.push_back("unlinked " + std::to_string(number(peer)) + ": " + std::string(why));
    }
    void arrived(NodeId peer, std::uint32_t group, ByteView message, Duration waited) override {
        waits.push_back(waited);
        letters.push_back(std::to_string(number(peer)) + "/" + std::to_string(group) + " " +
                          text_of(message));
    }

    TestLoop& loop;
    Links::Settings settings;
    Memory log;
    std::unique_ptr<Links> links;
    std::uint16_t port = 1;  // nobody listens there
    std::vector<std::string> story, letters;
    std::vector<Duration> waits;  // of each letter
};

// Node 1 dials node 2, as soon as start() is called.
struct TestPair {
    TestPair() { two.knows(one); }
    void start() {
        two.start();
        one.knows(two);
        one.start();
    }
    [[nodiscard]] bool come_up() {
        start();
        return loop.until([this] { return one.up(2) && two.up(1); });
    }

    TestLoop loop;
    TestNode one{loop, 1}, two{loop, 2};
};

// Sent, and in the kernel of whom it is for.
inline void murmur(TestPair& pair, TestNode& from, std::uint32_t to, std::string_view text) {
    const std::uint64_t writes = from.traffic(to).writes;
    from.links->send(NodeId{to}, 0, bytes_of(text), Hurry::can_wait);
    ASSERT_TRUE(pair.loop.until([&] { return from.traffic(to).writes > writes; }));
}

inline void expect_that_murmurs_wait(TestPair& pair) {
    ASSERT_TRUE(pair.come_up());
    pair.one.send(2, "first");  // behind the hello, which wakes
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 1; }));
    murmur(pair, pair.one, 2, "idle");
    pair.loop.run_for(50ms);
    EXPECT_EQ(pair.two.letters.size(), 1u) << "nobody was woken for it";
    pair.two.links->look();
    EXPECT_EQ(pair.two.letters.back(), "1/0 idle");
    murmur(pair, pair.one, 2, "idle again");
    pair.one.send(2, "now");
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 4; }));
    EXPECT_EQ(pair.two.letters[2], "1/0 idle again");
    EXPECT_EQ(pair.two.letters[3], "1/0 now");
    EXPECT_EQ(pair.one.traffic(2).frames_sent, pair.two.traffic(1).frames_received);
}

// A connection of somebody who is no node.
class Stranger {
public:
    Stranger(TestLoop& loop, std::uint16_t port) : loop_(loop), socket_(loop) {
        socket_.connect({boost::asio::ip::address_v4::loopback(), port});
        socket_.non_blocking(true);
    }
    void say(std::string_view bytes) { say(bytes_of(bytes)); }
    void say(ByteView bytes) {
        boost::system::error_code ignored;
        socket_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), ignored);
    }
    [[nodiscard]] bool shut_out() {
        return loop_.until([this] {
            char buffer[4096];
            boost::system::error_code error;
            const auto size = socket_.read_some(boost::asio::buffer(buffer), error);
            answer.append(buffer, size);
            return error && error != boost::asio::error::would_block;
        });
    }

    std::string answer;

private:
    TestLoop& loop_;
    tcp::socket socket_;
};

}  // namespace conclave::net
