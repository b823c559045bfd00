// net/openssl.h -- OpenSSL's objects with owners, and its errors as text.
#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace conclave::net {

template <auto release> struct Released {
    template <class T> void operator()(T* object) const { release(object); }
};
template <class T, auto release> using Owned = std::unique_ptr<T, Released<release>>;

using OwnedBio = Owned<BIO, BIO_free_all>;
using OwnedKey = Owned<EVP_PKEY, EVP_PKEY_free>;
using OwnedCertificate = Owned<X509, X509_free>;

// Empties OpenSSL's queue of errors, which is the thread's: what is left in it would be blamed on
// somebody else's next call.
inline Error openssl_error(std::string_view what) {
    std::string text(what);
    const unsigned long last = ERR_peek_last_error();
    const char* reason = last == 0 ? nullptr : ERR_reason_error_string(last);
    if (reason != nullptr) text.append(": ").append(reason);
    ERR_clear_error();
    return {text};
}

inline OwnedBio reading(std::string_view text) {
    return OwnedBio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

inline std::string written(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

}  // namespace conclave::net
