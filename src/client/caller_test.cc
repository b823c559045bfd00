// client/caller_test.cc -- a client of the lock service and nodes that hang: their connections
// stay, and nothing is heard on them any more.
#include "client/caller.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "core/value.h"
#include "net/http_kit_test.h"
#include "wire/layout.h"

namespace conclave::client {
namespace {

using namespace std::chrono_literals;
using net::patience;

// A node that grants whatever is wanted, as long as it does not hang.
class Server {
public:
    Server() {
        site.on_loop([this] {
            site.router.add("GET /v1/wire", "wire", [this](const auto& one) { admit(one); });
        });
    }
    void hang() {
        site.on_loop([this] { hangs_ = true; });
    }
    void forget_leader() {
        site.on_loop([this] { knows_leader_ = false; });
    }

    net::TestSite site;  // its bell rings "wire 101", "asked", "answered"

private:
    using Shared = std::shared_ptr<net::Exchange>;

    void admit(const Shared& exchange) {
        const auto reader = std::make_shared<wire::FrameReader>();
        exchange->upgrade(std::string(wire::guest_protocol),
                          [this, reader, weak = std::weak_ptr(exchange)](std::string_view bytes) {
                              const auto one = weak.lock();
                              reader->feed(std::as_bytes(std::span(bytes)));
                              while (const auto frame = reader->next()) {
                                  if (one) take(*one, *frame);
                              }
                          });
        site.held.push_back(exchange);
        site.bell.ring("connected");
        Bytes welcome;
        wire::append_welcome(welcome, {"prod", "n", 60s});
        if (knows_leader_) append(welcome, locks::Recover{epoch});
        say(*exchange, welcome);
    }
    void take(net::Exchange& exchange, const wire::Frame& frame) {
        const auto letter = wire::read_letter(frame.body);
        ASSERT_TRUE(letter);
        ByteView bytes = letter->message;
        locks::Message message;
        ASSERT_TRUE(decode<wire::Growing>(bytes, message));
        site.bell.ring("asked");
        if (hangs_) return;
        Bytes answer;
        if (const auto* asked = std::get_if<locks::KeepAlive>(&message)) {
            append(answer, locks::Kept{epoch, asked->word.session, asked->nonce});
            for (const locks::Wish& wish : asked->wanted) {
                append(answer, locks::Grant{epoch, asked->word.session, wish.lock, wish.request,
                                            locks::Token{epoch, ++granted_}});
            }
        }
        say(exchange, answer);
        site.bell.ring("answered");
    }
    static void append(Bytes& frames, const locks::Message& message) {
        Bytes word;
        encode<wire::Growing>(word, message);
        EXPECT_TRUE(wire::append_letter(frames, 0, word));
    }
    static void say(net::Exchange& exchange, const Bytes& frames) {
        exchange.send({reinterpret_cast<const char*>(frames.data()), frames.size()});
    }

    static constexpr Epoch epoch{1};
    bool hangs_ = false, knows_leader_ = true;
    std::uint64_t granted_ = 0;
};

class HangingNodes : public testing::Test, public Caller::Events {
protected:
    void start(const std::vector<std::string>& endpoints, Duration session) {
        Caller::Settings settings;
        settings.line.way.endpoints = *net::parse_http_endpoints(endpoints);
        settings.session = session;
        auto started = Caller::start(loop, std::move(settings), *this);
        ASSERT_TRUE(started);
        caller = std::move(*started);
    }
    template <class Condition> bool run_until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (!condition() && std::chrono::steady_clock::now() < end) loop.run_one_for(10ms);
        return condition();
    }

    void granted(const locks::Name& lock, const locks::Token&) override { ++grants[lock]; }
    void busy(const locks::Name&) override {}
    void settled() override {}
    void lost(const locks::Name& lock) override { ADD_FAILURE() << lock << " is lost"; }
    void turned_down(const locks::Name& lock, locks::Limit) override { ADD_FAILURE() << lock; }
    void welcomed(const wire::Welcome&) override {}
    void failed(const net::Failure& failure) override { ADD_FAILURE() << failure.what; }
    void renewed(std::optional<Instant>) override {}

    Server first, second;
    boost::asio::io_context loop{1};
    std::unique_ptr<Caller> caller;
    std::map<locks::Name, int> grants;
};

TEST_F(HangingNodes, WhatIsWantedIsHadFromAnother) {
    first.hang();
    start({first.site.tcp, second.site.tcp}, 400ms);
    caller->acquire("press");
    EXPECT_TRUE(run_until([&] { return grants["press"] == 1; }));
    EXPECT_GT(first.site.bell.times("asked"), 0);
}

// Four seconds are enough for a machine that is busy with something else.
TEST_F(HangingNodes, WhatIsHeldIsKeptAtAnother) {
    start({first.site.tcp, second.site.tcp}, 4s);
    caller->acquire("press");
    ASSERT_TRUE(run_until([&] { return grants["press"] == 1; }));
    const Instant until = *caller->until();
    first.hang();
    EXPECT_TRUE(run_until([&] { return net::now() > until; }));
    EXPECT_TRUE(caller->holds("press"));
    EXPECT_GT(second.site.bell.times("answered"), 0);
}

// What came meanwhile is still to be read.
TEST_F(HangingNodes, WhoSleptDoesNotBlameTheNode) {
    start({first.site.tcp, second.site.tcp}, 4s);
    caller->acquire("press");
    ASSERT_TRUE(run_until([&] { return grants["press"] == 1; }));
    std::this_thread::sleep_for(2200ms);  // two questions would have been due
    const int answered = first.site.bell.times("answered");
    EXPECT_TRUE(run_until([&] { return first.site.bell.times("answered") > answered + 1; }));
    EXPECT_EQ(second.site.bell.times("connected"), 0);
}

// There is nobody else to ask, and the node may only be slow.
TEST_F(HangingNodes, TheOnlyOneIsNotLeft) {
    first.hang();
    start({first.site.tcp}, 80ms);
    caller->acquire("press");
    EXPECT_TRUE(run_until([&] { return first.site.bell.times("asked") > 20; }));
    EXPECT_EQ(first.site.bell.times("connected"), 1);
}

// It has not heard of any: it may be cut off from where there is one.
TEST_F(HangingNodes, WhoKnowsNoLeaderIsLeftForOneWhoDoes) {
    first.forget_leader();
    start({first.site.tcp, second.site.tcp}, 400ms);
    caller->acquire("press");
    EXPECT_TRUE(run_until([&] { return grants["press"] == 1; }));
    EXPECT_EQ(first.site.bell.times("asked"), 0);
}

// Then it is the leader that does not answer, and to move about costs more than it helps.
TEST_F(HangingNodes, IfNobodyAnswersTheyAreLeftMoreAndMoreSeldom) {
    first.hang();
    second.hang();
    start({first.site.tcp, second.site.tcp}, 80ms);
    caller->acquire("press");
    const Instant end = net::now() + 1200ms;
    EXPECT_TRUE(run_until([&] { return net::now() > end; }));
    const int seen = first.site.bell.times("connected") + second.site.bell.times("connected");
    EXPECT_GT(second.site.bell.times("connected"), 0);
    EXPECT_LE(seen, 10) << "of about 30 if they were left each time that an answer is missing";
}

}  // namespace
}  // namespace conclave::client
