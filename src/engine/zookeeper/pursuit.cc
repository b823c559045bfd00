#include "engine/zookeeper/pursuit.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

namespace conclave::engine::zookeeper {

using namespace std::chrono_literals;

namespace {

constexpr std::int64_t confirmations = 10;  // in the length of a session
constexpr Duration usual_session = 10s, longest_session = 60s;
constexpr Duration patience = 1s;  // for somebody to answer, before it is complained about

Duration wanted_session(Duration wanted) {
    return wanted > Duration::zero() ? std::min(wanted, longest_session) : usual_session;
}

}  // namespace

Pursuit::Pursuit(std::shared_ptr<const Ground> ground, const Claim& claim, Events& events,
                 net::Alarm alarm)
    : ground_(std::move(ground)),
      steps_(steps_of(claim, ground_->root)),
      holder_(claim.holder),
      wanted_(wanted_session(claim.session)),
      events_(events),
      alarm_(std::move(alarm)) {}

void Pursuit::open() {
    opened_ = net::now();
    session_ = Session::open(
        ground_->loop, ground_->porter, {ground_->servers, ground_->credentials, wanted_},
        {[this] { connected(); }, [] {}, [this](Session::End end) { ended(end); },
         [this](const std::string& path) {
             const bool ours = has_all() && path == tickets_.back().path;
             if (path == ahead_ || ours) examine();
         }});
    next_ = opened_ + patience;
    set_alarm();
}

void Pursuit::connected() {
    const auto self = shared_from_this();
    const Instant now = net::now();
    agree();
    evidence_.connected(opened_, now);
    next_ = now + evidence_.session() / confirmations;
    keep();
    examining_ = again_ = confirming_ = false;  // what was asked before may never be answered
    if (leaving_) return farewell();
    events_.reached(session_->server());
    if (over_ || leaving_) return;
    set_alarm();
    confirm();
    drop_spent();
    if (drawing_) return search();
    if (tickets_.empty()) return draw();
    examine();
}

void Pursuit::ended(Session::End end) {
    const auto self = shared_from_this();
    if (leaving_) return farewell();
    if (held_) return lose();
    switch (end) {
        case Session::End::expired:
            return begin_anew();
        case Session::End::refused:
            return fail(net::Trouble::refused, "the credentials are refused", true);
        case Session::End::unknown_host:
            break;
    }
    fail(net::Trouble::unreachable, "no address is known by that name", true);
}

// What was ours has gone with the session.
void Pursuit::begin_anew() {
    session_->close();
    evidence_ = {};
    tickets_.clear();
    name_.clear();
    ahead_.clear();
    drawing_ = examining_ = again_ = confirming_ = first_ = busy_ = false;
    open();
}

// Who stands still does not go on holding: the client would see to that.
void Pursuit::keep() { session_->keep_for(std::max(evidence_.session(), 2 * patience)); }

// The shortest session is asked for beside us, and known from some time on.
void Pursuit::agree() {
    const Duration length = session_->length();
    evidence_.agree(length, ground_->shortest_session.value_or(length));
}

// --- That we are still there. ---

void Pursuit::confirm() {
    if (tickets_.empty() || !session_->is_connected() || std::exchange(confirming_, true)) return;
    // Who waits need not bother a majority with it, until it is first.
    const bool write = first_;
    const Instant sent = net::now();
    const auto done = still([this, sent, write](const Answer& answer) {
        confirming_ = false;
        if (!leaving_) confirmed(answer, sent, write);
    });
    const std::string& path = tickets_.back().path;
    if (write) {
        session_->check(path, done);
    } else {
        session_->read(path, false, done);
    }
}

void Pursuit::confirmed(const Answer& answer, Instant sent, bool written) {
    if (is_broken(answer.code)) return;
    if (is_missing(answer.code)) return held_ ? lose() : begin_anew();
    if (!understood(answer)) return;
    agree();
    const auto before = evidence_.until();
    evidence_.answered(sent, net::now());
    if (written) evidence_.written(sent);
    if (held_ && evidence_.until() != before) {
        set_alarm();
        return events_.renewed();
    }
    if (!first_ || held_) return;
    if (!written || is_fresh()) return examine();
    next_ = std::min(next_, net::now() + evidence_.lag());  // then a write proves this one
    set_alarm();
}

void Pursuit::set_alarm() {
    Instant due = next_;
    if (held_) due = std::min(due, evidence_.until().value_or(due));
    alarm_.at(due, [this] { ring(); });
}

void Pursuit::ring() {
    const auto self = shared_from_this();
    const Instant now = net::now();
    if (leaving_) return farewell();
    if (held_ && !until()) return lose();
    if (evidence_.session() > Duration::zero()) keep();
    if (now >= next_) {
        const bool up = session_->is_connected();
        next_ = now + (up ? evidence_.session() / confirmations : patience);
        if (up) confirm();
        if (!up) fail(net::Trouble::unreachable, "no ZooKeeper server answers", false);
    }
    if (!over_) set_alarm();
}

// --- The end. ---

bool Pursuit::understood(const Answer& answer) {
    if (answer.code == 0) return true;
    const auto trouble = is_refusal(answer.code) ? net::Trouble::refused : net::Trouble::bad_answer;
    if (!is_broken(answer.code)) fail(trouble, step().folder + ": " + words_of(answer.code), true);
    return false;
}

void Pursuit::fail(net::Trouble trouble, const std::string& what, bool final) {
    const auto self = shared_from_this();
    if (leaving_) return farewell();
    if (final) end();
    if (!silent_) events_.failed({trouble, ground_->servers + ": " + what, true}, final);
}

void Pursuit::lose() {
    end();
    if (!silent_) events_.lost();
}

void Pursuit::end() {
    over_ = true;
    held_ = false;
    session_->close();
    alarm_.cancel();
}

void Pursuit::leave() {
    if (over_ || std::exchange(leaving_, true)) return;
    held_ = false;
    next_ = net::now() + patience;
    set_alarm();
    boost::asio::post(ground_->loop, still([this] {
                          if (!drawing_) farewell();
                      }));
}

// Called again and again, until there is nothing left of us or nobody to be told.
void Pursuit::farewell() {
    std::erase_if(tickets_, [](const Own& own) { return own.path.empty(); });
    const bool can = session_->is_connected() && net::now() < next_;
    if (can && !tickets_.empty()) {
        return session_->remove(tickets_.back().path, still([this](const Answer&) {
                                    if (!tickets_.empty()) tickets_.pop_back();
                                    farewell();
                                }));
    }
    const auto self = shared_from_this();
    end();
    if (!silent_) events_.left();
}

void Pursuit::let_go() {
    silent_ = true;
    if (!over_) end();
}

}  // namespace conclave::engine::zookeeper
