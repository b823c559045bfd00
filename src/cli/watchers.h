// cli/watchers.h -- the commands that ask a node what it knows: status, members, groups, locks,
// leader, alive, watch, explain.
#pragma once
#include <string>

#include "cli/ask.h"
#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

Exit run_status(const Terminal& terminal, const Endpoint& endpoint);
Exit run_members(const Terminal& terminal, const Endpoint& endpoint);
Exit run_groups(const Terminal& terminal, const Endpoint& endpoint);
Exit run_locks(const Terminal& terminal, const Endpoint& endpoint);

struct LeaderOptions {
    std::string group;
    std::string wait;  // a duration: until there is a leader; empty: as it is now
    std::string is;    // a node: is it this one?
};
Exit run_leader(const Terminal& terminal, const Endpoint& endpoint, const LeaderOptions& options);

Exit run_alive(const Terminal& terminal, const Endpoint& endpoint, const std::string& node);

struct WatchOptions {
    std::string group;    // empty: all
    std::string since;    // the number of the last change seen
    std::string command;  // run for each change, with the change in its environment
};
// One change of leadership, as a node or an engine tells it, and the command for it.
void show_change(const Terminal& terminal, const boost::json::value& change,
                 const std::string& command);
Exit run_watch(const Terminal& terminal, const Endpoint& endpoint, const WatchOptions& options);

struct ExplainOptions {
    std::string group;
    std::string epoch;  // empty: the last change
};
Exit run_explain(const Terminal& terminal, const Endpoint& endpoint, const ExplainOptions& options);

}  // namespace conclave
