#include "cli/lock.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <utility>

#include "cli/abroad.h"
#include "cli/holder.h"
#include "cli/lock_mutex.h"
#include "cli/way.h"
#include "service/lock_limits.h"

namespace conclave {

namespace {

std::optional<locks::Terms> terms_of(const LockOptions& options) {
    using Mode = locks::Terms::Mode;
    if (const auto limit = locks::beyond(options.name, 0)) {
        complain(words(*limit));
        return std::nullopt;
    }
    if (options.shared) return locks::Terms{Mode::shared, 1};
    if (options.slots > 0) return locks::Terms{Mode::slot, options.slots};
    return locks::Terms{};
}

// Without a command: the token, and then nothing until whoever wrote to us has gone.
void show_token(Format format, const std::string& name, FencingToken token) {
    const std::string text = to_string(token);
    if (format == Format::text) {
        std::printf("%s\n", text.c_str());
    } else {
        const boost::json::object object{{"lock", name}, {"token", text}};
        std::printf("%s\n", boost::json::serialize(object).c_str());
    }
    std::fflush(stdout);
}

}  // namespace

Exit run_lock(const Terminal& terminal, const Endpoint& endpoint, const LockOptions& options) {
    if (!options.mutex.empty()) return lock_mutex(terminal, endpoint, options);
    HoldPlan plan;
    const auto terms = terms_of(options);
    std::optional<Duration> ttl;
    if (!terms) return Exit::usage;
    if (!read_option("-w", options.wait, plan.wait)) return Exit::usage;
    if (!read_option("--ttl", options.ttl, ttl)) return Exit::usage;
    if (!read_option("--grace", options.grace, plan.grace)) return Exit::usage;
    plan.claim = {{engine::Thing::Kind::lock, options.name}, *terms, "", ttl.value_or(Duration{})};
    plan.at_once = options.at_once;
    plan.command = options.command;
    plan.busy_code = options.busy_code.value_or(plan.busy_code);
    plan.name = "the lock '" + options.name + "'";
    plan.busy = "'" + options.name + "' is held by somebody else";
    plan.idle = "nobody leads the lock service at the moment";
    plan.term = "session";
    plan.environment = [name = options.name, where = endpoints_of(endpoint)](
                           FencingToken token, const std::string& server) {
        return HoldPlan::Environment{{"CONCLAVE_LOCK", name},
                                     {"CONCLAVE_TOKEN", to_string(token)},
                                     {"CONCLAVE_NODE", server},
                                     {"CONCLAVE_ENDPOINT", where}};
    };
    plan.show = [format = terminal.format, name = options.name](FencingToken token) {
        show_token(format, name, token);
    };
    return run_under(endpoint, std::move(plan));
}

}  // namespace conclave
