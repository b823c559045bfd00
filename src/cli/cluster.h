// cli/cluster.h -- a cluster of real processes in one folder: certificates, configurations, logs.
//
//     DIR/certs/ca.crt n1.crt n1.key ...   DIR/n1/node.toml state/ api.sock log pid
//
// The processes are children of this one and end with it, however it ends.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace conclave {

class Cluster {
public:
    struct Plan {
        std::filesystem::path folder;
        std::uint32_t nodes = 3;
        std::string algorithm = "quorum";  // empty: `settings` name an engine
        std::string group = "main";
        std::string program = "/proc/self/exe";  // whose `node` command runs a node
        std::string settings{};                  // more lines for the group
        bool candidate = true;                   // each node stands, whoever campaigns
        std::vector<std::string> listen{};  // where each listens; none: free ports of 127.0.0.1
        // What one node dials to reach another, by their ids, who listens there; none: just that.
        std::function<std::string(std::uint32_t from, std::uint32_t to, const std::string& listen)>
            road{};
        bool record = false;  // into the folder `record` of each node
    };
    struct Process {
        std::string name;
        std::filesystem::path folder;
        std::string listen{};  // where its peers find it
        pid_t pid = -1;        // -1: it has ended

        std::string endpoint() const { return "unix:" + (folder / "api.sock").string(); }
    };

    static Result<Cluster> prepare(const Plan& plan);  // writes everything, starts nothing
    Cluster(Cluster&&) noexcept;
    Cluster& operator=(Cluster&&) = delete;
    ~Cluster();  // stops what still runs

    const std::vector<Process>& processes() const { return processes_; }
    std::string endpoints() const;  // of those that run, comma separated

    [[nodiscard]] std::optional<Error> start();
    // Who has ended since the last call, and how: "n2 was killed by signal 9".
    std::vector<std::string> ended();
    bool running() const;
    void stop();  // politely, then firmly; within a few seconds

private:
    explicit Cluster(Plan plan) : plan_(std::move(plan)) {}
    std::optional<Error> find_places();
    std::optional<Error> make_certificates();
    std::optional<Error> write_configurations();
    std::optional<Error> start(Process& process);

    Plan plan_;
    std::vector<Process> processes_;
};

}  // namespace conclave
