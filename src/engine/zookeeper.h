// engine/zookeeper.h -- leadership and locks that a ZooKeeper ensemble keeps, in the nodes that
// Apache Curator's recipes use, so that both can compete for one thing.
//
// A name is the node `ROOT/conclave/leaders/NAME` or `ROOT/conclave/locks/NAME`; one that begins
// with a slash is the node `ROOT/NAME` itself. A token is the czxid of the holder's node, the
// number of the transaction that has made it: of all nodes that wait for one thing the oldest
// holds it, and its number is larger than those of all that held it before.
//
// Each contest is a session of its own. See zookeeper/evidence.h for how long one is counted on.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>

#include "engine/engine.h"
#include "engine/place.h"

namespace conclave::engine {

// Nobody is asked yet. Fails if this build has no ZooKeeper client, or that cannot do what the
// place wants. What is left to close is closed when the engine goes, within seconds; it must go
// before the loop.
Result<std::unique_ptr<Engine>> open_zookeeper(boost::asio::io_context& loop, const Place& place);

}  // namespace conclave::engine
