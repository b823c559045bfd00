// engine/etcd_stream.h -- an endless answer of the gateway: one JSON object per line.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "engine/etcd_gateway.h"

namespace conclave::engine::etcd {

// What an answer of the gateway means.
Outcome understand(const std::string& server, const net::Answer& answer);
Outcome understand(const std::string& server, boost::json::value body);

class Gateway::Stream : public std::enable_shared_from_this<Stream> {
public:
    Stream(boost::asio::io_context& loop, net::HttpEndpoint endpoint, Ears ears)
        : loop_(loop), endpoint_(std::move(endpoint)), ears_(std::move(ears)) {}
    ~Stream() { stop(); }

    void start(const net::ClientOptions& options, const net::Call& call);
    void stop();  // nobody hears anything after this
    const std::string& server() const { return endpoint_.text; }

private:
    void on_piece(const net::Answer& head, std::string_view piece);
    void on_line(std::string_view line);
    void on_end(net::Outcome outcome);
    void fail(net::Failure failure);

    boost::asio::io_context& loop_;
    const net::HttpEndpoint endpoint_;
    Ears ears_;
    std::shared_ptr<net::Dialogue> dialogue_;
    std::string line_;  // not complete yet
};

}  // namespace conclave::engine::etcd
