// engine/etcd_garbage_test.cc -- something that answers, and is no etcd.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/run_test.h"
#include "engine/open.h"
#include "net/clock.h"

namespace conclave::engine {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

// Answers every question with the same words, and closes.
class Parrot {
public:
    Parrot(boost::asio::io_context& loop, std::string words)
        : acceptor_(loop, {boost::asio::ip::address_v4::loopback(), 0}), words_(std::move(words)) {
        accept();
    }
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
    struct Visit {
        explicit Visit(tcp::socket from) : socket(std::move(from)) {}
        tcp::socket socket;
        std::array<char, 4096> input{};
    };
    void accept() {
        acceptor_.async_accept([this](const auto& error, tcp::socket socket) {
            if (error) return;
            auto visit = std::make_shared<Visit>(std::move(socket));
            visit->socket.async_read_some(
                boost::asio::buffer(visit->input), [this, visit](const auto&, std::size_t) {
                    boost::asio::async_write(visit->socket, boost::asio::buffer(words_),
                                             [visit](const auto&, std::size_t) {});
                });
            accept();
        });
    }
    tcp::acceptor acceptor_;
    const std::string words_;
};

std::string answer(const std::string& body, const char* status = "200 OK") {
    return std::string("HTTP/1.1 ") + status +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

const std::string lease = R"({"header":{"revision":"1","raft_term":"1"},"ID":"7","TTL":"5"})";
const std::vector<std::string> garbage{
    "SSH-2.0-OpenSSH\r\n",
    "",
    answer("Not Found", "404 Not Found"),
    answer("[]"),
    answer("{\"ID\":7}"),
    answer("{\"ID\":\"7\",\"TTL\":\"-1\"}"),
    answer("{\"ID\":\"7\",\"TTL\":\"99999999999999999999\"}"),
    answer(std::string(100'000, '[')),
    answer("{\"error\":7}"),
    answer("{\"kvs\":{}}"),
    answer(lease),  // to every question
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{",
};

class Wish final : public Events {
public:
    void reached(const std::string&) override {}
    void busy() override {}
    void granted(const locks::Token&) override { was_granted = true; }
    void renewed() override {}
    void lost() override {}
    void left() override {}
    void failed(const net::Failure& failure, bool) override { trouble = failure.what; }
    bool was_granted = false;
    std::string trouble;
};

TEST(EtcdGateway, WhatIsNoEtcdIsAFailureThatNamesIt) {
    for (const std::string& words : garbage) {
        boost::asio::io_context loop(1);
        Parrot parrot(loop, words);
        const std::string where = "127.0.0.1:" + std::to_string(parrot.port());
        auto place = read_place("etcd://" + where);
        ASSERT_TRUE(place);
        place->timeout = 2s;
        auto engine = open(loop, *place);
        ASSERT_TRUE(engine);
        Wish wish;
        auto contest = (*engine)->contend({{Thing::Kind::lock, "press"}, {}, "me", 5s}, wish);
        const Instant end = net::now() + 60s;
        while (wish.trouble.empty() && net::now() < end) loop.run_one_for(100ms);
        EXPECT_FALSE(wish.was_granted) << words;
        EXPECT_NE(wish.trouble.find(where), std::string::npos) << wish.trouble;
        contest.reset();

        const bool no_list = words != answer("{\"ID\":7}") && words.find("TTL") == words.npos;
        std::optional<Found<Standing>> found;
        (*engine)->look({Thing::Kind::lock, "press"}, 2s,
                        [&](Found<Standing> told) { found = std::move(told); });
        while (!found && net::now() < end) loop.run_one_for(100ms);
        ASSERT_TRUE(found) << words.substr(0, 100);
        EXPECT_EQ(std::holds_alternative<net::Failure>(*found), no_list) << words.substr(0, 100);
    }
}

TEST_F(Command, AtSomethingThatIsNoEtcdTheExitCodeSaysSo) {
    boost::asio::io_context loop(1);
    Parrot parrot(loop, answer("<html>", "404 Not Found"));
    std::thread server([&] { loop.run(); });
    const std::string at = "--timeout 1s --endpoint etcd://127.0.0.1:";
    for (const char* words : {" lock press -- true", " leader main", " locks"}) {
        const Ran ran = run(at + std::to_string(parrot.port()) + words);
        EXPECT_EQ(ran.exit, 76) << ran.err;
        EXPECT_NE(ran.err.find("is that an etcd (3.4 or later)"), std::string::npos) << ran.err;
    }
    loop.stop();
    server.join();
}

}  // namespace
}  // namespace conclave::engine
