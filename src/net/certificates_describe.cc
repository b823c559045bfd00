// net/certificates_describe.cc -- what a certificate says, fit to be printed.
#include <arpa/inet.h>
#include <openssl/asn1.h>
#include <openssl/pem.h>

#include <array>
#include <climits>
#include <ctime>

#include "net/certificates.h"
#include "net/openssl.h"

namespace conclave::net {

namespace {

std::string printable(std::string_view text) {
    std::string clean(text);
    for (char& c : clean) {
        if (c < ' ' || c > '~') c = '?';
    }
    return clean;
}

std::string_view text_of(const ASN1_STRING* string) {
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
            static_cast<std::size_t>(ASN1_STRING_length(string))};
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size, std::string_view between) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        if (i > 0) text += between;
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

std::string name_text(const X509_NAME* name) {
    const OwnedBio bio(BIO_new(BIO_s_mem()));
    X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253);
    return printable(written(bio.get()));
}

std::string common_name(const X509_NAME* name) {
    const int place = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    if (place < 0) return {};
    return printable(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, place))));
}

std::string address_text(const ASN1_STRING* bytes) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const int size = ASN1_STRING_length(bytes);
    if (size != sizeof(in_addr) && size != sizeof(in6_addr)) return "?";
    const int family = size == sizeof(in_addr) ? AF_INET : AF_INET6;
    return inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size());
}

std::vector<std::string> hosts_of(const X509* certificate) {
    const Owned<GENERAL_NAMES, GENERAL_NAMES_free> names(static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    std::vector<std::string> hosts;
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
        int kind = 0;
        const auto* value = static_cast<const ASN1_STRING*>(
            GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &kind));
        if (kind == GEN_DNS) hosts.push_back(printable(text_of(value)));
        if (kind == GEN_IPADD) hosts.push_back(address_text(value));
    }
    return hosts;
}

std::chrono::sys_seconds when(const ASN1_TIME* time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
    return std::chrono::sys_seconds(std::chrono::seconds(timegm(&parts)));
}

std::string serial_of(const X509* certificate) {
    const Owned<BIGNUM, BN_free> number(
        ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr));
    char* text = number == nullptr ? nullptr : BN_bn2hex(number.get());
    std::string serial = text == nullptr ? "" : text;
    OPENSSL_free(text);
    return serial;
}

std::string fingerprint_of(const X509* certificate) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
    return hexadecimal(digest.data(), size, ":");
}

Description description_of(X509* certificate) {
    const auto good_for = [&](int purpose) {
        return X509_check_purpose(certificate, purpose, 0) == 1;
    };
    const X509_NAME* subject = X509_get_subject_name(certificate);
    return {
        .subject = name_text(subject),
        .issuer = name_text(X509_get_issuer_name(certificate)),
        .name = common_name(subject),
        .hosts = hosts_of(certificate),
        .authority = X509_check_ca(certificate) == 1,
        .server = good_for(X509_PURPOSE_SSL_SERVER),
        .client = good_for(X509_PURPOSE_SSL_CLIENT),
        .validity = {when(X509_get0_notBefore(certificate)), when(X509_get0_notAfter(certificate))},
        .serial = serial_of(certificate),
        .fingerprint = fingerprint_of(certificate)};
}

}  // namespace

Result<std::vector<Description>> describe_all(std::string_view pem) {
    if (pem.size() > INT_MAX) return Error{"too large for a certificate"};
    const OwnedBio bio = reading(pem);
    std::vector<Description> all;
    while (true) {
        const OwnedCertificate next(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
        if (next == nullptr) break;
        all.push_back(description_of(next.get()));
    }
    const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    if (at_end && !all.empty()) {
        ERR_clear_error();
        return all;
    }
    if (at_end) {
        ERR_clear_error();
        return Error{"no certificate in it"};
    }
    return openssl_error("certificate " + std::to_string(all.size() + 1) + " in it is damaged");
}

Result<Description> describe(std::string_view pem) {
    auto all = describe_all(pem);
    if (!all) return all.error();
    return std::move(all->front());
}

}  // namespace conclave::net
