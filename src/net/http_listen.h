// net/http_listen.h -- opens the sockets a server listens on.
#pragma once
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <string>

#include "core/result.h"
#include "net/http_endpoint.h"

namespace conclave::net {

using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

struct Listening {
    Acceptor acceptor;
    std::string address;  // as bound: port 0 has become a number
};

Result<Listening> open_listener(boost::asio::io_context& loop, const HttpEndpoint& endpoint);

// The file of a unix socket remains when its listener ends; another's at the same path stays.
class SocketFile {
public:
    explicit SocketFile(std::string path);
    ~SocketFile();
    SocketFile(const SocketFile&) = delete;
    SocketFile& operator=(const SocketFile&) = delete;

private:
    std::string path_;
    unsigned long long device_ = 0, inode_ = 0;
};

}  // namespace conclave::net
