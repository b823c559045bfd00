// node/daemon.h -- a node as a process: its loop, its API, its signals, its end.
//
// SIGTERM and SIGINT hand leaderships over, let promises run out and leave with 0; a second one
// leaves at once. SIGHUP reads certificates and the log level again. systemd is told when the node
// is ready and that it is alive, if it asks for that.
#pragma once
#include <functional>

#include "node/config.h"
#include "node/running_node.h"

namespace conclave::node {

// Runs until it is told to stop. `reload` reads the configuration again.
NodeEnd run_daemon(const Config& config, const std::function<Loaded()>& reload);

}  // namespace conclave::node
