#include "node/placing.h"

#include <cassert>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/hosts.h"

namespace conclave::node {

namespace {

std::unique_ptr<Host> find_host(std::string_view name) {
    for (const HostEntry& entry : hosts()) {
        if (entry.name == name) return entry.make();
    }
    return nullptr;
}

conclave::Role role(Role configured) {
    switch (configured) {
        case Role::voter:
            return conclave::Role::voter;
        case Role::witness:
            return conclave::Role::witness;
        case Role::learner:
            return conclave::Role::learner;
    }
    return conclave::Role::learner;
}

// What makes a node better is said in its own configuration only: all that everybody knows of
// everybody is the id.
MemberList member_list(const std::vector<Peer>& peers) {
    std::vector<Member> list;
    for (const Peer& peer : peers) list.push_back({peer.id, 0, role(peer.role), 1});
    return MemberList(std::move(list));
}

// A heartbeat's algorithm is the same whatever its estimator is called.
std::string detector_algorithm(const Detector& detector) {
    return detector.kind == "ping" ? "ping" : "heartbeat";
}

}  // namespace

// The lease is ten round trips of Tm, Tm and Tp, as the quorum election is tuned; for those who
// have no lease Tm and Tp are given.
Placement placement(const Group& group, const Config& config, Incarnation incarnation) {
    Placement placed;
    const std::vector<Peer> peers = members(config, group);
    placed.self = config.node.id;
    placed.members = member_list(peers);
    placed.attribute = group.priority.value_or(0);
    placed.incarnation = incarnation;
    placed.settings.nodes = peers.size();
    placed.settings.live_attribute = group.attribute || group.priority;
    const bool leased = group.algorithm == "quorum" || group.algorithm == lock_algorithm;
    placed.settings.tm = leased ? group.lease * 9 / 200 : group.tm;
    placed.settings.tp = leased ? group.lease / 100 : group.tp;
    placed.session_max = config.locks.session_max;
    placed.preempt = group.preempt;
    placed.application_plans = group.plan.has_value();
    return placed;
}

Config with_lock_group(Config config) {
    if (!config.locks.serve) return config;
    Group& group = config.groups.emplace_back();
    group.name = lock_group;
    group.algorithm = lock_algorithm;
    group.lease = config.locks.lease;
    group.candidate = true;
    return config;
}

std::unique_ptr<HostedGroup> place(const Group& group, const Config& config, std::uint32_t number,
                                   Incarnation incarnation, Estate& estate) {
    const auto host = find_host(*group.algorithm);
    assert(host);  // the configuration was checked against known_algorithms
    return std::make_unique<HostedGroup>(group.name, *group.algorithm, number, *host,
                                         placement(group, config, incarnation), estate);
}

std::unique_ptr<HostedGroup> place_detector(const Config& config, Incarnation incarnation,
                                            Estate& estate) {
    const std::string algorithm = detector_algorithm(config.detector);
    const auto host = find_host(algorithm);
    assert(host);
    const DetectorSettings settings = detector_settings(config.detector);
    Placement placed;
    placed.self = config.node.id;
    placed.members = member_list(roster(config));
    placed.incarnation = incarnation;
    placed.settings.nodes = placed.members.size();
    placed.settings.tm = settings.margin;
    placed.detection = {settings.period, settings.margin};
    // No group can have that name.
    return std::make_unique<HostedGroup>("(detector)", algorithm, 0, *host, placed, estate);
}

Known known_algorithms() {
    Known known;
    known.detectors = {"heartbeat", "ping", "accrual"};
    for (const HostEntry& entry : hosts()) {
        const auto host = entry.make();
        if (host->claim().kind == Kind::election) known.elections.emplace_back(entry.name);
        const bool mutex = host->claim().kind == Kind::mutex && entry.name != lock_algorithm;
        if (mutex) known.mutexes.emplace_back(entry.name);
    }
    return known;
}

std::optional<Duration> failover_bound(const Group& group, const Config& config) {
    const auto host = group.algorithm ? find_host(*group.algorithm) : nullptr;
    if (!host) return std::nullopt;
    const DetectorSettings settings = detector_settings(config.detector);
    const auto bound = host->failover_bound(placement(group, config, Incarnation{1}),
                                            settings.period + settings.margin);
    if (!bound) return std::nullopt;
    return std::chrono::ceil<std::chrono::milliseconds>(*bound);
}

}  // namespace conclave::node
