#include "cli/deeds.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <utility>

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

namespace {

Exit change_members(const Terminal& terminal, const Endpoint& endpoint, const char* method,
                    const std::string& target, json::object body, const MemberOptions& options) {
    const auto wait = read_duration(options.wait);
    if (!wait) {
        complain("--wait takes a duration, not '" + options.wait + "'");
        return Exit::usage;
    }
    body["wait"] = options.wait;
    const Reply reply = ask(endpoint, method, target, body, *wait);
    const auto* told = reply.body.if_object();
    const auto* unchanged = told ? told->if_contains("unchanged") : nullptr;
    std::string done = options.name + (*method == 'P' ? " is a member" : " is a member no more");
    if (unchanged && unchanged->is_array() && !unchanged->get_array().empty())
        done +=
            "; not of " + json::serialize(*unchanged) + ", whose members are those of the files";
    return report(terminal, reply, done);
}

}  // namespace

Exit run_add_member(const Terminal& terminal, const Endpoint& endpoint,
                    const MemberOptions& options) {
    json::object body{{"id", options.id},
                      {"name", options.name},
                      {"address", options.address},
                      {"role", options.role}};
    return change_members(terminal, endpoint, "POST", "/v1/members", std::move(body), options);
}

Exit run_remove_member(const Terminal& terminal, const Endpoint& endpoint,
                       const MemberOptions& options) {
    const std::string target = "/v1/members/" + path_segment(options.name);
    return change_members(terminal, endpoint, "DELETE", target, {}, options);
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
