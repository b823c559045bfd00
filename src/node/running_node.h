// node/running_node.h -- a node and its API on a loop: opened together, left politely, ended.
//
// It has no signals, no process and no log of its own: the daemon adds these, and an application
// that embeds a node has them already.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/http_server.h"
#include "node/api.h"
#include "node/config.h"
#include "node/gate.h"
#include "node/node.h"

namespace conclave::node {

struct NodeEnd {
    enum class How : std::uint8_t { stopped, refused, disk };
    How how = How::stopped;
    std::string why;  // in one line, unless it was stopped
};

class RunningNode {
public:
    struct Hooks {
        std::function<void()> now_and_then{};  // about once a second
        std::function<void()> ended{};
        bool owns_process = false;  // whose limits may be raised
    };
    RunningNode(boost::asio::io_context& loop, const Config& config, LogSink& log, Hooks hooks);
    ~RunningNode();
    RunningNode(const RunningNode&) = delete;
    RunningNode& operator=(const RunningNode&) = delete;

    [[nodiscard]] std::optional<NodeEnd> start();  // why it cannot
    Node& node() { return *node_; }
    // Certificates and token again, because their files may be new. What is wrong stays as it was.
    [[nodiscard]] std::vector<Error> reload();

    // Hands leaderships over and lets promises run out, but no longer than that; then it ends.
    void leave(Duration patience);
    void end();
    bool has_ended() const { return ended_; }
    NodeEnd how() const;  // it ended

private:
    std::optional<Error> open_api();
    std::size_t places_for_clients(std::size_t wanted);
    void tick();
    void tick_if_due();
    void tick_after(std::chrono::milliseconds wait);

    boost::asio::io_context& loop_;
    const Config config_;
    LogSink& log_;
    const Hooks hooks_;
    Metrics metrics_;
    boost::asio::steady_timer ticks_;
    std::unique_ptr<Node> node_;
    Gate gate_;
    std::optional<HttpApi> api_;
    std::optional<net::HttpServer> server_;
    bool leaving_ = false, ended_ = false;
    Instant leave_by_{}, tick_due_ = Instant::max();
};

}  // namespace conclave::node
