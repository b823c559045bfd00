#include "net/tls_records.h"

#include <openssl/x509_vfy.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>

namespace conclave::net {
namespace {

int length(std::size_t size) {
    assert(size <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
    return static_cast<int>(size);
}

long control(BIO*, int question, long, void*) {
    return question == BIO_CTRL_FLUSH ? 1 : 0;  // done; anything else is not known here
}

// There are none, as long as nobody leaves his behind; to empty the list costs more than a look.
void forget_errors() {
    if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

// Two buffers, and nothing else: whoever wakes for one record feels what OpenSSL's own kind of
// them, which can do more, does for each.
BIO_METHOD* TlsRecords::carrier() {
    static const Owned<BIO_METHOD, BIO_meth_free> method = [] {
        BIO_METHOD* const made =
            BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "the records of a link");
        if (made == nullptr) throw std::bad_alloc();
        BIO_meth_set_read(made, pass_in);
        BIO_meth_set_write(made, pass_out);
        BIO_meth_set_ctrl(made, control);
        return Owned<BIO_METHOD, BIO_meth_free>(made);
    }();
    return method.get();
}

TlsRecords::TlsRecords(Tls& tls) : ssl_(SSL_new(tls.context().native_handle())) {
    BIO* const bio = ssl_ ? BIO_new(carrier()) : nullptr;
    if (bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);  // which is the connection's from now on
}

int TlsRecords::pass_in(BIO* bio, char* into, int most) noexcept {
    auto& self = *static_cast<TlsRecords*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const std::size_t size =
        std::min(self.come_in_.size() - self.read_, static_cast<std::size_t>(most));
    if (size == 0) {  // not the end: more may come
        BIO_set_retry_read(bio);
        return -1;
    }
    std::memcpy(into, self.come_in_.data() + self.read_, size);
    self.read_ += size;
    return length(size);
}

int TlsRecords::pass_out(BIO* bio, const char* record, int size) noexcept {
    auto& self = *static_cast<TlsRecords*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const ByteView bytes = std::as_bytes(std::span(record, static_cast<std::size_t>(size)));
    self.going_out_.insert(self.going_out_.end(), bytes.begin(), bytes.end());
    return size;
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
    if (read_ == come_in_.size()) {
        come_in_.clear();
        read_ = 0;
    }
    come_in_.insert(come_in_.end(), records.begin(), records.end());
}

std::optional<ByteView> TlsRecords::read(std::span<std::byte> into) {
    if (!unread()) return ByteView();
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
    return unread() || SSL_rstate_string(ssl_.get()) == body_is_next;
}

bool TlsRecords::write(ByteView said) {
    forget_errors();
    if (SSL_write(ssl_.get(), said.data(), length(said.size())) > 0) return true;
    fail();
    return false;
}

void TlsRecords::take(Bytes& records) {
    if (records.empty()) {
        std::swap(records, going_out_);
    } else {
        records.insert(records.end(), going_out_.begin(), going_out_.end());
        going_out_.clear();
    }
}

void TlsRecords::fail() {
    problem_ = openssl_error("TLS").what;
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (verdict != X509_V_OK) problem_.append(": ").append(X509_verify_cert_error_string(verdict));
}

}  // namespace conclave::net
