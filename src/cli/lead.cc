#include "cli/lead.h"

#include <utility>

#include "cli/abroad.h"
#include "cli/holder.h"
#include "cli/way.h"

namespace conclave {

namespace {

// What a node would say of every wish for this group, before there is one.
Exit look_at(const Endpoint& endpoint, const std::string& group) {
    const Reply reply = ask(endpoint, "GET", "/v1/groups/" + path_segment(group));
    if (!reply.good()) return reply.exit;
    if (!text_member(reply.body, "lease").empty()) return Exit::ok;
    complain(text_member(reply.body, "algorithm") + " has no lease: " + group +
             " cannot be led for a command");
    return Exit::usage;
}

}  // namespace

Exit run_lead(const Endpoint& endpoint, const LeadOptions& options) {
    HoldPlan plan;
    if (!read_option("-w", options.wait, plan.wait)) return Exit::usage;
    if (!read_option("--grace", options.grace, plan.grace)) return Exit::usage;
    if (is_abroad(endpoint) && options.priority) {
        complain("--priority is for our own nodes: elsewhere who asks first leads first");
        return Exit::usage;
    }
    if (!is_abroad(endpoint)) {
        if (const Exit exit = look_at(endpoint, options.group); exit != Exit::ok) return exit;
    }
    plan.claim = {{engine::Thing::Kind::leadership, options.group}, {}, "", Duration{}};
    plan.claim.priority = options.priority;
    plan.at_once = options.at_once;
    plan.restart = options.restart;
    plan.command = options.command;
    plan.busy_code = options.not_elected.value_or(plan.busy_code);
    plan.name = "the lead of " + options.group;
    plan.busy = "somebody else leads " + options.group;
    plan.idle = "nobody was elected in " + options.group;
    plan.term = "lease";
    plan.environment = [group = options.group, where = endpoints_of(endpoint)](
                           FencingToken token, const std::string& server) {
        return HoldPlan::Environment{{"CONCLAVE_GROUP", group},
                                     {"CONCLAVE_NODE", server},
                                     {"CONCLAVE_EPOCH", std::to_string(token.epoch)},
                                     {"CONCLAVE_ENDPOINT", where}};
    };
    return run_under(endpoint, std::move(plan));
}

}  // namespace conclave
