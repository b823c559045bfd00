#include "cli/holder.h"

#include <signal.h>

#include <boost/asio/post.hpp>
#include <chrono>

#include "cli/terminal.h"
#include "core/duration_text.h"
#include "net/clock.h"

namespace conclave {

namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

// The polite part of an end must fit between two renewals.
constexpr std::int64_t graces_in_a_session = 2, usual_graces = 4;

std::string in_words(Duration length) {
    return duration_text(std::chrono::floor<std::chrono::milliseconds>(length));
}

}  // namespace

void Holder::limit(Timer& timer, Duration wait, std::function<void()> then) {
    timer.expires_after(wait);
    timer.async_wait([then = std::move(then)](const error_code& error) {
        if (!error) then();
    });
}

int Holder::run(engine::Engine& engine) {
    engine_ = &engine;
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
        if (!is_ignored(signal)) signals_.add(signal);
    }
    await_signal();
    limit(contact_, plan_.contact, [this] {
        if (server_.empty()) quit(static_cast<int>(plan_.exit_of(trouble_)), trouble_.what);
    });
    contend();
    loop_.run();
    contest_.reset();
    return code_;
}

void Holder::contend() {
    token_.reset();
    busy_ = false;
    if (plan_.wait) {
        limit(patience_, *plan_.wait, [this] {
            if (!token_) quit(plan_.busy_code, why_not());
        });
    }
    contest_ = engine_->contend(plan_.claim, *this);
}

std::string Holder::why_not() const {
    if (server_.empty()) return trouble_.what;
    return busy_ ? plan_.busy : plan_.idle;
}

void Holder::reached(const std::string& server) {
    if (ended_) return;
    server_ = server;
    contact_.cancel();
    const Duration session = contest_->session();
    const Duration most = session / graces_in_a_session;
    const Duration grace = plan_.grace.value_or(session / usual_graces);
    if (grace > most) {
        std::string why = "--grace " + in_words(grace) + " does not fit into a " + plan_.term;
        why.append(" of ").append(in_words(session)).append(": at most ").append(in_words(most));
        return quit(static_cast<int>(Exit::usage), why);
    }
    if (!ward_) ward_.emplace(loop_, grace);
}

void Holder::failed(const net::Failure& failure, bool final) {
    if (ended_) return;
    trouble_ = failure;
    // Who let us in and then says no for good: we are beyond a limit, say.
    const bool turned_down = final && failure.trouble == net::Trouble::bad_answer;
    if (turned_down && !server_.empty()) return quit(plan_.busy_code, failure.what);
    const bool hopeless = final || (server_.empty() && plan_.hopeless(failure));
    if (hopeless) quit(static_cast<int>(plan_.exit_of(failure)), failure.what);
}

void Holder::busy() {
    if (ended_) return;
    busy_ = true;
    if (plan_.at_once) quit(plan_.busy_code, why_not());
}

void Holder::granted(const locks::Token& token) {
    if (ended_) return;
    token_ = FencingToken{token.epoch.value, token.number};
    patience_.cancel();
    if (plan_.command.empty()) {
        plan_.show(*token_);
        return input_.await([this] { quit(0, ""); });
    }
    begin_if_time_is_left();
}

// A command that is told to end before it has begun is of no use to anybody.
void Holder::begin_if_time_is_left() {
    const auto until = contest_->until();
    if (until && net::now() < *until - ward_->notice()) start();
}

void Holder::renewed() {
    if (ended_) return;
    if (ward_ && ward_->running()) return ward_->review();
    if (token_ && !started_ && !plan_.command.empty()) begin_if_time_is_left();
}

void Holder::lost() {
    if (ended_) return;
    if (ward_ && ward_->running()) return ward_->review();
    if (plan_.command.empty()) return quit(static_cast<int>(Exit::lost), "lost " + plan_.name);
    if (started_) return;
    boost::asio::post(loop_, [this] {  // we are inside a call of the contest that it replaces
        if (!ended_) contend();
    });
}

void Holder::start() {
    started_ = true;
    const Ward::Command command{plan_.command, plan_.environment(*token_, server_)};
    ward_->run(
        command, [this] { return contest_->until(); },
        [this](const Ward::End& end) { child_ended(end); });
}

// Nobody of its group is left: whatever it was run under is free.
void Holder::child_ended(const Ward::End& end) {
    started_ = false;
    if (end.stopped) complain("lost " + plan_.name + ", command stopped");
    if (end.stopped && plan_.restart && !told_to_end_) return contend();
    quit(end.stopped ? static_cast<int>(Exit::lost) : end.code, end.why);
}

void Holder::await_signal() {
    signals_.async_wait([this](const error_code& error, int signal) {
        if (error) return;
        told_to_end_ = true;
        const bool holding = token_ && plan_.command.empty();
        if (holding) return quit(0, "");  // that is how it is told to let go
        if (!started_) return quit(128 + signal, "");
        await_signal();  // the ward passes it on
    });
}

// The next one need not wait for our session to end.
void Holder::quit(int code, const std::string& why) {
    if (std::exchange(ended_, true)) return;
    if (!why.empty()) complain(why);
    code_ = code;
    for (Timer* timer : {&contact_, &patience_}) timer->cancel();
    signals_.cancel();
    input_.cancel();
    limit(contact_, 1s, [this] { loop_.stop(); });
    contest_->leave();
}

}  // namespace conclave
