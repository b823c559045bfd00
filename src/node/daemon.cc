#include "node/daemon.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/http_server.h"
#include "node/api.h"
#include "node/child.h"
#include "node/clean_pages.h"
#include "node/descriptors.h"
#include "node/log.h"
#include "node/metric_labels.h"
#include "node/node.h"
#include "node/placing.h"
#include "node/supervisor.h"

namespace conclave::node {

namespace {

using ErrorCode = boost::system::error_code;

class Daemon {
public:
    Daemon(const Config& config, const std::function<Loaded()>& reload)
        : config_(with_implied_groups(config)),
          reload_(reload),
          log_({.level = config.log.level, .format = config.log.format}),
          metrics_(metric_labels(config_)) {}

    DaemonEnd run() {
        block_broken_pipes();
        auto store = Store::open(config_.node.state_dir,
                                 {config_.cluster.name, config_.node.id, config_.node.name});
        if (!store) return {DaemonEnd::How::disk, store.error().what};
        auto node = Node::start(loop_, config_, std::move(*store), log_, metrics_);
        if (!node) return {DaemonEnd::How::refused, node.error().what};
        node_ = std::move(*node);
        if (const auto error = open_api()) return {DaemonEnd::How::refused, error->what};
        await_signals();
        tick();
        supervisor_.ready();
        log_.log(Level::info, "node is running",
                 {{"node", config_.node.name},
                  {"cluster", config_.cluster.name},
                  {"incarnation", std::to_string(node_->incarnation().value)}});
        loop_.run();
        if (node_->failure()) return {DaemonEnd::How::disk, node_->failure()->what};
        return {};
    }

private:
    std::optional<Error> open_api() {
        api_.emplace(loop_, *node_, metrics_);
        net::HttpServer::Options options;
        options.handler = [this](const auto& exchange) { api_->router().serve(exchange); };
        options.observer = [this](std::string_view route, unsigned status, Duration took) {
            metrics_.request(route, static_cast<int>(status), took);
        };
        options.log = &log_;
        options.limits.connections = places_for_clients(options.limits.connections);
        server_.emplace(loop_, std::move(options));
        for (const net::Address& address : config_.api.listen) {
            const auto bound = server_->listen(net::to_text(address));
            if (!bound) return bound.error();
            log_.log(Level::info, "api is open", {{"address", *bound}});
        }
        return std::nullopt;
    }

    // However many clients come: peers and those who knock, the store and children have theirs.
    std::size_t places_for_clients(std::size_t wanted) {
        constexpr std::size_t own = 256;
        const std::size_t knocking = net::Links::Settings{}.strangers;
        const std::size_t reserved = knocking + own + 2 * config_.peers.size();
        const std::size_t enough = reserved + descriptors_per_place * wanted;
        const std::size_t allowed = allow_descriptors(enough);
        const std::size_t places = places_within(allowed, reserved, wanted);
        if (allowed < enough) {
            log_.log(Level::warning, "few file descriptors, so few clients are served at once",
                     {{"descriptors", std::to_string(allowed)},
                      {"clients", std::to_string(places)},
                      {"wanted", std::to_string(enough)}});
        }
        return places;
    }

    void await_signals() {
        signals_.async_wait([this](const ErrorCode& error, int signal) {
            if (error) return;
            if (signal == SIGHUP) {
                take_new_config();
            } else {
                leave();
            }
            if (!ended_) await_signals();
        });
    }

    void take_new_config() {
        const Loaded loaded = reload_();
        for (const Problem& problem : loaded.errors) {
            log_.log(Level::error, "configuration is wrong, nothing changed",
                     {{"what", to_text(problem)}});
        }
        if (!loaded.config) return;
        log_.set_level(loaded.config->log.level);
        if (const auto error = node_->links().reload()) {
            return log_.log(Level::error, "certificates are wrong, the old ones stay",
                            {{"what", error->what}});
        }
        log_.log(Level::info, "reloaded: certificates and log level", {});
    }

    void leave() {
        if (leaving_) {
            log_.log(Level::warning, "told again to leave: at once", {});
            return end();
        }
        leaving_ = true;
        supervisor_.stopping();
        log_.log(Level::info, "leaving", {});
        node_->depart();
        constexpr Duration patience = std::chrono::seconds(5);
        leave_by_ = node_->now() + patience;
        tick();
    }
    void end() {
        server_->stop();
        node_->stop();
        signals_.cancel();
        ticks_.cancel();
        ended_ = true;
    }

    // What is asked now and then rather than told.
    void tick() {
        supervisor_.alive();
        log_.tick();
        const bool gone = leaving_ && (node_->departed() || node_->now() >= leave_by_);
        if ((gone || node_->failure()) && !ended_) return end();
        if (!leaving_ && ++ticks_passed_ == start_is_over) {
            log_.log(Level::debug, "pages that the start has needed are let go",
                     {{"bytes", std::to_string(let_go_of_clean_pages())}});
        }
        ticks_.expires_after(leaving_ ? std::chrono::milliseconds(5)
                                      : std::chrono::milliseconds(1000));
        ticks_.async_wait([this](const ErrorCode& error) {
            if (!error) tick();
        });
    }

    const Config config_;
    const std::function<Loaded()>& reload_;
    Log log_;
    Metrics metrics_;
    boost::asio::io_context loop_{1};
    boost::asio::signal_set signals_{loop_, SIGTERM, SIGINT, SIGHUP};
    boost::asio::steady_timer ticks_{loop_};
    Supervisor supervisor_;
    std::unique_ptr<Node> node_;
    std::optional<HttpApi> api_;
    std::optional<net::HttpServer> server_;
    static constexpr int start_is_over = 5;  // links made, the first leader elected
    int ticks_passed_ = 0;
    bool leaving_ = false, ended_ = false;
    Instant leave_by_{};
};

}  // namespace

DaemonEnd run_daemon(const Config& config, const std::function<Loaded()>& reload) {
    return Daemon(config, reload).run();
}

}  // namespace conclave::node
