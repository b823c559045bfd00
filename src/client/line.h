// client/line.h -- a client's connection to one node of several, made again whenever it breaks.
//
// It asks over HTTP, at the door that curl uses too, and goes on with frames. The endpoints are
// tried one after the other, from the one behind the last that broke; after a whole round without
// success there is a pause, which grows, as does the patience with one that says nothing.
// Everything happens on the loop.
#pragma once
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "net/http_client.h"
#include "wire/packets.h"

namespace conclave::client {

class Line {
public:
    struct Settings {
        net::ClientOptions way;
        Duration answer = std::chrono::seconds(2);             // to the question, at most
        Duration least_pause = std::chrono::milliseconds(20);  // between two rounds; doubles
        Duration most_pause = std::chrono::seconds(1);
    };
    // Called from the loop, never from inside a call of Line; what they call may stop it.
    struct Ears {
        std::function<void()> up;
        std::function<void(const wire::Frame&)> arrived;
        std::function<void()> down;                       // once per up
        std::function<void(const net::Failure&)> failed;  // this endpoint; others are tried
    };

    Line(boost::asio::io_context& loop, Settings settings, Ears ears);
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    void start();
    bool is_up() const;
    void send(ByteView frames);  // lost if it is not up
    void hang_up();              // and dial the next endpoint
    void stop();

private:
    class Cord;
    std::shared_ptr<Cord> cord_;
};

}  // namespace conclave::client
