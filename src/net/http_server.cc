#include "net/http_server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "net/http_listen.h"

namespace conclave::net {
namespace {

namespace asio = boost::asio;

// When the process is out of descriptors, accepting again at once would fail again at once.
constexpr auto pause_after_failed_accept = std::chrono::milliseconds(100);

}  // namespace

// Everybody who is connected.
class HttpServer::House {
public:
    using Guests = std::list<std::shared_ptr<Connection>>;

    House(asio::io_context& event_loop, Options options)
        : loop(event_loop), site(std::make_shared<HttpSite>()) {
        site->limits = options.limits;
        site->handler = std::move(options.handler);
        site->observer = std::move(options.observer);
        site->log = options.log;
        if (site->log) site->complaints.emplace(*site->log);
        site->closed = [this](Connection& connection) {
            const auto is_it = [&connection](const auto& one) { return one.get() == &connection; };
            for (Guests* all : {&neighbours, &strangers}) all->remove_if(is_it);
        };
    }

    void welcome(StreamSocket socket, bool local, asio::ssl::context* tls) {
        ErrorCode ignored;  // a unix socket has no such option
        socket.set_option(asio::ip::tcp::no_delay(true), ignored);
        auto executor = socket.get_executor();
        auto channel =
            tls ? tls_server_channel(std::move(socket), *tls) : clear_channel(std::move(socket));
        Guests& guests = local ? neighbours : strangers;
        bool room = make_room(guests);
        auto guest = std::make_shared<Connection>(site, std::move(channel), executor, local);
        if (!room && guests.size() >= 2 * site->limits.connections) return;  // not even a 503
        guests.push_back(guest);
        room ? guest->start() : guest->refuse_for_load();
    }

    void close_all() {
        for (Guests* all : {&neighbours, &strangers}) {
            while (!all->empty()) all->front()->close();
        }
    }

    asio::io_context& loop;
    std::shared_ptr<HttpSite> site;
    // Apart: however many fill the ports, whoever sits at this machine gets in.
    Guests neighbours, strangers;
    std::vector<std::shared_ptr<Listener>> listeners;

private:
    // However little they say, and however slowly: whoever is new needs only a moment, and those
    // who came first must not keep it out.
    bool make_room(const Guests& guests) {
        if (guests.size() < site->limits.connections) return true;
        std::shared_ptr<Connection> longest;
        for (const auto& guest : guests) {
            if (!guest->keeps_us_waiting()) continue;
            if (!longest || guest->since() < longest->since()) longest = guest;
        }
        if (!longest) return false;
        longest->close();
        return guests.size() < site->limits.connections;
    }
};

class HttpServer::Listener : public std::enable_shared_from_this<Listener> {
public:
    Listener(House& house, Listening listening, const HttpEndpoint& endpoint,
             asio::ssl::context* tls)
        : house_(house),
          acceptor_(std::move(listening.acceptor)),
          retry_(house.loop),
          tls_(tls),
          local_(endpoint.local()) {
        if (local_) file_.emplace(endpoint.path);
    }

    void accept() {
        acceptor_.async_accept([self = shared_from_this()](ErrorCode code, StreamSocket socket) {
            if (self->stopped_) return;
            if (code) return self->pause();
            self->house_.welcome(std::move(socket), self->local_, self->tls_);
            self->accept();
        });
    }

    void stop() {
        stopped_ = true;
        ErrorCode ignored;
        acceptor_.close(ignored);
        retry_.cancel();
        file_.reset();
    }

private:
    void pause() {
        retry_.expires_after(pause_after_failed_accept);
        retry_.async_wait([self = shared_from_this()](ErrorCode) {
            if (!self->stopped_) self->accept();
        });
    }

    House& house_;  // it stops us before it goes
    Acceptor acceptor_;
    asio::steady_timer retry_;
    asio::ssl::context* tls_;
    bool local_;
    bool stopped_ = false;
    std::optional<SocketFile> file_;
};

HttpServer::HttpServer(asio::io_context& loop, Options options)
    : house_(std::make_unique<House>(loop, std::move(options))) {}

HttpServer::~HttpServer() { stop(); }

Result<std::string> HttpServer::listen(std::string_view address, asio::ssl::context* tls) {
    Result<HttpEndpoint> endpoint = parse_http_endpoint(address);
    if (!endpoint) return endpoint.error();
    Result<Listening> listening = open_listener(house_->loop, *endpoint);
    if (!listening) return listening.error();
    std::string bound = listening->address;
    auto listener = std::make_shared<Listener>(*house_, std::move(*listening), *endpoint, tls);
    house_->listeners.push_back(listener);
    listener->accept();
    return bound;
}

std::size_t HttpServer::connections() const {
    return house_->neighbours.size() + house_->strangers.size();
}

void HttpServer::stop() {
    for (auto& listener : house_->listeners) listener->stop();
    house_->listeners.clear();
    house_->close_all();
}

}  // namespace conclave::net
