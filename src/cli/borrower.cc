#include "cli/borrower.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/end_of_input.h"
#include "cli/ward.h"
#include "net/clock.h"
#include "node/duration_text.h"

namespace conclave {

namespace {

using namespace std::chrono_literals;

// The polite part of an end must fit between two renewals; a session that lives somewhat longer
// than what is lent costs nothing while we live, and little when we are killed.
constexpr std::int64_t graces_in_a_term = 2, usual_graces = 4, terms_in_a_session = 2;

std::string session_name(const std::vector<std::string>& command) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const std::string program =
        command.empty() ? "conclave" : std::filesystem::path(command.front()).filename().string();
    return program.substr(0, 64) + "@" + host.data();
}

class Borrower {
public:
    Borrower(BorrowPlan settings, Way way) : settings_(std::move(settings)), way_(std::move(way)) {}

    int run() {
        for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
            if (!is_ignored(signal)) signals_.add(signal);
        }
        await_signal();
        begin();
        loop_.run();
        return code_;
    }

private:
    void begin() {
        by_ = settings_.wait ? std::optional(net::now() + *settings_.wait) : std::nullopt;
        at_ = 0;
        look();
    }
    bool in_time() const { return !by_ || net::now() < *by_; }

    net::ClientOptions way_to(std::size_t at) const {
        net::ClientOptions one = way_.options;
        one.endpoints = {way_.options.endpoints[at]};
        return one;
    }

    // A session is one node's, so one node is chosen: the first that answers.
    void look() {
        const net::Call call{.target = settings_.view};
        net::ask(loop_, way_to(at_), call, way_.timeout, [this](const net::Outcome& outcome) {
            const Answered answered = understand(outcome);
            if (answered.reply.good()) return looked(answered.reply.body);
            if (answered.reply.status == 0 && ++at_ < way_.options.endpoints.size()) return look();
            if (answered.reply.status == 0 && lost_before_ && in_time()) return begin_again();
            quit(static_cast<int>(answered.reply.exit), answered.why);
        });
    }
    void begin_again() {
        at_ = 0;
        if (session_) session_->end([] {});
        later_.expires_after(200ms);
        later_.async_wait([this](const boost::system::error_code& error) {
            if (!error) look();
        });
    }

    void looked(const boost::json::value& view) {
        const BorrowPlan::Prospect seen = settings_.judge(view);
        if (!seen.term) return quit(static_cast<int>(Exit::usage), seen.never);
        if (settings_.at_once && !seen.taken.empty()) return quit(settings_.busy, seen.taken);
        // Where nobody has it, an election, or everybody's answer, is worth its time.
        if (settings_.at_once) settings_.wait = seen.ours ? Duration::zero() : 4 * *seen.term + 1s;
        if (settings_.at_once) by_ = net::now() + *settings_.wait;
        open(*seen.term);
    }

    void open(Duration term) {
        NodeSession::Plan plan;
        plan.way = way_to(at_);
        plan.timeout = way_.timeout;
        plan.loan = settings_.loan;
        plan.renewed = [this] { renewed(); };
        session_ = std::make_shared<NodeSession>(loop_, std::move(plan));
        session_->open(session_name(settings_.command), terms_in_a_session * term,
                       [this, term](const Answered& answered) {
                           if (answered.reply.good()) return opened(term);
                           if (answered.reply.status == 0) return begin_again();
                           quit(static_cast<int>(answered.reply.exit), answered.why);
                       });
    }
    void opened(Duration lent) {
        const Duration term = std::min(lent, session_->ttl());
        const Duration most = term / graces_in_a_term;
        const Duration grace = settings_.grace.value_or(term / usual_graces);
        if (grace > most) {
            return quit(static_cast<int>(Exit::usage),
                        "--grace " + node::duration_text(grace) + " does not fit into a lease of " +
                            node::duration_text(term) + ": at most " + node::duration_text(most));
        }
        if (!ward_) ward_.emplace(loop_, grace);
        ask();
    }

