// sim/claimed.h -- the faults an algorithm claims to survive, drawn from what it assumes.
#pragma once
#include <cstdint>

#include "core/model.h"
#include "sim/simulator.h"

namespace conclave {

// A random world of 2 to `most_nodes` nodes that stays within the model: its links, its timing, its
// faults, and nothing worse. Every fault is over at `calm`; what has settled then must stay so. The
// kind says what there is to ask for: elections, or turns in a critical section.
Plan claimed_plan(const Model& model, Kind kind, std::uint64_t seed, std::uint32_t most_nodes);
inline Plan claimed_plan(const Model& model, Kind kind, std::uint64_t seed) {
    return claimed_plan(model, kind, seed, kind == Kind::mutex ? 20 : 12);
}

}  // namespace conclave
