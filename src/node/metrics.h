// node/metrics.h -- what a node tells Prometheus.
//
// Counters and histograms are fed where things happen, by methods named after what happened. All
// label values are known at the start (groups, kinds of message) or when they come (peers), so each
// series is made once, is exported as 0 before anything happens, and counting is one addition
// without a look-up.
// Gauges are a Snapshot taken when somebody scrapes: nothing to keep in step in between.
// No label ever holds the name of a lock or of a session: those are the users', without number.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace conclave::node {

// Places in the lists of MetricLabels.
enum class GroupPlace : std::uint32_t {};
enum class PeerPlace : std::uint32_t {};

struct MetricLabels {
    std::string version;
    std::vector<std::string> groups, peers;
};

// Why a group has another leader than before, or one at all.
enum class LeaderChange : std::uint8_t {
    first,      // that this node has heard of since it started
    suspected,  // the one before was, by a detector
    expired,    // its lease ran out unrenewed
    resigned,
    unhealthy,  // it handed over because its own health check failed
    preempted,  // by a better one
    appointed,  // a person chose
    merged,     // two groups became one
};

struct Snapshot {
    struct Group {
        bool has_leader = false, is_leader = false;
        Epoch epoch;
        std::uint32_t unsuspected = 0, suspected = 0, failed = 0;  // members, in our opinion
        std::optional<Duration> lease_remaining;                   // nothing: it has no leases
    };
    struct Peer {
        bool connected = false;
        std::optional<Duration> detector_timeout;  // nothing: not watched
    };
    struct Message {  // totals since the start, of all machines: they count for themselves
        std::string type;
        std::uint64_t sent = 0, received = 0;
    };
    std::vector<Message> messages;
    std::vector<Group> groups;  // in the order of MetricLabels
    std::vector<Peer> peers;
    std::uint64_t locks_held = 0, lock_waiters = 0, lock_sessions = 0;  // where they are granted
    std::uint64_t sessions = 0;                                  // each at the node of its client
    std::uint64_t recorded_bytes = 0, dropped_steps = 0;         // by the flight recorder
    std::optional<std::chrono::sys_seconds> certificate_expiry;  // nothing: plaintext
};

class Metrics {
public:
    explicit Metrics(const MetricLabels& labels);
    ~Metrics();
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    void add_peer(const std::string& name);  // behind all others

    void leader_changed(GroupPlace group, LeaderChange reason);
    void suspected(PeerPlace peer);
    void suspected_wrongly(PeerPlace peer);  // it was alive all the time
    void lock_lost();
    void failover(Duration without_leader);
    void heartbeat_delay(Duration late);  // behind the time at which it was due
    void peer_rtt(Duration round_trip);
    void lock_wait(Duration waited);
    void loop_lag(Duration late);
    void request(std::string_view route, int code, Duration took);  // a route's name, never a path

    static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";
    std::string text(const Snapshot& now);

private:
    struct Series;
    std::unique_ptr<Series> series_;
};

}  // namespace conclave::node
