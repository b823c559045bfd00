// net/listener.cc -- accept for ever, and calm down when there are no descriptors left.
#include "net/listener.h"

#include <boost/asio/error.hpp>
#include <utility>

namespace conclave::net {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// How long to let things calm down when a connection cannot be accepted: out of descriptors, the
// connection stays in the queue, and trying again at once would spin.
constexpr auto calm_down = std::chrono::milliseconds(100);

}  // namespace

// Shared with the handler in flight, which may run after the Listener's end.
struct Listener::Door : std::enable_shared_from_this<Door> {
    Door(boost::asio::io_context& loop, LogSink& sink, Visit to)
        : acceptor(loop), pause(loop), log(sink), visit(std::move(to)) {}

    error_code open(const tcp::endpoint& endpoint) {
        error_code error;
        if (acceptor.open(endpoint.protocol(), error); error) return error;
        // Otherwise a restarted node waits a minute for the links of its predecessor to be
        // forgotten.
        if (acceptor.set_option(Acceptor::reuse_address(true), error); error) return error;
        if (acceptor.bind(endpoint, error); error) return error;
        acceptor.listen(Acceptor::max_listen_connections, error);
        return error;
    }

    void accept() {
        acceptor.async_accept([self = shared_from_this()](const auto& error, Socket socket) {
            if (!self->acceptor.is_open()) return;
            if (error) return self->failed(error);
            self->troubled = false;
            self->visit(std::move(socket));
            if (self->acceptor.is_open()) self->accept();  // the visit may have ended us
        });
    }

    void failed(const error_code& error) {
        if (error == boost::asio::error::connection_aborted) return accept();  // it left the queue
        if (!std::exchange(troubled, true))
            log.log(Level::error, "cannot accept connections", {{"why", error.message()}});
        pause.expires_after(calm_down);
        pause.async_wait([self = shared_from_this()](const auto&) {
            if (self->acceptor.is_open()) self->accept();
        });
    }

    Acceptor acceptor;
    boost::asio::steady_timer pause;
    LogSink& log;
    Visit visit;
    bool troubled = false;  // and said so
};

Result<Listener> Listener::make(boost::asio::io_context& loop, const HostPort& place, LogSink& log,
                                Visit visit) {
    const auto wrong = [&place](const error_code& error) {
        return Error{"cannot listen on " + to_text(place) + ": " + error.message()};
    };
    error_code error;
    tcp::resolver resolver(loop);
    const auto found =
        resolver.resolve(place.host, std::to_string(place.port), tcp::resolver::passive, error);
    if (error) return wrong(error);
    auto door = std::make_shared<Door>(loop, log, std::move(visit));
    if (error = door->open(*found.begin()); error) return wrong(error);
    door->accept();
    return Listener(std::move(door));
}

Listener::Listener(std::shared_ptr<Door> door) : door_(std::move(door)) {}

Listener::~Listener() {
    if (!door_) return;  // moved away
    error_code ignored;
    door_->acceptor.close(ignored);
    door_->pause.cancel();
}

tcp::endpoint Listener::endpoint() const {
    error_code error;
    return door_->acceptor.local_endpoint(error);
}

}  // namespace conclave::net
