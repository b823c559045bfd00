// net/http_server.h -- the HTTP/1.1 server of a node: unix sockets, TCP, TLS, all on one loop.
//
// It faces strangers: everything a client can make it keep is bounded by HttpLimits, a client that
// is slow, silent, garbled or gone costs its own connection and nothing else, and a handler that
// throws is a 500. Stopping (also by the destructor) tells every held exchange that its client is
// gone, and removes the unix sockets.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "net/http_connection.h"
#include "net/http_exchange.h"
#include "net/log.h"

namespace boost::asio {
class io_context;
namespace ssl {
class context;
}
}  // namespace boost::asio

namespace conclave::net {

class HttpServer {
public:
    struct Options {
        HttpLimits limits{};
        Handler handler;  // usually a Router's serve
        Observer observer{};
        LogSink* log = nullptr;
    };

    HttpServer(boost::asio::io_context& loop, Options options);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // "unix:/path" (mode 0660; a socket nobody listens on any more is replaced) or "host:port".
    // Returns the address as bound: port 0 has become a number. `tls` is looked at for every new
    // client, so new certificates may be moved into it; it must outlive the server.
    [[nodiscard]] Result<std::string> listen(std::string_view address,
                                             boost::asio::ssl::context* tls = nullptr);

    std::size_t connections() const;
    void stop();

private:
    class Listener;
    class House;
    std::unique_ptr<House> house_;
};

}  // namespace conclave::net
