#include "cli/node_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "client/node_session.h"

namespace conclave {

namespace {

void add_endpoint(CLI::App& app, NodeWords& words) {
    Endpoint& endpoint = words.endpoint;
    app.add_option("--endpoint", endpoint.urls,
                   "URL[,URL] of the node to ask (CONCLAVE_ENDPOINT, else the local socket); or "
                   "etcd://HOST,..., zookeeper://HOST,...");
    app.add_option("--cacert", endpoint.shown.tls.ca, "whom to believe, for https");
    app.add_option("--cert", endpoint.shown.tls.cert, "who we are, for https");
    app.add_option("--key", endpoint.shown.tls.key, "  and its key");
    app.add_option("--token-file", endpoint.shown.token_file,
                   "FILE with the node's token, to change something without a certificate "
                   "(CONCLAVE_TOKEN_FILE)");
    app.add_option("--timeout", endpoint.timeout, "how long an answer may take");
}

void add_running(CLI::App& app, NodeWords& words) {
    auto* up = app.add_subcommand("up", "a whole cluster of real processes on this machine");
    up->add_option("-n", words.up.nodes, "how many nodes");
    up->add_option("--algorithm", words.up.algorithm, "of the election");
    up->add_option("--dir", words.up.folder, "a folder to keep; else a temporary one");
    up->add_flag("--record", words.up.record, "every step, into DIR/NODE/record: see `replay`");
    auto* node = app.add_subcommand("node", "one node");
    node->add_option("--config", words.node.config, "FILE");
    node->add_option("--set", words.node.overrides, "SECTION.KEY=VALUE, over the file")
        ->allow_extra_args(false)
        ->take_all();
    node->add_flag("--check-config", words.node.check,
                   "print the effective settings and what follows from them, and do not start");
}

void add_members(CLI::App& app, NodeWords& words) {
    auto* members = app.add_subcommand("members", "who is there; `add` and `remove` change that");
    members->require_subcommand(0, 1);
    auto* add = members->add_subcommand("add", "a node joins the running cluster");
    add->add_option("name", words.member.name, "NAME")->required();
    add->add_option("address", words.member.address, "HOST:PORT where the others find it")
        ->required();
    add->add_option("--id", words.member.id, "N, its id: fixed for life")->required();
    add->add_option("--role", words.member.role, "voter, witness or learner")
        ->check(CLI::IsMember({"voter", "witness", "learner"}));
    auto* remove = members->add_subcommand("remove", "a node leaves it, for good or for a while");
    remove->add_option("name", words.member.name, "NAME")->required();
    for (CLI::App* change : {add, remove})
        change->add_option("--wait", words.member.wait, "DUR until it is done");
}

void add_watching(CLI::App& app, NodeWords& words) {
    app.add_subcommand("status", "the node, its groups, its peers");
    add_members(app, words);
    app.add_subcommand("groups", "who leads what");
    app.add_subcommand("locks", "who holds which lock, and who waits for it");
    auto* leader = app.add_subcommand("leader", "who leads a group; 75 if nobody does");
    leader->add_option("group", words.leader.group, "GROUP")->required();
    leader->add_option("--wait", words.leader.wait, "DUR, until there is one");
    leader->add_option("--is", words.leader.is, "NODE: 0 yes, 1 no, 69 cannot tell");
    auto* alive = app.add_subcommand("alive", "0 unsuspected, 1 suspected or failed, 69 unknown");
    alive->add_option("node", words.alive, "NODE")->required();
    auto* watch = app.add_subcommand("watch", "every change of leadership, as it happens");
    watch->add_option("group", words.watch.group, "GROUP, else all");
    watch->add_option("--since", words.watch.since, "the index of the last change seen");
    watch->add_option("-x,--exec", words.watch.command, "run this for each change");
    auto* explain = app.add_subcommand("explain", "why leadership changed, step by step");
    explain->add_option("group", words.explain.group, "GROUP")->required();
    explain->add_option("epoch", words.explain.epoch, "EPOCH, else the last change");
}

void add_doing(CLI::App& app, NodeWords& words) {
    auto* resign = app.add_subcommand("resign", "the leader hands over");
    resign->add_option("group", words.hand_over.group, "GROUP")->required();
    resign->add_option("--to", words.hand_over.to, "NODE");
    auto* appoint = app.add_subcommand("appoint", "a person's choice of leader");
    appoint->add_option("group", words.hand_over.group, "GROUP")->required();
    appoint->add_option("node", words.hand_over.to, "NODE")->required();
    app.add_subcommand("drain", "the node leads nothing any more, until undrain");
    app.add_subcommand("undrain", "and again it may");
    auto* release = app.add_subcommand("release", "take a lock away from whoever holds it");
    release->add_option("name", words.release.lock, "NAME")->required();
    release->add_flag("--force", words.release.force, "it does not give it back by itself");
}

void add_lock(CLI::App& app, NodeWords& words) {
    auto* lock = app.add_subcommand("lock", "run a command while holding a lock");
    lock->add_option("name", words.lock.name, "NAME")->required();
    auto* shared = lock->add_flag("-s,--shared", words.lock.shared, "with others that share it");
    auto* slots = lock->add_option("--slots", words.lock.slots, "N may hold it at once")
                      ->check(CLI::Range(1, 1'000'000))
                      ->excludes(shared);
    auto* wait = lock->add_option("-w,--wait", words.lock.wait, "DUR for the lock; else for ever");
    lock->add_flag("-n,--no-wait", words.lock.at_once, "75 if it is not free")->excludes(wait);
    lock->add_option("-E,--exit-code", words.lock.busy_code, "instead of 75, if it was not free")
        ->check(CLI::Range(0, 255));
    auto* ttl = lock->add_option("--ttl", words.lock.ttl, "DUR that it is held without contact");
    lock->add_option("--grace", words.lock.grace,
                     "DUR between SIGTERM and SIGKILL, at most half the ttl; else a quarter");
    lock->add_option("--mutex", words.lock.mutex,
                     "M: by the node's [mutex.M], a classic algorithm, not the lock service")
        ->excludes(shared)
        ->excludes(slots)
        ->excludes(ttl);
    lock->add_option("command", words.lock.command,
                     "-- COMMAND...; none: print the token, hold until the end of input");
}

void add_lead(CLI::App& app, NodeWords& words) {
    auto* lead = app.add_subcommand("lead", "run a command while leading a group");
    lead->add_option("group", words.lead.group, "GROUP")->required();
    auto* wait = lead->add_option("-w,--wait", words.lead.wait, "DUR to be elected; else for ever");
    lead->add_flag("-n,--no-wait", words.lead.at_once, "75 if somebody else leads")->excludes(wait);
    lead->add_option("-E,--exit-code", words.lead.not_elected, "instead of 75, if not elected")
        ->check(CLI::Range(0, 255));
    lead->add_option("--grace", words.lead.grace,
                     "DUR between SIGTERM and SIGKILL, at most half a lease; else a quarter");
    lead->add_flag("--restart", words.lead.restart, "campaign again after the lead was lost");
    lead->add_option("--priority", words.lead.priority,
                     "N: the largest who waits leads next; else what the node is configured with")
        ->check(CLI::Range(-client::largest_priority, client::largest_priority));
    lead->add_option("command", words.lead.command, "-- COMMAND...")->required();
}

void add_cert(CLI::App& app, NodeWords& words) {
    auto* cert = app.add_subcommand("cert", "a development CA and node certificates");
    cert->require_subcommand(1);
    auto* init = cert->add_subcommand("init", "make a CA");
    init->add_option("--dir", words.cert_init.folder, "where ca.crt and ca.key go");
    init->add_option("--name", words.cert_init.name, "of the CA");
    init->add_option("--days", words.cert_init.days, "how long it is valid");
    init->add_flag("--force", words.cert_init.force, "replace what is there");
    auto* issue = cert->add_subcommand("issue", "make certificates");
    issue->add_option("names", words.cert_issue.names, "NAME...")->required();
    issue->add_option("--dir", words.cert_issue.folder, "where the CA is");
    issue->add_option("--host", words.cert_issue.hosts, "a DNS name or address, too");
    issue->add_flag("--client", words.cert_issue.client, "for an operator, not a node");
    issue->add_option("--days", words.cert_issue.days, "how long they are valid");
    issue->add_flag("--force", words.cert_issue.force, "replace what is there");
    auto* show = cert->add_subcommand("show", "what a certificate says");
    show->add_option("files", words.cert_show.files, "FILE...")->required();
}

// Every command with its own flags and the global ones.
std::vector<CompletedCommand> commands_of(const CLI::App& app) {
    std::vector<CompletedCommand> commands;
    const auto add_flags = [](const CLI::App& from, std::vector<std::string>& flags) {
        const auto add = [&flags](const std::string& flag) {
            if (std::ranges::count(flags, flag) == 0) flags.push_back(flag);
        };
        for (const CLI::Option* option : from.get_options()) {
            for (const std::string& name : option->get_lnames()) add("--" + name);
            for (const std::string& name : option->get_snames()) add("-" + name);
        }
    };
    for (const CLI::App* command : app.get_subcommands({})) {
        CompletedCommand one{command->get_name(), command->get_description(), {}, {}};
        add_flags(*command, one.flags);
        for (const CLI::App* verb : command->get_subcommands({})) {
            one.verbs.push_back(verb->get_name());
            add_flags(*verb, one.flags);
        }
        add_flags(app, one.flags);
        commands.push_back(std::move(one));
    }
    return commands;
}

void add_fence(CLI::App& app, NodeWords& words) {
    auto* fence = app.add_subcommand("fence", "the resource's side of a fencing token");
    fence->require_subcommand(1);
    auto* check = fence->add_subcommand("check", "0 admitted, 77 if a larger one was here before");
    check->add_option("--file", words.fence.file, "FILE that keeps the largest")->required();
    check->add_option("--token", words.fence.token, "TOKEN of who wants to write")->required();
}

std::optional<Exit> obey_cert(const CLI::App& app, const Terminal& terminal,
                              const NodeWords& words) {
    const auto* cert = app.get_subcommand("cert");
    if (cert->got_subcommand("init")) return run_cert_init(terminal, words.cert_init);
    if (cert->got_subcommand("issue")) return run_cert_issue(terminal, words.cert_issue);
    return run_cert_show(terminal, words.cert_show);
}

Exit obey_members(const CLI::App& app, const Terminal& terminal, const NodeWords& words) {
    const auto* members = app.get_subcommand("members");
    if (members->got_subcommand("add"))
        return run_add_member(terminal, words.endpoint, words.member);
    if (members->got_subcommand("remove"))
        return run_remove_member(terminal, words.endpoint, words.member);
    return run_members(terminal, words.endpoint);
}

}  // namespace

void add_node_words(CLI::App& app, NodeWords& words) {
    add_endpoint(app, words);
    add_running(app, words);
    add_watching(app, words);
    add_doing(app, words);
    add_lock(app, words);
    add_lead(app, words);
    add_cert(app, words);
    add_fence(app, words);
    auto* completion = app.add_subcommand("completion", "for a shell: bash, zsh or fish");
    completion->add_option("shell", words.shell, "SHELL")->required();
}

std::optional<Exit> obey_node_words(const CLI::App& app, const Terminal& terminal,
                                    const NodeWords& words) {
    const Endpoint& endpoint = words.endpoint;
    const auto typed = [&](const char* name) { return app.got_subcommand(name); };
    if (typed("up")) return run_up(terminal, words.up);
    if (typed("node")) return run_node(terminal, words.node);
    if (typed("status")) return run_status(terminal, endpoint);
    if (typed("members")) return obey_members(app, terminal, words);
    if (typed("groups")) return run_groups(terminal, endpoint);
    if (typed("locks")) return run_locks(terminal, endpoint);
    if (typed("leader")) return run_leader(terminal, endpoint, words.leader);
    if (typed("alive")) return run_alive(terminal, endpoint, words.alive);
    if (typed("watch")) return run_watch(terminal, endpoint, words.watch);
    if (typed("explain")) return run_explain(terminal, endpoint, words.explain);
    if (typed("resign")) return run_resign(terminal, endpoint, words.hand_over);
    if (typed("appoint")) return run_appoint(terminal, endpoint, words.hand_over);
    if (typed("drain")) return run_drain(terminal, endpoint, true);
    if (typed("undrain")) return run_drain(terminal, endpoint, false);
    if (typed("release")) return run_release(terminal, endpoint, words.release);
    if (typed("lock")) return run_lock(terminal, endpoint, words.lock);
    if (typed("lead")) return run_lead(endpoint, words.lead);
    if (typed("completion")) return run_completion(words.shell, commands_of(app));
    if (typed("cert")) return obey_cert(app, terminal, words);
    if (typed("fence")) return run_fence_check(terminal, words.fence);
    return std::nullopt;
}

}  // namespace conclave
