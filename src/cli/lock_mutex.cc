#include "cli/lock_mutex.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>
#include <variant>

#include "cli/borrower.h"
#include "cli/way.h"

namespace conclave {

namespace {

// Who is inside at another node nobody knows without asking to enter.
BorrowPlan::Prospect judge(const boost::json::value& view) {
    BorrowPlan::Prospect seen;
    const std::string mutex = text_member(view, "mutex");
    seen.term = read_duration(text_member(view, "silence"));
    seen.never = "'" + mutex + "' is not lent";
    if (text_member(view, "section") != "outside") {
        seen.taken = "'" + mutex + "' is held or waited for by another client of this node";
    }
    return seen;
}

}  // namespace

Exit lock_mutex(const Terminal& terminal, const Endpoint& endpoint, const LockOptions& options) {
    BorrowPlan plan;
    plan.view = "/v1/mutex/" + path_segment(options.mutex);
    plan.loan = {plan.view + "/enter", "inside", "mutex", options.mutex, "stay"};
    plan.lost = "no longer inside the mutex '" + options.mutex + "'";
    plan.at_once = options.at_once;
    plan.command = options.command;
    plan.busy = options.busy_code.value_or(plan.busy);
    plan.judge = judge;
    plan.variables = [&options](std::uint64_t) -> BorrowPlan::Variables {
        return {{"CONCLAVE_LOCK", options.name}, {"CONCLAVE_MUTEX", options.mutex}};
    };
    const boost::json::object held{{"lock", options.name}, {"mutex", options.mutex}};
    plan.held = terminal.format == Format::text ? options.name : boost::json::serialize(held);
    if (!read_option("-w", options.wait, plan.wait)) return Exit::usage;
    if (!read_option("--grace", options.grace, plan.grace)) return Exit::usage;
    auto way = find_way(endpoint);
    if (const auto* exit = std::get_if<Exit>(&way)) return *exit;
    return borrow(std::move(std::get<Way>(way)), std::move(plan));
}

}  // namespace conclave
