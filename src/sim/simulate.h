// sim/simulate.h -- an algorithm behind the simulator's door. Included by one generated file each.
#pragma once
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/stack.h"
#include "core/value.h"
#include "sim/options.h"
#include "sim/playback.h"
#include "sim/prepare.h"
#include "sim/recorder.h"
#include "sim/simulator.h"
#include "sim/theatre.h"
#include "sim/walk.h"

namespace conclave {

template <Protocol P> class SimulatorOf final : public Simulator {
public:
    explicit SimulatorOf(std::string_view name) : name_(name) {}

    Description describe(const Settings& settings) const override {
        Description about{.name = std::string(name_), .assumes = P::assumes, .claim = P::claim};
        each_fix<P>([&](const Fix& fix) { about.fixes.push_back(fix); });
        about.messages = names_of(static_cast<typename P::Message*>(nullptr));
        about.timers = names_of(static_cast<typename P::Timer*>(nullptr));
        about.requests = names_of(static_cast<typename P::Request*>(nullptr));
        about.notices = names_of(static_cast<typename P::Notice*>(nullptr));
        if constexpr (Judged<Top<P>>) {
            for (const auto& one : Top<P>::properties()) about.properties.emplace_back(one.name);
        }
        auto config = P::configure(settings);
        about.options = options_of<P>(config);
        about.bytes_per_node = sizeof(Node<P>);
        return about;
    }
    std::optional<std::string> refuse(const Plan& plan) const override {
        Setup<P> setup;
        if (const auto wrong = prepare(plan, name_, setup)) return wrong;
        if constexpr (detects<P>()) {
            const bool drawn = plan.adversary.false_suspicions > 0;
            if (!drawn && std::ranges::any_of(plan.schedule, is_verdict)) {
                return std::string(name_) + " has a detector of its own, which nobody overrules";
            }
        }
        return std::nullopt;
    }
    Report run(const Plan& the_plan) const override {
        std::optional<Plan> own;
        const Plan& plan = adapted(the_plan, own);
        Setup<P> setup;
        if (const auto wrong = prepare(plan, name_, setup))
            return Report{.violations = {{*wrong, "", 0}}};
        Bench<P> bench{setup};
        Recorder<P> recorder(plan, setup, name_);
        if (plan.trace || plan.diagram) bench.watcher = &recorder;
        Walk<P> walk(plan, bench);
        Report report = walk.run(settling_time(plan, setup), lingering_time<P>(setup.config));
        report.kind = P::claim.kind;
        count(bench.counts, report);
        name_verdicts(walk.world(), report);
        name_leaders(walk.world(), report);
        recorder.finish(walk.world(), walk.judge(), report);
        return report;
    }
    Duration settles_within(const Plan& plan) const override {
        Setup<P> setup;
        return prepare(plan, name_, setup) ? Duration{} : settling_time(plan, setup);
    }
    std::unique_ptr<Theatre> theatre(const Plan& the_plan) const override {
        std::optional<Plan> own;
        const Plan& plan = adapted(the_plan, own);
        Setup<P> setup;
        prepare(plan, name_, setup);
        const Duration settles = settling_time(plan, setup);
        return std::make_unique<TheatreOf<P>>(plan, std::move(setup), settles);
    }

    Result<Replayed> replay(const RecordedGroup& group, const Window& window) const override {
        constexpr bool stacked = requires { typename P::Lower; };
        if constexpr (stacked && detects<P>()) {
            return Error{"a node shares its detector, and this stands on one of its own: " +
                         std::string(name_)};
        } else {
            Playback<P> playback(group, window);
            auto replayed = playback.run();
            if (!replayed) return replayed;
            replayed->report.kind = P::claim.kind;
            count(playback.counts(), replayed->report);
            name_leaders(playback.world(), replayed->report);
            return replayed;
        }
    }

private:
    static bool is_verdict(const Scheduled& one) {
        return std::holds_alternative<fault::Suspect>(one.fault) ||
               std::holds_alternative<fault::Trust>(one.fault) ||
               std::holds_alternative<fault::Fail>(one.fault) ||
               std::holds_alternative<fault::Restarted>(one.fault);
    }
    // Without the oracle and without the lies that were drawn for it: whoever takes one back would
    // speak over a detector that knows better by then.
    static const Plan& adapted(const Plan& plan, std::optional<Plan>& own) {
        if constexpr (!detects<P>() && !TakesTurns<Top<P>>) return plan;
        own = plan;
        if constexpr (detects<P>()) {
            own->oracle.present = false;
            std::erase_if(own->schedule, is_verdict);
        }
        if constexpr (TakesTurns<Top<P>>) let_called_ask(*own);
        return *own;
    }
    // Where there is a critical section, whoever is told to start asks to enter. An election below
    // goes its own way.
    static void let_called_ask(Plan& plan) {
        std::erase_if(plan.schedule, [&](const Scheduled& one) {
            const auto* call = std::get_if<fault::Call>(&one.fault);
            if (call) plan.workload.askers.push_back(call->node);
            return call != nullptr;
        });
        if constexpr (requires { typename P::Lower; }) plan.settings.join = Join::call;
    }
    static Duration settling_time(const Plan& plan, const Setup<P>& setup) {
        return conclave::settling_time<P>(setup.config, plan.members.size()) +
               4 * (plan.oracle.most + plan.adversary.delay_most);
    }
    template <class... A> static std::vector<std::string> names_of(std::variant<A...>*) {
        std::vector<std::string> names;
        ((std::is_same_v<A, None> ? void() : names.push_back(std::string(name_of<A>()))), ...);
        return names;
    }
    static void count(const Counts<P>& counts, Report& report) {
        const auto names = names_of(static_cast<typename P::Message*>(nullptr));
        for (std::size_t type = 0; type < names.size(); ++type) {
            report.messages.push_back(
                {names[type], Counts<P>::kinds[type], counts.sent[type], counts.repair[type]});
        }
    }
    template <class W> static void name_verdicts(const W& world, Report& report) {
        if constexpr (requires { world.history.entries; }) {
            for (const auto& one : world.history.entries) {
                report.verdicts.push_back({one.at, one.observer, one.subject, one.suspected});
            }
        }
    }
    template <class W> static void name_leaders(const W& world, Report& report) {
        if constexpr (Elects<Top<P>>) {
            constexpr std::size_t listed = 4096;
            report.agreed = true;
            std::optional<NodeId> first;
            for (std::size_t at = 0; at < world.nodes.size(); ++at) {
                const auto& node = world.nodes[at];
                if (!node.up) continue;
                const auto named = top(node.state).elected(node.clock.read(world.now));
                if (report.leaders.empty()) first = named;
                report.agreed = report.agreed && named && named == first;
                if (at < listed) report.leaders.emplace_back(world.id(at), named);
            }
            report.agreed = report.agreed && first && world.nodes[world.place(*first)].up;
        }
    }

    std::string_view name_;
};

template <class P> std::unique_ptr<Simulator> make_simulator(std::string_view name) {
    return std::make_unique<SimulatorOf<P>>(name);
}

}  // namespace conclave
