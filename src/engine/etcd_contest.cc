#include "engine/etcd_contest.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>
#include <chrono>
#include <cstdint>
#include <utility>

#include "engine/etcd_stream.h"
#include "engine/etcd_words.h"
#include "engine/handle.h"
#include "engine/lease.h"
#include "engine/unable.h"
#include "net/clock.h"
#include "net/json_members.h"

namespace conclave::engine::etcd {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t renewals = 4;  // in the length of a lease
constexpr Duration usual_lease = 10s, pause = 50ms, longest_pause = 1s, least_patience = 100ms,
                   farewell = 1s;

std::chrono::seconds whole_seconds(Duration wanted) {
    return wanted > Duration::zero() ? std::chrono::ceil<std::chrono::seconds>(wanted)
                                     : std::chrono::ceil<std::chrono::seconds>(usual_lease);
}

net::Failure strange(const std::string& server, const char* what) {
    return {net::Trouble::bad_answer, server + ": " + what, true};
}

// Shared with whatever is under way on the loop; let go of, it tells nobody anything.
class Pursuit : public std::enable_shared_from_this<Pursuit> {
public:
    Pursuit(std::shared_ptr<Gateway> gateway, Keys keys, const Claim& claim, Events& events,
            net::Alarm alarm)
        : gateway_(std::move(gateway)),
          keys_(std::move(keys)),
          value_(value_of(claim)),
          wanted_(whole_seconds(claim.session)),
          events_(events),
          alarm_(std::move(alarm)),
          timer_(gateway_->loop()),
          retry_(gateway_->loop()) {}

    void join();
    void leave();
    void let_go();
    std::optional<Instant> until() const {
        return held_ && net::now() < until_ ? std::optional(until_) : std::nullopt;
    }
    Duration session() const { return usable(ttl_); }

private:
    // Calls `then` unless it is over, or another lease has taken the place of this one.
    template <class F> auto still(F then) {
        return [self = shared_from_this(), lease = lease_, then](const auto&... what) {
            if (!self->over_ && self->lease_ == lease) then(what...);
        };
    }
    void joined(const Outcome& outcome, Instant sent);
    void put();
    void read();
    void look_at(const Outcome& outcome, const json::value& range);
    void wait_for(const Turn& turn, std::uint64_t revision);
    void hold();

    void renew();
    struct Seen {  // by a linearizable answer
        std::string server;
        std::uint64_t term = 0;
        friend bool operator==(const Seen&, const Seen&) = default;
    };
    struct Renewal {
        Instant sent{};
        Seen basis{};  // before it was sent
        Duration ttl{};
    };
    void confirm(const Renewal& renewal);
    void confirmed(const Outcome& outcome, const Renewal& renewal);
    bool understood(const Outcome& outcome);
    void take_until(Instant sent, Duration ttl);

    void session_over();
    void end();
    void revoke(std::function<void()> done);
    Duration patience() const;
    static void after(boost::asio::steady_timer& timer, Duration wait, std::function<void()> then);

    const std::shared_ptr<Gateway> gateway_;
    const Keys keys_;
    const std::string value_;
    const std::chrono::seconds wanted_;
    Events& events_;
    net::Alarm alarm_;
    boost::asio::steady_timer timer_, retry_;  // of the renewals; of what failed
    std::shared_ptr<Gateway::Stream> watch_;

