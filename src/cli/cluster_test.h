// cli/cluster_test.h -- for the tests: a cluster of real processes, what they say, and what is done
// to them.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/value.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ask.h"
#include "cli/cluster.h"
#include "cli/run_test.h"
#include "net/comes_true_test.h"

namespace conclave {

void write_script(const std::filesystem::path& path, const std::string& text);

// What a node says about one of its resources; nothing: it did not answer, or not well.
boost::json::value said_at(const std::string& endpoint, const std::string& target);

class RealCluster : public Command {
protected:
    void TearDown() override { cluster.reset(); }  // before whatever a test built around it

    Cluster::Plan plan_of(const std::string& algorithm, std::uint32_t nodes,
                          const std::string& settings = "") const {
        return {folder, nodes, algorithm, "main", program, settings};
    }
    void prepare(const Cluster::Plan& plan);
    void prepare(const std::string& algorithm, std::uint32_t nodes,
                 const std::string& settings = "") {
        prepare(plan_of(algorithm, nodes, settings));
    }
    void start(const std::string& algorithm, std::uint32_t nodes = 5) {
        prepare(algorithm, nodes);
        restart();
    }
    void restart();  // those that have ended
    // Of its API, beside the socket, from its next start on; and more lines for [api].
    void open_port(std::size_t at, const std::string& settings = "") const;
    std::string api_address(std::size_t at) const;  // "127.0.0.1:PORT", of its first start

    Reply ask_node(std::size_t at, const std::string& target, const char* method = "GET",
                   const boost::json::value& body = {}) const;
    boost::json::value group_at(std::size_t at) const {
        return said_at(process(at).endpoint(), "/v1/groups/main");
    }
    using Places = std::vector<std::size_t>;
    Places everybody() const;
    std::string named_by(std::size_t at) const;  // whom this node names; "?": it does not answer
    std::string named_by_all() const { return named_by_all(everybody()); }
    std::string named_by_all(const Places& some) const;  // as far as they run
    void expect_leader(const std::string& name) { expect_leader(name, everybody()); }
    void expect_leader(const std::string& name, const Places& some);
    // Waits for somebody whom all name; empty if that never happens.
    std::string agreed_leader() { return leader_among(everybody()); }
    std::string leader_among(const Places& some);  // and is one of them
    void survives_a_crash(const std::string& algorithm, const std::string& in_the_end);
    std::size_t place(const std::string& name) const;
    bool leads(std::size_t at) const;  // by its own account
    std::uint64_t epoch_at(std::size_t at) const;
    std::uint64_t received_at(std::size_t at, std::string_view type) const;  // messages
    std::uint64_t changes_at(std::size_t at) const;  // grows with every change it knows of
    double metric(std::size_t at, const std::string& name) const;  // without labels; -1: none

    void kill(std::size_t at, int signal = SIGKILL);  // SIGKILL: and waits for the end
    void kill_all();  // for nodes with long leases, whose polite end would take as long
    std::string end_of(std::size_t at);  // waits for it: "n2 ended with exit code 0"
    std::string log_of(std::size_t at) const { return slurp(process(at).folder / "log"); }
    bool logs_at(std::size_t at, std::string_view words) const;  // waits for them
    std::string logs() const;
    const Cluster::Process& process(std::size_t at) const { return cluster->processes()[at]; }

    std::string program = CONCLAVE_BINARY;
    std::optional<Cluster> cluster;
};

}  // namespace conclave
