#include "cli/lock.h"

#include <signal.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>
#include <variant>

#include "cli/end_of_input.h"
#include "cli/lock_mutex.h"
#include "cli/ward.h"
#include "cli/way.h"
#include "client/caller.h"
#include "conclave/fence.hpp"
#include "net/clock.h"
#include "node/duration_text.h"

namespace conclave {

namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

// The polite part of an end must fit between two renewals.
constexpr std::int64_t graces_in_a_session = 2, usual_graces = 4;

struct LockPlan {
    std::string name;
    locks::Terms terms;
    std::optional<Duration> wait, ttl, grace;
    bool at_once = false;
    int busy = static_cast<int>(Exit::not_yet);
    std::vector<std::string> command;
};

class LockHolder final : private client::Caller::Events {
public:
    LockHolder(const Terminal& terminal, LockPlan plan, Way way)
        : terminal_(terminal), plan_(std::move(plan)), way_(std::move(way)) {}

    int run() {
        client::Caller::Settings settings;
        settings.line.way = way_.options;
        settings.line.answer = way_.timeout;
        settings.session = plan_.ttl.value_or(Duration{});
        auto caller = client::Caller::start(loop_, std::move(settings), *this);
        if (!caller) return complain(caller.error().what), static_cast<int>(Exit::internal);
        caller_ = std::move(*caller);
        for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
            if (!is_ignored(signal)) signals_.add(signal);
        }
        await_signal();
        limit(contact_, way_.timeout, [this] {
            if (!welcome_) quit(static_cast<int>(Exit::unreachable), trouble_);
        });
        if (plan_.wait) {
            limit(patience_, *plan_.wait, [this] {
                if (!token_) quit(plan_.busy, busy_words());
            });
        }
        caller_->acquire(plan_.name, plan_.terms);
        loop_.run();
        return code_;
    }

private:
    template <class F> static void limit(boost::asio::steady_timer& timer, Duration wait, F then) {
        timer.expires_after(wait);
        timer.async_wait([then](const error_code& error) {
            if (!error) then();
        });
    }
    std::string busy_words() const {
        if (!welcome_) return trouble_;
        return busy_ ? "'" + plan_.name + "' is held by somebody else"
                     : "nobody leads the lock service at the moment";
    }

    // As the caller's events.
    void welcomed(const wire::Welcome& welcome) override {
        welcome_ = welcome;
        contact_.cancel();
        const Duration most = caller_->session() / graces_in_a_session;
        const Duration grace = plan_.grace.value_or(caller_->session() / usual_graces);
        if (grace > most) {
            return quit(static_cast<int>(Exit::usage), "--grace " + node::duration_text(grace) +
                                                           " does not fit into a session of " +
                                                           node::duration_text(caller_->session()) +
                                                           ": at most " +
                                                           node::duration_text(most));
        }
        if (!ward_) ward_.emplace(loop_, grace);
    }
    void failed(const net::Failure& failure) override {
        trouble_ = failure.what;
        const bool hopeless = failure.trouble == net::Trouble::refused && !welcome_ &&
                              way_.options.endpoints.size() == 1;
        if (hopeless) quit(static_cast<int>(Exit::refused), trouble_);
    }
    void busy(const locks::Name&) override {
        busy_ = true;
        if (plan_.at_once) quit(plan_.busy, busy_words());
    }
    void granted(const locks::Name&, const locks::Token& token) override {
        if (ended_) return;
        token_ = FencingToken{token.epoch.value, token.number};
        patience_.cancel();
        if (plan_.command.empty()) return hold();
        const Ward::Command command{plan_.command,
                                    {{"CONCLAVE_LOCK", plan_.name},
                                     {"CONCLAVE_TOKEN", to_string(*token_)},
                                     {"CONCLAVE_NODE", welcome_ ? welcome_->node : ""},
                                     {"CONCLAVE_ENDPOINT", endpoints()}}};
        const auto guard = [this]() -> std::optional<Instant> {
            return caller_->holds(plan_.name) ? caller_->until() : std::nullopt;
        };
        ward_->run(command, guard, [this](const Ward::End& end) { child_ended(end); });
    }
    void lost(const locks::Name&) override {
        if (ended_) return;
        if (ward_ && ward_->running()) return ward_->review();
        if (token_) quit(static_cast<int>(Exit::lost), "lost the lock '" + plan_.name + "'");
    }
    void renewed(std::optional<Instant>) override {
        if (ward_ && ward_->running())
            boost::asio::post(loop_, [this] {
                if (ward_->running()) ward_->review();
            });
    }

