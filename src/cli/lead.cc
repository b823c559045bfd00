#include "cli/lead.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>
#include <variant>

#include "cli/node_session.h"
#include "cli/ward.h"
#include "cli/way.h"
#include "net/clock.h"
#include "node/duration_text.h"

namespace conclave {

namespace {

using namespace std::chrono_literals;

// The polite part of an end must fit between two renewals; a session that lives somewhat longer
// than the lease costs nothing while we live, and little when we are killed.
constexpr std::int64_t graces_in_a_lease = 2, usual_graces = 4, leases_in_a_session = 2;

struct LeadPlan {
    std::string group;
    std::optional<Duration> wait, grace;
    bool at_once = false, restart = false;
    int not_elected = static_cast<int>(Exit::not_yet);
    std::vector<std::string> command;
};

std::string session_name(const LeadPlan& settings) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const std::string program = std::filesystem::path(settings.command.front()).filename();
    return program.substr(0, 64) + "@" + host.data();
}

class Lead {
public:
    Lead(LeadPlan settings, Way way) : settings_(std::move(settings)), way_(std::move(way)) {}

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
        elect_by_ = settings_.wait ? std::optional(net::now() + *settings_.wait) : std::nullopt;
        at_ = 0;
        look();
    }
    bool in_time() const { return !elect_by_ || net::now() < *elect_by_; }

    net::ClientOptions way_to(std::size_t at) const {
        net::ClientOptions one = way_.options;
        one.endpoints = {way_.options.endpoints[at]};
        return one;
    }

    // A session is one node's, so one node is chosen: the first that answers.
    void look() {
        const net::Call call{.target = "/v1/groups/" + path_segment(settings_.group)};
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

    void looked(const boost::json::value& group) {
        const auto lease = read_duration(text_member(group, "lease"));
        if (!lease) {
            return quit(static_cast<int>(Exit::usage), text_member(group, "algorithm") +
                                                           " has no lease: " + settings_.group +
                                                           " cannot be led for a command");
        }
        const std::string leader = text_member(group, "leader");
        const auto* mine = member(group, "mine");
        const bool here = mine && mine->is_bool() && mine->get_bool();
        if (settings_.at_once && !leader.empty() && !here) {
            return quit(settings_.not_elected, leader + " leads " + settings_.group);
        }
        // Where nobody leads, an election is worth its time.
        if (settings_.at_once) settings_.wait = here ? Duration::zero() : 4 * *lease + 1s;
        if (settings_.at_once) elect_by_ = net::now() + *settings_.wait;
        open(*lease);
    }

    void open(Duration lease) {
        NodeSession::Plan plan;
        plan.way = way_to(at_);
        plan.timeout = way_.timeout;
        plan.group = settings_.group;
        plan.renewed = [this] { renewed(); };
        session_ = std::make_shared<NodeSession>(loop_, std::move(plan));
        session_->open(session_name(settings_), leases_in_a_session * lease,
                       [this, lease](const Answered& answered) {
                           if (answered.reply.good()) return opened(lease);
                           if (answered.reply.status == 0) return begin_again();
                           quit(static_cast<int>(answered.reply.exit), answered.why);
                       });
    }
    void opened(Duration lease) {
        const Duration term = std::min(lease, session_->ttl());
        const Duration most = term / graces_in_a_lease;
        const Duration grace = settings_.grace.value_or(term / usual_graces);
        if (grace > most) {
            return quit(static_cast<int>(Exit::usage),
                        "--grace " + node::duration_text(grace) + " does not fit into a lease of " +
                            node::duration_text(term) + ": at most " + node::duration_text(most));
        }
        if (!ward_) ward_.emplace(loop_, grace);
        campaign();
    }

    void campaign() {
        elected_ = false;
        const Duration wait = elect_by_ ? *elect_by_ - net::now() : Duration(1min);
        session_->campaign(std::max(wait, Duration::zero()), ward_->notice(),
                           [this](const Answered& answered) { campaigned(answered); });
    }
    void campaigned(const Answered& answered) {
        constexpr unsigned refused = 409, session_gone = 410;
        if (ended_) return;
        elected_ = answered.reply.good();
        if (elected_) return;  // the next renewal says until when
        if (answered.reply.status == refused && in_time()) return campaign();
        if (answered.reply.status == refused) return quit(settings_.not_elected, answered.why);
        if (answered.reply.status == 0 || answered.reply.status == session_gone) {
            return in_time() ? begin_again() : quit(settings_.not_elected, answered.why);
        }
        quit(static_cast<int>(answered.reply.exit), answered.why);
    }

    void renewed() {
        const auto& mandate = session_->mandate();
        if (ward_ && ward_->running()) return ward_->review();
        if (!elected_ || started_) return;
        if (!mandate) return begin_again();  // lost before it began
        if (net::now() < mandate->until - ward_->notice()) start(mandate->epoch);
    }

    void start(std::uint64_t epoch) {
        started_ = true;
        const Ward::Command command{settings_.command,
                                    {{"CONCLAVE_GROUP", settings_.group},
                                     {"CONCLAVE_NODE", session_->node()},
                                     {"CONCLAVE_EPOCH", std::to_string(epoch)},
                                     {"CONCLAVE_ENDPOINT", way_.options.endpoints[at_].text}}};
        const auto guard = [this]() -> std::optional<Instant> {
            const auto& mandate = session_->mandate();
            return mandate ? std::optional(mandate->until) : std::nullopt;
        };
        ward_->run(command, guard, [this](const Ward::End& end) { child_ended(end); });
    }
    // Nobody of its group is left: the lead is free.
    void child_ended(const Ward::End& end) {
        started_ = elected_ = false;
        if (end.stopped) complain("lost the lead of " + settings_.group + ", command stopped");
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
        if (!session_) return loop_.stop();
        session_->end([this] { loop_.stop(); });
    }

    LeadPlan settings_;
    const Way way_;
    boost::asio::io_context loop_{1};
    boost::asio::signal_set signals_{loop_};
    boost::asio::steady_timer later_{loop_};
    std::shared_ptr<NodeSession> session_;
    std::optional<Ward> ward_;
    std::optional<Instant> elect_by_;  // nothing: however long it takes
    std::size_t at_ = 0;               // whom we ask, of the endpoints
    bool elected_ = false, started_ = false, ended_ = false;
    bool told_to_end_ = false;
    bool lost_before_ = false;  // with --restart: then a node that is away may come back
    int code_ = 0;
};

}  // namespace

Exit run_lead(const Endpoint& endpoint, const LeadOptions& options) {
    LeadPlan settings;
    settings.group = options.group;
    settings.at_once = options.at_once;
    settings.restart = options.restart;
    settings.command = options.command;
    settings.not_elected = options.not_elected.value_or(settings.not_elected);
    if (!read_option("-w", options.wait, settings.wait)) return Exit::usage;
    if (!read_option("--grace", options.grace, settings.grace)) return Exit::usage;
    auto way = find_way(endpoint);
    if (const auto* exit = std::get_if<Exit>(&way)) return *exit;
    return static_cast<Exit>(Lead(std::move(settings), std::move(std::get<Way>(way))).run());
}

}  // namespace conclave
