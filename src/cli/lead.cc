#include "cli/lead.h"

#include <utility>
#include <variant>

#include "cli/borrower.h"
#include "cli/way.h"

namespace conclave {

namespace {

BorrowPlan::Prospect judge(const boost::json::value& view) {
    BorrowPlan::Prospect seen;
    const std::string group = text_member(view, "group"), leader = text_member(view, "leader");
    seen.term = read_duration(text_member(view, "lease"));
    seen.never =
        text_member(view, "algorithm") + " has no lease: " + group + " cannot be led for a command";
    const auto* mine = member(view, "mine");
    seen.ours = mine && mine->is_bool() && mine->get_bool();
    if (!leader.empty() && !seen.ours) seen.taken = leader + " leads " + group;
    return seen;
}

}  // namespace

Exit run_lead(const Endpoint& endpoint, const LeadOptions& options) {
    BorrowPlan plan;
    plan.view = "/v1/groups/" + path_segment(options.group);
    plan.loan = {plan.view + "/campaign", "leading", "group", options.group, "epoch"};
    plan.lost = "lost the lead of " + options.group;
    plan.at_once = options.at_once;
    plan.restart = options.restart;
    plan.command = options.command;
    plan.busy = options.not_elected.value_or(plan.busy);
    plan.judge = judge;
    plan.variables = [group = options.group](std::uint64_t epoch) -> BorrowPlan::Variables {
        return {{"CONCLAVE_GROUP", group}, {"CONCLAVE_EPOCH", std::to_string(epoch)}};
    };
    if (!read_option("-w", options.wait, plan.wait)) return Exit::usage;
    if (!read_option("--grace", options.grace, plan.grace)) return Exit::usage;
    auto way = find_way(endpoint);
    if (const auto* exit = std::get_if<Exit>(&way)) return *exit;
    return borrow(std::move(std::get<Way>(way)), std::move(plan));
}

}  // namespace conclave
