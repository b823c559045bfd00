// net/tls_records.h -- TLS without a socket: words become records, and records words.
//
// Whoever has the connection carries the records: what came in is fed, what is to go out is taken.
// A stream with TLS inside asks the socket once more for each message, and hands itself from step
// to step in between; here a link carries records as it carries plaintext.
#pragma once
#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/leaf_bytes.h"
#include "net/openssl.h"
#include "net/tls.h"

namespace conclave::net {

class TlsRecords {
public:
    enum class Role : std::uint8_t { caller, called };
    enum class Handshake : std::uint8_t { under_way, done, failed };

    explicit TlsRecords(Tls& tls);           // who is needed no longer than this
    TlsRecords(const TlsRecords&) = delete;  // OpenSSL knows where the records are
    TlsRecords& operator=(const TlsRecords&) = delete;

    void begin(Role role);
    // The next step, with what was fed; also the first. Whatever comes of it, there may be
    // something to take: of a failure the other end is told as well.
    [[nodiscard]] Handshake shake_hands();

    // From now on records come and go for long: memory for them is not given back after each.
    void keep_buffers() { SSL_clear_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS); }

    void feed(ByteView records);
    // The start of `into` that is filled with what was said; empty: no record is complete.
    // Nothing: no more will come, and problem() says whether that is how it should be.
    [[nodiscard]] std::optional<ByteView> read(std::span<std::byte> into);
    [[nodiscard]] bool write(ByteView said);

    // Whether a record has begun whose end is still to come, or which was not read.
    bool partial() const;
    // By how much a record is longer than what is said in it: its head, its kind and its seal.
    static constexpr std::size_t overhead = 5 + 1 + 16;

    // Appends the records that are to go out, if there are any.
    bool waiting() const { return !going_out_.empty(); }
    void take(Bytes& records);

    const std::string& problem() const { return problem_; }
    SSL* native() { return ssl_.get(); }

private:
    // Whom OpenSSL takes for the socket.
    static BIO_METHOD* carrier();
    static int pass_in(BIO* bio, char* into, int most) noexcept;
    static int pass_out(BIO* bio, const char* record, int size) noexcept;

    bool unread() const { return read_ < come_in_.size() || SSL_has_pending(ssl_.get()) != 0; }
    void fail();

    Owned<SSL, SSL_free> ssl_;
    Bytes come_in_, going_out_;
    std::size_t read_ = 0;  // of what has come in
    std::string problem_;
};

}  // namespace conclave::net
