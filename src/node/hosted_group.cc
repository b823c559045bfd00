#include "node/hosted_group.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace conclave::node {

namespace {

std::int64_t wall_clock() {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

HostedGroup::HostedGroup(std::string name, std::string algorithm, std::uint32_t number,
                         const Host& host, const Placement& placement, Estate& estate)
    : HostedGroup(std::move(name), std::move(algorithm), number,
                  Make([&](Ground& ground) { return host.place(placement, ground); }), placement,
                  estate) {
    can_reform_ = host.takes(quorum::Admit{});
}

HostedGroup::HostedGroup(std::string name, std::string algorithm, std::uint32_t number,
                         const Make& make, const Placement& placement, Estate& estate)
    : name_(std::move(name)),
      algorithm_(std::move(algorithm)),
      number_(number),
      self_(placement.self),
      members_(placement.members),
      estate_(estate),
      attribute_(placement.attribute),
      leadership_{std::nullopt, {}, 1, estate.moment()},
      machine_(make(*this)) {}

HostedGroup::Watch HostedGroup::when_changed(std::function<void()> then) {
    std::erase_if(watches_, [](const auto& watch) { return watch.expired(); });
    auto watch = std::make_shared<std::function<void()>>(std::move(then));
    watches_.push_back(watch);
    return watch;
}

void HostedGroup::told(const Told& notice) {
    if (const auto* leader = std::get_if<LeaderIs>(&notice)) name_leader(*leader);
    if (const auto* refused = std::get_if<Refused>(&notice)) take(*refused);
    const auto* reformed = std::get_if<quorum::Reformed>(&notice);
    if (reformed && reformed->committed) settle_reform({});
    if (const auto* defined = std::get_if<Defined>(&notice)) definition_ = defined->definition;
    if (std::holds_alternative<StopProcessing>(notice)) definition_.reset();
    if (std::holds_alternative<Departed>(notice)) departed_ = true;
    estate_.told(number_, notice);
}

HostedGroup::Answer HostedGroup::ask(const Wish& wish) {
    // What it knows is still on disk: whatever it saved now would overwrite that.
    if (!machine_->booted()) return {true, Refused{Refused::Why::busy}};
    refused_.reset();
    asking_ = true;
    const bool understood = machine_->ask(wish);
    asking_ = false;
    return {understood, std::exchange(refused_, std::nullopt)};
}

// A leader that stops leading says so to whoever wanted a change of it, also in the middle of
// something else that it was asked; everything else that it says at once is to who asks.
void HostedGroup::take(const Refused& refused) {
    const bool stopped = refused.why == Refused::Why::not_leader;
    if (reforming_ && (stopped || !asking_)) return settle_reform({true, refused});
    refused_ = refused;
}

void HostedGroup::settle_reform(const Answer& answer) {
    if (const auto then = std::exchange(reforming_, nullptr)) then(answer);
}

// It may be done, or have failed, before `ask` returns.
void HostedGroup::reform(const Reform& wish, Answered then) {
    Answered before = std::exchange(reforming_, std::move(then));
    const Answer answer = std::visit([this](const auto& one) { return ask(one); }, wish);
    if ((!answer.understood || answer.refused) && reforming_) {
        const Answered refused = std::exchange(reforming_, std::move(before));
        return refused(answer);
    }
    if (before) before({true, Refused{Refused::Why::stale_epoch}});
}

void HostedGroup::seat(MemberList members) {
    members_ = std::move(members);
    machine_->seat(members_);
}

std::vector<Member> HostedGroup::electorate() const {
    std::vector<Member> list = machine_->reformed();
    if (list.empty()) list.assign(members_.begin(), members_.end());
    return list;
}

bool HostedGroup::may_lead(NodeId node) const {
    return std::ranges::any_of(electorate(), [node](const Member& member) {
        return member.node == node && quorum::may_lead(member);
    });
}

// Before it has booted nobody leads that could be asked for anything.
void HostedGroup::hear_guest(locks::FromGuest said) {
    if (machine_->booted()) machine_->hear_guest(std::move(said));
}

void HostedGroup::note(Moment moment) {
    const Instant at = now();
    follow_tenure(at);
    journal_.note(at, std::move(moment));
}

// After every step. It ended with the step that gave it up, or before: a node that was paused finds
// out when it wakes, and held nothing while it slept.
void HostedGroup::follow_tenure(Instant now) {
    if (const auto held = machine_->tenure(now)) {
        tenure_ = held;
    } else if (tenure_) {
        tenure_->until = std::min(tenure_->until, now);
    }
}

void HostedGroup::record(wire::RecordedStep step, std::optional<NodeId> from) {
    step.machine = number_;
    step.attribute = attribute();
    estate_.record(step, from);
}

wire::RecordedMachine HostedGroup::portrait() const {
    wire::RecordedMachine machine{name_, algorithm_, {members_.begin(), members_.end()}, {}, {}};
    machine_->portray(machine);
    return machine;
}

void HostedGroup::name_leader(const LeaderIs& told) {
    if (told.leader == leadership_.leader && told.epoch == leadership_.epoch) return;
    const Instant at = now();
    const Duration without = leadership_.leader ? Duration{} : at - leadership_.since;
    leadership_ = {told.leader, told.epoch, leadership_.index + 1, at};
    journal_.unsettle();
    std::optional<Tenure> ended;
    if (told.leader != self_) ended = std::exchange(tenure_, std::nullopt);
    const Change change{name_, leadership_, wall_clock(), without, ended, journal_.cause(at)};
    if (told.leader) journal_.settle();
    estate_.changed(change);
    for (const auto& waiting : std::exchange(watches_, {})) {
        if (const auto watch = waiting.lock()) (*watch)();
    }
}

}  // namespace conclave::node
