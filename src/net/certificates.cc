// net/certificates.cc -- makes and signs certificates with OpenSSL.
#include "net/certificates.h"

#include <arpa/inet.h>
#include <openssl/pem.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "net/openssl.h"

namespace conclave::net {

namespace {

constexpr std::chrono::minutes clock_difference{5};
constexpr int serial_bits = 128;
constexpr std::size_t common_name_max = 64;  // RFC 5280, ub-common-name
constexpr std::size_t label_max = 63;        // RFC 1035
constexpr std::size_t host_max = 253;

struct Signer {
    OwnedCertificate certificate;
    OwnedKey key;
};

bool is_address(const std::string& text) {
    unsigned char bytes[sizeof(in6_addr)];
    return inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
           inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

// Letters, digits, '-' and '_' in labels: a name is a file's name too, and no '*' may match others.
bool is_host(std::string_view text) {
    if (text.empty() || text.size() > host_max) return false;
    std::size_t label = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : '.';
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool word = letter || (c >= '0' && c <= '9') || c == '_';
        if (c == '.') {
            if (label == 0 || label > label_max || text[i - 1] == '-') return false;
            label = 0;
        } else if (word || (c == '-' && label > 0)) {
            ++label;
        } else {
            return false;
        }
    }
    return true;
}

std::optional<Error> refusal(const CertificateRequest& request) {
    const std::string& name = request.name;
    if (name.size() > common_name_max || !is_host(name) || is_address(name)) {
        return Error{"cannot issue a certificate to '" + name +
                     "': a name has at most 64 letters, digits, '-', '_' and dots between them"};
    }
    if (request.usage == Usage::client && !request.hosts.empty()) {
        return Error{"cannot issue a certificate to " + name +
                     ": an operator has no hosts, for nobody dials an operator"};
    }
    for (const std::string& host : request.hosts) {
        if (is_host(host) || is_address(host)) continue;
        return Error{"cannot issue a certificate to " + name + ": '" + host +
                     "' is neither a host name nor an IP address"};
    }
    if (request.validity.from < request.validity.until) return std::nullopt;
    return Error{"cannot issue a certificate to " + name + ": it would end before it begins"};
}

bool add_extension(X509* certificate, X509* issuer, int kind, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const Owned<X509_EXTENSION, X509_EXTENSION_free> extension(
        X509V3_EXT_nconf_nid(nullptr, &context, kind, value));
    return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Built from parts: in OpenSSL's textual form a comma in a name would start another name.
bool add_host(GENERAL_NAMES* names, const std::string& host) {
    const bool address = is_address(host);
    ASN1_STRING* value = address ? a2i_IPADDRESS(host.c_str()) : ASN1_IA5STRING_new();
    GENERAL_NAME* name = GENERAL_NAME_new();
    const bool filled =
        value != nullptr && name != nullptr &&
        (address || ASN1_STRING_set(value, host.data(), static_cast<int>(host.size())) == 1);
    if (!filled) {
        ASN1_STRING_free(value);
        GENERAL_NAME_free(name);
        return false;
    }
    GENERAL_NAME_set0_value(name, address ? GEN_IPADD : GEN_DNS, value);
    if (sk_GENERAL_NAME_push(names, name) > 0) return true;
    GENERAL_NAME_free(name);
    return false;
}

bool add_hosts(X509* certificate, const std::vector<std::string>& hosts) {
    const Owned<GENERAL_NAMES, GENERAL_NAMES_free> names(GENERAL_NAMES_new());
    if (names == nullptr) return false;
    for (const std::string& host : hosts) {
        if (!add_host(names.get(), host)) return false;
    }
    return X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) == 1;
}

bool set_serial(X509* certificate) {
    const Owned<BIGNUM, BN_free> serial(BN_new());
    return serial != nullptr &&
           BN_rand(serial.get(), serial_bits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
           BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_times(X509* certificate, const Validity& validity) {
    const auto set = [](ASN1_TIME* into, std::chrono::sys_seconds when) {
        return ASN1_TIME_set(into, when.time_since_epoch().count()) != nullptr;
    };
    return set(X509_getm_notBefore(certificate), validity.from) &&
           set(X509_getm_notAfter(certificate), validity.until);
}

// All but the extensions and the signature; nothing if OpenSSL refuses.
std::optional<Signer> begin(std::string_view name, const Validity& validity) {
    Signer made{OwnedCertificate(X509_new()), OwnedKey(EVP_EC_gen("P-256"))};
    X509* const certificate = made.certificate.get();
    if (certificate == nullptr || made.key == nullptr) return std::nullopt;
    const auto* text = reinterpret_cast<const unsigned char*>(name.data());
    const bool filled =
        X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
        set_times(certificate, validity) && X509_set_pubkey(certificate, made.key.get()) == 1 &&
        X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                   MBSTRING_UTF8, text, static_cast<int>(name.size()), -1, 0) == 1;
    if (!filled) return std::nullopt;
    return made;
}

bool sign(X509* certificate, const X509* issuer, EVP_PKEY* key) {
    return X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
           X509_sign(certificate, key, EVP_sha256()) > 0;
}

Result<Pem> as_pem(const Signer& made) {
    const OwnedBio certificate(BIO_new(BIO_s_mem())), key(BIO_new(BIO_s_secmem()));
    if (certificate == nullptr || key == nullptr ||
        PEM_write_bio_X509(certificate.get(), made.certificate.get()) != 1 ||
        PEM_write_bio_PKCS8PrivateKey(key.get(), made.key.get(), nullptr, nullptr, 0, nullptr,
                                      nullptr) != 1) {
        return openssl_error("cannot write a certificate as text");
    }
    return Pem{written(certificate.get()), written(key.get())};
}

Result<Signer> read_ca(const Pem& ca) {
    const auto no_passphrase = [](char*, int, int, void*) { return -1; };  // else it would prompt
    const OwnedBio certificate = reading(ca.certificate), key = reading(ca.key);
    Signer signer{
        OwnedCertificate(PEM_read_bio_X509(certificate.get(), nullptr, no_passphrase, nullptr)),
        OwnedKey(PEM_read_bio_PrivateKey(key.get(), nullptr, no_passphrase, nullptr))};
    if (signer.certificate == nullptr) return openssl_error("cannot read the CA's certificate");
    if (signer.key == nullptr) return openssl_error("cannot read the CA's key");
    if (X509_check_ca(signer.certificate.get()) != 1) {
        return Error{"cannot sign: the certificate is not a CA's"};
    }
    if (X509_check_private_key(signer.certificate.get(), signer.key.get()) != 1) {
        return openssl_error("cannot sign: the CA's key is not its certificate's");
    }
    return signer;
}

std::vector<std::string> all_hosts(const CertificateRequest& request) {
    std::vector<std::string> hosts{request.name};
    for (const std::string& host : request.hosts) {
        if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
    }
    return hosts;
}

}  // namespace

Validity lasting(std::chrono::days length, std::chrono::sys_seconds now) {
    return {now - clock_difference, now + length};
}

Validity lasting(std::chrono::days length) {
    using std::chrono::system_clock;
    return lasting(length, std::chrono::floor<std::chrono::seconds>(system_clock::now()));
}

std::chrono::days days_left(const Validity& validity, std::chrono::sys_seconds now) {
    return std::chrono::floor<std::chrono::days>(validity.until - now);
}

Result<Pem> make_ca(std::string_view name, const Validity& validity) {
    const std::string what = "cannot make the CA '" + std::string(name) + "'";
    if (name.empty() || name.size() > common_name_max) {
        return Error{what + ": a name has 1 to 64 letters"};
    }
    if (validity.from >= validity.until) return Error{what + ": it would end before it begins"};
    const auto made = begin(name, validity);
    if (!made) return openssl_error(what);
    X509* const certificate = made->certificate.get();
    const bool signed_by_itself =
        add_extension(certificate, certificate, NID_basic_constraints,
                      "critical,CA:TRUE,pathlen:0") &&
        add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") &&
        add_extension(certificate, certificate, NID_subject_key_identifier, "hash") &&
        sign(certificate, certificate, made->key.get());
    if (!signed_by_itself) return openssl_error(what);
    return as_pem(*made);
}

Result<Pem> issue(const Pem& ca, const CertificateRequest& request) {
    if (auto refused = refusal(request)) return *refused;
    auto authority = describe(ca.certificate);
    if (!authority) return Error{"cannot read the CA's certificate: " + authority.error().what};
    auto signer = read_ca(ca);
    if (!signer) return signer.error();

    const std::string what = "cannot issue a certificate to " + request.name;
    const Validity validity{request.validity.from,
                            std::min(request.validity.until, authority->validity.until)};
    if (validity.from >= validity.until) return Error{what + ": the CA's own is over"};
    const auto made = begin(request.name, validity);
    if (!made) return openssl_error(what);
    X509 *const certificate = made->certificate.get(), *const issuer = signer->certificate.get();
    const bool node = request.usage == Usage::node;
    const bool complete =
        add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
        add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
        add_extension(certificate, issuer, NID_ext_key_usage,
                      node ? "serverAuth,clientAuth" : "clientAuth") &&
        add_extension(certificate, issuer, NID_subject_key_identifier, "hash") &&
        add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always") &&
        (!node || add_hosts(certificate, all_hosts(request))) &&
        sign(certificate, issuer, signer->key.get());
    if (!complete) return openssl_error(what);
    return as_pem(*made);
}

}  // namespace conclave::net