    void ask() {
        lent_ = false;
        const Duration wait = by_ ? *by_ - net::now() : Duration(1min);
        session_->borrow(std::max(wait, Duration::zero()), ward_->notice(),
                         [this](const Answered& answered) { answered_with(answered); });
    }
    void answered_with(const Answered& answered) {
        constexpr unsigned refused = 409, session_gone = 410;
        if (ended_) return;
        lent_ = answered.reply.good();
        if (lent_) return;  // the next renewal says until when
        if (answered.reply.status == refused && in_time()) return ask();
        if (answered.reply.status == refused) return quit(settings_.busy, answered.why);
        if (answered.reply.status == 0 || answered.reply.status == session_gone) {
            return in_time() ? begin_again() : quit(settings_.busy, answered.why);
        }
        quit(static_cast<int>(answered.reply.exit), answered.why);
    }

    void renewed() {
        const auto& mandate = session_->mandate();
        if (ward_ && ward_->running()) return ward_->review();
        if (held_) return hold_on();
        if (!lent_ || started_) return;
        if (!mandate) return begin_again();  // lost before it began
        if (net::now() < mandate->until - ward_->notice()) start(mandate->number);
    }

    void start(std::uint64_t number) {
        if (settings_.command.empty()) return hold();
        started_ = true;
        Ward::Command command{settings_.command, settings_.variables(number)};
        command.environment.emplace_back("CONCLAVE_NODE", session_->node());
        command.environment.emplace_back("CONCLAVE_ENDPOINT", way_.options.endpoints[at_].text);
        const auto guard = [this]() -> std::optional<Instant> {
            const auto& mandate = session_->mandate();
            return mandate ? std::optional(mandate->until) : std::nullopt;
        };
        ward_->run(command, guard, [this](const Ward::End& end) { child_ended(end); });
    }
    // Without a command: until whoever wrote to us has gone.
    void hold() {
        held_ = true;
        std::printf("%s\n", settings_.held.c_str());
        std::fflush(stdout);
        input_.await([this] { quit(0, ""); });
        auto alarm = net::Alarm::make(loop_);
        if (!alarm) return quit(static_cast<int>(Exit::internal), alarm.error().what);
        alarm_.emplace(std::move(*alarm));
        hold_on();
    }
    void hold_on() {
        const auto& mandate = session_->mandate();
        if (mandate && net::now() < mandate->until) {
            return alarm_->at(mandate->until, [this] { hold_on(); });
        }
        quit(static_cast<int>(Exit::lost), settings_.lost);
    }
    // Nobody of its group is left: it is free for the next.
    void child_ended(const Ward::End& end) {
        started_ = lent_ = false;
        if (end.stopped) complain(settings_.lost + ", command stopped");
        if (end.stopped && settings_.restart && !told_to_end_) {
            lost_before_ = true;
            return session_->end([this] { begin(); });
        }
        quit(end.stopped ? static_cast<int>(Exit::lost) : end.code, end.why);
    }

    void await_signal() {
        signals_.async_wait([this](const boost::system::error_code& error, int signal) {
            if (error) return;
            told_to_end_ = true;
            if (held_) return quit(0, "");                 // that is how it is told to let go
            if (!started_) return quit(128 + signal, "");  // else the ward passes it on
            await_signal();
        });
    }

    void quit(int code, const std::string& why) {
        if (std::exchange(ended_, true)) return;
        if (!why.empty()) complain(why);
        code_ = code;
        signals_.cancel();
        later_.cancel();
        input_.cancel();
        if (!session_) return loop_.stop();
        session_->end([this] { loop_.stop(); });
    }

    BorrowPlan settings_;
    const Way way_;
    boost::asio::io_context loop_{1};
    boost::asio::signal_set signals_{loop_};
    boost::asio::steady_timer later_{loop_};
    std::shared_ptr<NodeSession> session_;
    std::optional<Ward> ward_;
    EndOfInput input_{loop_};
    std::optional<net::Alarm> alarm_;  // while it is held without a command
    std::optional<Instant> by_;        // nothing: however long it takes
    std::size_t at_ = 0;               // whom we ask, of the endpoints
    bool lent_ = false, started_ = false, held_ = false, ended_ = false;
    bool told_to_end_ = false;
    bool lost_before_ = false;  // with --restart: then a node that is away may come back
    int code_ = 0;
};

}  // namespace

Exit borrow(Way way, BorrowPlan plan) {
    return static_cast<Exit>(Borrower(std::move(plan), std::move(way)).run());
}

}  // namespace conclave
