// net/http_channel.h -- a connected socket, in the clear or under TLS, behind one face.
//
// Whoever calls keeps the channel alive until its callbacks have run; close() makes them run soon.
#pragma once
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace conclave::net {

using ErrorCode = boost::system::error_code;
using StreamSocket = boost::asio::generic::stream_protocol::socket;  // TCP or unix

class Channel {
public:
    using Moved = std::function<void(ErrorCode, std::size_t)>;

    virtual ~Channel() = default;

    // Before anything else; the channel in the clear has nothing to do and says so at once.
    virtual void handshake(std::function<void(ErrorCode)> done) = 0;
    virtual void read_some(boost::asio::mutable_buffer into, Moved done) = 0;
    virtual void write_some(boost::asio::const_buffer from, Moved done) = 0;
    virtual bool peer_is_verified() = 0;  // it has shown a certificate that we trust

    std::string remote();  // whose it is, for the log: an address, or "the local socket"
    void end_of_output();  // the peer reads an end once it has read all
    void close();

protected:
    virtual StreamSocket& socket() = 0;
};

std::unique_ptr<Channel> clear_channel(StreamSocket socket);
// Asks for a client certificate and takes none for an answer.
std::unique_ptr<Channel> tls_server_channel(StreamSocket socket, boost::asio::ssl::context& tls);
// Insists on a certificate for that host, a name or an address.
std::unique_ptr<Channel> tls_client_channel(StreamSocket socket, boost::asio::ssl::context& tls,
                                            const std::string& host);

// Whether the error is TLS's verdict on a certificate or on the protocol, not the network's.
bool is_tls_refusal(const ErrorCode& code);

}  // namespace conclave::net
