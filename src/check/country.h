// check/country.h -- one algorithm's landscape: its first state, and scouts who know their way.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "check/checker.h"
#include "check/expedition.h"
#include "check/verdicts.h"
#include "sim/prepare.h"
#include "sim/starts.h"

namespace conclave {

namespace detail {

// The longest wait that the algorithm knows: an instant longer ago than that is as good as any
// other, unless a part of it looks further back.
template <class P> Duration longest_wait(typename P::Config config) {
    Duration longest{};
    const auto look = [&](const Duration& wait) { longest = std::max(longest, wait); };
    if constexpr (Value<typename P::Config>) {
        for_each_leaf(config, look);
    } else {
        each_option<P>(config, [&](std::string_view, const auto& value) {
            if constexpr (Value<std::decay_t<decltype(value)>>) for_each_leaf(value, look);
        });
    }
    return longest;
}

}  // namespace detail

// Whether instants matter to it however old they are. Then its world ends only where time does.
template <class P> consteval bool looks_far_back() {
    if constexpr (requires { typename P::Lower; }) {
        return looks_far_back<typename P::Lower>() || looks_far_back<typename P::Upper>();
    } else if constexpr (requires { P::looks_far_back; }) {
        return P::looks_far_back;
    } else {
        return false;
    }
}

template <class P> class Country final : public Landscape {
public:
    Country(const CheckPlan& plan, const Setup<P>& setup)
        : plan_(plan),
          setup_(setup),
          pace_(pace_of(plan, setup)),
          wishes_{plan.requests, TakesTurns<Top<P>> ? "Enter" : "Campaign"},
          repertoire_(setup, pace_, plan.bounds, wishes_) {}

    std::vector<std::uint8_t> start() override {
        Moment first;
        const auto starts = starts_of(plan_.world);
        for (std::uint32_t at = 0; at < setup_.members.size(); ++at) {
            first.residents.push_back(repertoire_.add(settler(at, starts)));
        }
        first.past = repertoire_.add_past();
        first.outside =
            repertoire_.add(Outside{{}, plan_.budget, plan_.bounds.time(), 0, plan_.cuts});
        std::vector<std::uint8_t> bytes;
        bytes.resize(first.write(bytes, 0));
        return bytes;
    }
    std::unique_ptr<Scout> scout(bool reduce) override { return guide(reduce); }
    std::unique_ptr<Guide> guide(bool reduce = false) {
        const Rules rules{
            plan_.model.links == Links::fifo,  plan_.world.oracle.present && !detects<P>(),
            plan_.world.oracle.reliable,       plan_.bounds.end_time(),
            plan_.bounds.settle > 0,           plan_.bounds.flight,
            reduce && plan_.bounds.settle == 0};
        std::vector<bool> boots;
        for (const Member& member : setup_.members) {
            const auto& down = plan_.world.down;
            boots.push_back(std::ranges::find(down, member.node) == down.end());
        }
        return make_guide(repertoire_, rules, wishes_.requests.size(), std::move(boots),
                          std::make_unique<Verdicts<P>>(repertoire_, plan_));
    }
    std::vector<Demand> demands() const override {
        std::vector<Demand> list;
        for (const auto& property : demands_of<P>(plan_)) {
            list.push_back(property.demand);
        }
        return list;
    }
    bool timed() const override { return pace_.counts(); }
    std::size_t bytes() const override { return repertoire_.bytes(); }

    const Repertoire<P>& repertoire() const { return repertoire_; }
    const Wishes& wishes() const { return wishes_; }

private:
    // A node before its first boot.
    Resident<P> settler(std::uint32_t at, const std::vector<Start>& starts) const {
        Resident<P> resident{};
        resident.place = at;
        resident.node.attribute = setup_.members[at].priority;
        const NodeId node = setup_.members[at].node;
        for (const Start& start : starts) {
            if (start.node != node) continue;
            resident.node.clock = {start.offset, start.ppm};
            if (start.attribute) resident.node.attribute = *start.attribute;
        }
        const auto& callers = plan_.callers;
        const bool calls = callers.empty() || std::ranges::find(callers, node) != callers.end();
        resident.calls = static_cast<std::uint8_t>(calls ? plan_.own_calls : 0);
        return resident;
    }
    static Pace pace_of(const CheckPlan& plan, const Setup<P>& setup) {
        Pace pace;
        pace.patient = plan.patient;
        if (!plan.counts_time()) return pace;
        const Settings& settings = plan.world.settings;
        pace.tick = plan.tick > Duration{} ? plan.tick : settings.tm;
        pace.past = looks_far_back<P>() ? Pace::for_ever
                                        : detail::longest_wait<P>(setup.config) + pace.tick;
        if (plan.model.timing == Timing::drifting) return pace;
        const auto ticks = [&](Duration time) {
            return static_cast<std::uint32_t>((time.count() + pace.tick.count() - 1) /
                                              pace.tick.count());
        };
        pace.message = ticks(settings.tm);
        pace.verdict_least = pace.message;  // the last messages of a dead node come first
        pace.verdict_most = ticks(settings.round_trip());
        return pace;
    }

    const CheckPlan& plan_;
    const Setup<P>& setup_;
    const Pace pace_;
    const Wishes wishes_;
    Repertoire<P> repertoire_;
};

}  // namespace conclave
