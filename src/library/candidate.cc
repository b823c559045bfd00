#include "library/candidate.h"

#include <algorithm>
#include <chrono>

namespace conclave {

namespace {

constexpr Duration for_ever = std::chrono::years(100);
constexpr int renewals = 4;  // within what is left
constexpr Duration soon = std::chrono::milliseconds(5);
constexpr Duration later = std::chrono::seconds(1);

}  // namespace

void Mandate::Candidate::start() {
    if (over_) return;
    farewell_ = core_->when_ending([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->retire();
    });
    auto alarm = net::Alarm::make(core_->loop());
    if (!alarm) return retire();  // no descriptor is left
    alarm_.emplace(std::move(*alarm));
    stand();
}

void Mandate::Candidate::stand() {
    auto& sessions = core_->node().sessions();
    const auto& config = core_->config();
    const auto opened =
        sessions.open("application at " + config.node.name, config.locks.session_max);
    if (!opened) return wake(net::now() + later);
    session_ = opened->id;
    wake(net::now() + opened->ttl / renewals);
    sessions.campaign(session_, plan_.group, {for_ever, plan_.priority},
                      [weak = weak_from_this()](const node::Sessions::Verdict& verdict) {
                          const auto self = weak.lock();
                          if (self && !self->over_) self->hear(verdict);
                      });
}

// In the middle of what the sessions do: they are not asked anything from here.
void Mandate::Candidate::hear(const node::Sessions::Verdict& verdict) {
    if (verdict.how != node::Sessions::Verdict::How::elected) {
        session_.clear();  // we were asleep for longer than it lives
        return wake(net::now());
    }
    lease_ = std::make_shared<Lease>();
    lease_->epoch = verdict.loan.epoch.value;
    const Instant now = net::now();
    lease_->begin(now + verdict.loan.remaining - plan_.margin);
    take(verdict.loan, now);
    plan_.elected(lease_);
}

void Mandate::Candidate::tick() {
    if (over_) return;
    core_->node().look();
    if (over_) return;  // by what was heard
    if (session_.empty()) return stand();
    renew();
}

void Mandate::Candidate::renew() {
    const Instant asked = net::now();
    const auto renewal = core_->node().sessions().renew(session_);
    if (!renewal) session_.clear();
    if (!lease_) return wake(renewal ? asked + renewal->remaining / renewals : asked);
    if (!renewal) return lose();
    const auto loan =
        std::ranges::find(renewal->leading, plan_.group, &node::Sessions::Loan::group);
    if (loan == renewal->leading.end() || loan->epoch.value != lease_->epoch) return lose();
    take(*loan, asked);
    if (!lease_->held()) lose();
}

// The next look is in time for a renewal, and exactly at the end if there is none.
void Mandate::Candidate::take(const node::Sessions::Loan& loan, Instant asked) {
    const Instant end = asked + loan.remaining - plan_.margin;
    lease_->extend(end);
    wake(std::min(end, asked + std::max(loan.remaining / renewals, soon)));
}

void Mandate::Candidate::lose() {
    over_ = true;
    alarm_.reset();
    farewell_.reset();
    lease_->until = 0;
    tell_to_stop();
    plan_.lost();
}

void Mandate::Candidate::tell_to_stop() {
    core_->dispatcher().run([stop = lease_->stop]() mutable { stop.request_stop(); });
}

void Mandate::Candidate::retire() {
    if (over_) return;
    if (lease_) return lose();
    end();
    plan_.elected(nullptr);
}

void Mandate::Candidate::end() {
    over_ = true;
    alarm_.reset();
    farewell_.reset();
    if (lease_ && !lease_->stop.stop_requested()) tell_to_stop();
    const std::string session = std::exchange(session_, {});
    if (!session.empty()) core_->node().sessions().end(session);
}

void Mandate::Candidate::wake(Instant due) {
    alarm_->at(due, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->tick();
    });
}

}  // namespace conclave
