// node/metrics.cc -- the one file that knows prometheus-cpp.
#include "node/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <map>
#include <utility>

#include "core/names.h"

namespace conclave::node {

namespace {

using prometheus::Counter, prometheus::Gauge, prometheus::Histogram;
using Bounds = Histogram::BucketBoundaries;
template <class T> using Family = prometheus::Family<T>;

// All in seconds. Bounds are close together where a decision lies, and the last is where it is bad
// whatever the number.

// Between loopback and another continent.
const Bounds rtt_bounds{5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25};
// A lag of some milliseconds is a busy machine, one of a lease (200 ms) costs the leadership.
const Bounds lag_bounds{1e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
// What a detector lives with: its margin is found among these.
const Bounds delay_bounds{1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2};
// The default bound is below a second, that of others some seconds; beyond that people call.
const Bounds failover_bounds{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30};
// From a free lock on a LAN to a queue of people.
const Bounds wait_bounds{1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300};
// An answer from memory, one that had to ask others, and long polls (30 s and more).
const Bounds request_bounds{5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05,
                            0.1,  0.5,  1,      5,    10,   30,    60};

constexpr std::array reasons{LeaderChange::first,     LeaderChange::suspected,
                             LeaderChange::expired,   LeaderChange::resigned,
                             LeaderChange::unhealthy, LeaderChange::preempted,
                             LeaderChange::appointed, LeaderChange::merged};

static_assert(reasons.size() == static_cast<std::size_t>(LeaderChange::merged) + 1);

double seconds(Duration length) { return std::chrono::duration<double>(length).count(); }

// A sum that sinks looks like a restart to Prometheus; a clock's small step back is no news.
void observe(Histogram& histogram, Duration length) {
    histogram.Observe(seconds(std::max(length, Duration::zero())));
}

// What is unknown is not exported: neither 0 nor the value of before would be true.
void set(Family<Gauge>& family, const prometheus::Labels& labels, std::optional<double> value) {
    Gauge& gauge = family.Add(labels);
    if (value) return gauge.Set(*value);
    family.Remove(&gauge);
}

std::optional<double> seconds(std::optional<Duration> length) {
    if (!length) return std::nullopt;
    return seconds(*length);
}

// The list, checked: a place of another list would count for somebody else.
template <class List, class Place> auto& at(List& list, Place place) {
    const auto index = static_cast<std::size_t>(place);
    assert(index < list.size());
    return list[index];
}

// prometheus-cpp keeps series by hash; people and diffs want the same order every time.
void sort_series(std::vector<prometheus::MetricFamily>& families) {
    const auto labels_of = [](const prometheus::ClientMetric& metric) {
        std::vector<std::pair<std::string, std::string>> labels;
        for (const auto& label : metric.label) labels.emplace_back(label.name, label.value);
        return labels;
    };
    for (auto& family : families) {
        std::sort(family.metric.begin(), family.metric.end(),
                  [&](const auto& a, const auto& b) { return labels_of(a) < labels_of(b); });
    }
}

}  // namespace

struct Metrics::Series {
    explicit Series(const MetricLabels& labels);

    void show(const Snapshot& now);

    Family<Counter>& counters(const char* name, const char* help) {
        return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
    }
    Family<Gauge>& gauges(const char* name, const char* help) {
        return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
    }
    Family<Histogram>& histograms(const char* name, const char* help) {
        return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
    }
    void add_peer(const std::string& name) {
        peers.push_back(name);
        suspicions.push_back(&suspected.Add({{"peer", name}}));
        false_suspicions.push_back(&suspected_wrongly.Add({{"peer", name}}));
    }

    prometheus::Registry registry;
    const std::vector<std::string> groups;
    std::vector<std::string> peers;

    std::vector<std::array<Counter*, reasons.size()>> leader_changes;  // by group
    Family<Counter>& suspected;
    Family<Counter>& suspected_wrongly;
    std::vector<Counter*> suspicions, false_suspicions;  // by peer
    Family<Counter>& sent;
    Family<Counter>& received;
    Counter &lock_lost, &recorded, &dropped;
    Histogram &failover, &heartbeat_delay, &peer_rtt, &lock_wait, &loop_lag;
    // Since somebody last asked: at every wake-up to tell the registry costs more than to count.
    std::vector<double> lags = std::vector<double>(lag_bounds.size() + 1);
    double lags_sum = 0;
    Family<Histogram>& requests;
    std::map<std::pair<std::string, int>, Histogram*, std::less<>> by_route;