    Duration pause_ = pause;  // before a lease is asked for again; doubles
    std::int64_t lease_ = 0;  // zero: none
    Duration ttl_{};
    Instant until_{};            // of the lease, on our clock
    std::uint64_t created_ = 0;  // our key; zero: not that we know
    json::object before_;        // the range that must shrink for it to be our turn
    std::uint64_t count_ = 0;    //   and how many keys were in it
    bool busy_ = false, held_ = false, over_ = false, silent_ = false;
    Seen seen_;
};

void Pursuit::after(boost::asio::steady_timer& timer, Duration wait, std::function<void()> then) {
    timer.expires_after(wait);
    timer.async_wait([then = std::move(then)](const boost::system::error_code& error) {
        if (!error) then();
    });
}

// How long one question may take, so that another can follow in time.
Duration Pursuit::patience() const {
    const Duration left = lease_ == 0 ? gateway_->timeout() : (until_ - net::now()) / 2;
    return std::clamp(left, least_patience, std::max(least_patience, gateway_->timeout()));
}

void Pursuit::join() {
    const Instant sent = net::now();
    const json::object question{{"TTL", std::to_string(wanted_.count())}};
    gateway_->ask(
        grant_path, question, patience(),
        [self = shared_from_this(), sent](const Outcome& outcome) { self->joined(outcome, sent); });
}

void Pursuit::joined(const Outcome& outcome, Instant sent) {
    const auto* answer = std::get_if<Answer>(&outcome);
    const auto lease = answer ? signed_member(answer->body, "ID") : std::nullopt;
    const auto ttl = answer ? signed_member(answer->body, "TTL") : std::nullopt;
    constexpr std::int64_t longest = 1'000'000'000;
    const bool sound = lease.value_or(0) != 0 && ttl.value_or(0) > 0 && *ttl <= longest;
    if (sound) lease_ = *lease;
    if (over_) return revoke([] {});  // nobody waits for it any more
    if (!understood(outcome) || !sound) {
        if (answer && !sound) events_.failed(strange(answer->server, "that is no lease"), false);
        if (!over_) after(retry_, pause_, still([this] { join(); }));
        pause_ = std::min(2 * pause_, longest_pause);
        return;
    }
    pause_ = pause;
    take_until(sent, std::chrono::seconds(*ttl));
    events_.reached(answer->server);
    if (over_) return;
    after(timer_, ttl_ / renewals, still([this] { renew(); }));
    put();
}

void Pursuit::put() {
    gateway_->ask(txn_path, put_unless_there(keys_, lease_, value_), patience(),
                  still([this](const Outcome& outcome) {
                      const auto* complaint = std::get_if<Complaint>(&outcome);
                      if (complaint && complaint->code == not_found) return session_over();
                      if (!understood(outcome)) {
                          if (!over_) after(retry_, pause, still([this] { put(); }));
                          return;
                      }
                      look_at(outcome, response_of(std::get<Answer>(outcome).body, 1));
                  }));
}

void Pursuit::read() {
    gateway_->ask(range_path, range_of(keys_), patience(), still([this](const Outcome& outcome) {
                      if (!understood(outcome)) {
                          if (!over_) after(retry_, pause, still([this] { read(); }));
                          return;
                      }
                      look_at(outcome, std::get<Answer>(outcome).body);
                  }));
}

// The one place where it becomes ours.
void Pursuit::look_at(const Outcome& outcome, const json::value& range) {
    const Answer& answer = std::get<Answer>(outcome);
    const auto queue = read_queue(range, &keys_);
    const auto header = header_of(answer.body);
    if (!queue || !header) {
        events_.failed(strange(answer.server, "that is no list of keys"), false);
        if (!over_) after(retry_, pause, still([this] { read(); }));
        return;
    }
    const std::string key = keys_.key(lease_);
    const auto turn = turn_of(*queue, key);
    if (!turn || net::now() >= until_) return session_over();
    created_ = std::ranges::find(*queue, key, &Entry::key)->created;
    if (turn->mine) return hold();
    wait_for(*turn, header->revision);
    if (std::exchange(busy_, true)) return;
    events_.busy();
}

void Pursuit::wait_for(const Turn& turn, std::uint64_t revision) {
    before_ = turn.every_key ? range_of(keys_) : range_of(turn.before);
    count_ = 0;  // the next confirmation counts
    const auto look_again = still([this](const auto&...) {
        watch_.reset();
        read();
    });
    watch_ = gateway_->listen(watch_path, deletions_of(before_, revision + 1),
                              {still([look_again](const json::value& message) {
                                   const bool news =
                                       member(message, "events") || member(message, "canceled");
                                   if (news) look_again(message);
                               }),
                               still([this, look_again](const net::Failure& failure) {
                                   events_.failed(failure, false);
                                   if (!over_) after(retry_, pause, [look_again] { look_again(); });
                               })});
}

void Pursuit::hold() {
    if (watch_) watch_->stop();
    watch_.reset();
    before_.clear();
    if (std::exchange(held_, true)) return;
    events_.granted({Epoch{created_}, 0});
}

void Pursuit::renew() {
    const Renewal begun{.sent = net::now(), .basis = seen_, .ttl = {}};
    gateway_->ask(renew_path, json::object{{"ID", std::to_string(lease_)}}, patience(),
                  still([this, begun](const Outcome& outcome) {
                      const auto* answer = std::get_if<Answer>(&outcome);
                      const auto* complaint = std::get_if<Complaint>(&outcome);
                      const auto ttl = answer ? signed_member(answer->body, "TTL") : std::nullopt;
                      if ((ttl && *ttl <= 0) || (complaint && complaint->code == not_found))
                          return session_over();
                      if (ttl) {
                          Renewal renewal = begun;
                          renewal.ttl = std::chrono::seconds(*ttl);
                          if (answer->server != begun.basis.server) renewal.basis = {};
                          return confirm(renewal);
                      }
                      if (answer) {
                          events_.failed(strange(answer->server, "that is no renewal"), false);
                      } else {
                          static_cast<void>(understood(outcome));
                      }
                      if (!over_) after(timer_, pause, still([this] { renew(); }));
                  }));
}

void Pursuit::confirm(const Renewal& renewal) {
    json::array questions{json::object{{"request_range", range_of(keys_.key(lease_))}}};
    if (!before_.empty()) {
        json::object older = before_;
        older["count_only"] = true;
        older["max_create_revision"] = std::to_string(created_);
        questions.push_back(json::object{{"request_range", std::move(older)}});
    }
    gateway_->ask(txn_path, json::object{{"success", std::move(questions)}}, patience(),
                  still([this, renewal](const Outcome& outcome) { confirmed(outcome, renewal); }));
}

void Pursuit::confirmed(const Outcome& outcome, const Renewal& renewal) {
    const bool good = understood(outcome);
    if (over_) return;
    const auto* answer = std::get_if<Answer>(&outcome);
    const auto mine = good ? read_queue(response_of(answer->body, 0)) : std::nullopt;
    if (!mine) return after(timer_, pause, still([this] { renew(); }));
    if (created_ != 0 && (mine->empty() || mine->front().created != created_))
        return session_over();
    if (renewal.basis != seen_) return after(timer_, Duration::zero(), still([this] { renew(); }));
    take_until(renewal.sent, renewal.ttl);
    if (held_) events_.renewed();
    if (over_) return;
    after(timer_, std::max(renewal.sent + ttl_ / renewals - net::now(), pause),
          still([this] { renew(); }));
    if (held_ || before_.empty() || !watch_) return;
    // What a watch has missed, or a server that hangs has not sent.
    const auto count = signed_member(response_of(answer->body, 1), "count").value_or(0);
    const auto now = static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
    const bool fewer = now < std::exchange(count_, now) || now == 0;
    if (!fewer && watch_->server() == gateway_->server()) return;
    watch_->stop();
    watch_.reset();
    read();
}

// Notes who has answered; a complaint that we did not expect is a failure. Who is not let in, and
// has nothing yet, need not try again: a lease is given to anybody, a key is not.
bool Pursuit::understood(const Outcome& outcome) {
    if (const auto* failure = std::get_if<net::Failure>(&outcome)) {
        const bool final = failure->trouble == net::Trouble::refused && created_ == 0;
        if (final) end();
        events_.failed(*failure, final);
        return false;
    }
    if (const auto* complaint = std::get_if<Complaint>(&outcome)) {
        events_.failed(
            {net::Trouble::bad_answer, gateway_->server() + ": " + complaint->what, true}, false);
        return false;
    }
    const Answer& answer = std::get<Answer>(outcome);
    if (const auto header = header_of(answer.body)) seen_ = {answer.server, header->term};
    return true;
}

void Pursuit::take_until(Instant sent, Duration ttl) {
    ttl_ = ttl;
    until_ = std::max(until_, sent + usable(ttl));
    alarm_.at(until_, still([this] { session_over(); }));
}

// Nobody may act on this lease any more. What was held is lost; a wish begins anew, at the end.
void Pursuit::session_over() {
    if (held_) {
        end();
        return events_.lost();
    }
    revoke([] {});  // the key must not stand in the way of others, nor of ourselves
    lease_ = 0;
    created_ = 0;
    until_ = {};
    before_.clear();
    busy_ = false;
    if (watch_) watch_->stop();
    watch_.reset();
    for (auto* timer : {&timer_, &retry_}) timer->cancel();
    alarm_.cancel();
    after(retry_, pause, still([this] { join(); }));
}

void Pursuit::end() {
    over_ = true;
    held_ = false;
    if (watch_) watch_->stop();
    watch_.reset();
    for (auto* timer : {&timer_, &retry_}) timer->cancel();
    alarm_.cancel();
}

void Pursuit::revoke(std::function<void()> done) {
    if (lease_ == 0) return boost::asio::post(gateway_->loop(), std::move(done));
    gateway_->ask(revoke_path, json::object{{"ID", std::to_string(lease_)}},
                  std::min(farewell, gateway_->timeout()),
                  [done = std::move(done)](const Outcome&) { done(); });
}

void Pursuit::leave() {
    const auto left = [self = shared_from_this()] {
        if (!self->silent_) self->events_.left();
    };
    if (over_) return boost::asio::post(gateway_->loop(), left);
    end();
    revoke(left);
}

void Pursuit::let_go() {
    silent_ = true;
    if (over_) return;
    end();
    revoke([] {});
}

}  // namespace

std::unique_ptr<Contest> contend(const std::shared_ptr<Gateway>& gateway, Keys keys,
                                 const Claim& claim, Events& events) {
    auto alarm = net::Alarm::make(gateway->loop());
    if (!alarm) return unable(gateway->loop(), alarm.error(), events);
    auto pursuit =
        std::make_shared<Pursuit>(gateway, std::move(keys), claim, events, std::move(*alarm));
    pursuit->join();
    return std::make_unique<Handle<Pursuit>>(std::move(pursuit));
}

}  // namespace conclave::engine::etcd
