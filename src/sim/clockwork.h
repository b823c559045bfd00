// sim/clockwork.h -- what is due next happens.
//
// At one instant faults come first, then messages, then verdicts of the oracle, then timers: an
// answer that arrives exactly in time is in time. Last come the wishes of applications.
#pragma once
#include <algorithm>
#include <cstddef>

#include "sim/adversary.h"
#include "sim/stage.h"
#include "sim/workload.h"

namespace conclave {

template <class P, class A> class Clockwork {
public:
    Clockwork(Stage<P, A>& stage, const Schedule& schedule, Customers* customers = nullptr)
        : stage_(stage), schedule_(schedule), customers_(customers) {}

    bool faults_left() const { return next_ < schedule_.size(); }

    // Lets one thing happen, unless the next one is due only after `limit`.
    bool happen_next(Instant limit) {
        auto& world = stage_.world;
        auto& agenda = world.agenda;
        constexpr Instant never = Instant::max();
        const Instant fault = faults_left() ? schedule_[next_].at : never;
        const Instant packet = agenda.next_packet();
        const Instant verdict = stage_.oracle.next_due();
        const Instant alarm = agenda.next_alarm();
        const Instant wish = customers_ ? customers_->next_due() : never;
        const Instant at = std::min({fault, packet, verdict, alarm, wish});
        if (at == never || at > limit) return false;
        world.now = std::max(world.now, at);
        if (fault == at) {
            stage_.play(schedule_[next_++].fault);
        } else if (packet == at) {
            world.arrive(agenda.take_packet());
        } else if (verdict == at) {
            stage_.pronounce(stage_.oracle.take());
        } else if (alarm == at) {
            const auto due = agenda.take_alarm();
            world.fire(due.node, due.stamp);
        } else if (const auto wanted = customers_->take()) {
            stage_.play(*wanted);
        }
        stage_.notice_torn();
        return true;
    }

private:
    Stage<P, A>& stage_;
    const Schedule& schedule_;
    Customers* customers_;  // nobody, where scripts do the asking
    std::size_t next_ = 0;  // in the schedule
};

}  // namespace conclave
