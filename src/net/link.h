// net/link.h -- one connection: bytes come in and go out as a hello, letters and a goodbye.
//
// A Link knows the order of things (connect, TLS handshake, hello, letters, bye) and the limits on
// each, but not who may talk to whom: that is its owner's. What is sent during one wake-up of the
// loop leaves as one write, so as one TLS record and, with TCP_NODELAY, at once. A Link lives as
// long as the loop has something to do for it; after close() its owner hears nothing more.
#pragma once
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/types.h"
#include "net/listener.h"
#include "net/peer.h"
#include "net/tls_records.h"
#include "wire/frame.h"
#include "wire/packets.h"

namespace conclave::net {

class Link : public std::enable_shared_from_this<Link> {
public:
    using Socket = Listener::Socket;

    // All called from the loop.
    class Owner {
    public:
        virtual ~Owner() = default;
        virtual void opened(Link& link) = 0;  // connected; with TLS, shaken hands
        virtual void greeted(Link& link, wire::Hello hello) = 0;  // welcome() it, or leave()
        virtual void woken(Link& link) = 0;  // it is up, and has something to receive()
        virtual bool gathers() const = 0;    // and will call flush_due() before the loop goes on
        // What can wait may have waited for that long.
        virtual void arrived(Link& link, const wire::Letter& letter, Duration waited) = 0;
        // Of no use any more: told once, unless the owner has left it already.
        virtual void ended(Link& link, const std::string& why) = 0;
        virtual void gone(Link& link) = 0;  // the connection is closed; the last call
    };

    // `tls` is null for plaintext, and needed no longer than this constructor.
    Link(Socket socket, Tls* tls, const LinkLimits& limits, Owner& owner);

    void dial(const boost::asio::ip::tcp::endpoint& to);
    void serve();  // a socket that was accepted

    void say(const wire::Hello& ours);        // before any letter
    void welcome(const wire::Hello& theirs);  // it is accepted: letters may come and go
    void send(std::uint32_t group, ByteView message, Hurry hurry = Hurry::at_once);
    void flush_due();  // at the end of a wake-up, what was sent
    void receive();    // what it was woken for
    // Whether something has come, and for how long it has been there. It is in digest() that the
    // owner hears of it.
    [[nodiscard]] std::optional<Duration> fetch();
    void digest();
    void leave(const std::string& why);  // say goodbye with the reason, close when it has arrived
    void close();
    void disown() { owner_ = nullptr; }  // goes on with its goodbye, and tells nobody
    bool closed() const { return stage_ == Stage::closed; }

    std::optional<Certificate> certificate();  // of the peer; none on plaintext
    // Its address, without the port; also when the connection is closed and somebody asks who it
    // was.
    const std::string& remote() const { return remote_; }

    Traffic traffic;
    std::optional<NodeId> peer;  // whom it leads to, as far as the owner knows

private:
    enum class Stage : std::uint8_t { opening, greeting, up, leaving, closed };
    using ErrorCode = boost::system::error_code;

    void tune();
    void connected();
    void start(TlsRecords::Role role);
    void shake_hands();
    void open();
    void wait();
    void wake(const ErrorCode& error);
    void unseal();
    void hear(ByteView said);
    void doze();
    void take(const wire::Frame& frame);
    void take_hello(ByteView body);
    void flush_soon();
    void flush();
    void end_soon();
    void ring();
    void carry();
    void written(const ErrorCode& error);
    void set_deadline(Duration from_now, const std::string& why);
    void shut();
    void end(const std::string& why, bool say_so = false);
    std::string explain(const ErrorCode& error);

    Socket socket_;
    std::optional<TlsRecords> tls_;
    boost::asio::steady_timer deadline_;
    LinkLimits limits_;
    Owner* owner_;
    std::string remote_ = "unknown";
    Stage stage_ = Stage::opening;
    wire::FrameReader reader_{wire::hello_limit};
    std::array<std::byte, 16 * 1024> chunk_;
    std::size_t fetched_ = 0;  // bytes in the chunk
    Duration waited_{};        // for so long they were in the kernel
    Bytes batch_;              // of this wake-up, and of those before if the last write is not done
    Bytes outgoing_;           // in the hands of the kernel; with TLS, as records
    std::optional<std::size_t> rings_from_;  // in the batch, the last letter that cannot wait
    std::size_t wakes_at_ = 1;               // bytes: the kernel does not wake us for fewer
    std::size_t ring_ = 0;                   // bytes: what the peer says in a hurry is no shorter
    bool writing_ = false, flush_due_ = false, overfull_ = false;
};

}  // namespace conclave::net
