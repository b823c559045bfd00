// sim/plan_text.cc -- reads and writes plans.
#include "sim/plan_text.h"

namespace conclave {

Plan default_plan(std::size_t nodes) {
    Plan plan;
    for (std::size_t id = 1; id <= nodes; ++id) {
        plan.members.push_back({.node = NodeId{static_cast<std::uint32_t>(id)}});
    }
    plan.settings.tm = unit;
    plan.settings.nodes = nodes;
    plan.oracle.least = plan.oracle.most = plan.settings.round_trip();
    return plan;
}

std::string world_line(const Plan&, std::string_view algorithm) {
    return "world " + std::string(algorithm);
}

}  // namespace conclave
