#include "client/caller.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <random>

namespace conclave::client {

namespace {

constexpr NodeId the_node{1};  // whichever it is at the moment: a guest hears of no other

}  // namespace

Incarnation draw_life() {
    std::random_device lot;
    return {(std::uint64_t{lot()} << 32) | lot()};
}

std::string name_of_us(const std::string& program) {
    constexpr std::size_t readable = 64;
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    std::string name = std::filesystem::path(program).filename().string().substr(0, readable);
    name.append("@").append(host.data());
    return name.substr(0, locks::longest_name);
}

Result<std::unique_ptr<Caller>> Caller::start(boost::asio::io_context& loop, Settings settings,
                                              Events& events) {
    auto alarm = net::Alarm::make(loop);
    if (!alarm) return alarm.error();
    std::unique_ptr<Caller> caller(
        new Caller(loop, std::move(settings), events, std::move(*alarm)));
    caller->line_.start();
    return caller;
}

Caller::Caller(boost::asio::io_context& loop, Settings settings, Events& events, net::Alarm alarm)
    : loop_(loop),
      events_(events),
      wanted_session_(settings.session),
      alarm_(std::move(alarm)),
      members_({Member{the_node, 0, Role::voter, 1}}),
      driver_(NodeId{}, members_, config_, draw_life(), feet_),
      elsewhere_(settings.line.way.endpoints.size() > 1),
      line_(loop, std::move(settings.line),
            {[] {}, [this](const wire::Frame& frame) { take(frame); },
             [this] {
                 welcome_.reset();
                 driver_.happen(LeaderIs{std::nullopt, {}});
             },
             [this](const net::Failure& failure) { events_.failed(failure); }}) {
    // Until a node says how long a session may be.
    config_.session = wanted_session_ > Duration{} ? wanted_session_ : std::chrono::seconds(1);
    config_.keep_alive = config_.session / 4;
    config_.name = std::move(settings.name);
    driver_.happen(Booted<LockCaller>{});
}

Caller::~Caller() { stop(); }

void Caller::stop() {
    *alive_ = false;
    line_.stop();
    alarm_.cancel();
}

void Caller::acquire(const locks::Name& lock, const locks::Terms& terms) {
    if (!std::exchange(asking_, true)) heard_ = net::now();
    driver_.happen(Asked<LockCaller>{locks::Obtain{lock, terms}});
}

void Caller::release(const locks::Name& lock) {
    driver_.happen(Asked<LockCaller>{locks::GiveUp{lock}});
}

std::optional<Instant> Caller::until() const {
    const auto& session = driver_.state().client.session;
    return session ? session->until : std::nullopt;
}

const locks::Holding* Caller::holds(const locks::Name& lock) const {
    return driver_.state().client.holds(lock, net::now());
}

bool Caller::settled() const {
    const locks::Client& client = driver_.state().client;
    return !client.session || !client.unsettled;
}

void Caller::send(ByteView message) {
    frame_.clear();
    if (wire::append_letter(frame_, 0, message)) line_.send(frame_);
}

void Caller::set_alarm(Instant due, std::uint32_t stamp) {
    std::erase_if(alarms_, [this](const auto& set) { return !driver_.awaits(set.second); });
    alarms_.emplace_back(due, stamp);
    wake_at_next();
}

void Caller::wake_at_next() {
    const auto next = std::ranges::min_element(alarms_);
    if (next == alarms_.end()) return alarm_.cancel();
    alarm_.at(next->first, [this] { fire_due(); });
}

void Caller::fire_due() {
    const Instant now = net::now();
    Duration late{};
    for (auto next = std::ranges::min_element(alarms_); next != alarms_.end() && next->first <= now;
         next = std::ranges::min_element(alarms_)) {
        const std::uint32_t stamp = next->second;
        late = std::max(late, now - next->first);
        alarms_.erase(next);
        driver_.fire(stamp);
    }
    judge_silence(late);
    wake_at_next();
}

// As long as anything is held or wanted the leader is asked, and answers, four times in a session.
// That one answer is missing shows when the one after it is due; a quarter of a session is left
// then to find another node before anything held has to be given up. If nobody has a leader to
// offer, moving about does not help, and is done more and more seldom.
void Caller::judge_silence(Duration late) {
    const locks::Client& client = driver_.state().client;
    const bool asks = !client.held.empty() || !client.wanted.empty() || client.unsettled;
    const Duration slack = config_.keep_alive / 4;
    const Instant now = net::now();
    // Who has just begun to ask, or slept, has not heard what there is to be heard.
    if (!std::exchange(asking_, asks) || late > slack) heard_ = std::max(heard_, now);
    constexpr int most_moves = 4;
    const Duration enough = (config_.keep_alive + slack) * (1 << std::min(moves_, most_moves));
    if (!elsewhere_ || !asks || !welcome_ || now - heard_ < enough) return;
    ++moves_;
    line_.hang_up();
}

// Who is told asks at once for something else, or ends this: not in the midst of a step.
void Caller::note(const LockCaller::Notice& notice) {
    news_.push_back(notice);
    if (news_.size() > 1) return;
    boost::asio::post(loop_, [this, alive = alive_] {
        if (!*alive) return;
        for (const auto& one : std::exchange(news_, {})) {
            std::visit([this](const auto& what) { tell(what); }, one);
            if (!*alive) return;
        }
    });
}

void Caller::look_at_session() {
    if (until() == until_) return;
    until_ = until();
    if (until_) moves_ = 0;
    events_.renewed(until_);
}

void Caller::take(const wire::Frame& frame) {
    if (frame.kind == wire::Kind::welcome) {
        if (const auto welcome = wire::read_welcome(frame.body)) return take_welcome(*welcome);
        return line_.hang_up();
    }
    if (frame.kind != wire::Kind::letter || !welcome_) return;
    const auto letter = wire::read_letter(frame.body);
    if (!letter || !driver_.receive(the_node, letter->message)) return line_.hang_up();
    heard_ = net::now();
}

void Caller::take_welcome(const wire::Welcome& welcome) {
    welcome_ = welcome;
    heard_ = net::now();
    const bool any = wanted_session_ == Duration{};
    config_.session =
        any ? welcome.longest_session : std::min(wanted_session_, welcome.longest_session);
    config_.longest = welcome.longest_session;
    config_.keep_alive = config_.session / 4;
    events_.welcomed(welcome);
}

}  // namespace conclave::client
