// engine/zookeeper/observer.h -- looks at things without wanting them, each in a session of its
// own.
#pragma once
#include <memory>

#include "engine/engine.h"
#include "engine/zookeeper/contest.h"

namespace conclave::engine::zookeeper {

// What is still under way ends, and tells nobody anything, when it is closed.
class Observer;
using Observing = std::shared_ptr<Observer>;
void close(const Observing& observing);

Observing look(std::shared_ptr<const Ground> ground, const Thing& thing, Duration limit,
               Engine::Told<Standing> told);
Observing list(std::shared_ptr<const Ground> ground, Thing::Kind kind, Duration limit,
               Engine::Told<std::vector<Standing>> told);
Observing ask_shortest(const std::shared_ptr<Ground>& ground);  // session that there is

std::unique_ptr<Watch> watch(std::shared_ptr<const Ground> ground, const Thing& thing,
                             std::function<void(const Found<Standing>&)> seen);

}  // namespace conclave::engine::zookeeper
