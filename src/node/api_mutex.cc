#include "node/api_mutex.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "node/api_body.h"
#include "node/api_views.h"

namespace conclave::node {

namespace json = boost::json;

namespace {

using Exchange = std::shared_ptr<net::Exchange>;
using How = Sessions::Verdict::How;

const std::string& mutex_of(const Exchange& exchange) {
    return exchange->request().parameters.find("mutex")->second;
}

void tell(const Exchange& exchange, const Sessions::Verdict& verdict) {
    switch (verdict.how) {
        case How::elected:
            return respond(exchange,
                           json::object{{"stay", verdict.loan.epoch.value},
                                        {"remaining_ms", milliseconds(verdict.loan.remaining)}});
        case How::not_in_time:
            return exchange->problem(409, "Not inside",
                                     "not inside '" + mutex_of(exchange) + "' in time");
        case How::asked_again:
            return exchange->problem(409, "Not inside", "this session has asked again meanwhile");
        case How::session_gone:
            return session_gone(exchange);
    }
}

}  // namespace

void MutexApi::add_to(net::Router& router, const Gate& gate) {
    const auto bound = [this](auto method) {
        return [this, method](const Exchange& one) { (this->*method)(one); };
    };
    router.add("GET /v1/mutex", "mutexes", bound(&MutexApi::list));
    router.add("GET /v1/mutex/{mutex}", "mutex", bound(&MutexApi::show));
    router.add("POST /v1/mutex/{mutex}/enter", "enter", gate.deed(bound(&MutexApi::enter)));
    router.add("POST /v1/mutex/{mutex}/leave", "leave", gate.deed(bound(&MutexApi::leave)));
}

HostedGroup* MutexApi::group_of(const Exchange& exchange) {
    const std::string& name = mutex_of(exchange);
    HostedGroup* group = node_.group(group_of_mutex(name));
    if (!group) {
        exchange->problem(404, "No such mutex",
                          "this node has no [mutex." + name + "] in its configuration");
    }
    return group;
}

void MutexApi::list(const Exchange& exchange) {
    json::array all;
    for (auto& group : node_.groups()) {
        if (mutex_of_group(group->name())) all.push_back(mutex_view(node_, *group));
    }
    respond(exchange, all);
}

void MutexApi::show(const Exchange& exchange) {
    if (HostedGroup* group = group_of(exchange)) respond(exchange, mutex_view(node_, *group));
}

void MutexApi::enter(const Exchange& exchange) {
    const HostedGroup* group = group_of(exchange);
    if (!group) return;
    const auto wait = duration(field(exchange, "wait").value_or("0s"));
    if (!wait) return exchange->problem(400, "Bad wait", "wait is a duration, like \"30s\"");
    const auto ticket = node_.sessions().campaign(
        field(exchange, "session").value_or(""), group->name(), {std::min(*wait, longest_poll)},
        [exchange](const auto& verdict) { tell(exchange, verdict); });
    if (exchange->pending())
        exchange->on_gone([this, ticket] { node_.sessions().withdraw(ticket); });
}

void MutexApi::leave(const Exchange& exchange) {
    const HostedGroup* group = group_of(exchange);
    if (!group) return;
    const std::string session = field(exchange, "session").value_or("");
    switch (node_.sessions().resign(session, group->name())) {
        case Sessions::Resigned::done:
            return exchange->respond(204, json_type, "");
        case Sessions::Resigned::not_leading:
            return exchange->problem(409, "Not inside",
                                     "this session is not inside '" + mutex_of(exchange) + "'");
        case Sessions::Resigned::session_gone:
            return session_gone(exchange);
    }
}

}  // namespace conclave::node
