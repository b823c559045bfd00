// cli/cluster_links_test.cc -- links between real processes that are late, stalled, cut, or carry
// one way only.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "cli/cluster_test.h"
#include "cli/relay_test.h"
#include "cli/tenures_test.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;

class RelayedCluster : public RealCluster {
protected:
    void start_relayed(std::uint32_t nodes, const std::string& settings = "") {
        Cluster::Plan plan = plan_of("quorum", nodes, settings);
        plan.road = [this](std::uint32_t from, std::uint32_t to, const std::string& listen) {
            return relay.open(from, to, listen);
        };
        prepare(plan);
        restart();
    }
    // What one of them says to all others, and what they say to it.
    void set_links(std::size_t at, const Relay::Way& said, const Relay::Way& heard) {
        const auto id = [](std::size_t place) { return static_cast<std::uint32_t>(place + 1); };
        for (const std::size_t other : everybody()) {
            if (other == at) continue;
            relay.set(id(at), id(other), said);
            relay.set(id(other), id(at), heard);
        }
    }
    // A leader that is cut off gives up before the others elect, and is one of them once it heals.
    void outlives(const Relay::Way& said, const Relay::Way& heard) {
        start_relayed(3);
        const std::size_t leader = place(agreed_leader());
        TenureWatch watch(*cluster);
        const auto begin = std::chrono::steady_clock::now();
        set_links(leader, said, heard);
        Places others = everybody();
        std::erase(others, leader);
        leader_among(others);
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - begin;
        std::printf("another leader after %.0f ms\n", took.count());
        EXPECT_FALSE(leads(leader));
        set_links(leader, {}, {});
        agreed_leader();
        watch.expect_one_after_the_other();
    }

    Relay relay;
};

TEST_F(RelayedCluster, ALeaderWhoseLinksStallHasGivenUpBeforeTheOthersElect) {
    outlives({.stalled = true}, {.stalled = true});
}
TEST_F(RelayedCluster, ALeaderWhoseLinksAreCutHasGivenUpBeforeTheOthersElect) {
    outlives({.cut = true}, {.cut = true});
}
TEST_F(RelayedCluster, ALeaderThatNobodyHearsHasGivenUpBeforeTheOthersElect) {
    outlives({.stalled = true}, {});
}
// It goes on renewing until its lease is over, and then stops, or nobody else could ever lead.
TEST_F(RelayedCluster, ALeaderThatHearsNobodyHasGivenUpBeforeTheOthersElect) {
    outlives({}, {.stalled = true});
}

TEST_F(RelayedCluster, DelaysBelowTheLeaseChangeNothing) {
    start_relayed(3, "lease = \"2s\"\n");
    const std::string first = agreed_leader();
    const std::size_t leader = place(first);
    const std::uint64_t epoch = epoch_at(leader);
    for (const std::size_t at : everybody()) set_links(at, {.delay = 100ms}, {.delay = 100ms});
    const std::uint64_t answers = received_at(leader, "Renewed");
    constexpr std::uint64_t enough = 12;  // six rounds, of two followers
    ASSERT_TRUE(comes_true([&] { return received_at(leader, "Renewed") >= answers + enough; }));
    for (const std::size_t at : everybody()) {
        EXPECT_EQ(named_by(at), first);
        EXPECT_EQ(epoch_at(at), epoch) << logs();
    }
    kill_all();
}

}  // namespace
}  // namespace conclave
