#include "node/api.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <optional>
#include <utility>

#include "core/print.h"
#include "node/api_body.h"
#include "node/api_views.h"
#include "node/metric_labels.h"
#include "node/openapi.h"
#include "node/version.h"

namespace conclave::node {

namespace json = boost::json;

namespace {

using Exchange = std::shared_ptr<net::Exchange>;

std::optional<std::uint64_t> number(const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}
// Absent is fine; present and wrong is answered here, and then nothing is returned for `read`.
template <class T, class Read>
bool read_query(const Exchange& exchange, std::string_view name, Read read,
                std::optional<T>& into) {
    const auto found = exchange->request().query.find(name);
    if (found == exchange->request().query.end()) return true;
    into = read(found->second);
    if (into) return true;
    std::string what(name);
    what.append(" cannot be '").append(found->second).append("'");
    exchange->problem(400, "Bad query", what);
    return false;
}
std::string_view words(Refused::Why why) {
    switch (why) {
        case Refused::Why::not_leader:
            return "this node does not lead the group";
        case Refused::Why::not_eligible:
            return "that node may not lead the group";
        case Refused::Why::stale_epoch:
            return "somebody else was appointed meanwhile";
        case Refused::Why::unreachable:
            return "that node does not answer";
        case Refused::Why::busy:
            return "an election is under way, or somebody leads already";
    }
    return "it cannot be done";
}

}  // namespace

HttpApi::HttpApi(boost::asio::io_context& loop, Node& node, Metrics& metrics, const Gate& gate)
    : loop_(loop),
      node_(node),
      metrics_(metrics),
      gate_(gate),
      guests_(node),
      locks_(node),
      sessions_(node, locks_),
      mutexes_(node),
      members_(node) {
    add_health();
    add_views();
    add_deeds();
    sessions_.add_to(router_, gate_);
    locks_.add_to(router_, gate_);
    mutexes_.add_to(router_, gate_);
    members_.add_to(router_, gate_);
}

void HttpApi::add(std::string_view pattern, const char* name, Method method) {
    router_.add(pattern, name, [this, method](const Exchange& one) { (this->*method)(one); });
}

void HttpApi::add_deed(std::string_view pattern, const char* name, Method method) {
    router_.add(pattern, name,
                gate_.deed([this, method](const Exchange& one) { (this->*method)(one); }));
}

void HttpApi::add_health() {
    const auto healthy = [this](const Exchange& one) {
        if (node_.failure()) return one->problem(503, "Failed", node_.failure()->what);
        one->respond(200, "text/plain", "ok\n");
    };
    router_.add("GET /livez", "livez", healthy);
    router_.add("GET /readyz", "readyz", [this](const Exchange& one) {
        std::string lines;
        bool ready = !node_.failure();
        for (auto& group : node_.groups()) {
            if (mutex_of_group(group->name())) continue;  // some have no leader
            const bool led = group->leader().has_value();
            ready = ready && led;
            lines += (led ? "ok " : "no leader in ") + group->name() + "\n";
        }
        const bool verbose = one->request().query.contains("verbose");
        one->respond(ready ? 200 : 503, "text/plain",
                     verbose ? lines + (ready ? "ready\n" : "not ready\n")
                             : std::string(ready ? "ok\n" : "not ready\n"));
    });
    router_.add("GET /metrics", "metrics", [this](const Exchange& one) {
        one->respond(200, Metrics::content_type, metrics_.text(snapshot(node_, guests_)));
    });
    router_.add("GET /version", "version", [](const Exchange& one) {
        respond(one, json::object{{"version", version}});
    });
    router_.add("GET /openapi.json", "openapi",
                [](const Exchange& one) { one->respond(200, json_type, std::string(openapi())); });
}

void HttpApi::add_views() {
    router_.add("GET /v1/status", "status",
                [this](const Exchange& one) { respond(one, status_view(node_)); });
    router_.add("GET /v1/groups", "groups",
                [this](const Exchange& one) { respond(one, groups_view(node_)); });
    add("GET /v1/groups/{group}", "group", &HttpApi::show_group);
    add("GET /v1/groups/{group}/leader-check", "leader-check", &HttpApi::check_leader);
    add("GET /leader-elector/{group}", "leader-elector", &HttpApi::show_sidecar);
    add("GET /v1/history", "history", &HttpApi::show_history);
    add("GET /v1/events", "events", &HttpApi::stream_changes);
}

void HttpApi::add_deeds() {
    add_deed("POST /v1/groups/{group}/resign", "resign", &HttpApi::resign);
    add_deed("POST /v1/groups/{group}/appoint", "appoint", &HttpApi::appoint);
    add_deed("GET /v1/wire", "wire", &HttpApi::admit_guest);
    add_deed("POST /v1/node/drain", "drain", &HttpApi::drain);
    add_deed("DELETE /v1/node/drain", "undrain", &HttpApi::undrain);
}

HostedGroup* HttpApi::group_of(const Exchange& exchange) {
    const std::string& name = exchange->request().parameters.find("group")->second;
    HostedGroup* group = node_.group(name);
    if (!group) exchange->problem(404, "No such group", "this node is in no group '" + name + "'");
    return group;
}

void HttpApi::check_leader(const Exchange& exchange) {
    HostedGroup* group = group_of(exchange);
    if (!group) return;
    if (group->leads()) return exchange->respond(200, "text/plain", "leader\n");
    exchange->respond(503, "text/plain", "not the leader\n");
}

void HttpApi::show_sidecar(const Exchange& exchange) {
    HostedGroup* group = group_of(exchange);
    if (!group) return;
    const auto leader = group->leader();
    respond(exchange, json::object{{"name", leader ? node_.name_of(*leader) : ""}});
}

// With ?index=N: when there is something newer than N, or after ?wait.
void HttpApi::show_group(const Exchange& exchange) {
    HostedGroup* group = group_of(exchange);
    std::optional<std::uint64_t> index;
    std::optional<Duration> wait;
    if (!group || !read_query(exchange, "index", number, index)) return;
    if (!read_query(exchange, "wait", duration, wait)) return;
    const auto show = [this, exchange, group] {
        if (exchange->pending()) respond(exchange, group_view(node_, *group));
    };
    if (!index || group->leadership().index > *index || !wait) return show();
    auto timer = std::make_shared<boost::asio::steady_timer>(loop_, std::min(*wait, longest_poll));
    auto watch = group->when_changed([timer] { timer->cancel(); });
    exchange->on_gone([timer] { timer->cancel(); });
    timer->async_wait([timer, watch, show](const boost::system::error_code&) { show(); });
}

void HttpApi::show_history(const Exchange& exchange) {
    const net::Request& request = exchange->request();
    const auto group = request.query.find("group");
    if (group == request.query.end() || !node_.group(group->second)) {
        return exchange->problem(400, "Bad query", "group must name a group of this node");
    }
    HistoryQuery query;
    query.group = group->second;
    std::optional<std::uint64_t> limit;
    if (!read_query(exchange, "since", number, query.since)) return;
    if (!read_query(exchange, "limit", number, limit)) return;
    if (limit) query.limit = static_cast<std::size_t>(*limit);
    node_.writer().history(query, [this, exchange](const auto& entries) {
        if (!entries) return exchange->problem(500, "History cannot be read", entries.error().what);
        json::array list;
        for (const HistoryEntry& entry : *entries) list.push_back(entry_view(node_, entry));
        respond(exchange, list);
    });
}

void HttpApi::stream_changes(const Exchange& exchange) {
    const net::Request& request = exchange->request();
    const auto group = request.query.find("group");
    const std::string only = group == request.query.end() ? "" : group->second;
    if (!only.empty() && !node_.group(only)) {
        return exchange->problem(404, "No such group", "this node is in no group '" + only + "'");
    }
    const auto resumed = number(std::string(request.header("Last-Event-ID")));
    exchange->stream();
    const auto tell = [this, only](net::Exchange& to, std::uint64_t id, const Change& change) {
        if (!only.empty() && change.group != only) return;
        to.event({std::to_string(id), change.now.leader ? "leader" : "no-leader",
                  json::serialize(change_view(node_, id, change))});
    };
    if (resumed) {
        for (const auto& [id, change] : node_.changes_after(*resumed)) tell(*exchange, id, change);
    }
    const std::weak_ptr<net::Exchange> weak = exchange;
    auto listening = node_.listen([weak, tell](std::uint64_t id, const Change& change) {
        if (const auto open = weak.lock()) tell(*open, id, change);
    });
    // As long as the client is there, it keeps the exchange and with it the listener.
    exchange->on_gone([exchange, listening] {});
}

void HttpApi::hand_over(const Exchange& exchange, HostedGroup& group, const Resign& wish) {
    node_.hand_over(group, wish, [this, exchange, &group](const auto& given) {
        if (given) return answer(exchange, group, *given);
        exchange->problem(503, "No answer", "the leader was asked, and has not answered");
    });
}

void HttpApi::answer(const Exchange& exchange, HostedGroup& group,
                     const HostedGroup::Answer& given) {
    if (!given.understood) {
        return exchange->problem(
            409, "Cannot be asked",
            group.algorithm() + " has no such request; its leader is whom its election names");
    }
    if (!given.refused) return respond(exchange, group_view(node_, group), 202);
    std::string detail(words(given.refused->why));
    const auto leader = group.leader();
    if (given.refused->why == Refused::Why::not_leader && leader) {
        detail += "; " + node_.name_of(*leader) + " does";
    }
    exchange->problem(409, "Refused", detail);
}

// Of a session: what it leads, and nothing else.
void HttpApi::resign(const Exchange& exchange) {
    HostedGroup* group = group_of(exchange);
    if (!group) return;
    if (const auto session = field(exchange, "session")) {
        return sessions_.resign(exchange, *session, *group);
    }
    Resign wish;
    if (const auto to = field(exchange, "to")) {
        wish.to = node_.find(*to);
        if (!wish.to) return exchange->problem(400, "No such node", "nobody is called " + *to);
    }
    hand_over(exchange, *group, wish);
}

// A sitting leader hands over; where a person decides, the person has.
void HttpApi::appoint(const Exchange& exchange) {
    HostedGroup* group = group_of(exchange);
    if (!group) return;
    const std::string name = field(exchange, "node").value_or("");
    const auto whom = node_.find(name);
    if (!whom) return exchange->problem(400, "No such node", "nobody is called '" + name + "'");
    const HostedGroup::Answer given = group->ask(Appoint{*whom, {}});
    if (!given.understood) return hand_over(exchange, *group, Resign{*whom});
    answer(exchange, *group, given);
}

void HttpApi::admit_guest(const Exchange& exchange) {
    if (!guests_.served()) {
        return exchange->problem(404, "No locks", "this node has no [locks] in its configuration");
    }
    static const std::string protocol(wire::guest_protocol);
    if (exchange->request().header("Upgrade") != protocol) {
        exchange->header("Upgrade", protocol);
        return exchange->problem(426, "Not HTTP",
                                 "this place speaks another protocol: see Upgrade");
    }
    guests_.admit(exchange);
}

void HttpApi::drain(const Exchange& exchange) {
    node_.drain(true);
    respond(exchange, status_view(node_), 202);
}
void HttpApi::undrain(const Exchange& exchange) {
    node_.drain(false);
    respond(exchange, status_view(node_), 202);
}

}  // namespace conclave::node
