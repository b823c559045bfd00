#include "engine/native.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <chrono>
#include <utility>

#include "client/answer.h"
#include "client/caller.h"
#include "engine/native_loan.h"
#include "engine/unable.h"
#include "net/http_target.h"
#include "net/json_members.h"

namespace conclave::engine {

namespace {

using namespace std::chrono_literals;
using client::Said;

// One lock under a session of its own.
class LockContest final : public Contest, private client::Caller::Events {
public:
    LockContest(boost::asio::io_context& loop, Claim claim, engine::Events& events)
        : loop_(loop), claim_(std::move(claim)), events_(events) {}
    ~LockContest() override { *alive_ = false; }

    std::optional<Error> start(const NativeSettings& settings) {
        client::Caller::Settings caller;
        caller.line.way = settings.way;
        caller.line.answer = settings.timeout;
        caller.session = claim_.session;
        caller.name = claim_.holder;
        auto started = client::Caller::start(loop_, std::move(caller), *this);
        if (!started) return started.error();
        caller_ = std::move(*started);
        caller_->acquire(claim_.thing.name, claim_.terms);
        return std::nullopt;
    }

    std::optional<Instant> until() const override {
        return caller_->holds(claim_.thing.name) ? caller_->until() : std::nullopt;
    }
    Duration session() const override { return caller_->session(); }
    void leave() override {
        if (std::exchange(leaving_, true)) return soon([this] { events_.left(); });
        caller_->release(claim_.thing.name);
        if (caller_->settled()) return soon([this] { depart(); });
        farewell_.expires_after(1s);
        farewell_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
            if (!error && *alive) depart();
        });
    }

private:
    template <class F> void soon(F then) {
        boost::asio::post(loop_, [alive = alive_, then] {
            if (*alive) then();
        });
    }
    void depart() {
        if (std::exchange(over_, true)) return;
        caller_->stop();
        events_.left();
    }

    // As the caller's events.
    void welcomed(const wire::Welcome& welcome) override {
        if (!leaving_) events_.reached(welcome.node);
    }
    void failed(const net::Failure& failure) override {
        if (!leaving_) events_.failed(failure, false);
    }
    void busy(const locks::Name&) override {
        if (!leaving_ && !lost_) events_.busy();
    }
    void granted(const locks::Name&, const locks::Token& token) override {
        if (!leaving_ && !lost_) events_.granted(token);
    }
    void turned_down(const locks::Name&, locks::Limit limit) override {
        if (!leaving_) events_.failed({net::Trouble::bad_answer, words(limit), true}, true);
    }
    void settled() override {
        if (leaving_) depart();
    }
    // A lock that was taken away by an administrator is free for the next once we `leave`.
    void lost(const locks::Name&) override {
        if (!std::exchange(lost_, true) && !leaving_) events_.lost();
    }
    void renewed(std::optional<Instant>) override {
        soon([this] {
            if (!leaving_ && caller_->holds(claim_.thing.name)) events_.renewed();
        });
    }

    boost::asio::io_context& loop_;
    const Claim claim_;
    engine::Events& events_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    boost::asio::steady_timer farewell_{loop_};
    bool lost_ = false, leaving_ = false, over_ = false;
    std::unique_ptr<client::Caller> caller_;
};

Standing standing_of(const Thing& thing, const boost::json::value& group) {
    Standing standing{.thing = thing, .holders = {}, .waiting = {}};
    const std::string leader = text_member(group, "leader");
    const Epoch epoch{number_member(group, "epoch").value_or(0)};
    if (!leader.empty()) standing.holders.push_back({leader, {epoch, 0}});
    return standing;
}

std::string target_of(const Thing& thing) {
    return "/v1/groups/" + net::percent_encoded(thing.name);
}

locks::Token token_of(const std::string& text) {
    const std::size_t dot = text.find('.');
    std::uint64_t epoch = 0, number = 0;
    std::from_chars(text.data(), text.data() + std::min(dot, text.size()), epoch);
    if (dot != std::string::npos)
        std::from_chars(text.data() + dot + 1, text.data() + text.size(), number);
    return {Epoch{epoch}, number};
}

// What a node says of all locks.
std::vector<Standing> standings_of(const boost::json::value& said) {
    std::vector<Standing> all;
    for (const auto& lock : array_member(said, "locks")) {
        const Thing thing{Thing::Kind::lock, text_member(lock, "lock")};
        Standing standing{.thing = thing, .holders = {}, .waiting = {}};
        for (const auto& one : array_member(lock, "holders"))
            standing.holders.push_back(
                {text_member(one, "name"), token_of(text_member(one, "token"))});
        for (const auto& one : array_member(lock, "waiters"))
            standing.waiting.push_back(text_member(one, "name"));
        all.push_back(std::move(standing));
    }
    return all;
}

