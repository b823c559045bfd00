// sim/starts.h -- how a plan's nodes set out: their clocks, their attributes, who boots.
#pragma once
#include <vector>

#include "sim/simulator.h"
#include "sim/stage.h"

namespace conclave {

// The nodes that do not start like the others: by the plan's word, or because the adversary's dice
// gave them a wrong clock.
std::vector<Start> starts_of(const Plan& plan);

template <class P, class A> void set_out(Stage<P, A>& stage, const Plan& plan) {
    auto& world = stage.world;
    for (const Start& start : starts_of(plan)) {
        auto& node = world.nodes[world.place(start.node)];
        node.clock = {start.offset, start.ppm};
        if (start.attribute) node.attribute = *start.attribute;
    }
    stage.boot_all(plan.down);
}

}  // namespace conclave
