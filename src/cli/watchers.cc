#include "cli/watchers.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/abroad.h"

namespace conclave {

namespace json = boost::json;

namespace {

using Rows = std::vector<std::vector<std::string>>;

// Of whatever kind; a node of another version may lack the field.
std::string text(const json::value& of, std::string_view name) {
    const auto* object = of.if_object();
    const auto* value = object ? object->if_contains(name) : nullptr;
    if (!value || value->is_null()) return "";
    if (value->is_string()) return std::string(value->get_string());
    if (value->is_double()) return number_text(value->get_double());
    return json::serialize(*value);
}
double number(const json::value& of, std::string_view name) {
    const auto* object = of.if_object();
    const auto* value = object ? object->if_contains(name) : nullptr;
    return value && value->is_number() ? value->to_number<double>() : 0;
}
json::array list(const json::value& of, std::string_view name) {
    const auto* object = of.if_object();
    const auto* value = object ? object->if_contains(name) : nullptr;
    return value && value->is_array() ? value->get_array() : json::array{};
}

std::string span_text(double ms) {
    char buffer[32];
    const char* format = ms < 1 ? "%.2f ms" : ms < 100 ? "%.1f ms" : "%.0f ms";
    if (ms >= 10'000) {
        ms /= 1000;
        format = ms < 600 ? "%.0f s" : "%.0f s";
    }
    std::snprintf(buffer, sizeof buffer, format, ms);
    return buffer;
}

std::string leader_text(const Terminal& terminal, const json::value& group) {
    const std::string leader = text(group, "leader");
    return leader.empty() ? terminal.bad("none") : terminal.bold(leader);
}

// Names are anybody's: what is in them must not move the cursor.
std::string legible(std::string name) {
    for (char& c : name) {
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
    }
    return name;
}

std::string groups_text(const Terminal& terminal, const json::array& groups) {
    Rows rows{{"group", "algorithm", "leader", "epoch", "for", "lease"}};
    for (const json::value& group : groups) {
        const double lease = number(group, "lease_ms");
        rows.push_back({text(group, "group"), text(group, "algorithm"),
                        leader_text(terminal, group), text(group, "epoch"),
                        span_text(number(group, "since_ms")), lease > 0 ? span_text(lease) : ""});
    }
    std::string out = table(terminal, rows);
    for (const json::value& group : groups) {
        const std::string trouble = legible(text(group, "trouble"));
        if (!trouble.empty()) out += text(group, "group") + ": " + terminal.bad(trouble) + "\n";
    }
    return out;
}

std::string members_text(const Terminal& terminal, const json::array& members) {
    Rows rows{{"node", "id", "opinion", "for", "last heard", "address", "evidence"}};
    for (const json::value& member : members) {
        const bool self = text(member, "self") == "true";
        const std::string opinion = text(member, "opinion");
        rows.push_back({text(member, "node"), text(member, "id"),
                        self                       ? "this node"
                        : opinion == "unsuspected" ? terminal.good(opinion)
                                                   : terminal.bad(opinion),
                        self ? "" : span_text(number(member, "since_ms")),
                        self ? "" : span_text(number(member, "last_heard_ms")),
                        text(member, "address"), text(member, "evidence")});
    }
    return table(terminal, rows);
}

std::string locks_text(const Terminal& terminal, const json::value& answer) {
    Rows rows{{"lock", "holder", "mode", "token", "for", "waiting"}};
    const json::array locks = list(answer, "locks");
    for (const json::value& lock : locks) {
        std::string name = legible(text(lock, "lock")), waiting;
        for (const json::value& one : list(lock, "waiters"))
            waiting += (waiting.empty() ? "" : ", ") + legible(text(one, "name"));
        for (const json::value& one : list(lock, "holders")) {
            const bool dismissed = text(one, "dismissed") == "true";
            const std::string holder = legible(text(one, "name"));
            const std::string slots = text(one, "slots");
            rows.push_back({std::exchange(name, ""),
                            dismissed ? terminal.bad(holder + " (dismissed)") : holder,
                            text(one, "mode") + (slots.empty() ? "" : " of " + slots),
                            text(one, "token"), span_text(number(one, "since_ms")),
                            std::exchange(waiting, "")});
        }
        if (!name.empty()) rows.push_back({name, "", "", "", "", waiting});
    }
    std::string out = table(terminal, rows);
    if (const double total = number(answer, "total"); total > static_cast<double>(locks.size()))
        out += "... and more: " + number_text(total) + " in all\n";
    return out;
}

// The answer as it is for programs, or what `show` makes of it for people.
template <class Show> Exit present(const Terminal& terminal, const Reply& reply, Show show) {
    if (!reply.good()) return reply.exit;
    const std::string out =
        terminal.format == Format::text ? show(reply.body) : json::serialize(reply.body) + "\n";
    std::fputs(out.c_str(), stdout);
    return Exit::ok;
}

std::string cause_text(const Terminal& terminal, const json::value& change) {
    const auto* object = change.if_object();
    const auto* cause = object ? object->if_contains("cause") : nullptr;
    if (!cause) return "";
    const std::string leader = text(change, "leader");
    std::string out = "group " + text(change, "group") + ", epoch " + text(change, "epoch") + ": " +
                      (leader.empty() ? terminal.bad("no leader") : terminal.bold(leader)) +
                      " at " + text(change, "at") + "\n";
    out += "set off by " + text(*cause, "reason") + "\n";
    for (const json::value& step : list(*cause, "steps")) {
        const double before = number(step, "before_us") / 1000;
        char line[32];
        std::snprintf(line, sizeof line, "%12s  ", ("-" + span_text(before)).c_str());
        out += line + text(step, "what");
        const double times = number(step, "times");
        if (times > 1) out += " (" + number_text(times) + " times, this the last)";
        out += "\n";
    }
    return out;
}

std::string change_line(const Terminal& terminal, const json::value& change) {
    const std::string leader = text(change, "leader");
    const auto* object = change.if_object();
    const auto* cause = object ? object->if_contains("cause") : nullptr;
    return text(change, "at") + "  " + text(change, "group") + "  " +
           (leader.empty() ? terminal.bad("no leader") : terminal.bold(leader)) + "  epoch " +
           text(change, "epoch") + "  " + (cause ? text(*cause, "reason") : "") + "\n";
}

void run_for(const std::string& command, const json::value& change) {
    ::setenv("CONCLAVE_GROUP", text(change, "group").c_str(), 1);
    ::setenv("CONCLAVE_LEADER", text(change, "leader").c_str(), 1);
    ::setenv("CONCLAVE_EPOCH", text(change, "epoch").c_str(), 1);
    if (std::system(command.c_str()) != 0) complain("'" + command + "' failed");
}

}  // namespace

Exit run_status(const Terminal& terminal, const Endpoint& endpoint) {
    return present(terminal, ask(endpoint, "GET", "/v1/status"), [&](const json::value& status) {
        std::string out = terminal.bold(text(status, "node")) + " of " + text(status, "cluster") +
                          ", version " + text(status, "version") + ", start " +
                          text(status, "incarnation");
        if (text(status, "drained") == "true") out += ", " + terminal.bad("drained");
        if (text(status, "removed") == "true") out += ", " + terminal.bad("removed");
        const std::string membership = text(status, "membership");
        if (membership.starts_with("not")) out += "\nmembers " + membership;
        if (const std::string failure = text(status, "failure"); !failure.empty()) {
            out += "\n" + terminal.bad("failed: ") + failure;
        }
        return out + "\n\n" + groups_text(terminal, list(status, "groups")) + "\n" +
               members_text(terminal, list(status, "members"));
    });
}

Exit run_members(const Terminal& terminal, const Endpoint& endpoint) {
    return present(terminal, ask(endpoint, "GET", "/v1/members"), [&](const json::value& members) {
        return members_text(terminal, members.as_array());
    });
}

Exit run_groups(const Terminal& terminal, const Endpoint& endpoint) {
    return present(terminal, ask(endpoint, "GET", "/v1/groups"), [&](const json::value& groups) {
        return groups_text(terminal, groups.as_array());
    });
}

Exit run_locks(const Terminal& terminal, const Endpoint& endpoint) {
    if (is_abroad(endpoint)) return locks_abroad(terminal, endpoint);
    return present(terminal, ask(endpoint, "GET", "/v1/locks"),
                   [&](const json::value& locks) { return locks_text(terminal, locks); });
}

// Waiting is a chain of long polls: each is answered when something has changed. None is long, for
// while it lasts a node that hangs looks like one where nothing happens.
Exit run_leader(const Terminal& terminal, const Endpoint& endpoint, const LeaderOptions& options) {
    if (is_abroad(endpoint)) return leader_abroad(terminal, endpoint, options);
    const std::string target = "/v1/groups/" + path_segment(options.group);
    const auto wait = options.wait.empty() ? std::optional(std::chrono::nanoseconds{0})
                                           : read_duration(options.wait);
    if (!wait) {
        complain("--wait: '" + options.wait + "' is no duration");
        return Exit::usage;
    }
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + *wait;
    Reply reply = ask(endpoint, "GET", target);
    while (reply.good() && text(reply.body, "leader").empty() && Clock::now() < end) {
        constexpr std::chrono::milliseconds longest(2000);
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
        const auto poll = std::clamp(left, std::chrono::milliseconds(1), longest);
        reply = ask(endpoint, "GET",
                    target + "?index=" + text(reply.body, "index") +
                        "&wait=" + std::to_string(poll.count()) + "ms",
                    {}, poll);
    }
    if (!reply.good()) return reply.exit;
    const std::string leader = text(reply.body, "leader");
    if (!options.is.empty()) {
        if (leader.empty()) return Exit::unreachable;
        return leader == options.is ? Exit::ok : Exit::no;
    }
    if (terminal.format != Format::text) {
        std::printf("%s\n", json::serialize(reply.body).c_str());
    } else if (!leader.empty()) {
        std::printf("%s\n", leader.c_str());
    }
    if (!leader.empty()) return Exit::ok;
    complain("group " + options.group + " has no leader");
    return Exit::not_yet;
}

Exit run_alive(const Terminal& terminal, const Endpoint& endpoint, const std::string& node) {
    const Reply reply = ask(endpoint, "GET", "/v1/members/" + path_segment(node));
    if (!reply.good()) return reply.exit;
    const std::string opinion = text(reply.body, "opinion");
    if (terminal.format != Format::text) {
        std::printf("%s\n", json::serialize(reply.body).c_str());
    } else if (!terminal.quiet) {
        const std::string evidence = text(reply.body, "evidence");
        std::printf("%s is %s, for %s%s\n", node.c_str(), opinion.c_str(),
                    span_text(number(reply.body, "since_ms")).c_str(),
                    evidence.empty() ? "" : (": " + evidence).c_str());
    }
    if (opinion == "unsuspected") return Exit::ok;
    return opinion == "unknown" ? Exit::unreachable : Exit::no;
}

void show_change(const Terminal& terminal, const json::value& change, const std::string& command) {
    const std::string line = terminal.format == Format::text ? change_line(terminal, change)
                                                             : json::serialize(change) + "\n";
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
    if (!command.empty()) run_for(command, change);
}

Exit run_watch(const Terminal& terminal, const Endpoint& endpoint, const WatchOptions& options) {
    if (is_abroad(endpoint)) return watch_abroad(terminal, endpoint, options);
    const std::string target =
        "/v1/events" + (options.group.empty() ? "" : "?group=" + path_segment(options.group));
    return follow(endpoint, target, options.since, [&](const StreamEvent& event) {
        boost::system::error_code error;
        const json::value change = json::parse(event.data, error);
        if (!error) show_change(terminal, change, options.command);
        return true;
    });
}

Exit run_explain(const Terminal& terminal, const Endpoint& endpoint,
                 const ExplainOptions& options) {
    const Reply reply =
        ask(endpoint, "GET", "/v1/history?limit=1000&group=" + path_segment(options.group));
    if (!reply.good()) return reply.exit;
    const json::value* chosen = nullptr;
    static const json::array none;
    const auto* changes = reply.body.if_array();
    for (const json::value& change : changes ? *changes : none) {
        if (!options.epoch.empty() && text(change, "epoch") != options.epoch) continue;
        if (options.epoch.empty() || !text(change, "leader").empty()) chosen = &change;
    }
    if (!chosen) {
        complain("this node knows of no such change of leadership in " + options.group);
        return Exit::not_yet;
    }
    const std::string out = terminal.format == Format::text ? cause_text(terminal, *chosen)
                                                            : json::serialize(*chosen) + "\n";
    std::fputs(out.c_str(), stdout);
    return Exit::ok;
}

}  // namespace conclave
