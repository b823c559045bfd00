// engine/zookeeper/contest.h -- one wish for one thing, as a node in ZooKeeper's queue.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/zookeeper/porter.h"

namespace conclave::engine::zookeeper {

// What all contests of an engine share.
struct Ground {
    boost::asio::io_context& loop;
    std::shared_ptr<Porter> porter;
    std::string servers, credentials, root;
    std::optional<Duration> shortest_session{};  // once the ensemble has said so
};

std::unique_ptr<Contest> contend(std::shared_ptr<const Ground> ground, const Claim& claim,
                                 Events& events);

}  // namespace conclave::engine::zookeeper
