// net/links_tls_test.cc -- links with certificates: right ones, and every kind of wrong one.
#include "net/links_tls_test.h"

#include <stdlib.h>

#include <fstream>

#include "net/tls.h"

namespace conclave::net {
namespace {

class LinksTls : public testing::Test {
protected:
    LinksTls() : folder_(make_folder()), ca(folder_, "ca"), rogue(folder_, "rogue") {
        pair.one.settings.tls = ca.issue_files("n1");
        pair.two.settings.tls = ca.issue_files("n2");
    }
    ~LinksTls() override { fs::remove_all(folder_); }

    static fs::path make_folder() {
        std::string pattern = (fs::temp_directory_path() / "conclave-XXXXXX").string();
        return mkdtemp(pattern.data());
    }

    // Runs until both have logged their half of the story.
    void expect_refusal(const std::string& of_one, const std::string& of_two) {
        pair.start();
        EXPECT_TRUE(pair.loop.until([&] {
            return pair.one.log.says(of_one) && pair.two.log.says(of_two);
        })) << pair.one.log.text()
            << pair.two.log.text();
        EXPECT_TRUE(pair.one.story.empty());
        EXPECT_TRUE(pair.two.story.empty());
    }

private:
    fs::path folder_;

protected:
    Authority ca, rogue;
    TestPair pair;
};

TEST_F(LinksTls, RightCertificatesComeUpAndCarryLetters) {
    ASSERT_TRUE(pair.come_up()) << pair.one.log.text() << pair.two.log.text();
    EXPECT_FALSE(pair.one.log.says("plaintext"));
    const std::string large(200'000, 'x');  // many TLS records
    pair.one.send(2, large);
    pair.two.send(1, "back");
    ASSERT_TRUE(
        pair.loop.until([&] { return !pair.one.letters.empty() && !pair.two.letters.empty(); }));
    EXPECT_EQ(pair.two.letters[0], "1/0 " + large);
}

TEST_F(LinksTls, WhatCanWaitWaits) { expect_that_murmurs_wait(pair); }

TEST_F(LinksTls, PlaintextIsRefusedWhereTlsIsSpoken) {
    pair.one.settings.tls.reset();
    expect_refusal("it closed the connection", "TLS: ");
    EXPECT_TRUE(pair.one.log.says("links are plaintext, on loopback only"));
}

TEST_F(LinksTls, ACertificateOfAnotherAuthorityIsRefused) {
    TlsFiles files = rogue.issue_files("n1");
    files.ca = ca.certificate;
    pair.one.settings.tls = files;
    expect_refusal("alert unknown ca", "certificate verify failed");
}

TEST_F(LinksTls, AnAuthorityWeDoNotKnowIsRefusedByTheDialler) {
    TlsFiles files = rogue.issue_files("n2");
    files.ca = ca.certificate;
    pair.two.settings.tls = files;
    expect_refusal("certificate verify failed", "alert unknown ca");
}

TEST_F(LinksTls, AnExpiredCertificateIsRefused) {
    using std::chrono::days;
    const auto then = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    pair.one.settings.tls = ca.issue_files("n1", Usage::node, lasting(days(1), then - days(3)));
    expect_refusal("alert certificate expired", "certificate has expired");
    EXPECT_TRUE(pair.one.log.says("our certificate has expired"));
}

TEST_F(LinksTls, WithoutACertificateNobodyGetsIn) {
    pair.two.start();
    TlsStranger nobody(pair.loop, std::nullopt);
    nobody.visit(pair.two.port, pair.one.settings.hello);
    ASSERT_TRUE(nobody.shut_out());
    EXPECT_NE(nobody.error.find("certificate required"), std::string::npos) << nobody.error;
    EXPECT_TRUE(pair.two.log.says("address=127.0.0.1")) << pair.two.log.text();
    EXPECT_TRUE(pair.two.story.empty());
}

TEST_F(LinksTls, ANodeCannotUseTheNameOfAnother) {
    pair.two.start();
    TlsStranger impostor(pair.loop, ca.issue_files("n3"));
    impostor.visit(pair.two.port, pair.one.settings.hello);
    ASSERT_TRUE(impostor.shut_out());
    EXPECT_NE(impostor.answer.find("the certificate of n1 is for n3"), std::string::npos);
    EXPECT_TRUE(pair.two.log.says("the certificate of n1 is for n3")) << pair.two.log.text();
    EXPECT_TRUE(pair.two.story.empty());
}

// Also while we are about to say something, which cannot be sealed any more.
TEST_F(LinksTls, ARecordThatIsNoneEndsTheLinkAndNothingElse) {
    pair.two.start();
    TlsStranger one(pair.loop, ca.issue_files("n1"));
    one.visit(pair.two.port, pair.one.settings.hello);
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.up(1); })) << pair.two.log.text();
    one.garble(std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x'));
    pair.two.send(1, "never heard");
    ASSERT_TRUE(pair.loop.until([&] { return !pair.two.up(1); }));
    EXPECT_TRUE(pair.two.log.says("TLS: decryption failed or bad record mac"))
        << pair.two.log.text();
    ASSERT_TRUE(one.shut_out());
    EXPECT_NE(one.error.find("bad record mac"), std::string::npos) << one.error;
}

TEST_F(LinksTls, AnOperatorNamedLikeANodeIsNotThatNode) {
    pair.two.start();
    TlsStranger operator_of_n1(pair.loop, ca.issue_files("n1", Usage::client));
    operator_of_n1.visit(pair.two.port, pair.one.settings.hello);
    ASSERT_TRUE(operator_of_n1.shut_out());
    EXPECT_TRUE(pair.two.log.says("certificate purpose")) << pair.two.log.text();
    EXPECT_TRUE(pair.two.story.empty());
}

TEST_F(LinksTls, OlderTlsIsRefused) {
    pair.two.start();
    TlsStranger old(pair.loop, ca.issue_files("n1"), ssl::context::tlsv12);
    old.visit(pair.two.port, pair.one.settings.hello);
    ASSERT_TRUE(old.shut_out());
    EXPECT_TRUE(pair.two.log.says("TLS: unsupported protocol")) << pair.two.log.text();
}

TEST_F(LinksTls, ReloadedFilesServeNewLinksAndABadOneChangesNothing) {
    ASSERT_TRUE(pair.come_up());
    const auto before = pair.two.links->certificate_expires();
    ca.issue_files("n2", Usage::node, lasting(std::chrono::days(20)));
    ASSERT_FALSE(pair.two.links->reload());
    EXPECT_GT(pair.two.links->certificate_expires(), before);
    const auto renewed = pair.two.links->certificate_expires();
    std::ofstream(pair.two.settings.tls->cert) << "nonsense";
    const auto error = pair.two.links->reload();
    ASSERT_TRUE(error);
    EXPECT_NE(error->what.find(pair.two.settings.tls->cert), std::string::npos) << error->what;
    EXPECT_EQ(pair.two.links->certificate_expires(), renewed);
    EXPECT_TRUE(pair.one.up(2));
    pair.one.links->stop();
    pair.one.settings.hello.incarnation = {2};
    pair.one.start();
    EXPECT_TRUE(pair.loop.until([&] { return pair.two.heard("linked 1 incarnation 2"); }));
}

TEST_F(LinksTls, FilesThatCannotBeUsedAreNamed) {
    const TlsFiles good = ca.issue_files("n1"), other = ca.issue_files("n2");
    const auto load_error = [](const TlsFiles& files) {
        const auto tls = Tls::load(files);
        return tls ? std::string() : tls.error().what;
    };
    EXPECT_EQ(load_error(good), "");
    EXPECT_NE(load_error({"/nowhere/ca.crt", good.cert, good.key}).find("/nowhere/ca.crt"),
              std::string::npos);
    EXPECT_NE(load_error({good.ca, "/nowhere/n1.crt", good.key}).find("/nowhere/n1.crt"),
              std::string::npos);
    EXPECT_NE(load_error({good.ca, good.cert, "/nowhere/n1.key"}).find("/nowhere/n1.key"),
              std::string::npos);
    EXPECT_NE(load_error({good.ca, good.cert, other.key}).find(other.key), std::string::npos);
    pair.two.settings.tls = good;
    Links links(pair.loop, pair.two.settings, pair.two, pair.two.log);
    const auto started = links.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().what,
              good.cert + " is not for this node: \"n2\" is not among its DNS names");
}

}  // namespace
}  // namespace conclave::net
