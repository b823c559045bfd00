#include "net/http_channel.h"

#include <netdb.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <utility>

namespace conclave::net {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;

class ClearChannel final : public Channel {
public:
    explicit ClearChannel(StreamSocket socket) : socket_(std::move(socket)) {}

    void handshake(std::function<void(ErrorCode)> done) override {
        asio::post(socket_.get_executor(), [done = std::move(done)] { done({}); });
    }
    void read_some(asio::mutable_buffer into, Moved done) override {
        socket_.async_read_some(into, std::move(done));
    }
    void write_some(asio::const_buffer from, Moved done) override {
        socket_.async_write_some(from, std::move(done));
    }
    bool peer_is_verified() override { return false; }

private:
    StreamSocket& socket() override { return socket_; }

    StreamSocket socket_;
};

class TlsChannel final : public Channel {
public:
    TlsChannel(StreamSocket socket, ssl::context& tls, ssl::stream_base::handshake_type role)
        : stream_(std::move(socket), tls), role_(role) {}

    ssl::stream<StreamSocket>& stream() { return stream_; }

    void handshake(std::function<void(ErrorCode)> done) override {
        stream_.async_handshake(role_, std::move(done));
    }
    void read_some(asio::mutable_buffer into, Moved done) override {
        stream_.async_read_some(into, std::move(done));
    }
    void write_some(asio::const_buffer from, Moved done) override {
        stream_.async_write_some(from, std::move(done));
    }
    bool peer_is_verified() override {
        // OpenSSL calls "no certificate" verified too.
        SSL* session = stream_.native_handle();
        return SSL_get0_peer_certificate(session) != nullptr &&
               SSL_get_verify_result(session) == X509_V_OK;
    }

private:
    StreamSocket& socket() override { return stream_.next_layer(); }

    ssl::stream<StreamSocket> stream_;
    ssl::stream_base::handshake_type role_;
};

}  // namespace

std::string Channel::remote() {
    ErrorCode error;
    const auto peer = socket().remote_endpoint(error);
    if (error) return "unknown";
    if (peer.protocol().family() == AF_UNIX) return "the local socket";
    char host[NI_MAXHOST];
    const bool named = ::getnameinfo(peer.data(), static_cast<socklen_t>(peer.size()), host,
                                     sizeof host, nullptr, 0, NI_NUMERICHOST) == 0;
    return named ? host : "unknown";
}

void Channel::end_of_output() {
    ErrorCode ignored;  // the peer may have gone already
    socket().shutdown(StreamSocket::shutdown_send, ignored);
}

void Channel::close() {
    ErrorCode ignored;
    socket().close(ignored);
}

std::unique_ptr<Channel> clear_channel(StreamSocket socket) {
    return std::make_unique<ClearChannel>(std::move(socket));
}

std::unique_ptr<Channel> tls_server_channel(StreamSocket socket, ssl::context& tls) {
    auto channel = std::make_unique<TlsChannel>(std::move(socket), tls, ssl::stream_base::server);
    ErrorCode ignored;  // it cannot fail: a mode is a number
    channel->stream().set_verify_mode(ssl::verify_peer, ignored);
    // Without it OpenSSL breaks off the handshake of a client that resumes its session.
    constexpr std::string_view context = "conclave http";
    SSL_set_session_id_context(channel->stream().native_handle(),
                               reinterpret_cast<const unsigned char*>(context.data()),
                               static_cast<unsigned>(context.size()));
    return channel;
}

std::unique_ptr<Channel> tls_client_channel(StreamSocket socket, ssl::context& tls,
                                            const std::string& host) {
    auto channel = std::make_unique<TlsChannel>(std::move(socket), tls, ssl::stream_base::client);
    ErrorCode ignored;
    channel->stream().set_verify_mode(ssl::verify_peer, ignored);
    channel->stream().set_verify_callback(ssl::host_name_verification(host), ignored);
    SSL_set_tlsext_host_name(channel->stream().native_handle(), host.c_str());
    return channel;
}

bool is_tls_refusal(const ErrorCode& code) {
    return code.category() == asio::error::get_ssl_category();
}

}  // namespace conclave::net
