// client/node_session_test.cc -- a session at a node that hangs is over when its time is up, though
// nobody says so.
#include "client/node_session.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "net/http_kit_test.h"

namespace conclave::client {
namespace {

using namespace std::chrono_literals;
using net::patience;

class SessionAtANode : public testing::Test {
protected:
    using Shared = std::shared_ptr<net::Exchange>;

    SessionAtANode() {
        site.on_loop([this] {
            site.router.add("POST /v1/sessions", "open", [](const Shared& exchange) {
                exchange->respond(201, "application/json",
                                  R"({"session": "s", "ttl": "200ms", "node": "n"})");
            });
            site.router.add("POST /v1/sessions/{session}/renew", "renew",
                            [this](const Shared& exchange) {
                                if (hangs) return site.held.push_back(exchange);
                                exchange->respond(200, "application/json", "{}");
                            });
        });
        NodeSession::Plan plan;
        plan.way.endpoints = *net::parse_http_endpoints({site.tcp});
        plan.timeout = 1s;
        plan.renewed = [this] {
            ++told;
            told_of_end = session->over();
        };
        session = std::make_shared<NodeSession>(loop, std::move(plan));
        session->open("somebody", 200ms, [this](const Said& said) { opened = said.good(); });
    }
    template <class Condition> bool run_until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (!condition() && std::chrono::steady_clock::now() < end) loop.run_one_for(10ms);
        return condition();
    }

    net::TestSite site;
    bool hangs = false;  // of the site's thread
    boost::asio::io_context loop{1};
    std::shared_ptr<NodeSession> session;
    bool opened = false;
    int told = 0;
    bool told_of_end = false;
};

TEST_F(SessionAtANode, IsRenewedAsLongAsItIsAnswered) {
    EXPECT_TRUE(run_until([this] { return told > 5; }));
    EXPECT_TRUE(opened);
    EXPECT_FALSE(session->over());
}

TEST_F(SessionAtANode, IsOverWhenNothingIsHeardForAsLongAsItLasts) {
    ASSERT_TRUE(run_until([this] { return told > 0; }));
    site.on_loop([this] { hangs = true; });
    EXPECT_TRUE(run_until([this] { return session->over(); }));
    EXPECT_TRUE(told_of_end) << "whoever goes by it hears nothing of that";
    EXPECT_FALSE(session->mandate());
}

}  // namespace
}  // namespace conclave::client
