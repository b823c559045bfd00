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
    : name_(std::move(name)),
      algorithm_(std::move(algorithm)),
      number_(number),
      self_(placement.self),
      members_(placement.members),
      estate_(estate),
      attribute_(placement.attribute),
      leadership_{std::nullopt, {}, 1, estate.now()},
      machine_(host.place(placement, *this)) {}

HostedGroup::Watch HostedGroup::when_changed(std::function<void()> then) {
    std::erase_if(watches_, [](const auto& watch) { return watch.expired(); });
    auto watch = std::make_shared<std::function<void()>>(std::move(then));
    watches_.push_back(watch);
    return watch;
}

void HostedGroup::told(const Told& notice) {
    if (const auto* leader = std::get_if<LeaderIs>(&notice)) name_leader(*leader);
    if (const auto* refused = std::get_if<Refused>(&notice)) refused_ = *refused;
    if (const auto* defined = std::get_if<Defined>(&notice)) definition_ = defined->definition;
    if (std::holds_alternative<StopProcessing>(notice)) definition_.reset();
    if (std::holds_alternative<Departed>(notice)) departed_ = true;
    estate_.told(number_, notice);
}

HostedGroup::Answer HostedGroup::ask(const Wish& wish) {
    // What it knows is still on disk: whatever it saved now would overwrite that.
    if (!machine_->booted()) return {true, Refused{Refused::Why::busy}};
    refused_.reset();
    const bool understood = machine_->ask(wish);
    return {understood, std::exchange(refused_, std::nullopt)};
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
    step.attribute = attribute_;
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
