// net/listener.h -- a listening TCP socket that hands over whoever comes.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "core/result.h"
#include "net/address.h"
#include "net/log.h"

namespace conclave::net {

class Listener {
public:
    // Of the loop, and of nothing else that could execute: less to ask at each event.
    using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp,
                                                        boost::asio::io_context::executor_type>;
    using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                    boost::asio::io_context::executor_type>;
    using Visit = std::function<void(Socket)>;

    // Bound and listening when it returns; errors name the address.
    static Result<Listener> make(boost::asio::io_context& loop, const HostPort& place, LogSink& log,
                                 Visit visit);
    Listener(Listener&&) noexcept = default;
    Listener& operator=(Listener&&) noexcept = default;
    ~Listener();  // nobody is handed over after it

    boost::asio::ip::tcp::endpoint endpoint() const;

private:
    struct Door;
    explicit Listener(std::shared_ptr<Door> door);
    std::shared_ptr<Door> door_;
};

}  // namespace conclave::net