    Family<Gauge>& has_leader;
    Family<Gauge>& is_leader;
    Family<Gauge>& epoch;
    Family<Gauge>& members;
    Family<Gauge>& lease;
    Family<Gauge>& timeout;
    Family<Gauge>& connected;
    Family<Gauge>& expiry;
    Gauge &locks_held, &lock_waiters, &lock_sessions, &sessions;
};

Metrics::Series::Series(const MetricLabels& labels)
    : groups(labels.groups),
      suspected(counters("conclave_suspicions_total", "Times that this peer was suspected.")),
      suspected_wrongly(counters("conclave_false_suspicions_total",
                                 "Suspicions taken back: the peer had been alive.")),
      sent(counters("conclave_messages_sent_total", "Messages to peers, by kind.")),
      received(counters("conclave_messages_received_total", "Messages from peers, by kind.")),
      lock_lost(counters("conclave_lock_lost_total", "Locks that ended before they were released.")
                    .Add({})),
      recorded(counters("conclave_recorded_bytes_total", "What the flight recorder has written.")
                   .Add({})),
      dropped(
          counters("conclave_recorder_dropped_total", "Steps that could not be recorded.").Add({})),
      failover(histograms("conclave_failover_seconds", "From a leader's loss to the next leader.")
                   .Add({}, failover_bounds)),
      heartbeat_delay(histograms("conclave_heartbeat_delay_seconds",
                                 "How much later than due a peer's sign of life came.")
                          .Add({}, delay_bounds)),
      peer_rtt(histograms("conclave_peer_rtt_seconds", "To a peer and back.").Add({}, rtt_bounds)),
      lock_wait(histograms("conclave_lock_wait_seconds", "From asking for a lock to having it.")
                    .Add({}, wait_bounds)),
      loop_lag(histograms("conclave_loop_lag_seconds", "How late this node's own timers fire.")
                   .Add({}, lag_bounds)),
      requests(histograms("conclave_api_request_duration_seconds", "Answers of the HTTP API.")),
      has_leader(gauges("conclave_group_has_leader", "Whether this node knows a leader.")),
      is_leader(gauges("conclave_group_is_leader", "Whether this node leads; sum over all nodes.")),
      epoch(gauges("conclave_group_epoch", "Number of the leadership, the fencing token.")),
      members(gauges("conclave_group_members", "Members by this node's opinion of them.")),
      lease(gauges("conclave_lease_remaining_seconds", "What is left of this node's lease.")),
      timeout(
          gauges("conclave_detector_timeout_seconds", "Silence after which a peer is suspected.")),
      connected(gauges("conclave_peer_connected", "Whether there is a link to this peer.")),
      expiry(gauges("conclave_certificate_expiry_timestamp_seconds",
                    "When this node's certificate ends.")),
      locks_held(
          gauges("conclave_locks_held", "Locks that are held now, at the node that grants them.")
              .Add({})),
      lock_waiters(
          gauges("conclave_lock_waiters", "Requests that wait for a lock now, there.").Add({})),
      lock_sessions(
          gauges("conclave_lock_sessions", "Sessions that hold locks or wait for them, there.")
              .Add({})),
      sessions(gauges("conclave_sessions",
                      "Clients of this node: sessions over HTTP, and connections for locks.")
                   .Add({})) {
    gauges("conclave_build_info", "Always 1; the labels say what runs.")
        .Add({{"version", labels.version}})
        .Set(1);
    for (const std::string& peer : labels.peers) add_peer(peer);
    auto& changes = counters("conclave_leader_changes_total", "New leaders, by reason.");
    for (const std::string& group : groups) {
        auto& of_group = leader_changes.emplace_back();
        for (const LeaderChange reason : reasons) {
            at(of_group, reason) =
                &changes.Add({{"group", group}, {"reason", std::string(name_of_value(reason))}});
        }
    }
}

void Metrics::Series::show(const Snapshot& now) {
    const auto catch_up = [](Counter& counter, std::uint64_t total) {
        counter.Increment(static_cast<double>(total) - counter.Value());
    };
    for (const Snapshot::Message& message : now.messages) {
        catch_up(sent.Add({{"type", message.type}}), message.sent);
        catch_up(received.Add({{"type", message.type}}), message.received);
    }
    assert(now.groups.size() == groups.size());
    assert(now.peers.size() == peers.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const Snapshot::Group& group = now.groups[i];
        const prometheus::Labels label{{"group", groups[i]}};
        has_leader.Add(label).Set(group.has_leader);
        is_leader.Add(label).Set(group.is_leader);
        epoch.Add(label).Set(static_cast<double>(group.epoch.value));
        set(lease, label, seconds(group.lease_remaining));
        const auto count = [&](const char* state, std::uint32_t number) {
            members.Add({{"group", groups[i]}, {"state", state}}).Set(number);
        };
        count("unsuspected", group.unsuspected);
        count("suspected", group.suspected);
        count("failed", group.failed);
    }
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const Snapshot::Peer& peer = now.peers[i];
        connected.Add({{"peer", peers[i]}}).Set(peer.connected);
        set(timeout, {{"peer", peers[i]}}, seconds(peer.detector_timeout));
    }
    std::optional<double> end;
    if (now.certificate_expiry) {
        end = static_cast<double>(now.certificate_expiry->time_since_epoch().count());
    }
    set(expiry, {}, end);
    catch_up(recorded, now.recorded_bytes);
    catch_up(dropped, now.dropped_steps);
    loop_lag.ObserveMultiple(lags, std::exchange(lags_sum, 0));
    std::ranges::fill(lags, 0);
    locks_held.Set(static_cast<double>(now.locks_held));
    lock_waiters.Set(static_cast<double>(now.lock_waiters));
    lock_sessions.Set(static_cast<double>(now.lock_sessions));
    sessions.Set(static_cast<double>(now.sessions));
}

Metrics::Metrics(const MetricLabels& labels) : series_(std::make_unique<Series>(labels)) {}
Metrics::~Metrics() = default;

void Metrics::add_peer(const std::string& name) { series_->add_peer(name); }

void Metrics::leader_changed(GroupPlace group, LeaderChange reason) {
    at(at(series_->leader_changes, group), reason)->Increment();
}
void Metrics::suspected(PeerPlace peer) { at(series_->suspicions, peer)->Increment(); }
void Metrics::suspected_wrongly(PeerPlace peer) {
    at(series_->false_suspicions, peer)->Increment();
}
void Metrics::lock_lost() { series_->lock_lost.Increment(); }

void Metrics::failover(Duration without_leader) { observe(series_->failover, without_leader); }
void Metrics::heartbeat_delay(Duration late) { observe(series_->heartbeat_delay, late); }
void Metrics::peer_rtt(Duration round_trip) { observe(series_->peer_rtt, round_trip); }
void Metrics::lock_wait(Duration waited) { observe(series_->lock_wait, waited); }
void Metrics::loop_lag(Duration late) {
    const double length = seconds(std::max(late, Duration::zero()));
    const auto bound = std::ranges::lower_bound(lag_bounds, length);
    ++series_->lags[static_cast<std::size_t>(bound - lag_bounds.begin())];
    series_->lags_sum += length;
}

void Metrics::request(std::string_view route, int code, Duration took) {
    const auto [place, fresh] = series_->by_route.try_emplace({std::string(route), code}, nullptr);
    if (fresh) {
        place->second = &series_->requests.Add(
            {{"route", std::string(route)}, {"code", std::to_string(code)}}, request_bounds);
    }
    observe(*place->second, took);
}

std::string Metrics::text(const Snapshot& now) {
    series_->show(now);
    auto families = series_->registry.Collect();
    sort_series(families);
    return prometheus::TextSerializer().Serialize(families);
}

}  // namespace conclave::node
