#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <boost/asio/ssl/context.hpp>

#include "net/http_client.h"
#include "net/http_kit_test.h"

namespace conclave::net {
namespace {

namespace ssl = boost::asio::ssl;
using testing::HasSubstr;

std::string text_of(BIO* bio) {
    char* data = nullptr;
    long size = BIO_get_mem_data(bio, &data);
    std::string text(data, static_cast<std::size_t>(size));
    BIO_free(bio);
    return text;
}

struct Identity {  // a key and a certificate that signs itself
    explicit Identity(const char* names) {
        EVP_PKEY* pair = EVP_EC_gen("P-256");
        X509* paper = X509_new();
        X509_set_version(paper, X509_VERSION_3);
        ASN1_INTEGER_set(X509_get_serialNumber(paper), 1);
        X509_gmtime_adj(X509_getm_notBefore(paper), -60);
        X509_gmtime_adj(X509_getm_notAfter(paper), 3600);
        X509_NAME* name = X509_get_subject_name(paper);
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>(names), -1, -1, 0);
        X509_set_issuer_name(paper, name);
        X509_EXTENSION* extension =
            X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names);
        X509_add_ext(paper, extension, -1);
        X509_set_pubkey(paper, pair);
        X509_sign(paper, pair, EVP_sha256());
        BIO* out = BIO_new(BIO_s_mem());
        PEM_write_bio_X509(out, paper);
        certificate = text_of(out);
        out = BIO_new(BIO_s_mem());
        PEM_write_bio_PrivateKey(out, pair, nullptr, nullptr, 0, nullptr, nullptr);
        key = text_of(out);
        X509_EXTENSION_free(extension);
        X509_free(paper);
        EVP_PKEY_free(pair);
    }
    std::string certificate, key;
};

ssl::context context_of(const Identity* self, const Identity* trusts) {
    ssl::context tls(ssl::context::tls);
    if (self) {
        tls.use_certificate_chain(boost::asio::buffer(self->certificate));
        tls.use_private_key(boost::asio::buffer(self->key), ssl::context::pem);
    }
    if (trusts) tls.add_certificate_authority(boost::asio::buffer(trusts->certificate));
    return tls;
}

class HttpTls : public testing::Test {
protected:
    Outcome call(ssl::context* tls, const std::string& target = "/trusted") {
        ClientOptions options{.endpoints = {*parse_http_endpoint("https://" + site.tcp)},
                              .tls = tls};
        return ask(options, {.target = target}, patience);
    }
    Failure failure_of(const Outcome& outcome) {
        EXPECT_TRUE(std::holds_alternative<Failure>(outcome));
        return std::get<Failure>(outcome);
    }

    Identity server{"IP:127.0.0.1"}, client{"DNS:client"}, stranger{"IP:127.0.0.1"};
    ssl::context site_tls = context_of(&server, &client);
    TestSite site{{}, &site_tls};
};

TEST_F(HttpTls, AClientWithoutACertificateIsServedButNotTrusted) {
    ssl::context tls = context_of(nullptr, &server);
    EXPECT_EQ(std::get<Answer>(call(&tls)).body, "no");
}

TEST_F(HttpTls, AClientWithAVerifiedCertificateIsTrusted) {
    ssl::context tls = context_of(&client, &server);
    EXPECT_EQ(std::get<Answer>(call(&tls)).body, "yes");
}

TEST_F(HttpTls, AStrangersCertificateIsRefused) {
    ssl::context tls = context_of(&stranger, &server);
    Failure failure = failure_of(call(&tls));
    EXPECT_EQ(failure.trouble, Trouble::refused) << failure.what;
    EXPECT_FALSE(failure.sent);
}

TEST_F(HttpTls, AServerThatWeDoNotTrustIsRefused) {
    ssl::context tls = context_of(nullptr, &stranger);
    Failure failure = failure_of(call(&tls));
    EXPECT_EQ(failure.trouble, Trouble::refused) << failure.what;
    EXPECT_THAT(failure.what, HasSubstr("https://" + site.tcp + ": "));
}

TEST_F(HttpTls, AServerWithAnotherNameIsRefused) {
    ssl::context tls = context_of(nullptr, &server);
    std::string port = site.tcp.substr(site.tcp.find(':'));
    ClientOptions options{.endpoints = {*parse_http_endpoint("https://localhost" + port)},
                          .tls = &tls};
    EXPECT_EQ(failure_of(ask(options, {}, patience)).trouble, Trouble::refused);
}

TEST_F(HttpTls, HttpsWithoutCertificatesIsRefusedWithTheReason) {
    Failure failure = failure_of(call(nullptr));
    EXPECT_EQ(failure.trouble, Trouble::refused);
    EXPECT_THAT(failure.what, HasSubstr("https needs certificates"));
}

TEST_F(HttpTls, ThoseWhoDoNotSpeakTlsAreClosed) {
    TestSite hasty({.request = 300ms}, &site_tls);
    RawClient garbage(hasty.tcp), silent(hasty.tcp);
    garbage.send(get("/hello"));
    EXPECT_TRUE(garbage.closed_by_server());
    EXPECT_TRUE(silent.closed_by_server());
}

TEST_F(HttpTls, NewCertificatesServeTheNextClient) {
    Identity renewed("IP:127.0.0.1");
    site.on_loop([&] { site_tls = context_of(&renewed, &client); });
    ssl::context old_trust = context_of(nullptr, &server),
                 new_trust = context_of(nullptr, &renewed);
    EXPECT_EQ(failure_of(call(&old_trust)).trouble, Trouble::refused);
    EXPECT_EQ(std::get<Answer>(call(&new_trust, "/hello")).body, "hello");
}

}  // namespace
}  // namespace conclave::net
