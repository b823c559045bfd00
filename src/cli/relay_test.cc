// cli/relay_test.cc -- the relay of the tests; see relay_test.h.
#include "cli/relay_test.h"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <deque>

namespace conclave {

namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

// Not where the nodes listen: the ports that were found for them are free until they start.
constexpr const char* relay_host = "127.0.0.2";

class Relay::Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(Relay& relay, const Door& door, Tcp::socket dialler)
        : relay_(relay),
          sides_{{{door.from, std::move(dialler)}, {door.to, Tcp::socket(relay.loop_)}}} {}

    void open(const Tcp::endpoint& behind) {
        if (cut()) return;
        sides_[1].socket.async_connect(behind,
                                       [self = shared_from_this()](const error_code& error) {
                                           if (error || self->cut()) return self->close();
                                           self->read(0);
                                           self->read(1);
                                       });
    }
    void take_new_ways() {
        if (cut()) return close();
        pass_on(0);
        pass_on(1);
    }

private:
    struct Piece {
        Clock::time_point due;
        std::vector<char> bytes;  // none: the end
    };
    struct Side {  // a node, and what it has said that is still on its way
        Side(std::uint32_t id, Tcp::socket its)
            : node(id), socket(std::move(its)), due(socket.get_executor()) {}
        std::uint32_t node;
        Tcp::socket socket;
        asio::steady_timer due;
        std::deque<Piece> said{};
        bool writing = false;
        std::array<char, 16384> buffer{};
    };

    const Way& way(int from) { return relay_.way(sides_[from].node, sides_[1 - from].node); }
    bool cut() { return way(0).cut || way(1).cut; }
    void close() {
        error_code ignored;
        for (Side& side : sides_) {
            side.socket.close(ignored);
            side.due.cancel();
        }
    }
    void read(int from) {
        Side& side = sides_[from];
        side.socket.async_read_some(asio::buffer(side.buffer), [self = shared_from_this(), from](
                                                                   const error_code& error,
                                                                   std::size_t size) {
            Side& speaker = self->sides_[from];
            if (!speaker.socket.is_open()) return;
            const char* const first = speaker.buffer.data();
            speaker.said.push_back({Clock::now() + self->way(from).delay, {first, first + size}});
            self->pass_on(from);
            if (!error) self->read(from);
        });
    }
    void pass_on(int from) {
        Side& side = sides_[from];
        if (side.writing || side.said.empty() || way(from).stalled) return;
        if (side.said.front().due > Clock::now()) return wait(from);
        if (side.said.front().bytes.empty()) return close();
        side.writing = true;
        asio::async_write(sides_[1 - from].socket, asio::buffer(side.said.front().bytes),
                          [self = shared_from_this(), from](const error_code& error, std::size_t) {
                              if (error) return self->close();
                              self->sides_[from].said.pop_front();
                              self->sides_[from].writing = false;
                              self->pass_on(from);
                          });
    }
    void wait(int from) {
        sides_[from].due.expires_at(sides_[from].said.front().due);
        sides_[from].due.async_wait([self = shared_from_this(), from](const error_code& error) {
            if (!error) self->pass_on(from);
        });
    }

    Relay& relay_;
    std::array<Side, 2> sides_;  // who dialled, who was dialled
};

Relay::Relay() : work_(loop_.get_executor()), thread_([this] { loop_.run(); }) {}

Relay::~Relay() {
    loop_.stop();
    thread_.join();
}

std::string Relay::open(std::uint32_t from, std::uint32_t to, const std::string& listen) {
    const std::size_t colon = listen.rfind(':');
    const Tcp::endpoint behind(asio::ip::make_address(listen.substr(0, colon)),
                               static_cast<std::uint16_t>(std::stoul(listen.substr(colon + 1))));
    auto port = asio::post(loop_, asio::use_future([&] {
                               const Tcp::endpoint anywhere(asio::ip::make_address(relay_host), 0);
                               Door& door = doors_.emplace_back(
                                   Door{from, to, Tcp::acceptor(loop_, anywhere), behind});
                               accept(door);
                               return door.acceptor.local_endpoint().port();
                           }));
    return relay_host + (":" + std::to_string(port.get()));
}

void Relay::set(std::uint32_t from, std::uint32_t to, const Way& way) {
    const auto done =
        asio::post(loop_, asio::use_future([&] {
                       ways_[{from, to}] = way;
                       std::erase_if(connections_, [](const auto& one) { return one.expired(); });
                       for (const auto& weak : connections_) {
                           if (const auto connection = weak.lock()) connection->take_new_ways();
                       }
                   }));
    done.wait();
}

void Relay::accept(Door& door) {
    door.acceptor.async_accept([this, &door](const error_code& error, Tcp::socket dialler) {
        if (error) return;
        const auto connection = std::make_shared<Connection>(*this, door, std::move(dialler));
        connections_.push_back(connection);
        connection->open(door.behind);
        accept(door);
    });
}

}  // namespace conclave
