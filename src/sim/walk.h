// sim/walk.h -- the random walk: what is due next happens, delays and losses are drawn by seed.
//
// At one instant faults come first, then messages, then verdicts of the oracle, then timers: an
// answer that arrives exactly in time is in time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "sim/simulator.h"
#include "sim/stage.h"
#include "sim/traffic.h"

namespace conclave {

template <class P> class Walk {
public:
    Walk(const Plan& plan, Bench<P>& bench)
        : plan_(plan),
          stage_(bench, Traffic<P>(plan.adversary, plan.seed, bench.setup.members.size()),
                 plan.oracle, ~plan.seed),
          bench_(bench) {}

    World<P, Traffic<P>>& world() { return stage_.world; }

    Report run(Duration settles_within) {
        settle_by_ = Instant(last_fault() + settles_within);
        set_clocks();
        for (std::uint32_t at = 0; at < world().nodes.size(); ++at) {
            if (std::ranges::find(plan_.down, world().id(at)) == plan_.down.end()) stage_.boot(at);
        }
        while (!over()) {
            if (!happen_next()) break;
            ++report_.events;
            stage_.notice_torn();
            judge_step();
        }
        judge_end();
        return finish();
    }

private:
    Duration last_fault() const {
        const Duration scheduled =
            plan_.schedule.empty() ? Duration{} : plan_.schedule.back().at.time_since_epoch();
        return std::max(scheduled, plan_.adversary.calm);
    }
    void set_clocks() {
        Dice dice(plan_.seed ^ 0xc10cU);
        const std::int64_t drift = plan_.adversary.drift_ppm;
        for (auto& node : world().nodes) {
            if (drift > 0) {
                const auto range = static_cast<std::uint64_t>(2 * drift + 1);
                node.clock.ppm = static_cast<std::int64_t>(dice.below(range)) - drift;
            }
            if (plan_.adversary.scatter_clocks) node.clock.offset = dice.between({}, 1000 * unit);
        }
    }

    bool happen_next() {
        auto& agenda = world().agenda;
        const auto fault =
            next_ < plan_.schedule.size() ? std::optional(plan_.schedule[next_].at) : std::nullopt;
        const auto packet = agenda.next_packet();
        const auto verdict = stage_.oracle.next_due();
        const auto alarm = agenda.next_alarm();
        constexpr Instant never = Instant::max();
        const Instant at = std::min({fault.value_or(never), packet.value_or(never),
                                     verdict.value_or(never), alarm.value_or(never)});
        if (at == never) return false;
        if (plan_.until > Duration{} && at > Instant(plan_.until)) return false;
        world().now = std::max(world().now, at);
        if (fault == at) {
            stage_.play(plan_.schedule[next_++].fault);
        } else if (packet == at) {
            world().arrive(agenda.take_packet());
        } else if (verdict == at) {
            stage_.pronounce(stage_.oracle.take());
        } else {
            const auto due = agenda.take_alarm();
            world().fire(due.node, due.stamp);
        }
        return true;
    }

    // Without a given end: when nothing more can go wrong, no message is under way and all is as it
    // should be, for as long as it must last.
    bool over() {
        const Instant now = world().now;
        if (plan_.until > Duration{}) return false;
        if (now > settle_by_ + plan_.linger) return true;
        if (next_ < plan_.schedule.size()) return false;
        if (now.time_since_epoch() < plan_.adversary.calm) return false;
        if (world().agenda.own_in_flight() > 0 || !report_.events) return false;
        if (!settled_since_) return false;
        return now - *settled_since_ >= plan_.linger;
    }

    void judge_step() {
        if constexpr (Judged<Top<P>>) {
            if (world().nodes.size() > watched_closely) return;
            world().judge([this](const View<Top<P>>& view) {
                for (const auto& property : Top<P>::properties()) {
                    if (property.demand != Demand::always) continue;
                    if (auto what = property.broken(view)) blame(property.name, *what);
                }
                follow_settling(view);
            });
        }
    }
    void follow_settling(const View<Top<P>>& view) {
        const bool well = settled(view);
        if (well && !settled_since_) settled_since_ = world().now;
        if (!well) settled_since_.reset();
        if (!well && world().now > settle_by_) judge_settled(view);  // it was to stay so
    }
    static bool settled(const View<Top<P>>& view) {
        return std::ranges::all_of(Top<P>::properties(), [&](const auto& property) {
            return property.demand != Demand::settled || !property.broken(view);
        });
    }
    void judge_settled(const View<Top<P>>& view) {
        for (const auto& property : Top<P>::properties()) {
            if (property.demand != Demand::settled) continue;
            if (auto what = property.broken(view)) blame(property.name, *what);
        }
    }
    void judge_end() {
        if constexpr (Judged<Top<P>>) {
            // A run that was told to end in the middle is not to be blamed for being there.
            if (plan_.until > Duration{} && Instant(plan_.until) < settle_by_) return;
            world().judge([this](const View<Top<P>>& view) { judge_settled(view); });
        }
    }
    void blame(std::string_view property, const std::string& what) {
        for (const Violation& known : report_.violations) {
            if (known.property == property) return;  // the first time tells the story
        }
        report_.violations.push_back({std::string(property), what, in_units(world().now)});
    }

    Report finish() {
        report_.time = in_units(bench_.last_arrival);
        report_.end = in_units(world().now);
        if (settled_since_) report_.agreed_at = in_units(*settled_since_);
        return std::move(report_);
    }

    // Properties look at every node after every event: not in worlds of thousands, which are for
    // speed and are judged at their end.
    static constexpr std::size_t watched_closely = 256;

    const Plan& plan_;
    Stage<P, Traffic<P>> stage_;
    Bench<P>& bench_;
    Report report_;
    std::size_t next_ = 0;  // in the schedule
    Instant settle_by_{};
    std::optional<Instant> settled_since_;
};

}  // namespace conclave
