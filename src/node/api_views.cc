#include "node/api_views.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <chrono>

#include "core/print.h"
#include "node/api_body.h"
#include "node/duration_text.h"
#include "node/history.h"
#include "node/time_text.h"
#include "node/version.h"

namespace conclave::node {

namespace json = boost::json;

namespace {

WallTime wall_time(std::int64_t ns) {
    using std::chrono::duration_cast, std::chrono::system_clock;
    return WallTime(duration_cast<system_clock::duration>(std::chrono::nanoseconds(ns)));
}

json::value name(const Node& node, std::optional<NodeId> id) {
    return id ? json::value(node.name_of(*id)) : json::value(nullptr);
}
Duration lease_of(const Node& node, const HostedGroup& group) {
    return std::ranges::find(node.config().groups, group.name(), &Group::name)->lease;
}
std::string verdict(const std::optional<Opinion>& opinion) {
    return opinion ? to_text(opinion->status) : "unknown";
}
json::value cause_value(const std::string& text) {
    boost::system::error_code error;
    json::value cause = json::parse(text, error);
    return error ? json::value(nullptr) : cause;
}

}  // namespace

json::object group_view(Node& node, HostedGroup& group) {
    const Instant now = node.now();
    const Leadership& known = group.leadership();
    json::object view{
        {"group", group.name()},
        {"algorithm", group.algorithm()},
        {"leader", name(node, group.leader())},
        {"epoch", known.epoch.value},
        {"mine", group.leads()},
        {"index", known.index},
        {"since_ms", milliseconds(now - known.since)},
        {"clock_ns", now.time_since_epoch().count()},
        {"attribute", group.attribute()},
    };
    if (group.machine().has_lease()) view["lease"] = duration_text(lease_of(node, group));
    const auto borrower = node.sessions().borrower(group.name());
    if (borrower && !mutex_of_group(group.name())) view["leads_for"] = *borrower;
    if (const auto trouble = group.machine().trouble()) view["trouble"] = *trouble;
    if (const auto held = group.machine().tenure(now)) {
        view["lease_ms"] = milliseconds(held->until - now);
        view["held"] = tenure_value(*held);
    }
    json::array members;
    for (const Member& member : group.electorate()) {
        members.push_back(json::object{{"node", node.name_of(member.node)},
                                       {"id", to_text(member.node)},
                                       {"role", to_text(member.role)}});
    }
    view["members"] = std::move(members);
    if (const auto& defined = group.definition()) {
        json::array of;
        for (NodeId member : defined->members) of.emplace_back(node.name_of(member));
        view["definition"] = json::object{{"members", std::move(of)}, {"plan", defined->plan}};
    }
    json::object sent;
    for (const MessageCount& count : group.machine().counts()) {
        sent[count.type] = json::object{
            {"sent", count.sent}, {"repair", count.repair}, {"received", count.received}};
    }
    view["messages"] = std::move(sent);
    return view;
}

json::object mutex_view(Node& node, HostedGroup& group) {
    const std::string name = *mutex_of_group(group.name());
    const auto settings = std::ranges::find(node.config().mutexes, name, &Mutex::name);
    json::object view{
        {"mutex", name},
        {"algorithm", settings->algorithm},
        {"group", group.name()},
        {"section", to_text(node.mutexes().section(group.name()))},
        {"silence", duration_text(node.mutexes().silence())},
    };
    if (const auto inside = node.sessions().borrower(group.name())) view["inside_for"] = *inside;
    return view;
}

json::array groups_view(Node& node) {
    json::array list;
    for (auto& group : node.groups()) list.push_back(group_view(node, *group));
    return list;
}

json::object member_view(Node& node, NodeId id) {
    json::object view{{"node", node.name_of(id)}, {"id", to_text(id)}};
    if (id == node.config().node.id) {
        view["self"] = true;
        view["opinion"] = "unsuspected";
        return view;
    }
    const auto peer = node.peer(id);
    if (!peer) return view;
    view["self"] = false;
    view["address"] = peer->address;
    view["linked"] = peer->linked;
    view["opinion"] = verdict(peer->opinion);
    view["since_ms"] = milliseconds(node.now() - peer->opinion_since);
    view["evidence"] = peer->evidence;
    view["last_heard_ms"] = peer->last_heard
                                ? json::value(milliseconds(node.now() - *peer->last_heard))
                                : json::value(nullptr);
    if (peer->opinion) view["timeout_ms"] = milliseconds(peer->opinion->timeout);
    if (!peer->distrusted.empty()) view["distrusted"] = peer->distrusted;
    return view;
}

json::array members_view(Node& node) {
    json::array list;
    for (const NodeId id : node.roster()) list.push_back(member_view(node, id));
    return list;
}

json::object status_view(Node& node) {
    return {
        {"cluster", node.config().cluster.name},
        {"node", node.config().node.name},
        {"id", to_text(node.config().node.id)},
        {"version", version},
        {"incarnation", node.incarnation().value},
        {"drained", node.drained()},
        {"removed", node.removed()},
        {"membership", node.membership()},
        {"failure", node.failure() ? json::value(node.failure()->what) : json::value(nullptr)},
        {"groups", groups_view(node)},
        {"members", members_view(node)},
    };
}

json::object entry_view(const Node& node, const HistoryEntry& entry) {
    return {
        {"index", entry.index},
        {"group", entry.group},
        {"leader", name(node, entry.leader)},
        {"epoch", entry.epoch.value},
        {"at", time_text(wall_time(entry.at))},
        {"cause", cause_value(entry.cause)},
    };
}

json::object change_view(const Node& node, std::uint64_t number, const Change& change) {
    return entry_view(node, to_entry(number, change));
}

}  // namespace conclave::node
