// sim/starts.cc -- draws the clocks that the adversary sets wrong.
#include "sim/starts.h"

#include <algorithm>

#include "sim/dice.h"

namespace conclave {

namespace {

Start& start_of(std::vector<Start>& starts, NodeId node) {
    const auto found = std::ranges::find(starts, node, &Start::node);
    return found != starts.end() ? *found : starts.emplace_back(Start{.node = node});
}

}  // namespace

std::vector<Start> starts_of(const Plan& plan) {
    const std::int64_t drift = plan.adversary.drift_ppm;
    if (drift == 0 && !plan.adversary.scatter_clocks) return plan.starts;
    std::vector<Start> starts;
    Dice dice(plan.seed ^ 0xc10cU);
    for (const Member& member : plan.members) {
        Start start{.node = member.node};
        if (drift > 0) {
            const auto range = static_cast<std::uint64_t>(2 * drift + 1);
            start.ppm = static_cast<std::int64_t>(dice.below(range)) - drift;
        }
        if (plan.adversary.scatter_clocks) start.offset = dice.between({}, 1000 * unit);
        starts.push_back(start);
    }
    for (const Start& given : plan.starts) {
        Start& start = start_of(starts, given.node);
        start.attribute = given.attribute;
        if (given.ppm != 0) start.ppm = given.ppm;
        if (given.offset != Duration{}) start.offset = given.offset;
    }
    return starts;
}

}  // namespace conclave
