#include "node/gate.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "net/http_client.h"
#include "net/http_kit_test.h"

namespace conclave::node {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* secret = "a-word-that-nobody-guesses";

class GateTest : public testing::Test {
protected:
    void write_token(const std::string& word) {
        const std::filesystem::path path = site.folder.path + "/token";
        std::ofstream(path) << word << "\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    Api with_token() {
        write_token(secret);
        Api api;
        api.token_file = site.folder.path + "/token";
        return api;
    }
    void open(const Api& api) {
        gate.emplace(api);
        ASSERT_FALSE(gate->load());
        site.on_loop([this] {
            site.router.add("POST /deed", "deed", gate->deed([](const auto& exchange) {
                exchange->respond(200, "text/plain", "done");
            }));
        });
    }
    net::Answer ask(const std::string& endpoint, const net::HeaderFields& fields = {}) {
        const net::ClientOptions options{.endpoints = {*net::parse_http_endpoint(endpoint)}};
        const net::Outcome outcome = net::ask(
            options, {.method = "POST", .target = "/deed", .fields = fields}, net::patience);
        const auto* answer = std::get_if<net::Answer>(&outcome);
        EXPECT_TRUE(answer) << std::get<net::Failure>(outcome).what;
        return answer ? *answer : net::Answer{};
    }
    net::Answer show(const std::string& authorization) {
        return ask("http://" + site.tcp, {{"Authorization", authorization}});
    }

    std::optional<Gate> gate;  // the site serves by it
    net::TestSite site;
};

TEST_F(GateTest, TakesOrdersFromTheSocketAndFromWhoKnowsTheToken) {
    open(with_token());
    EXPECT_EQ(ask(site.local).status, 200u);
    EXPECT_EQ(show("Bearer " + std::string(secret)).status, 200u);
    EXPECT_EQ(show("bearer " + std::string(secret)).status, 200u);
    for (const std::string wrong : {"Bearer a-word-that-somebody-guessed", "Basic abcd"}) {
        const net::Answer refused = show(wrong);
        EXPECT_EQ(refused.status, 401u) << wrong;
        EXPECT_EQ(refused.header("WWW-Authenticate"), "Bearer");
        EXPECT_THAT(refused.body, HasSubstr("not known here"));
        EXPECT_THAT(refused.body, Not(HasSubstr(secret)));
    }
}

TEST_F(GateTest, SaysWhatWouldBeTaken) {
    open(with_token());
    const net::Answer refused = ask("http://" + site.tcp);
    EXPECT_EQ(refused.status, 403u);
    EXPECT_THAT(refused.body, HasSubstr("ask at the local socket, or show the token"));
    EXPECT_THAT(refused.body, Not(HasSubstr("certificate"))) << "here is no TLS to show one on";
}

TEST_F(GateTest, SaysThatNothingWouldBeTakenAtAPortThatHasNothing) {
    Api api;
    api.listen = {net::HostPort{"127.0.0.1", 0}};
    open(api);
    const std::string advice = "set [api] tls or token_file at the node, which has neither";
    EXPECT_THAT(ask("http://" + site.tcp).body, HasSubstr("to change something: " + advice));
    const net::Answer refused = show("Bearer of-bad-news");
    EXPECT_EQ(refused.status, 401u);
    EXPECT_THAT(refused.body, HasSubstr("there is no token here; to change something: " + advice));
}

TEST_F(GateTest, DoesNothingForAWebPage) {
    open(with_token());
    EXPECT_EQ(ask(site.local, {{"Origin", "https://example.net"}}).status, 403u);
}

TEST_F(GateTest, KeepsItsTokenIfTheNextOneIsWrong) {
    open(with_token());
    const auto load = [this] { return site.on_loop([this] { return gate->load(); }); };
    write_token("short");
    EXPECT_TRUE(load());
    EXPECT_EQ(show("Bearer " + std::string(secret)).status, 200u);
    write_token("another-word-for-it");
    EXPECT_FALSE(load());
    EXPECT_EQ(show("Bearer another-word-for-it").status, 200u);
    EXPECT_EQ(show("Bearer " + std::string(secret)).status, 401u);
}

}  // namespace
}  // namespace conclave::node
