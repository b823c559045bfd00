// net/tls.cc -- OpenSSL's context set up once, and what we read from certificates.
#include "net/tls.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <boost/system/error_code.hpp>
#include <cassert>
#include <ctime>
#include <optional>
#include <utility>

#include "net/openssl.h"

namespace conclave::net {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

std::chrono::sys_seconds expiry_of(const X509* certificate) {
    std::tm utc{};
    if (!ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &utc)) return {};  // unreadable: long ago
    return std::chrono::sys_seconds(std::chrono::seconds(timegm(&utc)));
}

std::vector<std::string> names_of(const X509* certificate) {
    const Owned<GENERAL_NAMES, GENERAL_NAMES_free> all(static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    std::vector<std::string> names;
    for (int at = 0; all && at < sk_GENERAL_NAME_num(all.get()); ++at) {
        const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), at);
        if (name->type != GEN_DNS) continue;
        const ASN1_IA5STRING* text = name->d.dNSName;
        // By its length: a zero byte inside must not cut "n1\0.evil" down to "n1".
        names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                           static_cast<std::size_t>(ASN1_STRING_length(text)));
    }
    return names;
}

Certificate read(const X509* certificate) {
    return {names_of(certificate), expiry_of(certificate)};
}

Error wrong(std::string_view file, std::string_view part, const error_code& error) {
    return Error{"cannot use " + std::string(file) + " as the " + std::string(part) + ": " +
                 error.message()};
}

void harden(ssl::context& context, Tls::Takes takes) {
    context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    SSL_CTX* const native = context.native_handle();
    // The end that is dialled would ask for the client purpose only, which operators have too.
    const bool nodes = takes == Tls::Takes::nodes;
    X509_VERIFY_PARAM_set_purpose(SSL_CTX_get0_param(native),
                                  nodes ? X509_PURPOSE_SSL_SERVER : X509_PURPOSE_SSL_CLIENT);
    SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(native, 0);
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // an idle link keeps no record buffers
}

}  // namespace

bool Certificate::is_for(std::string_view name) const {
    return std::ranges::find(names, name) != names.end();
}

Tls::Tls(ssl::context context, Certificate own)
    : context_(std::move(context)), own_(std::move(own)) {}

namespace {

ssl::context hardened(Tls::Takes takes) {
    ssl::context context(ssl::context::tlsv13);
    harden(context, takes);
    return context;
}

std::optional<Error> show(ssl::context& context, const TlsFiles& files) {
    error_code error;
    // Without this OpenSSL asks for the pass phrase on the terminal, and a daemon hangs.
    const auto no_pass_phrase = [](std::size_t, auto) { return std::string(); };
    if (context.set_password_callback(no_pass_phrase, error); error)
        return wrong(files.key, "private key", error);
    if (context.use_certificate_chain_file(files.cert, error); error)
        return wrong(files.cert, "certificate", error);
    if (context.use_private_key_file(files.key, ssl::context::pem, error); error)
        return wrong(files.key, "private key of " + files.cert, error);
    return std::nullopt;
}

std::optional<Error> believe(ssl::context& context, const std::string& authority) {
    error_code error;
    if (context.load_verify_file(authority, error); error)
        return wrong(authority, "certificate authority", error);
    return std::nullopt;
}

}  // namespace

Result<Tls> Tls::load(const TlsFiles& files, Takes takes) {
    ssl::context context = hardened(takes);
    if (auto error = believe(context, files.ca)) return *error;
    if (auto error = show(context, files)) return *error;
    const X509* own = SSL_CTX_get0_certificate(context.native_handle());
    assert(own);
    Certificate certificate = read(own);
    if (certificate.names.empty())
        return Error{files.cert + " has no DNS name (SAN): it says of no node that it is it"};
    return Tls(std::move(context), std::move(certificate));
}

Result<Tls> Tls::visit(const TlsFiles& files) {
    if (files.cert.empty() && !files.key.empty())
        return Error{std::string("a certificate is missing for the key ").append(files.key)};
    ssl::context context = hardened(Takes::nodes);
    if (files.ca.empty()) {
        context.set_default_verify_paths();
    } else if (auto error = believe(context, files.ca)) {
        return *error;
    }
    if (!files.cert.empty()) {
        if (auto error = show(context, files)) return *error;
    }
    return Tls(std::move(context), Certificate{});
}

Certificate peer_certificate(SSL* connection) {
    const X509* shown = SSL_get0_peer_certificate(connection);
    assert(shown);  // the handshake fails without one
    return read(shown);
}

}  // namespace conclave::net
