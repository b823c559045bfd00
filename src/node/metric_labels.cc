#include "node/metric_labels.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "node/guests.h"
#include "node/node.h"
#include "node/version.h"

namespace conclave::node {

MetricLabels metric_labels(const Config& config) {
    MetricLabels labels;
    labels.version = version;
    for (const Group& group : config.groups) {
        if (!mutex_of_group(group.name)) labels.groups.push_back(group.name);
    }
    for (const Peer& peer : roster(config)) {
        if (peer.id != config.node.id) labels.peers.push_back(peer.name);
    }
    return labels;
}

// The journal names what set it off; people want to know what kind of thing that is.
LeaderChange reason(const Cause& cause, bool first) {
    const auto is = [&](std::initializer_list<std::string_view> words) {
        return std::ranges::find(words, cause.reason) != words.end();
    };
    if (first) return LeaderChange::first;
    if (is({"PromiseOver", "LeaseOver", "RenewDue"})) return LeaderChange::expired;
    if (is({"Resign", "Release"})) return LeaderChange::resigned;
    if (is({"Retire"})) return LeaderChange::unhealthy;
    if (is({"Appoint"})) return LeaderChange::appointed;
    if (is({"Invitation", "Ready", "Accept"})) return LeaderChange::merged;
    return LeaderChange::suspected;
}

namespace {

Snapshot::Group shown(Node& node, HostedGroup& group) {
    Snapshot::Group view;
    view.has_leader = group.leader().has_value();
    view.is_leader = group.leads();
    view.epoch = group.leadership().epoch;
    const Instant now = node.now();
    if (const auto held = group.machine().tenure(now)) view.lease_remaining = held->until - now;
    for (const Member& member : group.electorate()) {
        const auto peer = node.peer(member.node);
        const Status status = peer && peer->opinion ? peer->opinion->status : Status::unsuspected;
        view.unsuspected += status == Status::unsuspected;
        view.suspected += status == Status::suspected;
        view.failed += status >= Status::failed;
    }
    return view;
}

// One type may be a message of several algorithms, and one algorithm of several groups.
void add_counts(const Machine& machine, std::vector<Snapshot::Message>& totals) {
    for (const MessageCount& count : machine.counts()) {
        auto total = std::ranges::find(totals, count.type, &Snapshot::Message::type);
        if (total == totals.end()) {
            total = totals.insert(totals.end(), {std::string(count.type), 0, 0});
        }
        total->sent += count.sent + count.repair;
        total->received += count.received;
    }
}

}  // namespace

Snapshot snapshot(Node& node, const Guests& guests) {
    Snapshot now;
    add_counts(node.detector().machine(), now.messages);
    for (auto& group : node.groups()) {
        if (!mutex_of_group(group->name())) now.groups.push_back(shown(node, *group));
        add_counts(group->machine(), now.messages);
    }
    for (const PeerState& one : node.peers()) {
        const auto peer = node.peer(one.id);  // none, if it was removed
        const auto opinion = peer ? peer->opinion : std::nullopt;
        now.peers.push_back(
            {peer && peer->linked, opinion ? std::optional(opinion->timeout) : std::nullopt});
    }
    now.sessions = node.sessions().size() + guests.size();
    HostedGroup* const locks = node.session_locks() ? node.group(lock_group) : nullptr;
    if (const auto counts = locks ? locks->machine().lock_counts() : std::nullopt) {
        now.locks_held = counts->held;
        now.lock_waiters = counts->waiting;
        now.lock_sessions = counts->sessions;
    }
    now.recorded_bytes = node.recorded().bytes;
    now.dropped_steps = node.recorded().dropped;
    now.certificate_expiry = node.links().certificate_expires();
    return now;
}

}  // namespace conclave::node
