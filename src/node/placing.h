// node/placing.h -- from what a person configured to machines that run.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/log.h"
#include "node/config.h"
#include "node/hosted_group.h"
#include "node/machine.h"

namespace conclave::node {

// What the group's algorithm is tuned from.
Placement placement(const Group& group, const Config& config, Incarnation incarnation);

// With the groups that its sections stand for: the lock service, and each mutex.
Config with_implied_groups(Config config);

std::unique_ptr<HostedGroup> place(const Group& group, const Config& config, std::uint32_t number,
                                   Incarnation incarnation, Estate& estate);
// Its record is kept by an engine, which works on the loop.
std::unique_ptr<HostedGroup> place_on_engine(const Group& group, const Config& config,
                                             std::uint32_t number, Estate& estate,
                                             boost::asio::io_context& loop, LogSink& log);
std::unique_ptr<HostedGroup> place_detector(const Config& config, Incarnation incarnation,
                                            Estate& estate);

// The names that a configuration may use.
Known known_algorithms();
// From a crash of the leader until everybody names the next one.
std::optional<Duration> failover_bound(const Group& group, const Config& config);
// What a person relies on who chooses this mutex, and what happens if a member dies.
std::vector<std::string> mutex_words(const Mutex& mutex, const Config& config);

}  // namespace conclave::node
