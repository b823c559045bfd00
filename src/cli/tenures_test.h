// cli/tenures_test.h -- for the tests: who held the lead from when until when, in the nodes' own
// words, judged by the properties that the checker demands of the quorum election.
//
// All nodes of a test run on one machine, so they read one clock (CLOCK_BOOTTIME) and what they say
// can be put in order.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/cluster.h"
#include "node/machine.h"

namespace conclave {

struct Reign {
    NodeId by{};
    node::Tenure tenure;
};

// Asks every node again and again what it holds at that moment. At the end it reads what each has
// written down about all it held; one that was killed has not written down its last.
class TenureWatch {
public:
    explicit TenureWatch(const Cluster& cluster, Duration pause = std::chrono::milliseconds(5));
    ~TenureWatch();
    TenureWatch(const TenureWatch&) = delete;
    TenureWatch& operator=(const TenureWatch&) = delete;

    // Ends the watch. The test fails if there were fewer than two tenures, or ever two at once.
    void expect_one_after_the_other();
    // Ends the watch. When somebody took office for the first time after that moment.
    std::optional<Instant> next_office_after(Instant moment);

private:
    std::vector<Reign> all();
    void note(NodeId by, const node::Tenure& tenure);
    void look(std::size_t at);
    void read_history(std::size_t at);

    std::vector<std::string> endpoints_;
    std::map<std::pair<Instant, NodeId>, node::Tenure> seen_;
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

// What the history of a group of nodes 1 to N breaks of what is always demanded; empty: nothing.
std::vector<std::string> broken_by(const std::vector<Reign>& history, std::uint32_t nodes);

}  // namespace conclave
