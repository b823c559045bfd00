// sim/walk.h -- the random walk: what is due next happens, delays and losses are drawn by seed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "sim/clockwork.h"
#include "sim/judge.h"
#include "sim/simulator.h"
#include "sim/stage.h"
#include "sim/starts.h"
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
    const Judge<Top<P>>& judge() const { return judge_; }

    // `lingers`: how long a run that is watched at all beyond its settling must be.
    Report run(Duration settles_within, Duration lingers) {
        if (plan_.linger > Duration{}) linger_ = std::max(plan_.linger, lingers);
        settle_by_ = Instant(last_fault() + settles_within);
        if constexpr (TakesTurns<Top<P>>) {
            settle_by_ += plan_.workload.longest(plan_.members.size(), settles_within);
        }
        set_out(stage_, plan_);
        tell_customers();
        judge_step();
        const Instant end = plan_.until > Duration{} ? Instant(plan_.until) : Instant::max();
        while (!over()) {
            if (!clockwork_.happen_next(end)) break;
            ++report_.events;
            tell_customers();
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

    // Without a given end: when nothing more can go wrong, no message is under way and all is as it
    // should be, for as long as it must last.
    bool over() {
        const Instant now = world().now;
        if (plan_.until > Duration{}) return false;
        if (now > settle_by_ + linger_) return true;
        if (clockwork_.faults_left()) return false;
        if (now.time_since_epoch() < plan_.adversary.calm) return false;
        if constexpr (TakesTurns<Top<P>>) {
            if (!customers_->done()) return false;
        }
        if (busy() || !report_.events) return false;
        if (!settled_since_) return false;
        return now - *settled_since_ >= linger_;
    }

    bool busy() {
        if constexpr (requires { Top<P>::restless; }) return false;  // it never rests
        return world().agenda.own_in_flight() > 0;
    }
    // Only where there is something to ask for.
    std::optional<Customers> customers() const {
        if (!TakesTurns<Top<P>>) return std::nullopt;
        return Customers(plan_.workload, plan_.members, plan_.seed ^ 0xc057'0e25ULL);
    }
    void tell_customers() {
        if constexpr (TakesTurns<Top<P>>) {
            for (const Ledger::Change& change : bench_.ledger.news()) customers_->hear(change);
            bench_.ledger.news().clear();
        }
    }

    void judge_step() {
        if constexpr (Judged<Top<P>>) {
            if (world().nodes.size() > watched_closely) return;
            world().judge([this](const View<Top<P>>& view) {
                judge_.look(view, [this](const auto& property, const std::string& what) {
                    blame(property.name, what);
                    if (!bench_.watcher) return;
                    bench_.watcher->violated(world().now, property.name, what);
                });
                follow_settling(view);
            });
        }
    }
    void follow_settling(const View<Top<P>>& view) {
        const bool well = Judge<Top<P>>::settled(view);
        if (well && !settled_since_) settled_since_ = world().now;
        if (!well) settled_since_.reset();
        if (!well && world().now > settle_by_) judge_settled(view);  // it was to stay so
    }
    // What an algorithm owes once faults have stopped it does not owe while they go on.
    void judge_settled(const View<Top<P>>& view) {
        if (plan_.adversary.never_calm()) return;
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
        if (bench_.first_office) report_.elected_at = in_units(*bench_.first_office);
        report_.changes = bench_.offices;
        if constexpr (TakesTurns<Top<P>>) {
            report_.turns = bench_.ledger.turns(world().order.followed());
        }
        return std::move(report_);
    }

    const Plan& plan_;
    Stage<P, Traffic<P>> stage_;
    Bench<P>& bench_;
    std::optional<Customers> customers_ = customers();
    Clockwork<P, Traffic<P>> clockwork_{stage_, plan_.schedule,
                                        customers_ ? &*customers_ : nullptr};
    Judge<Top<P>> judge_;
    Report report_;
    Instant settle_by_{};
    Duration linger_{};
    std::optional<Instant> settled_since_;
};

}  // namespace conclave
