#include "net/token.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "net/http_client.h"
#include "net/http_kit_test.h"

namespace conclave::net {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TokenFile : public testing::Test {
protected:
    Result<std::string> read(const std::string& content, fs::perms rights = fs::perms::owner_all) {
        std::ofstream(file) << content;
        fs::permissions(file, rights);
        return read_token(file);
    }
    std::string complaint(const std::string& content, fs::perms rights = fs::perms::owner_all) {
        const auto token = read(content, rights);
        return token ? "none" : token.error().what;
    }

    Folder folder;
    const fs::path file = fs::path(folder.path) / "token";
};

TEST_F(TokenFile, IsOneWord) {
    const auto token = read(" 0123456789abcdef\n");
    ASSERT_TRUE(token);
    EXPECT_EQ(*token, "0123456789abcdef");
    for (const std::string& wrong :
         {std::string("short"), std::string("0123456789 abcdef"), std::string(),
          std::string("0123456789\nAuthorization:"), std::string(5000, 'x')}) {
        EXPECT_THAT(complaint(wrong), HasSubstr("one word of 16 to 1024")) << wrong;
    }
}

TEST_F(TokenFile, IsNotForEverybody) {
    const auto open = fs::perms::owner_all | fs::perms::others_read;
    EXPECT_THAT(complaint("0123456789abcdef", open),
                HasSubstr(file.string() + " can be read by everybody"));
    for (const fs::path& none : {fs::path(folder.path) / "none", fs::path(folder.path)}) {
        const auto token = read_token(none);
        ASSERT_FALSE(token);
        EXPECT_THAT(token.error().what, HasSubstr("cannot read the token in " + none.string()));
    }
}

TEST(Token, IsKnownAsAWhole) {
    EXPECT_TRUE(same_token("abcd", "abcd"));
    for (const char* other : {"", "abc", "abce", "bbcd", "abcdabcd", "abcdx"})
        EXPECT_FALSE(same_token("abcd", other)) << other;
    EXPECT_FALSE(same_token("", "")) << "where there is none, nobody knows it";
}

TEST(Token, IsShownInItsField) {
    EXPECT_EQ(token_in(bearer("abcd")), "abcd");
    EXPECT_EQ(token_in("bearer abcd"), "abcd");
    for (const char* other : {"", "Bearer", "Bearer ", "Basic abcd", "abcd"})
        EXPECT_EQ(token_in(other), "") << other;
}

// Nobody listens elsewhere for a test; but 0.0.0.0 is no loopback address, and leads here.
TEST(Token, IsNotSentInPlaintextToAnotherMachine) {
    TestSite site;
    site.on_loop([&] {
        site.router.add("GET /shown", "shown", [](const auto& exchange) {
            exchange->respond(200, "text/plain",
                              std::string(exchange->request().header("Authorization")));
        });
    });
    const auto shown = [&](const std::string& endpoint, const std::string& token) {
        const ClientOptions options{.endpoints = {*parse_http_endpoint(endpoint)}, .token = token};
        const Outcome outcome = ask(options, {.target = "/shown"}, patience);
        if (const auto* failure = std::get_if<Failure>(&outcome)) {
            EXPECT_EQ(failure->trouble, Trouble::refused);
            return failure->what;
        }
        return std::get<Answer>(outcome).body;
    };
    EXPECT_EQ(shown(site.local, "abcd"), "Bearer abcd");
    EXPECT_EQ(shown("http://" + site.tcp, "abcd"), "Bearer abcd");
    const std::string elsewhere = "http://0.0.0.0" + site.tcp.substr(site.tcp.find(':'));
    EXPECT_EQ(shown(elsewhere, ""), "");
    EXPECT_THAT(shown(elsewhere, "abcd"), HasSubstr("not sent in plaintext"));
}

}  // namespace
}  // namespace conclave::net
