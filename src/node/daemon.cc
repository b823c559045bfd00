#include "node/daemon.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <csignal>
#include <string>

#include "node/child.h"
#include "node/clean_pages.h"
#include "node/log.h"
#include "node/supervisor.h"

namespace conclave::node {

namespace {

using ErrorCode = boost::system::error_code;

class Daemon {
public:
    Daemon(const Config& config, const std::function<Loaded()>& reload)
        : reload_(reload),
          log_({.level = config.log.level, .format = config.log.format}),
          running_(loop_, config, log_,
                   {.now_and_then = [this] { tick(); },
                    .ended = [this] { signals_.cancel(); },
                    .owns_process = true}) {}

    NodeEnd run() {
        block_broken_pipes();
        if (const auto end = running_.start()) return *end;
        await_signals();
        supervisor_.ready();
        loop_.run();
        return running_.how();
    }

private:
    void await_signals() {
        signals_.async_wait([this](const ErrorCode& error, int signal) {
            if (error) return;
            if (signal == SIGHUP) {
                take_new_config();
            } else if (leave()) {
                return;
            }
            await_signals();
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
        const auto wrong = running_.reload();
        for (const Error& error : wrong) {
            log_.log(Level::error, "certificates or token are wrong, the old ones stay",
                     {{"what", error.what}});
        }
        if (wrong.empty()) log_.log(Level::info, "reloaded: certificates, token and log level", {});
    }

    bool leave() {  // whether that was the end already
        if (leaving_) {
            log_.log(Level::warning, "told again to leave: at once", {});
            running_.end();
            return true;
        }
        leaving_ = true;
        supervisor_.stopping();
        running_.leave(std::chrono::seconds(5));
        return running_.has_ended();
    }

    void tick() {
        supervisor_.alive();
        log_.tick();
        if (leaving_ || ++ticks_passed_ != start_is_over) return;
        log_.log(Level::debug, "pages that the start has needed are let go",
                 {{"bytes", std::to_string(let_go_of_clean_pages())}});
    }

    const std::function<Loaded()>& reload_;
    Log log_;
    boost::asio::io_context loop_{1};
    boost::asio::signal_set signals_{loop_, SIGTERM, SIGINT, SIGHUP};
    Supervisor supervisor_;
    RunningNode running_;
    static constexpr int start_is_over = 5;  // ticks: links made, the first leader elected
    int ticks_passed_ = 0;
    bool leaving_ = false;
};

}  // namespace

NodeEnd run_daemon(const Config& config, const std::function<Loaded()>& reload) {
    return Daemon(config, reload).run();
}

}  // namespace conclave::node
