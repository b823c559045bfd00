#include "net/tls_records.h"

#include <openssl/x509_vfy.h>

#include <cassert>
#include <limits>
#include <new>
#include <string_view>

namespace conclave::net {
namespace {

int length(std::size_t size) {
    assert(size <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
    return static_cast<int>(size);
}

BIO* buffer() {
    BIO* const memory = BIO_new(BIO_s_mem());
    if (memory == nullptr) throw std::bad_alloc();
    BIO_set_mem_eof_return(memory, -1);  // empty is not the end: more may come
    return memory;
}

// There are none, as long as nobody leaves his behind; to empty the list costs more than a look.
void forget_errors() {
    if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

TlsRecords::TlsRecords(Tls& tls)
    : ssl_(SSL_new(tls.context().native_handle())), in_(buffer()), out_(buffer()) {
    if (!ssl_) throw std::bad_alloc();
    SSL_set_bio(ssl_.get(), in_, out_);
}

void TlsRecords::begin(Role role) {
    role == Role::caller ? SSL_set_connect_state(ssl_.get()) : SSL_set_accept_state(ssl_.get());
}

TlsRecords::Handshake TlsRecords::shake_hands() {
    forget_errors();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return Handshake::done;
    if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) return Handshake::under_way;
    fail();
    return Handshake::failed;
}

void TlsRecords::feed(ByteView records) {
    [[maybe_unused]] const int taken = BIO_write(in_, records.data(), length(records.size()));
    assert(taken == length(records.size()));
}

std::optional<ByteView> TlsRecords::read(std::span<std::byte> into) {
    if (!partial()) return ByteView();
    forget_errors();
    const int size = SSL_read(ssl_.get(), into.data(), length(into.size()));
    if (size > 0) return ByteView(into).first(static_cast<std::size_t>(size));
    const int why = SSL_get_error(ssl_.get(), size);
    if (why == SSL_ERROR_WANT_READ) return ByteView();
    if (why != SSL_ERROR_ZERO_RETURN) fail();
    return std::nullopt;
}

// Between the head of a record and its body nothing is pending anywhere.
bool TlsRecords::partial() const {
    constexpr std::string_view body_is_next = "RB";
    return BIO_ctrl_pending(in_) > 0 || SSL_has_pending(ssl_.get()) != 0 ||
           SSL_rstate_string(ssl_.get()) == body_is_next;
}

bool TlsRecords::write(ByteView said) {
    forget_errors();
    if (SSL_write(ssl_.get(), said.data(), length(said.size())) > 0) return true;
    fail();
    return false;
}

void TlsRecords::take(Bytes& records) {
    const std::size_t before = records.size(), size = BIO_ctrl_pending(out_);
    if (size == 0) return;
    records.resize(before + size);
    [[maybe_unused]] const int taken = BIO_read(out_, records.data() + before, length(size));
    assert(taken == length(size));
}

void TlsRecords::fail() {
    problem_ = openssl_error("TLS").what;
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (verdict != X509_V_OK) problem_.append(": ").append(X509_verify_cert_error_string(verdict));
}

}  // namespace conclave::net
