#include "node/session_locks.h"

#include <algorithm>
#include <chrono>
#include <variant>

#include "client/caller.h"

namespace conclave::node {

namespace {

using How = SessionLocks::Verdict::How;

constexpr NodeId the_node{1};                           // as every guest calls its node: this one
constexpr Duration patience = std::chrono::seconds(2);  // with a leader, of who does not wait

const MemberList& the_members() {
    static const MemberList members({Member{the_node, 0, conclave::Role::voter, 1}});
    return members;
}

}  // namespace

struct SessionLocks::Feet {
    SessionLocks& desk;
    Tenant& tenant;
    Number number = 0;

    Instant now() { return desk.house_.now(); }
    Attribute attribute() { return 0; }
    Duration draw(Wait wait) { return wait.least; }
    void send(NodeId, ByteView bytes, net::Hurry) {
        LockCaller::Message message;
        if (!wire::read_message<LockCaller>(bytes, message)) return;
        if (auto said = locks::as_guest(std::move(message))) desk.house_.say(std::move(*said));
    }
    void alarm(Instant due, std::uint32_t stamp) { desk.timers_.set(due, number, stamp); }
    void save(ByteView) {}
    void stepped(Instant, const Event<LockCaller>&, const std::vector<Effect<LockCaller>>&) {}
    template <class N> void told(const N& notice) { desk.told(tenant, notice); }
};

struct SessionLocks::Tenant {
    Tenant(SessionLocks& desk, Number the_number, Incarnation the_life, std::string name)
        : number(the_number),
          life(the_life),
          feet{desk, *this, the_number},
          driver(NodeId{}, the_members(), config, life, feet) {
        config.session = config.longest = desk.house_.session;
        config.keep_alive = config.session / 4;
        config.name = std::move(name);
        driver.happen(Booted<LockCaller>{});
    }
    const locks::Client& client() const { return driver.state().client; }
    std::optional<Held> held(const locks::Name& lock, Instant now) const {
        const locks::Holding* holding = client().holds(lock, now);
        if (!holding) return std::nullopt;
        return Held{lock, holding->token, *client().session->until};
    }