    std::string endpoints() const {
        std::string list;
        for (const auto& endpoint : way_.options.endpoints)
            list += (list.empty() ? "" : ",") + endpoint.text;
        return list;
    }
    void child_ended(const Ward::End& end) {
        if (end.stopped) complain("lost the lock '" + plan_.name + "', command stopped");
        quit(end.stopped ? static_cast<int>(Exit::lost) : end.code, end.why);
    }

    // Without a command: the token, and then nothing until whoever wrote to us has gone.
    void hold() {
        const std::string token = to_string(*token_);
        if (terminal_.format == Format::text) {
            std::printf("%s\n", token.c_str());
        } else {
            const boost::json::object object{{"lock", plan_.name}, {"token", token}};
            std::printf("%s\n", boost::json::serialize(object).c_str());
        }
        std::fflush(stdout);
        input_.await([this] { quit(0, ""); });
    }

    void await_signal() {
        signals_.async_wait([this](const error_code& error, int signal) {
            if (error) return;
            const bool holding = token_ && plan_.command.empty();
            if (holding) return quit(0, "");  // that is how it is told to let go
            if (!token_) return quit(128 + signal, "");
            await_signal();  // the ward passes it on
        });
    }

    // The next one need not wait for our session to end.
    void quit(int code, const std::string& why) {
        if (std::exchange(ended_, true)) return;
        if (!why.empty()) complain(why);
        code_ = code;
        for (auto* timer : {&contact_, &patience_}) timer->cancel();
        signals_.cancel();
        input_.cancel();
        caller_->release(plan_.name);
        if (caller_->settled()) return leave();
        limit(contact_, 1s, [this] { leave(); });
    }
    void settled() override {
        if (ended_) leave();
    }
    void leave() {
        caller_->stop();
        loop_.stop();
    }

    const Terminal& terminal_;
    const LockPlan plan_;
    const Way way_;
    boost::asio::io_context loop_{1};
    boost::asio::signal_set signals_{loop_};
    boost::asio::steady_timer contact_{loop_}, patience_{loop_};
    EndOfInput input_{loop_};
    std::unique_ptr<client::Caller> caller_;
    std::optional<Ward> ward_;
    std::optional<wire::Welcome> welcome_;
    std::optional<FencingToken> token_;
    std::string trouble_ = "no node answers";
    bool busy_ = false, ended_ = false;
    int code_ = 0;
};

}  // namespace

Exit run_lock(const Terminal& terminal, const Endpoint& endpoint, const LockOptions& options) {
    using Mode = locks::Terms::Mode;
    constexpr std::size_t longest_name = 1024;
    if (options.name.empty() || options.name.size() > longest_name) {
        complain("NAME: 1 to " + std::to_string(longest_name) + " bytes");
        return Exit::usage;
    }
    if (!options.mutex.empty()) return lock_mutex(terminal, endpoint, options);
    LockPlan plan;
    plan.name = options.name;
    plan.at_once = options.at_once;
    plan.command = options.command;
    plan.busy = options.busy_code.value_or(plan.busy);
    if (options.shared) plan.terms = {Mode::shared, 1};
    if (options.slots > 0) plan.terms = {Mode::slot, options.slots};
    if (!read_option("-w", options.wait, plan.wait)) return Exit::usage;
    if (!read_option("--ttl", options.ttl, plan.ttl)) return Exit::usage;
    if (!read_option("--grace", options.grace, plan.grace)) return Exit::usage;
    auto way = find_way(endpoint);
    if (const auto* exit = std::get_if<Exit>(&way)) return *exit;
    LockHolder holder(terminal, std::move(plan), std::move(std::get<Way>(way)));
    return static_cast<Exit>(holder.run());
}

}  // namespace conclave
