// check/toys_test.h -- for tests of tiny protocols: plans without faults, and replays.
#pragma once
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "check/check.h"
#include "core/node_set.h"
#include "core/property.h"
#include "sim/script.h"
#include "sim/theatre.h"

namespace conclave::toys {

using namespace std::chrono_literals;

inline constexpr Claim claim{Kind::election, "a toy", "", "", "", ""};

struct Plain {  // what a toy without settings is configured by
    FixSet fixes{};
};

template <class P> CheckPlan plan(std::size_t nodes) {
    CheckPlan plan = make_checker<P>("toy")->claimed(nodes);
    plan.budget = {};
    plan.bounds = {};
    plan.world.oracle.present = false;
    return plan;
}
template <class P> CheckReport check(const CheckPlan& plan) {
    return make_checker<P>("toy")->check(plan);
}

// Just enough of a simulator to run a script: a whole one takes as long again to compile.
template <class P> class Playhouse final : public Simulator {
public:
    Description describe(const Settings&) const override { return {}; }
    std::optional<std::string> refuse(const Plan&) const override { return std::nullopt; }
    Report run(const Plan&) const override { return {}; }
    Duration settles_within(const Plan&) const override { return {}; }
    std::unique_ptr<Theatre> theatre(const Plan& plan) const override {
        Setup<P> setup;
        prepare<P>(plan, "toy", setup);
        return std::make_unique<TheatreOf<P>>(plan, std::move(setup), Duration{});
    }
    Result<Replayed> replay(const RecordedGroup&, const Window&) const override {
        return Error{"only scripts are played here"};
    }
};

// The counterexample through the script walker.
template <class P> ScriptResult replay(const CheckReport& report) {
    return run_script(report.counterexample.value(),
                      [](std::string_view) { return std::make_unique<Playhouse<P>>(); });
}

}  // namespace conclave::toys
