#include "node/running_node.h"

#include <chrono>
#include <utility>

#include "node/descriptors.h"
#include "node/metric_labels.h"
#include "node/placing.h"

namespace conclave::node {

RunningNode::RunningNode(boost::asio::io_context& loop, const Config& config, LogSink& log,
                         Hooks hooks)
    : loop_(loop),
      config_(with_implied_groups(config)),
      log_(log),
      hooks_(std::move(hooks)),
      metrics_(metric_labels(config_)),
      ticks_(loop),
      gate_(config_.api) {}

RunningNode::~RunningNode() = default;

std::optional<NodeEnd> RunningNode::start() {
    auto store = Store::open(config_.node.state_dir,
                             {config_.cluster.name, config_.node.id, config_.node.name});
    if (!store) return NodeEnd{NodeEnd::How::disk, store.error().what};
    auto node = Node::start(loop_, config_, std::move(*store), log_, metrics_);
    if (!node) return NodeEnd{NodeEnd::How::refused, node.error().what};
    node_ = std::move(*node);
    if (const auto error = open_api()) return NodeEnd{NodeEnd::How::refused, error->what};
    node_->when_awake([this] { tick_if_due(); });
    tick();
    log_.log(Level::info, "node is running",
             {{"node", config_.node.name},
              {"cluster", config_.cluster.name},
              {"incarnation", std::to_string(node_->incarnation().value)}});
    return std::nullopt;
}

std::optional<Error> RunningNode::open_api() {
    if (auto error = gate_.load()) return error;
    api_.emplace(loop_, *node_, metrics_, gate_);
    net::HttpServer::Options options;
    options.handler = [this](const auto& exchange) {
        node_->look();
        api_->router().serve(exchange);
    };
    options.observer = [this](std::string_view route, unsigned status, Duration took) {
        metrics_.request(route, static_cast<int>(status), took);
    };
    options.log = &log_;
    options.limits.connections = places_for_clients(options.limits.connections);
    server_.emplace(loop_, std::move(options));
    for (const net::Address& address : config_.api.listen) {
        const bool local = std::holds_alternative<net::UnixPath>(address);
        const auto bound = server_->listen(net::to_text(address), local ? nullptr : gate_.tls());
        if (!bound) return bound.error();
        log_.log(Level::info, "api is open", {{"address", *bound}});
    }
    return std::nullopt;
}

std::vector<Error> RunningNode::reload() {
    std::vector<Error> wrong;
    for (const auto& error : {node_->links().reload(), gate_.load()}) {
        if (error) wrong.push_back(*error);
    }
    return wrong;
}

// However many clients come: peers and those who knock, the store and children have theirs.
std::size_t RunningNode::places_for_clients(std::size_t wanted) {
    constexpr std::size_t own = 256;
    const std::size_t knocking = net::Links::Settings{}.strangers;
    const std::size_t reserved = knocking + own + 2 * config_.peers.size();
    const std::size_t enough = reserved + descriptors_per_place * wanted;
    const std::size_t allowed =
        hooks_.owns_process ? allow_descriptors(enough) : allowed_descriptors();
    const std::size_t places = places_within(allowed, reserved, wanted);
    if (allowed < enough) {
        log_.log(Level::warning, "few file descriptors, so few clients are served at once",
                 {{"descriptors", std::to_string(allowed)},
                  {"clients", std::to_string(places)},
                  {"wanted", std::to_string(enough)}});
    }
    return places;
}

void RunningNode::leave(Duration patience) {
    if (leaving_ || ended_) return;
    leaving_ = true;
    log_.log(Level::info, "leaving", {});
    node_->depart();
    leave_by_ = node_->now() + patience;
    tick();
}

void RunningNode::end() {
    if (std::exchange(ended_, true)) return;
    if (server_) server_->stop();
    if (node_) node_->stop();
    ticks_.cancel();
    if (hooks_.ended) hooks_.ended();
}

NodeEnd RunningNode::how() const {
    if (node_->failure()) return {NodeEnd::How::disk, node_->failure()->what};
    return {};
}

// What is asked now and then rather than told.
void RunningNode::tick() {
    if (hooks_.now_and_then) hooks_.now_and_then();
    const bool gone = leaving_ && (node_->departed() || node_->now() >= leave_by_);
    if (gone || node_->failure()) return end();
    constexpr auto often = std::chrono::seconds(1);
    tick_due_ = node_->now() + often;
    tick_after(leaving_ ? std::chrono::milliseconds(5) : 2 * often);
}

// Nobody wakes for it as long as a node wakes for something else. And not in the middle of that.
void RunningNode::tick_if_due() {
    if (node_->now() < tick_due_) return;
    tick_due_ = Instant::max();
    tick_after({});
}

void RunningNode::tick_after(std::chrono::milliseconds wait) {
    ticks_.expires_after(wait);
    ticks_.async_wait([this](const boost::system::error_code& error) {
        if (!error && !ended_) tick();
    });
}

}  // namespace conclave::node
