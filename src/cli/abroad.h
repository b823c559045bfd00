// cli/abroad.h -- commands at an engine that is not ours: etcd://, zookeeper://.
#pragma once
#include <string>

#include "cli/ask.h"
#include "cli/exit.h"
#include "cli/holder.h"
#include "cli/terminal.h"
#include "cli/watchers.h"

namespace conclave {

bool is_abroad(const Endpoint& endpoint);

// A plan at the engine that the endpoint names, be it our own nodes.
Exit run_under(const Endpoint& endpoint, HoldPlan plan);

Exit leader_abroad(const Terminal& terminal, const Endpoint& endpoint,
                   const LeaderOptions& options);
Exit locks_abroad(const Terminal& terminal, const Endpoint& endpoint);
Exit watch_abroad(const Terminal& terminal, const Endpoint& endpoint, const WatchOptions& options);

}  // namespace conclave
