// check/checker.cc -- what every exploration has in common, whatever the algorithm.
#include "check/checker.h"

#include "sim/plan_text.h"

namespace conclave {

// Small enough to be explored completely in seconds; who wants more says so.
CheckPlan claimed_check(const Model& model, Kind kind, std::size_t nodes) {
    CheckPlan plan;
    plan.world = default_plan(nodes);
    plan.model = model;
    plan.world.oracle.reliable = model.timing == Timing::synchronous;
    if (kind == Kind::mutex) {
        plan.own_calls = 1;
        plan.bounds.rounds = plan.bounds.epochs = 64;  // what is asked for is bound enough
    }
    if (model.timing == Timing::drifting) {
        // What follows from leases must not depend on a detector; and time, which no message keeps
        // to, is counted coarsely.
        plan.world.oracle.present = false;
        plan.tick = 4 * plan.world.settings.tm;
        plan.bounds.epochs = 2;
        plan.bounds.flight = 4;
        plan.bounds.ticks = 3;
        return plan;
    }
    // Where nothing is known about time, timers that fire while messages are under way make a
    // world without end.
    plan.patient = model.timing == Timing::asynchronous && kind != Kind::mutex;
    if (model.links == Links::hostile) plan.bounds.depth = 40;  // some count their failures
    if (model.faults != Faults::none) plan.budget[Spend::crash] = 1;
    return plan;
}

std::vector<std::pair<std::string, std::uint64_t>> bounds_of(const CheckPlan& plan) {
    std::vector<std::pair<std::string, std::uint64_t>> bounds;
    for (std::size_t at = 0; at < spends; ++at) {
        bounds.emplace_back(spend_names[at], plan.budget.left[at]);
    }
    bounds.emplace_back("own_calls", plan.own_calls);
    bounds.emplace_back("epochs", plan.bounds.epochs);
    bounds.emplace_back("rounds", plan.bounds.rounds);
    bounds.emplace_back("nonces", plan.bounds.nonces);
    if (plan.bounds.flight > 0) bounds.emplace_back("flight", plan.bounds.flight);
    if (plan.bounds.depth > 0) bounds.emplace_back("depth", plan.bounds.depth);
    if (plan.bounds.ticks > 0) bounds.emplace_back("ticks", plan.bounds.ticks);
    if (plan.bounds.settle > 0) bounds.emplace_back("settle", plan.bounds.settle);
    return bounds;
}

std::string_view demand_text(Demand demand) {
    switch (demand) {
        case Demand::always:
            return "always";
        case Demand::sometimes:
            return "sometimes";
        case Demand::settled:
            return "settled";
        case Demand::recoverable:
            return "recoverable";
        case Demand::eventually:
            return "eventually";
    }
    return "";
}

}  // namespace conclave
