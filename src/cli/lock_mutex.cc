#include "cli/lock_mutex.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <utility>

#include "cli/abroad.h"
#include "cli/holder.h"
#include "cli/way.h"

namespace conclave {

Exit lock_mutex(const Terminal& terminal, const Endpoint& endpoint, const LockOptions& options) {
    HoldPlan plan;
    if (!read_option("-w", options.wait, plan.wait)) return Exit::usage;
    if (!read_option("--grace", options.grace, plan.grace)) return Exit::usage;
    if (is_abroad(endpoint)) {
        complain("--mutex: only nodes have one, not " + endpoints_of(endpoint));
        return Exit::usage;
    }
    const Reply reply = ask(endpoint, "GET", "/v1/mutex/" + path_segment(options.mutex));
    if (!reply.good()) return reply.exit;
    plan.claim = {{engine::Thing::Kind::mutex, options.mutex}, {}, "", Duration{}};
    plan.at_once = options.at_once;
    plan.command = options.command;
    plan.busy_code = options.busy_code.value_or(plan.busy_code);
    plan.name = "the mutex '" + options.mutex + "'";
    plan.busy = "'" + options.mutex + "' is held or waited for by another client";
    plan.idle = "nobody lets us into '" + options.mutex + "' at the moment";
    plan.term = "stay";
    plan.environment = [&options, where = endpoints_of(endpoint)](FencingToken,
                                                                  const std::string& server) {
        return HoldPlan::Environment{{"CONCLAVE_LOCK", options.name},
                                     {"CONCLAVE_MUTEX", options.mutex},
                                     {"CONCLAVE_NODE", server},
                                     {"CONCLAVE_ENDPOINT", where}};
    };
    const boost::json::object held{{"lock", options.name}, {"mutex", options.mutex}};
    plan.show = [text = terminal.format == Format::text
                            ? options.name
                            : boost::json::serialize(held)](FencingToken) {
        std::printf("%s\n", text.c_str());
        std::fflush(stdout);
    };
    return run_under(endpoint, std::move(plan));
}

}  // namespace conclave
