#include "cli/deeds.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

namespace conclave {

namespace json = boost::json;

namespace {

Exit report(const Terminal& terminal, const Reply& reply, const std::string& done) {
    if (!reply.good()) return reply.exit;
    if (terminal.format != Format::text) {
        std::printf("%s\n", json::serialize(reply.body).c_str());
    } else if (!terminal.quiet) {
        std::printf("%s\n", done.c_str());
    }
    return Exit::ok;
}

}  // namespace

Exit run_resign(const Terminal& terminal, const Endpoint& endpoint,
                const HandOverOptions& options) {
    json::object body;
    if (!options.to.empty()) body["to"] = options.to;
    const std::string target = "/v1/groups/" + path_segment(options.group) + "/resign";
    return report(terminal, ask(endpoint, "POST", target, body),
                  "resigned" + (options.to.empty() ? "" : " in favour of " + options.to));
}

Exit run_appoint(const Terminal& terminal, const Endpoint& endpoint,
                 const HandOverOptions& options) {
    const std::string target = "/v1/groups/" + path_segment(options.group) + "/appoint";
    return report(terminal, ask(endpoint, "POST", target, json::object{{"node", options.to}}),
                  options.to + " is appointed");
}

Exit run_drain(const Terminal& terminal, const Endpoint& endpoint, bool drained) {
    return report(terminal,
                  ask(endpoint, drained ? "POST" : "DELETE", "/v1/node/drain", json::object{}),
                  drained ? "drained: it votes, and does not stand" : "it may lead again");
}

// Whoever holds a lock gives it back by itself: this is for when it does not.
Exit run_release(const Terminal& terminal, const Endpoint& endpoint,
                 const ReleaseOptions& options) {
    if (!options.force) {
        complain("this takes '" + options.lock +
                 "' away from whoever holds it: look at `conclave locks`, then say --force");
        return Exit::usage;
    }
    const std::string target = "/v1/locks/" + path_segment(options.lock);
    return report(terminal, ask(endpoint, "DELETE", target, json::object{}),
                  "taken away: it is free once its holder has stopped, or its session is over");
}

}  // namespace conclave
