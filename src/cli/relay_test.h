// cli/relay_test.h -- for the tests: a relay that the links of a cluster run through.
//
// What one node says to another can be made late, held back or cut off, each direction by itself
// and whoever of the two has dialled. Held back means that the connection stands and nothing
// arrives; once it passes again, all of it does, in order and late.
#pragma once
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/types.h"

namespace conclave {

class Relay {
public:
    struct Way {  // of what one node says to another
        Duration delay{};
        bool stalled = false;
        bool cut = false;  // connections between the two are closed, new ones at once
    };
    Relay();
    ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    // What `from` dials to reach `to`, who listens there.
    std::string open(std::uint32_t from, std::uint32_t to, const std::string& listen);
    // In force on return, for what is on its way already as well.
    void set(std::uint32_t from, std::uint32_t to, const Way& way);

private:
    using Tcp = boost::asio::ip::tcp;
    struct Door {
        std::uint32_t from, to;
        Tcp::acceptor acceptor;
        Tcp::endpoint behind;
    };
    class Connection;

    void accept(Door& door);
    const Way& way(std::uint32_t from, std::uint32_t to) { return ways_[{from, to}]; }

    boost::asio::io_context loop_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Way> ways_;
    std::list<Door> doors_;
    std::vector<std::weak_ptr<Connection>> connections_;
    std::thread thread_;
};

}  // namespace conclave