// A chain of long polls: each is answered when something has changed.
class Poll : public std::enable_shared_from_this<Poll> {
public:
    using Seen = std::function<void(const Found<Standing>&)>;
    Poll(boost::asio::io_context& loop, NativeSettings settings, Thing thing, Seen seen)
        : loop_(loop),
          settings_(std::move(settings)),
          thing_(std::move(thing)),
          seen_(std::move(seen)),
          timer_(loop) {}

    void ask() {
        net::Call call{.target = target_of(thing_)};
        if (index_) {
            call.target += "?wait=10s&index=" + std::to_string(*index_);
            call.takes = 10s;
        }
        net::ask(loop_, settings_.way, call, settings_.timeout + call.takes,
                 [self = shared_from_this()](const net::Outcome& outcome) {
                     if (self->seen_) self->answered(client::read_answer(outcome));
                 });
    }
    void stop() {
        seen_ = {};
        timer_.cancel();
    }

private:
    void answered(const Said& said) {
        const auto index = number_member(said.body, "index");
        const bool news = !said.good() || index != index_;
        index_ = said.good() ? index : std::nullopt;
        timer_.expires_after(said.good() ? 0ms : 500ms);
        timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
            if (!error && self->seen_) self->ask();
        });
        if (!news) return;
        said.good() ? seen_(Found<Standing>(standing_of(thing_, said.body)))
                    : seen_(Found<Standing>(said.failure));
    }

    boost::asio::io_context& loop_;
    const NativeSettings settings_;
    const Thing thing_;
    Seen seen_;  // empty: nobody looks any more
    boost::asio::steady_timer timer_;
    std::optional<std::uint64_t> index_;  // of the last change
};

class PollWatch final : public Watch {
public:
    explicit PollWatch(std::shared_ptr<Poll> poll) : poll_(std::move(poll)) {}
    ~PollWatch() override { poll_->stop(); }

private:
    const std::shared_ptr<Poll> poll_;
};

class Native final : public Engine {
public:
    Native(boost::asio::io_context& loop, NativeSettings settings)
        : loop_(loop), settings_(std::move(settings)) {}

    std::unique_ptr<Contest> contend(Claim claim, Events& events) override {
        if (claim.thing.kind != Thing::Kind::lock)
            return contend_for_loan(loop_, settings_, claim, events);
        auto contest = std::make_unique<LockContest>(loop_, std::move(claim), events);
        if (const auto error = contest->start(settings_)) return unable(loop_, *error, events);
        return contest;
    }
    void look(const Thing& thing, Duration limit, Told<Standing> told) override {
        if (thing.kind == Thing::Kind::lock) {
            return list(thing.kind, limit, [thing, told](Found<std::vector<Standing>> found) {
                if (const auto* failure = std::get_if<net::Failure>(&found)) return told(*failure);
                for (Standing& one : std::get<0>(found))
                    if (one.thing == thing) return told(std::move(one));
                told(Standing{.thing = thing, .holders = {}, .waiting = {}});
            });
        }
        net::ask(loop_, settings_.way, {.target = target_of(thing)}, limit,
                 [thing, told = std::move(told)](const net::Outcome& outcome) {
                     const Said said = client::read_answer(outcome);
                     if (!said.good()) return told(said.failure);
                     told(standing_of(thing, said.body));
                 });
    }
    void list(Thing::Kind kind, Duration limit, Told<std::vector<Standing>> told) override {
        const bool locks = kind == Thing::Kind::lock;
        net::ask(loop_, settings_.way, {.target = locks ? "/v1/locks" : "/v1/groups"}, limit,
                 [told = std::move(told), locks](const net::Outcome& outcome) {
                     const Said said = client::read_answer(outcome);
                     if (!said.good()) return told(said.failure);
                     if (locks) return told(standings_of(said.body));
                     std::vector<Standing> all;
                     const auto* groups = said.body.if_array();
                     if (!groups) return told(said.failure);
                     for (const auto& group : *groups) {
                         const Thing thing{Thing::Kind::leadership, text_member(group, "group")};
                         all.push_back(standing_of(thing, group));
                     }
                     told(std::move(all));
                 });
    }
    std::unique_ptr<Watch> watch(const Thing& thing,
                                 std::function<void(const Found<Standing>&)> seen) override {
        auto poll = std::make_shared<Poll>(loop_, settings_, thing, std::move(seen));
        poll->ask();
        return std::make_unique<PollWatch>(std::move(poll));
    }

private:
    boost::asio::io_context& loop_;
    const NativeSettings settings_;
};

}  // namespace

std::unique_ptr<Engine> native(boost::asio::io_context& loop, NativeSettings settings) {
    return std::make_unique<Native>(loop, std::move(settings));
}

}  // namespace conclave::engine
