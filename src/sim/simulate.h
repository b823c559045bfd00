// sim/simulate.h -- an algorithm behind the simulator's door. Included by one generated file each.
#pragma once
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/stack.h"
#include "core/value.h"
#include "sim/options.h"
#include "sim/recorder.h"
#include "sim/simulator.h"
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
        return prepare(plan, setup);
    }
    Report run(const Plan& plan) const override {
        Setup<P> setup;
        if (const auto wrong = prepare(plan, setup)) return Report{.violations = {{*wrong, "", 0}}};
        Bench<P> bench{setup};
        Recorder<P> recorder(plan, setup, name_);
        if (plan.trace || plan.diagram) bench.watcher = &recorder;
        Walk<P> walk(plan, bench);
        Report report = walk.run(settling_time(plan, setup));
        count(bench.counts, report);
        name_leaders(walk.world(), report);
        recorder.finish(walk.world().now, report);
        return report;
    }
    Duration settles_within(const Plan& plan) const override {
        Setup<P> setup;
        return prepare(plan, setup) ? Duration{} : settling_time(plan, setup);
    }

private:
    std::optional<std::string> prepare(const Plan& plan, Setup<P>& setup) const {
        setup.members = MemberList(plan.members);
        Settings settings = plan.settings;
        settings.nodes = plan.members.size();
        setup.config = P::configure(settings);
        for (const auto& [name, value] : plan.options) {
            if (const auto wrong = set_option<P>(setup.config, name, value)) return wrong;
        }
        for (const std::string& fix : plan.without) {
            if (fix == incarnation_fix) {
                setup.incarnations = false;
            } else if (!drop_fix<P>(setup.config, fix)) {
                return "unknown fix '" + fix + "' of " + std::string(name_);
            }
        }
        return std::nullopt;
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
    template <class W> static void name_leaders(const W& world, Report& report) {
        if constexpr (requires(const Top<P>& state) { state.elected(Instant{}); }) {
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

template <Protocol P> std::unique_ptr<Simulator> make_simulator(std::string_view name) {
    return std::make_unique<SimulatorOf<P>>(name);
}

}  // namespace conclave
