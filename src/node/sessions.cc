#include "node/sessions.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>
#include <random>

namespace conclave::node {

namespace {

// 128 bits that nobody guesses: who knows an id can end the session.
std::string random_id() {
    std::random_device source;
    std::string id;
    for (int word = 0; word < 4; ++word) {
        std::array<char, 9> digits{};
        std::snprintf(digits.data(), digits.size(), "%08x", source());
        id += digits.data();
    }
    return id;
}

// The borrower counts on a clock of its own, and it needs a moment to stop.
Duration reliable(Duration left) {
    constexpr std::int64_t drifts = 50;  // the election lives with clocks that are off by 1 % each
    constexpr Duration stop_margin = std::chrono::milliseconds(1);
    return std::max(left - left / drifts - stop_margin, Duration::zero());
}

}  // namespace

std::optional<Sessions::Opened> Sessions::open(std::string name, Duration ttl) {
    assert(ttl > Duration::zero());
    expire();
    if (sessions_.size() >= limits_.sessions) return std::nullopt;
    const Opened opened{random_id(), std::min(ttl, limits_.ttl)};
    const Instant expiry = lender_.now() + opened.ttl;
    sessions_[opened.id] = {std::move(name), opened.ttl, expiry};
    expiries_.insert({expiry, opened.id});
    due(expiry);
    return opened;
}

std::optional<Sessions::Renewal> Sessions::renew(const std::string& id) {
    expire();
    Session* session = find(id);
    if (!session) return std::nullopt;
    expiries_.erase({session->expiry, id});
    session->expiry = lender_.now() + session->ttl;
    expiries_.insert({session->expiry, id});
    Renewal renewal{reliable(session->ttl), {}};
    for (auto& [group, desk] : desks_) {
        if (!desk.lent || desk.lent->session != id) continue;
        review(group);
        if (!desk.lent || desk.lent->session != id || !desk.recalls.empty()) continue;
        renewal.leading.push_back(loan(group, *desk.lent));
    }
    return renewal;
}

bool Sessions::end(const std::string& id) {
    expire();
    if (!find(id)) return false;
    bury(id);
    return true;
}

std::optional<Duration> Sessions::remaining(const std::string& id, Instant until) {
    expire();
    const Session* session = find(id);
    if (!session) return std::nullopt;
    return reliable(std::min(until, session->expiry) - lender_.now());
}

Sessions::Ticket Sessions::campaign(const std::string& id, const std::string& group, const Bid& bid,
                                    Hearing hear) {
    expire();
    const Ticket ticket{++tickets_};
    if (!find(id)) {
        hear({Verdict::How::session_gone, {}});
        return ticket;
    }
    review(group);
    Desk& desk = desks_[group];
    if (desk.lent && desk.lent->session == id && desk.recalls.empty()) {
        hear({Verdict::How::elected, loan(group, *desk.lent)});
        return ticket;
    }
    const Instant until = lender_.now() + bid.wait;
    const auto place = std::ranges::find(desk.queue, id, &Campaigner::session);
    if (place != desk.queue.end()) {
        const Hearing before = std::move(place->hear);
        *place = {ticket, id, until, bid.priority, std::move(hear)};
        before({Verdict::How::asked_again, {}});
    } else {
        desk.queue.push_back({ticket, id, until, bid.priority, std::move(hear)});
    }
    due(until);
    review(group);
    return ticket;
}

void Sessions::withdraw(Ticket ticket) {
    for (auto& [group, desk] : desks_) {
        if (std::erase_if(desk.queue, [&](const auto& one) { return one.ticket == ticket; }) == 0)
            continue;
        return review(group);
    }
}

// What it led when it asked: nothing is lent to it meanwhile that it would not expect to lose.
Sessions::Resigned Sessions::resign(const std::string& id, const std::string& group) {
    expire();
    if (!find(id)) return Resigned::session_gone;
    Desk& desk = desks_[group];
    const bool led = desk.lent && desk.lent->session == id && !lost(group, *desk.lent);
    if (led) close(group, desk);
    review(group);
    return led ? Resigned::done : Resigned::not_leading;
}

void Sessions::recall(const std::string& group, std::function<void()> then) {
    Desk& desk = desks_[group];
    if (const auto held = lender_.tenure(group)) desk.spent = held->from;
    if (!desk.lent) return then();
    desk.recalls.push_back(std::move(then));
    due(desk.lent->promised);
    review(group);
}

void Sessions::changed(const std::string& group) {
    expire();
    review(group);
}

void Sessions::tick() {
    wake_ = Instant::max();
    expire();
    for (const auto& [group, desk] : desks_) review(group);
    if (!expiries_.empty()) due(expiries_.begin()->first);
    for (const auto& [group, desk] : desks_) {
        for (const Campaigner& one : desk.queue) due(one.until);
        if (desk.lent && !desk.recalls.empty()) due(desk.lent->promised);
    }
}

std::optional<std::string> Sessions::borrower(const std::string& group) {
    expire();
    review(group);
    const Desk& desk = desks_[group];
    if (!desk.lent) return std::nullopt;
    return find(desk.lent->session)->name;
}

std::string Sessions::name_of(const std::string& id) const {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? "" : found->second.name;
}

// Before anything else is looked at: whose time is over is gone, whether or not an alarm rang.
void Sessions::expire() {
    while (!expiries_.empty() && expiries_.begin()->first <= lender_.now()) {
        bury(std::string(expiries_.begin()->second));
    }
}

// The one place where a session ends.
void Sessions::bury(const std::string& id) {
    const auto session = sessions_.find(id);
    expiries_.erase({session->second.expiry, id});
    sessions_.erase(session);
    for (auto& [group, desk] : desks_) {
        const auto place = std::ranges::find(desk.queue, id, &Campaigner::session);
        const bool waited = place != desk.queue.end(), led = desk.lent && desk.lent->session == id;
        if (waited) {
            const Hearing hear = std::move(place->hear);
            desk.queue.erase(place);
            hear({Verdict::How::session_gone, {}});
        }
        if (led) close(group, desk);
        if (waited || led) review(group);
    }
    lender_.ended(id);
}

// Who has lost what it had, who has waited long enough, who is next.
void Sessions::review(const std::string& group) {
    Desk& desk = desks_[group];
    if (desk.lent) {
        const bool returned = !desk.recalls.empty() && lender_.now() >= desk.lent->promised;
        if (returned || lost(group, *desk.lent)) close(group, desk);
    }
    serve(group, desk);
    dismiss_late(desk);
    const Standing now = standing(group, desk);
    if (std::exchange(desk.standing, now) != now) lender_.stand(group, now);
}

// Of equals the first that asked. What the node is worth may change while they wait.
std::list<Sessions::Campaigner>::iterator Sessions::best(const std::string& group, Desk& desk) {
    const Attribute own = lender_.attribute(group);
    const auto worth = [own](const Campaigner& one) { return one.priority.value_or(own); };
    return std::ranges::max_element(desk.queue, {}, worth);
}

// Who leads needs no priority any more: those who wait are compared with those at other nodes.
Sessions::Standing Sessions::standing(const std::string& group, Desk& desk) {
    if (!desk.queue.empty()) return {true, best(group, desk)->priority};
    if (desk.lent) return {true, desk.lent->priority};
    return {};
}

bool Sessions::lost(const std::string& group, const Lent& lent) const {
    const auto held = lender_.tenure(group);
    return !held || held->from != lent.from;
}

void Sessions::serve(const std::string& group, Desk& desk) {
    if (desk.lent || desk.queue.empty()) return;
    const auto held = lender_.tenure(group);
    if (!held) return;
    if (held->from == desk.spent) return give_up(group, desk);
    desk.spent = held->from;
    const auto chosen = best(group, desk);
    const Campaigner next = std::move(*chosen);
    desk.queue.erase(chosen);
    desk.lent = Lent{next.session, next.priority, held->epoch, held->from, {}};
    next.hear({Verdict::How::elected, loan(group, *desk.lent)});
}

void Sessions::dismiss_late(Desk& desk) {
    for (auto one = desk.queue.begin(); one != desk.queue.end();) {
        if (lender_.now() < one->until) {
            ++one;
            continue;
        }
        const Hearing hear = std::move(one->hear);
        one = desk.queue.erase(one);
        hear({Verdict::How::not_in_time, {}});
    }
}

// The one place where a loan ends. Whoever recalled it has the first say in who comes next.
void Sessions::close(const std::string& group, Desk& desk) {
    desk.lent.reset();
    for (const auto& then : std::exchange(desk.recalls, {})) then();
    give_up(group, desk);
}

// A resignation may have to wait for the disk: asked for once, and meanwhile nothing is lent.
void Sessions::give_up(const std::string& group, Desk& desk) {
    const auto held = lender_.tenure(group);
    if (!held || held->from != desk.spent || desk.given_up == desk.spent) return;
    desk.given_up = desk.spent;
    lender_.resign(group);
}

// What the borrower is told, and what is owed to it from now on.
Sessions::Loan Sessions::loan(const std::string& group, Lent& lent) {
    const Instant now = lender_.now();
    const auto held = lender_.tenure(group);
    const Session* session = find(lent.session);
    assert(session);
    const Instant end = std::min(held ? held->until : now, session->expiry);
    lent.promised = std::max(lent.promised, end);
    return {group, lent.epoch, reliable(end - now)};
}

Sessions::Session* Sessions::find(const std::string& id) {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : &found->second;
}

void Sessions::due(Instant at) {
    if (at >= wake_) return;
    wake_ = at;
    lender_.wake(at);
}

}  // namespace conclave::node
