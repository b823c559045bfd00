#include "cli/up.h"

#include <signal.h>
#include <stdlib.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "cli/ask.h"
#include "cli/cluster.h"
#include "node/placing.h"

namespace conclave {

namespace {

namespace fs = std::filesystem;

volatile sig_atomic_t told_to_stop = 0;

void stop_on_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { told_to_stop = 1; };
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGHUP, &action, nullptr);
}

struct Folder {  // ours to remove, unless the person named it
    fs::path path;
    bool temporary = false;

    ~Folder() {
        std::error_code ignored;
        if (temporary) fs::remove_all(path, ignored);
    }
};

bool make_folder(const UpOptions& options, Folder& folder) {
    std::error_code error;
    if (!options.folder.empty()) {
        fs::create_directories(options.folder, error);
        folder.path = fs::absolute(options.folder);
        if (error) complain(options.folder + ": " + error.message());
        return !error;
    }
    std::string pattern = (fs::temp_directory_path() / "conclave-up-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        complain("no temporary folder can be made");
        return false;
    }
    folder.path = pattern;
    folder.temporary = true;
    return true;
}

// Leader and epoch, as the first node that answers knows them; empty: nobody leads.
std::string leader_now(const Cluster& cluster) {
    Endpoint endpoint;
    endpoint.urls = cluster.endpoints();
    endpoint.timeout = "1s";
    endpoint.silent = true;
    const Reply reply = ask(endpoint, "GET", "/v1/groups/main");
    const auto* group = reply.good() ? reply.body.if_object() : nullptr;
    const auto* leader = group ? group->if_contains("leader") : nullptr;
    const auto* epoch = group ? group->if_contains("epoch") : nullptr;
    if (!leader || !leader->is_string() || !epoch || !epoch->is_number()) return "";
    return std::string(leader->get_string()) + ", epoch " +
           std::to_string(epoch->to_number<std::uint64_t>());
}

void introduce(const Terminal& terminal, const Cluster& cluster, const Folder& folder) {
    std::printf("%zu nodes in %s\n\n", cluster.processes().size(), folder.path.c_str());
    std::vector<std::vector<std::string>> rows{{"node", "pid", "endpoint", "log"}};
    for (const Cluster::Process& one : cluster.processes()) {
        rows.push_back(
            {one.name, std::to_string(one.pid), one.endpoint(), (one.folder / "log").string()});
    }
    std::fputs(table(terminal, rows).c_str(), stdout);
    std::printf("\nexport CONCLAVE_ENDPOINT=%s\n\n", cluster.endpoints().c_str());
}

void watch(const Terminal& terminal, Cluster& cluster) {
    std::string known;
    while (told_to_stop == 0 && cluster.running()) {
        for (const std::string& words : cluster.ended()) {
            std::printf("%s\n", terminal.bad(words).c_str());
        }
        const std::string leader = leader_now(cluster);
        if (leader != known) {
            known = leader;
            std::printf("leader: %s\n", leader.empty() ? terminal.bad("none").c_str()
                                                       : terminal.bold(leader).c_str());
        }
        std::fflush(stdout);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

}  // namespace

Exit run_up(const Terminal& terminal, const UpOptions& options) {
    constexpr std::uint32_t most = 50;
    if (options.nodes < 1 || options.nodes > most) {
        complain("-n must be 1 to " + std::to_string(most));
        return Exit::usage;
    }
    const auto known = node::known_algorithms().elections;
    if (std::find(known.begin(), known.end(), options.algorithm) == known.end()) {
        complain("--algorithm: no election is called '" + options.algorithm + "'");
        return Exit::usage;
    }
    Folder folder;
    if (!make_folder(options, folder)) return Exit::cannot_create;
    Cluster::Plan plan;
    plan.folder = folder.path;
    plan.nodes = options.nodes;
    plan.algorithm = options.algorithm;
    plan.record = options.record;
    plan.settings = "\n[locks]\n";
    auto cluster = Cluster::prepare(plan);
    if (!cluster) {
        complain(cluster.error().what);
        return Exit::cannot_create;
    }
    stop_on_signals();
    if (const auto error = cluster->start()) {
        complain(error->what);
        return Exit::internal;
    }
    introduce(terminal, *cluster, folder);
    watch(terminal, *cluster);
    const bool ours = told_to_stop != 0;
    cluster->stop();
    if (ours) return Exit::ok;
    complain("all nodes have ended; see their logs");
    return Exit::internal;
}

}  // namespace conclave
