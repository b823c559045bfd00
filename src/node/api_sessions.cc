#include "node/api_sessions.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "client/node_session.h"
#include "node/api_body.h"
#include "node/api_views.h"
#include "node/duration_text.h"

namespace conclave::node {

namespace json = boost::json;

namespace {

using Exchange = std::shared_ptr<net::Exchange>;
using How = Sessions::Verdict::How;
using client::largest_priority;

constexpr std::size_t longest_name = 255;

const std::string& session_of(const Exchange& exchange) {
    return exchange->request().parameters.find("session")->second;
}

void tell(const Exchange& exchange, const std::string& group, const Sessions::Verdict& verdict) {
    switch (verdict.how) {
        case How::elected:
            return respond(exchange,
                           json::object{{"epoch", verdict.loan.epoch.value},
                                        {"remaining_ms", milliseconds(verdict.loan.remaining)}});
        case How::not_in_time:
            return exchange->problem(409, "Not elected", "not elected in " + group + " in time");
        case How::asked_again:
            return exchange->problem(409, "Not elected",
                                     "this session has asked for " + group + " again meanwhile");
        case How::session_gone:
            return session_gone(exchange);
    }
}

// False: what stands there is no priority.
bool read_priority(const Exchange& exchange, std::optional<Attribute>& priority) {
    const json::value said = any_field(exchange, "priority");
    if (said.is_null()) return true;
    if (!said.is_int64()) return false;
    priority = said.get_int64();
    return -largest_priority <= *priority && *priority <= largest_priority;
}

}  // namespace

void SessionsApi::add_to(net::Router& router, const Gate& gate) {
    const auto add = [&](std::string_view pattern, const char* name, auto method) {
        router.add(pattern, name,
                   gate.deed([this, method](const Exchange& one) { (this->*method)(one); }));
    };
    add("POST /v1/sessions", "open-session", &SessionsApi::open);
    add("POST /v1/sessions/{session}/renew", "renew-session", &SessionsApi::renew);
    add("DELETE /v1/sessions/{session}", "end-session", &SessionsApi::end);
    add("POST /v1/groups/{group}/campaign", "campaign", &SessionsApi::campaign);
}

void SessionsApi::open(const Exchange& exchange) {
    const auto ttl = duration(field(exchange, "ttl").value_or(""));
    if (!ttl || *ttl <= Duration::zero()) {
        return exchange->problem(400, "No session", "it needs a ttl, like \"2s\"");
    }
    std::string name = field(exchange, "name").value_or("");
    if (name.size() > longest_name) {
        return exchange->problem(400, "No session",
                                 "a name has at most " + std::to_string(longest_name) + " bytes");
    }
    const auto opened = node_.sessions().open(std::move(name), *ttl);
    if (!opened) return exchange->problem(503, "No session", "too many sessions live here");
    respond(exchange,
            json::object{{"session", opened->id},
                         {"ttl", duration_text(opened->ttl)},
                         {"node", node_.config().node.name}},
            201);
}

void SessionsApi::renew(const Exchange& exchange) {
    const auto renewal = node_.sessions().renew(session_of(exchange));
    if (!renewal) return session_gone(exchange);
    json::array leading, inside;
    for (const Sessions::Loan& loan : renewal->leading) {
        const auto mutex = mutex_of_group(loan.group);
        (mutex ? inside : leading)
            .push_back(json::object{{mutex ? "mutex" : "group", mutex.value_or(loan.group)},
                                    {mutex ? "stay" : "epoch", loan.epoch.value},
                                    {"remaining_ms", milliseconds(loan.remaining)}});
    }
    respond(exchange, json::object{{"remaining_ms", milliseconds(renewal->remaining)},
                                   {"leading", std::move(leading)},
                                   {"inside", std::move(inside)},
                                   {"locks", locks_.held_by(session_of(exchange))}});
}

void SessionsApi::end(const Exchange& exchange) {
    if (!node_.sessions().end(session_of(exchange))) return session_gone(exchange);
    exchange->respond(204, json_type, "");
}

void SessionsApi::campaign(const Exchange& exchange) {
    const std::string& name = exchange->request().parameters.find("group")->second;
    const HostedGroup* group = node_.group(name);
    if (!group) {
        return exchange->problem(404, "No such group", "this node is in no group '" + name + "'");
    }
    const auto wait = duration(field(exchange, "wait").value_or("0s"));
    if (!wait) return exchange->problem(400, "Bad wait", "wait is a duration, like \"30s\"");
    Sessions::Bid bid{.wait = std::min(*wait, longest_poll)};
    if (!read_priority(exchange, bid.priority)) {
        return exchange->problem(400, "Bad priority",
                                 "priority is a whole number, at most " +
                                     std::to_string(largest_priority) + " either way");
    }
    if (const auto why = node_.no_campaign(*group)) {
        return exchange->problem(400, "Cannot be asked", *why);
    }
    const auto ticket = node_.sessions().campaign(
        field(exchange, "session").value_or(""), name, bid,
        [exchange, name](const auto& verdict) { tell(exchange, name, verdict); });
    if (exchange->pending())
        exchange->on_gone([this, ticket] { node_.sessions().withdraw(ticket); });
}

void SessionsApi::resign(const Exchange& exchange, const std::string& session, HostedGroup& group) {
    switch (node_.sessions().resign(session, group.name())) {
        case Sessions::Resigned::done:
            return respond(exchange, group_view(node_, group), 202);
        case Sessions::Resigned::not_leading:
            return exchange->problem(409, "Refused", "this session does not lead " + group.name());
        case Sessions::Resigned::session_gone:
            return session_gone(exchange);
    }
}

}  // namespace conclave::node
