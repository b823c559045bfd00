// net/certificates_test.cc -- certificates as OpenSSL itself judges them.
#include "net/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include <set>

#include "net/openssl.h"

namespace conclave::net {
namespace {

using std::chrono::days;
using testing::ElementsAre;
using testing::HasSubstr;

const std::chrono::sys_seconds today{std::chrono::sys_days{std::chrono::year{2026} / 11 / 15}};

OwnedCertificate parsed(const std::string& pem) {
    const OwnedBio bio = reading(pem);
    return OwnedCertificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

struct Check {
    int purpose = X509_PURPOSE_SSL_SERVER;
    std::string host{};
    std::chrono::sys_seconds at = today;
};

// X509_V_OK, or why a peer that trusts only this CA refuses it.
int verdict(const Pem& ca, const Pem& leaf, const Check& check) {
    const OwnedCertificate authority = parsed(ca.certificate),
                           certificate = parsed(leaf.certificate);
    const Owned<X509_STORE, X509_STORE_free> store(X509_STORE_new());
    X509_STORE_add_cert(store.get(), authority.get());
    const Owned<X509_STORE_CTX, X509_STORE_CTX_free> context(X509_STORE_CTX_new());
    X509_STORE_CTX_init(context.get(), store.get(), certificate.get(), nullptr);
    X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(context.get());
    X509_VERIFY_PARAM_set_purpose(wanted, check.purpose);
    X509_VERIFY_PARAM_set_time(wanted, check.at.time_since_epoch().count());
    X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT);
    if (!check.host.empty()) {
        const bool address = check.host.find_first_not_of("0123456789.:") == std::string::npos;
        if (address) X509_VERIFY_PARAM_set1_ip_asc(wanted, check.host.c_str());
        if (!address) X509_VERIFY_PARAM_set1_host(wanted, check.host.c_str(), 0);
    }
    X509_verify_cert(context.get());
    return X509_STORE_CTX_get_error(context.get());
}

Pem authority() { return *make_ca("test CA", lasting(days(100), today)); }

Pem issued(const Pem& ca, const std::string& name, Usage usage = Usage::node) {
    return *issue(ca, {.name = name, .validity = lasting(days(10), today), .usage = usage});
}

TEST(Certificates, ANodesIsGoodForBothEndsOfALink) {
    const Pem ca = authority(), node = issued(ca, "n1");
    EXPECT_EQ(verdict(ca, node, {.purpose = X509_PURPOSE_SSL_SERVER}), X509_V_OK);
    EXPECT_EQ(verdict(ca, node, {.purpose = X509_PURPOSE_SSL_CLIENT}), X509_V_OK);
}

TEST(Certificates, AnOperatorsIsNoNodes) {
    const Pem ca = authority(), operators = issued(ca, "n1", Usage::client);
    EXPECT_EQ(verdict(ca, operators, {.purpose = X509_PURPOSE_SSL_CLIENT}), X509_V_OK);
    EXPECT_EQ(verdict(ca, operators, {.purpose = X509_PURPOSE_SSL_SERVER}),
              X509_V_ERR_INVALID_PURPOSE);
}

TEST(Certificates, NamesAndAddressesAreThoseAskedForAndNoOthers) {
    const Pem ca = authority();
    const Pem node = *issue(ca, {.name = "n1",
                                 .hosts = {"n1.example.net", "10.0.0.1", "::1", "n1"},
                                 .validity = lasting(days(10), today)});
    for (const char* host : {"n1", "N1", "n1.example.net", "10.0.0.1", "::1"}) {
        EXPECT_EQ(verdict(ca, node, {.host = host}), X509_V_OK) << host;
    }
    EXPECT_EQ(verdict(ca, node, {.host = "n2"}), X509_V_ERR_HOSTNAME_MISMATCH);
    EXPECT_EQ(verdict(ca, node, {.host = "example.net"}), X509_V_ERR_HOSTNAME_MISMATCH);
    EXPECT_EQ(verdict(ca, node, {.host = "10.0.0.2"}), X509_V_ERR_IP_ADDRESS_MISMATCH);
    EXPECT_THAT(describe(node.certificate)->hosts,
                ElementsAre("n1", "n1.example.net", "10.0.0.1", "::1"));
}

TEST(Certificates, AnotherCaOfTheSameNameIsARogue) {
    const Pem ca = authority(), rogue = authority();
    EXPECT_NE(verdict(ca, issued(rogue, "n1"), {}), X509_V_OK);
}

TEST(Certificates, ANodesKeySignsNothingThatAnybodyBelieves) {
    const Pem node = issued(authority(), "n1");
    const auto refused = issue(node, {.name = "n2", .validity = lasting(days(1), today)});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("not a CA's"));
}

TEST(Certificates, EndWhenTheyShould) {
    const Pem ca = authority(), node = issued(ca, "n1");
    const auto a_minute = std::chrono::minutes(1);
    EXPECT_EQ(verdict(ca, node, {.at = today - a_minute}), X509_V_OK) << "clocks differ";
    EXPECT_EQ(verdict(ca, node, {.at = today + days(10) - a_minute}), X509_V_OK);
    EXPECT_EQ(verdict(ca, node, {.at = today + days(10) + a_minute}), X509_V_ERR_CERT_HAS_EXPIRED);
    EXPECT_EQ(verdict(ca, node, {.at = today - days(1)}), X509_V_ERR_CERT_NOT_YET_VALID);
}

TEST(Certificates, NoneOutlivesItsCa) {
    const Pem ca = authority();
    const auto long_lived = issue(ca, {.name = "n1", .validity = lasting(days(9999), today)});
    EXPECT_EQ(describe(long_lived->certificate)->validity.until, today + days(100));
    const auto too_late =
        issue(ca, {.name = "n1", .validity = lasting(days(1), today + days(101))});
    ASSERT_FALSE(too_late);
    EXPECT_THAT(too_late.error().what, HasSubstr("over"));
}

TEST(Certificates, TimesBeyondTheYear2049AreKept) {
    const Pem ca = *make_ca("old CA", lasting(days(365 * 40), today));
    EXPECT_EQ(describe(ca.certificate)->validity.until, today + days(365 * 40));
    EXPECT_EQ(verdict(ca, issued(ca, "n1"), {}), X509_V_OK);
}

TEST(Certificates, SerialsAndKeysAreNeverTheSame) {
    const Pem ca = authority();
    std::set<std::string> serials, keys;
    for (int i = 0; i < 20; ++i) {
        const Pem node = issued(ca, "n1");
        serials.insert(describe(node.certificate)->serial);
        keys.insert(node.key);
    }
    EXPECT_EQ(serials.size(), 20u);
    EXPECT_EQ(keys.size(), 20u);
    EXPECT_GT(serials.rbegin()->size(), 24u) << "128 bits, less a few leading zeros";
}

TEST(Certificates, AreDescribedAsTheyAre) {
    const Pem ca = authority(), node = issued(ca, "n1");
    const auto about_ca = describe(ca.certificate), about_node = describe(node.certificate);
    EXPECT_EQ(about_ca->subject, "CN=test CA");
    EXPECT_TRUE(about_ca->authority);
    EXPECT_FALSE(about_ca->server) << "it signs, and does nothing else";
    EXPECT_FALSE(about_ca->client);
    EXPECT_EQ(about_node->subject, "CN=n1");
    EXPECT_EQ(about_node->name, "n1");
    EXPECT_EQ(about_node->issuer, "CN=test CA");
    EXPECT_FALSE(about_node->authority);
    EXPECT_TRUE(about_node->server);
    EXPECT_TRUE(about_node->client);
    EXPECT_EQ(about_node->validity.until, today + days(10));
    EXPECT_EQ(about_node->fingerprint.size(), 32u * 3 - 1);
    const auto about_operator = describe(issued(ca, "alice", Usage::client).certificate);
    EXPECT_FALSE(about_operator->server);
    EXPECT_TRUE(about_operator->client);
    EXPECT_THAT(about_operator->hosts, ElementsAre());
}

TEST(Certificates, DaysLeftAreWholeDaysAndNegativeOnceOver) {
    const Validity validity = lasting(days(10), today);
    EXPECT_EQ(days_left(validity, today), days(10));
    EXPECT_EQ(days_left(validity, today + std::chrono::hours(1)), days(9));
    EXPECT_EQ(days_left(validity, today + days(10) - std::chrono::hours(1)), days(0));
    EXPECT_EQ(days_left(validity, today + days(10) + std::chrono::hours(1)), days(-1));
}

TEST(Certificates, OddNamesAreRefusedInWords) {
    const Pem ca = authority();
    const std::string long_name(65, 'a');
    for (const std::string name : {"", "a/b", "..", ".n1", "n1.", "-n1", "n1-", "*", "*.net", "n 1",
                                   "n1,DNS:n2", "10.0.0.1", "::1", "n\n1", long_name.c_str()}) {
        const auto refused = issue(ca, {.name = name, .validity = lasting(days(1), today)});
        ASSERT_FALSE(refused) << name;
        EXPECT_THAT(refused.error().what, HasSubstr("'" + name + "'"));
    }
    for (const std::string host : {"", "*.example.net", "a b", "10.0.0.1:80", "x,IP:10.0.0.1"}) {
        const auto refused =
            issue(ca, {.name = "n1", .hosts = {host}, .validity = lasting(days(1), today)});
        ASSERT_FALSE(refused) << host;
        EXPECT_THAT(refused.error().what, HasSubstr("'" + host + "' is neither"));
    }
    EXPECT_FALSE(make_ca("", lasting(days(1), today)));
    EXPECT_FALSE(make_ca(long_name, lasting(days(1), today)));
    EXPECT_FALSE(make_ca("\xff\xfe", lasting(days(1), today))) << "not UTF-8";
    EXPECT_FALSE(make_ca("ca", lasting(days(-1), today)));
}

TEST(Certificates, AnOperatorWithAHostIsRefused) {
    EXPECT_FALSE(issue(authority(), {.name = "alice",
                                     .hosts = {"n1"},
                                     .validity = lasting(days(1), today),
                                     .usage = Usage::client}));
}

TEST(Certificates, AKeyThatIsNotTheCasDoesNotSign) {
    const Pem ca = authority(), other = authority();
    const CertificateRequest request{.name = "n1", .validity = lasting(days(1), today)};
    EXPECT_THAT(issue({ca.certificate, other.key}, request).error().what, HasSubstr("key"));
    EXPECT_THAT(issue({ca.certificate, "nonsense"}, request).error().what, HasSubstr("key"));
    EXPECT_THAT(issue({"nonsense", ca.key}, request).error().what, HasSubstr("certificate"));
    EXPECT_EQ(ERR_peek_error(), 0u) << "left for the next caller to stumble over";
}

TEST(Certificates, ABundleIsDescribedWholeAndADamagedOneIsRefused) {
    const Pem ca = authority(), node = issued(ca, "n1");
    const auto both = describe_all(node.certificate + "some text\n" + ca.certificate);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->size(), 2u);
    EXPECT_EQ((*both)[1].name, "test CA");
    std::string damaged = ca.certificate;
    damaged.replace(damaged.size() / 2, 4, "!!!!");
    EXPECT_THAT(describe_all(node.certificate + damaged).error().what, HasSubstr("certificate 2"));
    EXPECT_THAT(describe(node.key).error().what, HasSubstr("no certificate"));
    EXPECT_THAT(describe("").error().what, HasSubstr("no certificate"));
}

}  // namespace
}  // namespace conclave::net
