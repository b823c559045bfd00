// detect/watch_test.h -- for tests: detectors in a world, and one detector alone with its clock.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"
#include "sim/node.h"
#include "sim/test_kit.h"

namespace conclave::kit {

using Words = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// A plan from settings as they are typed: {"crash", "2@10"}, {"set.period", "4"}.
inline Plan world(std::size_t nodes, Words words) {
    Plan plan = default_plan(nodes);
    for (const auto& [key, value] : words) {
        const auto wrong = take_setting(plan, key, value);
        EXPECT_FALSE(wrong) << *wrong;
    }
    const auto wrong = complete(plan);
    EXPECT_FALSE(wrong) << *wrong;
    return plan;
}

// What one node was told about another.
inline std::vector<Told> told(const Report& report, std::uint32_t observer, std::uint32_t subject) {
    std::vector<Told> chosen;
    for (const Told& one : report.verdicts) {
        if (one.observer == node(observer) && one.subject == node(subject)) chosen.push_back(one);
    }
    return chosen;
}

// How many suspicions of anybody began in [from, to), in units.
inline std::size_t suspicions(const Report& report, double from, double to) {
    return static_cast<std::size_t>(std::ranges::count_if(report.verdicts, [&](const Told& one) {
        return one.suspected && one.at >= at(from) && one.at < at(to);
    }));
}

// Node 1 of a group, and whatever a test lets happen to it. Its timers fire when it gets there.
template <class P> class Alone {
public:
    explicit Alone(typename P::Config the_config, std::uint32_t nodes = 2)
        : config(the_config), members_(default_plan(nodes).members) {
        happen(Booted<P>{});
    }

    typename P::Config config;
    P state{};
    Instant now{};
    std::string notices;  // "Suspected(2) Trusted(2)"
    std::vector<typename P::Message> sent;

    template <class M> void receive(std::uint32_t from, const M& message) {
        happen(Received<P>{node(from), message});
    }
    template <class E> void happen(const E& event) {
        effects_.list.clear();
        step(state, Seat<P>{node(1), members_, config, 0, Incarnation{1}}, now, event, effects_);
        for (const auto& effect : effects_.list) {
            std::visit([this](const auto& one) { this->obey(one); }, effect);
        }
    }
    // On the way there every timer fires at its moment.
    void run_to(double units) {
        while (true) {
            const auto next = std::ranges::min_element(timers_, {}, &Armed<P>::due);
            if (next == timers_.end() || next->due > at(units)) break;
            now = std::max(now, next->due);
            const typename P::Timer timer = next->timer;
            timers_.erase(next);
            happen(Expired<P>{timer});
        }
        now = at(units);
    }
    void sleep_to(double units) { now = at(units); }  // nothing fires meanwhile
    void shrink_to(std::uint32_t nodes) {
        members_ = MemberList(default_plan(nodes).members);
        happen(MembersChanged{});
    }
    std::size_t timers() const { return timers_.size(); }

private:
    void obey(const Send<P>& send) { sent.push_back(send.message); }
    void obey(const Arm<P>& arm) {
        obey(Disarm<P>{arm.timer});
        timers_.push_back({arm.timer, now + arm.wait.least});
    }
    void obey(const Disarm<P>& disarm) {
        std::erase_if(timers_,
                      [&](const Armed<P>& armed) { return equal(armed.timer, disarm.timer); });
    }
    void obey(const Save<P>&) {}
    void obey(const Tell<P>& tell) {
        notices += (notices.empty() ? "" : " ") + to_text(tell.notice);
    }

    MemberList members_;
    Effects<P> effects_;
    std::vector<Armed<P>> timers_;
};

}  // namespace conclave::kit
