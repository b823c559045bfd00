#include "node/engine_machine.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "core/print.h"
#include "node/duration_text.h"

namespace conclave::node {

namespace {

using namespace std::chrono_literals;

constexpr Duration often = 1s;  // looks whether anything is to be done
constexpr Duration pause = 5s;  // before what was refused is asked for again

}  // namespace

EngineMachine::EngineMachine(Seat seat, Open open, Ground& ground, LogSink& log)
    : seat_(std::move(seat)), open_(std::move(open)), ground_(ground), log_(log) {}

// Whether this node stands at all is said next; so nothing begins before the first tick.
std::optional<Error> EngineMachine::boot(const std::optional<Bytes>&) {
    booted_ = true;
    ground_.note({Moment::What::booted, "Booted", {}, {}});
    tick_at(ground_.now());
    return std::nullopt;
}

void EngineMachine::stop() {
    phase_ = Phase::none;
    contest_.reset();
    watch_.reset();
    engine_.reset();
}

void EngineMachine::tick_at(Instant due) {
    tick_ = due;
    ground_.alarm(due, ++stamp_);
}

// Who has slept for longer than a lease has seen nothing of what happened meanwhile.
void EngineMachine::fire(std::uint32_t stamp) {
    if (stamp != stamp_) return;
    const Instant now = ground_.now();
    const bool slept = now - tick_ >= seat_.lease;
    tick_at(now + std::min(often, seat_.lease / 4));
    if (slept) {
        watch_.reset();
        forget("Slept", "this node was asleep");
    }
    arrange();
}

void EngineMachine::arrange() {
    const Instant now = ground_.now();
    if (phase_ == Phase::over) {
        contest_.reset();
        phase_ = Phase::none;
    }
    if (refused_ && now >= retry_) {  // there may be another password by now
        refused_ = false;
        watch_.reset();
        engine_.reset();
    }
    if (!engine_ && now >= retry_) open();
    if (!engine_) return;
    if (!watch_) look();
    if (phase_ == Phase::none && stands_ && now >= retry_) contend();
    if (blind_since_ && now - *blind_since_ >= seat_.lease) {
        forget("Unreachable", "no answer for " + duration_text(seat_.lease));
    }
}

void EngineMachine::open() {
    auto opened = open_();
    if (opened) {
        engine_ = std::move(*opened);
        return calm(opening_);
    }
    retry_ = ground_.now() + pause;
    worry(opening_, {net::Trouble::refused, opened.error().what, false});
}

void EngineMachine::contend() {
    engine::Claim claim;
    claim.thing = {engine::Thing::Kind::leadership, seat_.group};
    claim.holder = name_of(seat_.self);
    claim.session = seat_.lease;
    phase_ = Phase::waiting;
    contest_ = engine_->contend(std::move(claim), *this);
}

void EngineMachine::look() {
    watch_ = engine_->watch({engine::Thing::Kind::leadership, seat_.group},
                            [this](const auto& found) { seen(found); });
}

void EngineMachine::leave() {
    if (phase_ != Phase::waiting && phase_ != Phase::held) return;
    phase_ = Phase::leaving;
    contest_->leave();
    name_leader();
}

bool EngineMachine::ask(const Wish& wish) {
    const auto asked = [this](std::string_view name) {
        ground_.note({Moment::What::asked, name, {}, {}});
    };
    if (const auto* resign = std::get_if<Resign>(&wish)) {
        if (resign->to) return false;  // the engine's queue has an order of its own
        if (phase_ != Phase::held) {
            ground_.told(Refused{Refused::Why::not_leader});
            return true;
        }
        asked("Resign");
        leave();
    } else if (std::holds_alternative<Retire>(wish)) {
        stands_ = false;
        asking_ = {};
        asked("Retire");
        leave();
    } else if (std::holds_alternative<Return>(wish)) {
        stands_ = true;
        asked("Return");
        tick_at(ground_.now());
    } else if (std::holds_alternative<Depart>(wish)) {
        stands_ = false;
        departing_ = true;
        asked("Depart");
        leave();
        if (phase_ != Phase::leaving) ground_.told(Departed{});
    } else {
        return false;
    }
    return true;
}

// Why the engine's leader may have gone, and nothing else.
void EngineMachine::hear(const Verdict& verdict) {
    const auto opine = [this](NodeId node, bool suspected, std::string_view name) {
        if (suspected ? !suspects_.insert(node).second : suspects_.erase(node) == 0) return;
        ground_.note({Moment::What::verdict, name, {node}, {}});
    };
    if (const auto* one = std::get_if<Suspected>(&verdict)) opine(one->node, true, "Suspected");
    if (const auto* one = std::get_if<Failed>(&verdict)) opine(one->node, true, "Failed");
    if (const auto* one = std::get_if<Trusted>(&verdict)) opine(one->node, false, "Trusted");
    if (const auto* one = std::get_if<Restarted>(&verdict)) opine(one->node, false, "Restarted");
}

std::optional<Tenure> EngineMachine::tenure(Instant now) const {
    const auto until = phase_ == Phase::held ? contest_->until() : std::nullopt;
    if (!until || *until <= now) return std::nullopt;
    return Tenure{tenure_.epoch, tenure_.from, *until};
}

std::optional<NodeId> EngineMachine::leader(Instant now) const {
    if (tenure(now)) return seat_.self;
    if (told_.leader == seat_.self || now - tick_ >= seat_.lease) return std::nullopt;
    return told_.leader;
}

// --- The contest. ---

void EngineMachine::granted(const locks::Token& token) {
    if (phase_ != Phase::waiting) return;
    calm(asking_);
    end_of_leader();
    phase_ = Phase::held;
    tenure_ = {token.epoch, ground_.now(), {}};
    first_.reset();  // older than what we know now
    name_leader();
}

void EngineMachine::renewed() {
    calm(asking_);
    report("Renewed", "the lease was renewed");
}

void EngineMachine::lost() {
    if (phase_ != Phase::held) return;
    phase_ = Phase::over;
    report("LeaseOver", "the lease was not renewed in time, or it was taken away");
    name_leader();
    tick_at(ground_.now());
}

void EngineMachine::left() {
    if (phase_ != Phase::leaving) return;
    phase_ = Phase::over;
    if (departing_) ground_.told(Departed{});
    tick_at(ground_.now());
}

void EngineMachine::failed(const net::Failure& failure, bool final) {
    worry(asking_, failure);
    if (!final) return;
    const bool held = phase_ == Phase::held, leaving = phase_ == Phase::leaving;
    phase_ = Phase::over;
    refused_ = failure.trouble == net::Trouble::refused;
    retry_ = ground_.now() + pause;
    if (held) name_leader();
    if (leaving && departing_) ground_.told(Departed{});
}

// --- Who is first. ---

void EngineMachine::seen(const engine::Found<engine::Standing>& found) {
    if (const auto* failure = std::get_if<net::Failure>(&found)) {
        if (!blind_since_) blind_since_ = ground_.now();
        return worry(watching_, *failure);
    }
    blind_since_.reset();
    calm(watching_);
    const auto before = member_first();
    const auto& holders = std::get<engine::Standing>(found).holders;
    first_ = holders.empty() ? std::nullopt : std::optional(holders.front());
    if (phase_ == Phase::held) {
        if (first_ && first_->token.epoch < tenure_.epoch) first_.reset();  // seen late
        return;
    }
    if (before != member_first()) end_of_leader();
    if (first_ && !member_first()) report("Stranger", stranger());
    name_leader();
}

// Of our own name, but not in our hands: it is another's, or an earlier life's.
std::optional<NodeId> EngineMachine::member_first() const {
    if (!first_) return std::nullopt;
    const auto found = std::ranges::find(seat_.members, first_->name, &Peer::name);
    if (found == seat_.members.end() || found->id == seat_.self) return std::nullopt;
    return found->id;
}

void EngineMachine::forget(std::string_view name, std::string why) {
    blind_since_.reset();
    if (!std::exchange(first_, std::nullopt) || phase_ == Phase::held) return;
    report(name, std::move(why));
    name_leader();
}

// The engine does not say why somebody is not there any more. Who is alive has gone by itself.
void EngineMachine::end_of_leader() {
    if (!told_.leader || *told_.leader == seat_.self) return;
    const bool suspected = suspects_.contains(*told_.leader);
    report(suspected ? "LeaseOver" : "Release",
           name_of(*told_.leader) + (suspected ? " does not lead any more, and is suspected"
                                               : " does not lead any more, and is alive"));
}

// The one place where a leader is named.
void EngineMachine::name_leader() {
    LeaderIs now{member_first(), told_.epoch};
    if (phase_ == Phase::held) {
        now = {seat_.self, tenure_.epoch};
    } else if (now.leader) {
        now.epoch = first_->token.epoch;
    }
    if (now.leader == told_.leader && now.epoch == told_.epoch) return;
    told_ = now;
    ground_.note({Moment::What::told, "LeaderIs", {}, to_text(now)});
    ground_.told(now);
}

// --- What people are told. ---

void EngineMachine::report(std::string_view name, std::string text) {
    ground_.note({Moment::What::reported, name, {}, seat_.engine + ": " + std::move(text)});
}

// Once per kind of trouble: the words of one and the same may differ from try to try.
void EngineMachine::worry(Worry& about, const net::Failure& failure) {
    about.what = failure.what;
    if (std::exchange(about.kind, failure.trouble) == failure.trouble) return;
    log_.log(Level::warning, "an engine does not serve us",
             {{"group", seat_.group}, {"engine", seat_.engine}, {"why", failure.what}});
}

void EngineMachine::calm(Worry& about) {
    if (!std::exchange(about, {}).kind) return;
    log_.log(Level::info, "an engine serves us again",
             {{"group", seat_.group}, {"engine", seat_.engine}});
}

std::optional<std::string> EngineMachine::trouble() const {
    for (const Worry* worry : {&opening_, &asking_, &watching_}) {
        if (worry->kind) return worry->what;
    }
    if (!first_ || phase_ == Phase::held || member_first()) return std::nullopt;
    return stranger();
}

std::string EngineMachine::stranger() const {
    return "led by '" + first_->name + "', who is no other node of this cluster";
}

std::string EngineMachine::show() const {
    return seat_.engine + ": " + to_text(told_) + (stands_ ? ", stands" : "");
}

std::string EngineMachine::name_of(NodeId node) const {
    const auto found = std::ranges::find(seat_.members, node, &Peer::id);
    return found == seat_.members.end() ? to_text(node) : found->name;
}

}  // namespace conclave::node
