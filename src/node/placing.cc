#include "node/placing.h"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/hosts.h"
#include "engine/open.h"
#include "node/config_engine.h"
#include "node/duration_text.h"
#include "node/engine_machine.h"

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
    const bool leased = group.algorithm == "quorum" || group.algorithm->ends_with("-on-quorum");
    placed.settings.tm = leased ? group.lease * 9 / 200 : group.tm;
    placed.settings.tp = leased ? group.lease / 100 : group.tp;
    placed.session_max = config.locks.session_max;
    placed.preempt = group.preempt;
    placed.application_plans = group.plan.has_value();
    return placed;
}

Config with_implied_groups(Config config) {
    const auto imply = [&](std::string name, std::string_view algorithm, Duration lease) {
        Group& group = config.groups.emplace_back();
        group.name = std::move(name);
        group.algorithm = algorithm;
        group.lease = lease;
        group.candidate = true;
    };
    if (config.locks.serve) imply(std::string(lock_group), lock_algorithm, config.locks.lease);
    for (const Mutex& mutex : config.mutexes) {
        imply(group_of_mutex(mutex.name), find_classic(mutex.algorithm)->stack, mutex.lease);
    }
    return config;
}

std::unique_ptr<HostedGroup> place(const Group& group, const Config& config, std::uint32_t number,
                                   Incarnation incarnation, Estate& estate) {
    const auto host = find_host(*group.algorithm);
    assert(host);  // the configuration was checked against known_algorithms
    return std::make_unique<HostedGroup>(group.name, *group.algorithm, number, *host,
                                         placement(group, config, incarnation), estate);
}

std::unique_ptr<HostedGroup> place_on_engine(const Group& group, const Config& config,
                                             std::uint32_t number, Estate& estate,
                                             boost::asio::io_context& loop, LogSink& log) {
    Placement placed;
    const std::vector<Peer> peers = members(config, group);
    placed.self = config.node.id;
    placed.members = member_list(peers);
    const auto open = [&loop, group]() -> Result<std::unique_ptr<engine::Engine>> {
        const auto found = engine_place(group);
        if (!found) return found.error();
        return engine::open(loop, *found);
    };
    const auto make = [&](Ground& ground) -> std::unique_ptr<Machine> {
        return std::make_unique<EngineMachine>(
            EngineMachine::Seat{*group.engine, group.name, group.lease, config.node.id, peers},
            open, ground, log);
    };
    return std::make_unique<HostedGroup>(group.name, *group.engine, number, HostedGroup::Make(make),
                                         placed, estate);
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
    if (algorithm == "ping") {  // which asks every 4 Tm, and waits 2 Tm + Tp for the answer
        placed.settings.tm = settings.period / 4;
        placed.settings.tp = settings.margin - 2 * placed.settings.tm;
    }
    placed.detection = {settings.period, settings.margin};
    // No group can have that name.
    return std::make_unique<HostedGroup>("(detector)", algorithm, 0, *host, placed, estate);
}

Known known_algorithms() {
    Known known;
    known.detectors = {"heartbeat", "ping", "accrual"};
    known.engines = known_engines();
    for (const HostEntry& entry : hosts()) {
        const auto host = entry.make();
        if (host->claim().kind == Kind::election) known.elections.emplace_back(entry.name);
        const auto classic = std::ranges::find(classics, entry.name, &Classic::stack);
        if (classic != classics.end()) known.mutexes.emplace_back(classic->name);
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

namespace {

// Whose death holds the others up, where nobody replaces what died with it.
std::string_view mourned(std::string_view algorithm) {
    if (algorithm == "central") return "if the server dies, or a member inside, the others";
    if (algorithm == "maekawa") return "if a member dies those who need its vote";
    return "if a member dies the others";
}

}  // namespace

std::vector<std::string> mutex_words(const Mutex& mutex, const Config& config) {
    const Config all = with_implied_groups(config);
    const auto group = std::ranges::find(all.groups, group_of_mutex(mutex.name), &Group::name);
    const auto host = find_host(*group->algorithm);
    std::vector<std::string> lines{"what breaks it: " + std::string(host->claim().breaks),
                                   "no fencing tokens; a command is stopped after " +
                                       duration_text(longest_silence(config)) +
                                       " without a word from its node"};
    const bool lossless = host->assumes().links == Links::reliable;
    const std::string detected = "detect_within = " + duration_text(config.detector.detect_within);
    if (!lossless) {
        const auto bound = failover_bound(*group, all);
        lines.push_back("it has a lease: a member that dies holds the others up by at most " +
                        duration_text(bound.value_or(Duration{})) + ", while a majority is left");
    } else if (config.detector.kind == "ping") {
        lines.push_back(std::string(mourned(mutex.algorithm)) + " wait for the detector, " +
                        detected + "; one that is slower than that is taken for dead");
    } else {
        lines.push_back(std::string(mourned(mutex.algorithm)) +
                        " wait until it is back; with detector.kind = \"ping\", for " + detected);
    }
    return lines;
}

}  // namespace conclave::node
