// sim/claimed.cc -- from a model to an adversary that keeps to it.
#include "sim/claimed.h"

#include "sim/dice.h"
#include "sim/plan_text.h"

namespace conclave {

namespace {

void draw_members(Plan& plan, Dice& dice, std::uint32_t most_nodes) {
    plan.members = default_plan(2 + dice.below(most_nodes - 1)).members;
    // By id, by a priority known to all, by an attribute that each node alone knows.
    const std::uint64_t order = dice.below(3);
    plan.settings.live_attribute = order == 2;
    if (order == 0) return;
    for (Member& member : plan.members) member.priority = static_cast<Attribute>(dice.below(4));
}

void draw_links(Plan& plan, const Model& model, Dice& dice) {
    Adversary& adversary = plan.adversary;
    adversary.reorder = model.links != Links::fifo;
    if (model.links == Links::hostile) {
        adversary.loss = dice.chance(0.5) ? 0.1 : 0;
        adversary.duplicate = dice.chance(0.5) ? 0.05 : 0;
    }
}

void draw_timing(Plan& plan, const Model& model, Dice& dice) {
    Adversary& adversary = plan.adversary;
    const Duration tm = plan.settings.tm;
    if (model.timing == Timing::synchronous) {
        adversary.delay_least = tm / 8;
        adversary.delay_most = tm;
        plan.oracle = {true, true, tm + tm / 8, plan.settings.round_trip()};
        return;
    }
    adversary.delay_least = tm / 8;
    adversary.delay_most = dice.chance(0.5) ? tm : 5 * tm;
    plan.oracle = {true, false, tm, 8 * tm};
    if (model.timing == Timing::drifting) {
        adversary.drift_ppm = 10'000;
        adversary.scatter_clocks = true;
    }
}

void draw_faults(Plan& plan, const Model& model, Dice& dice) {
    Adversary& adversary = plan.adversary;
    if (model.faults == Faults::none) return;
    adversary.crashes = static_cast<std::uint32_t>(dice.below(4));
    if (model.faults == Faults::crash) return;
    adversary.restarts = true;
    adversary.torn_saves = static_cast<std::uint32_t>(dice.below(2));
    if (model.faults != Faults::partition) return;
    adversary.partitions = static_cast<std::uint32_t>(dice.below(3));
    adversary.one_way_cuts = static_cast<std::uint32_t>(dice.below(3));
    adversary.pauses = static_cast<std::uint32_t>(dice.below(3));
    adversary.false_suspicions = static_cast<std::uint32_t>(dice.below(4));
}

void draw_wishes(Plan& plan, Kind kind, Dice& dice) {
    if (kind == Kind::election) plan.adversary.calls = static_cast<std::uint32_t>(dice.below(4));
    if (kind != Kind::mutex) return;
    Workload& workload = plan.workload;
    workload.requests = 1 + static_cast<std::uint32_t>(dice.below(4));
    workload.hold_least = {};
    workload.hold_most = 4 * unit;
    workload.think_most = dice.chance(0.5) ? Duration{} : 30 * unit;
    if (dice.chance(0.3)) workload.contention = 1 + static_cast<std::uint32_t>(dice.below(4));
    workload.whispers = dice.chance(0.5) ? 0.3 : 0;
}

}  // namespace

Plan claimed_plan(const Model& model, Kind kind, std::uint64_t seed, std::uint32_t most_nodes) {
    Dice dice(seed ^ 0xc1a1'3edULL);
    Plan plan = default_plan(1);
    plan.seed = seed;
    draw_members(plan, dice, most_nodes);
    draw_links(plan, model, dice);
    draw_timing(plan, model, dice);
    draw_wishes(plan, kind, dice);
    draw_faults(plan, model, dice);
    plan.settings.direction = dice.chance(0.5) ? Direction::next : Direction::previous;
    plan.settings.nodes = plan.members.size();
    plan.adversary.calm = (model.faults == Faults::partition ? 200 : 60) * unit;
    plan.linger = 40 * unit;
    std::vector<NodeId> ids;
    for (const Member& member : plan.members) ids.push_back(member.node);
    plan.schedule = draw_schedule(plan.adversary, ids, seed);
    return plan;
}

}  // namespace conclave
