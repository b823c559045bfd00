// cli/cluster_strangers_test.cc -- who comes to the port that is for peers, and is none: each is
// turned away, the reason is in the log once, and the cluster does not notice.
#include <openssl/ssl.h>

#include <deque>
#include <string>

#include "cli/siege_test.h"
#include "net/links_tls_test.h"
#include "net/openssl.h"

namespace conclave {
namespace {

class Strangers : public Siege {
protected:
    static constexpr std::size_t target = 0;  // n1, of whom they say that they are peers

    // As n2 would say it, if this were n2.
    static wire::Hello hello() {
        return {.cluster = "up",
                .node = NodeId{2},
                .name = "n2",
                .incarnation = {1'000'000},
                .store = "a disk",
                .groups = {}};
    }
    net::TlsFiles files_of(const std::string& name) const {
        const auto certs = folder / "certs";
        return {certs / "ca.crt", certs / (name + ".crt"), certs / (name + ".key")};
    }

    // Until it has been logged: one line a second is all that strangers can make us write.
    void expect_refusal(const std::string& logged, const std::function<void()>& visit) {
        EXPECT_TRUE(comes_true([&] {
            visit();
            return complaints(target, logged) > 0;
        })) << logged
            << log_of(target);
        for (int again = 0; again < 20; ++again) visit();
        EXPECT_EQ(complaints(target, logged), 1u) << logged << "\n" << log_of(target);
    }
    // With TLS, and told `answer` either in a goodbye or by TLS itself.
    void expect_refusal(const std::optional<net::TlsFiles>& shown, const wire::Hello& said,
                        const std::string& answer, const std::string& logged) {
        expect_refusal(logged, [&] {
            net::TestLoop loop;
            net::TlsStranger stranger(loop, shown);
            stranger.visit(peer_port(target), said);
            EXPECT_TRUE(stranger.shut_out()) << logged;
            const std::string heard = stranger.answer + stranger.error;
            EXPECT_NE(heard.find(answer), heard.npos) << heard;
        });
    }
    std::string peer_address(std::size_t at = target) const {
        return "127.0.0.1:" + std::to_string(peer_port(at));
    }
};

TEST_F(Strangers, AreTurnedAwayByTheirCertificates) {
    net::Authority rogue(folder, "rogue");
    expect_refusal(std::nullopt, hello(), "certificate required", "did not return a certificate");
    expect_refusal(rogue.issue_files("n2"), hello(), "unknown ca", "certificate verify failed");
    wire::Hello as_n3 = hello();
    as_n3.node = NodeId{3};
    as_n3.name = "n3";
    const std::string borrowed = "the certificate of n3 is for n2";
    expect_refusal(files_of("n2"), as_n3, borrowed, borrowed);
    expect_unmoved();
}

TEST_F(Strangers, AreTurnedAwayByWhatTheySayTheyAre) {
    const auto refused = [&](auto change, const std::string& why) {
        wire::Hello said = hello();
        change(said);
        expect_refusal(files_of("n2"), said, why, why);
    };
    refused([](auto& said) { said.node = NodeId{9}; }, "node 9 is not among the peers of n1");
    refused([](auto& said) { said.node = NodeId{3}; }, "node 3 is called n2, but n1 knows it as");
    refused([](auto& said) { said.node = NodeId{1}; }, "n2 has the id of n1, node 1");
    refused([](auto& said) { said.cluster = "prod"; }, "n2 belongs to cluster ");
    refused([](auto& said) { said.version = 7; }, "n2 speaks version 7, n1 speaks version 1");
    expect_unmoved();
}

TEST_F(Strangers, WhoSpeakNoTlsAreShutOut) {
    const auto say = [&](const std::string& words) {
        return [this, words] {
            net::RawClient client(peer_address());
            client.send(words);
            EXPECT_TRUE(client.closed_by_server()) << words.substr(0, 20);
        };
    };
    expect_refusal("http request", say("GET / HTTP/1.1\r\nHost: n1\r\n\r\n"));
    expect_refusal("wrong version number", say(std::string(64, '\0')));
    expect_refusal("packet length too long", say(std::string("\x16\x03\x01\xff\xff") + "rest"));
    say(std::string(1'000'000, 'x'))();
    expect_unmoved();
}

TEST_F(Strangers, TenThousandConnectionsThatSayNothingDoNotMoveIt) {
    expect_answers_during(target, [this] { crowd(peer_address(), 10'000, ""); });
    expect_unmoved();
}

TEST_F(Strangers, APeerThatComesBackFindsItsWayThroughTheCrowd) {
    const std::size_t dialled = 2, other = before_leader() == "n1" ? 1 : 0;
    std::deque<net::RawClient> waiting;
    for (int i = 0; i < 300; ++i) waiting.emplace_back(peer_address(dialled));
    auto more = std::async(std::launch::async, [&] { crowd(peer_address(dialled), 3'000, ""); });
    kill(other);
    restart();
    EXPECT_TRUE(comes_true([&] { return named_by(other) == before_leader(); })) << logs();
    more.get();
}

// What a client says first: then it is the server's turn, which signs, and waits.
std::string client_hello() {
    const net::Owned<SSL_CTX, SSL_CTX_free> context(SSL_CTX_new(TLS_client_method()));
    const net::Owned<SSL, SSL_free> session(SSL_new(context.get()));
    BIO* const sent = BIO_new(BIO_s_mem());
    SSL_set_bio(session.get(), BIO_new(BIO_s_mem()), sent);  // both are the session's now
    SSL_set_connect_state(session.get());
    SSL_do_handshake(session.get());
    return net::written(sent);
}

TEST_F(Strangers, HandshakesThatAreNeverFinishedDoNotMoveIt) {
    const std::string whole = client_hello();
    ASSERT_GT(whole.size(), 100u);
    expect_answers_during(target, [&] {
        crowd(peer_address(), 1'000, whole);
        crowd(peer_address(), 1'000, whole.substr(0, whole.size() / 2));
    });
    net::RawClient patient(peer_address());
    patient.send(whole);
    EXPECT_TRUE(patient.closed_by_server());
    EXPECT_TRUE(comes_true([&] { return complaints(target, "no hello within 5000 ms") > 0; }))
        << log_of(target);
    expect_unmoved();
}

}  // namespace
}  // namespace conclave