    const Number number;
    const Incarnation life;
    locks::Config config;
    Feet feet;
    net::Driver<LockCaller, Feet> driver;
    std::map<locks::Name, Waiting> waiting;
};

SessionLocks::SessionLocks(House house) : house_(std::move(house)) {}
SessionLocks::~SessionLocks() = default;

SessionLocks::Tenant& SessionLocks::tenant_of(const Wish& wish) {
    const auto [place, fresh] = by_session_.try_emplace(wish.session, numbers_ + 1);
    if (!fresh) return *tenants_.at(place->second);
    const Number number = ++numbers_;
    const Incarnation life = client::draw_life();
    by_life_[life] = number;
    auto made = std::make_unique<Tenant>(*this, number, life, wish.name);
    Tenant& tenant = *tenants_.emplace(number, std::move(made)).first->second;
    if (epoch_) tenant.driver.happen(Received<LockCaller>{the_node, locks::Recover{*epoch_}});
    return tenant;
}

const SessionLocks::Tenant* SessionLocks::find(const std::string& session) const {
    const auto found = by_session_.find(session);
    return found == by_session_.end() ? nullptr : tenants_.at(found->second).get();
}

void SessionLocks::ask(Tenant& tenant, LockCaller::Request request) {
    tenant.driver.happen(Asked<LockCaller>{std::move(request)});
}

SessionLocks::Ticket SessionLocks::acquire(const Wish& wish, Hearing hear) {
    const Ticket ticket{++tickets_};
    const Instant now = house_.now();
    Tenant& tenant = tenant_of(wish);
    if (const auto* holding = tenant.client().holds(wish.lock, now)) {
        const bool same = holding->terms == wish.terms;
        hear(same ? Verdict{How::granted, *tenant.held(wish.lock, now), {}}
                  : Verdict{How::other_terms, {}, {}});
        return ticket;
    }
    const bool at_once = wish.wait == Duration::zero();
    Waiting mine{ticket, wish.terms, now + (at_once ? patience : wish.wait), at_once, false, {}};
    if (const auto before = tenant.waiting.find(wish.lock); before != tenant.waiting.end()) {
        if (before->second.terms != wish.terms) {
            hear({How::other_terms, {}, {}});
            return ticket;
        }
        mine.busy = before->second.busy;
        conclude(tenant, wish.lock, {How::asked_again, {}, {}});
    }
    mine.hear = std::move(hear);
    deadlines_.insert({mine.until, ticket});
    places_[ticket] = {tenant.number, wish.lock};
    const bool known_busy = mine.busy && at_once;
    tenant.waiting[wish.lock] = std::move(mine);
    ask(tenant, locks::Obtain{wish.lock, wish.terms});
    if (known_busy) told(tenant, locks::Busy{wish.lock});
    wake_at_next();
    return ticket;
}

void SessionLocks::withdraw(Ticket ticket) {
    const auto found = places_.find(ticket);
    if (found == places_.end()) return;
    const Place place = found->second;
    Tenant& tenant = *tenants_.at(place.tenant);
    tenant.waiting.at(place.lock).hear = [](const Verdict&) {};
    conclude(tenant, place.lock, {How::unanswered, {}, {}});
    ask(tenant, locks::GiveUp{place.lock});
    wake_at_next();
}

std::optional<SessionLocks::Held> SessionLocks::held(const std::string& session,
                                                     const locks::Name& lock) const {
    const Tenant* tenant = find(session);
    return tenant ? tenant->held(lock, house_.now()) : std::nullopt;
}

std::vector<SessionLocks::Held> SessionLocks::held(const std::string& session) const {
    std::vector<Held> all;
    const Tenant* tenant = find(session);
    if (!tenant) return all;
    for (const locks::Holding& holding : tenant->client().held) {
        if (const auto one = tenant->held(holding.lock, house_.now())) all.push_back(*one);
    }
    return all;
}

void SessionLocks::release(const std::string& session, const locks::Name& lock) {
    const auto found = by_session_.find(session);
    if (found == by_session_.end()) return;
    ask(*tenants_.at(found->second), locks::GiveUp{lock});
    wake_at_next();
}

void SessionLocks::ended(const std::string& session) {
    const auto found = by_session_.find(session);
    if (found == by_session_.end()) return;
    Tenant& tenant = *tenants_.at(found->second);
    by_session_.erase(found);
    while (!tenant.waiting.empty()) {
        const locks::Name lock = tenant.waiting.begin()->first;
        conclude(tenant, lock, {How::session_gone, {}, {}});
        ask(tenant, locks::GiveUp{lock});
    }
    const auto had = tenant.client().held;
    for (const locks::Holding& one : had) ask(tenant, locks::GiveUp{one.lock});
    leaving_.push_back(tenant.number);
    wake(house_.now());  // to bury it: we may be in the midst of its step
}

// All are told: whoever holds or wants something says so to the new leader.
void SessionLocks::led(std::optional<Epoch> epoch) {
    epoch_ = epoch;
    for (const auto& [number, tenant] : tenants_) {
        if (epoch) {
            tenant->driver.happen(Received<LockCaller>{the_node, locks::Recover{*epoch}});
        } else {
            tenant->driver.happen(LeaderIs{std::nullopt, {}});
        }
    }
    wake_at_next();
}

void SessionLocks::hear(const locks::ForGuest& answer) {
    std::visit(
        [this](const auto& word) {
            const auto found = by_life_.find(word.session.life);
            if (found == by_life_.end()) return;
            tenants_.at(found->second)
                ->driver.happen(Received<LockCaller>{the_node, LockCaller::Message(word)});
        },
        answer.word);
    wake_at_next();
}

void SessionLocks::conclude(Tenant& tenant, const locks::Name& lock, const Verdict& verdict) {
    auto concluded = tenant.waiting.extract(lock);
    if (!concluded) return;
    const Waiting& waiting = concluded.mapped();
    deadlines_.erase({waiting.until, waiting.ticket});
    places_.erase(waiting.ticket);
    waiting.hear(verdict);
}

void SessionLocks::told(Tenant& tenant, const locks::Granted& granted) {
    const auto held = tenant.held(granted.lock, house_.now());
    if (held && tenant.waiting.contains(granted.lock))
        return conclude(tenant, granted.lock, {How::granted, *held, {}});
    ask(tenant, locks::GiveUp{granted.lock});
}

void SessionLocks::told(Tenant& tenant, const locks::Busy& busy) {
    const auto found = tenant.waiting.find(busy.lock);
    if (found == tenant.waiting.end()) return;
    found->second.busy = true;
    if (!found->second.at_once) return;
    conclude(tenant, busy.lock, {How::busy, {}, {}});
    ask(tenant, locks::GiveUp{busy.lock});
}

void SessionLocks::told(Tenant& tenant, const locks::TurnedDown& no) {
    conclude(tenant, no.lock, {How::turned_down, {}, no.limit});
}

void SessionLocks::dismiss_late(Instant now) {
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
        const Place place = places_.at(deadlines_.begin()->second);
        Tenant& tenant = *tenants_.at(place.tenant);
        const bool busy = tenant.waiting.at(place.lock).busy;
        conclude(tenant, place.lock, {busy ? How::busy : How::unanswered, {}, {}});
        ask(tenant, locks::GiveUp{place.lock});
    }
}

// Never in the midst of a tenant's step.
void SessionLocks::bury_settled() {
    std::erase_if(leaving_, [this](Number number) {
        const auto found = tenants_.find(number);
        const locks::Client& client = found->second->client();
        if (client.session && client.unsettled) return false;
        by_life_.erase(found->second->life);
        tenants_.erase(found);
        return true;
    });
}

bool SessionLocks::awaited(const Timers::Due& due) const {
    const auto tenant = tenants_.find(due.machine);
    return tenant != tenants_.end() && tenant->second->driver.awaits(due.stamp);
}

void SessionLocks::tick() {
    const Instant now = house_.now();
    const auto in_force = [this](const Timers::Due& due) { return awaited(due); };
    wake_ = Instant::max();
    dismiss_late(now);
    while (timers_.next(in_force) <= now) {
        const Timers::Due due = timers_.take();
        tenants_.at(due.machine)->driver.fire(due.stamp);
    }
    bury_settled();
    wake_at_next();
}

void SessionLocks::wake_at_next() {
    const Instant timer = timers_.next([this](const Timers::Due& due) { return awaited(due); });
    wake(deadlines_.empty() ? timer : std::min(timer, deadlines_.begin()->first));
}

void SessionLocks::wake(Instant at) {
    if (at >= wake_) return;
    wake_ = at;
    house_.wake(at);
}

}  // namespace conclave::node
