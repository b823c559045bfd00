// cli/cluster_partition_test.cc -- real processes in network namespaces, and a router between them
// that swallows what it is told to.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/cluster_test.h"
#include "cli/network_test.h"
#include "cli/tenures_test.h"

namespace conclave {
namespace {

class PartitionedCluster : public RealCluster {
protected:
    void SetUp() override {
        auto made = Network::make(nodes);
        if (!made) GTEST_SKIP() << made.error().what;
        network = std::move(*made);
    }
    void TearDown() override {
        RealCluster::TearDown();
        network.reset();
    }
    void prepare_apart(const std::string& algorithm, const std::string& settings = "") {
        const auto enter = folder / "enter";
        write_script(enter,
                     "exec nsenter --net=\"$(cat \"$(dirname \"$3\")/namespace\")\" "
                     "'" CONCLAVE_BINARY "' \"$@\"\n");
        Cluster::Plan plan = plan_of(algorithm, nodes, settings);
        plan.program = enter;
        for (std::uint32_t id = 1; id <= nodes; ++id) {
            plan.listen.push_back(network->address(id) + ":7420");
        }
        prepare(plan);
        for (std::uint32_t id = 1; id <= nodes; ++id) {
            std::ofstream(process(id - 1).folder / "namespace") << network->namespace_of(id);
        }
    }
    void cut(const Network::Cuts& cuts) {
        const auto error = network->cut(cuts);
        ASSERT_FALSE(error) << error->what;
    }
    void heal() {
        const auto error = network->heal();
        ASSERT_FALSE(error) << error->what;
    }
    // Somebody to lead whom the test wants to see cut off.
    void make_leader(const std::string& name) {
        ASSERT_TRUE(comes_true([&] {
            const std::string named = named_by_all();
            if (named == name) return true;
            static_cast<void>(ask_node(place(named), "/v1/groups/main/resign", "POST",
                                       boost::json::object{{"to", name}}));
            return false;
        })) << logs();
    }
    // For TCP a short cut is nothing but a delay: later, links have to be made anew.
    bool linked(std::size_t at, std::size_t peer) const {
        const auto said = said_at(process(at).endpoint(), "/v1/members/" + process(peer).name);
        const auto* member = said.if_object();
        return member && member->at("linked").as_bool();
    }
    // Whom the plan that this node works by was made for.
    std::string planned_at(std::size_t at) const {
        const auto said = group_at(at);
        const auto* group = said.if_object();
        const auto* definition = group ? group->if_contains("definition") : nullptr;
        if (!definition) return "";
        const std::string plan(definition->at("plan").as_string());
        return plan.substr(0, plan.find('\n'));
    }
    void expect_plan(const Places& places, const std::string& plan) {
        for (const std::size_t at : places) {
            EXPECT_TRUE(comes_true([&] { return planned_at(at) == plan; }))
                << process(at).name << " works by '" << planned_at(at) << "'\n"
                << logs();
        }
    }

    static constexpr std::uint32_t nodes = 5;
    std::unique_ptr<Network> network;
};

TEST_F(PartitionedCluster, OfTwoSidesOnlyTheMajorityHasALeader) {
    prepare_apart("quorum");
    restart();
    make_leader("n1");
    TenureWatch watch(*cluster);
    cut(between({1, 2}, {3, 4, 5}));
    leader_among({2, 3, 4});
    expect_leader("nobody", {0, 1});
    ASSERT_TRUE(comes_true([&] { return !linked(0, 2) && !linked(4, 1); })) << logs();
    heal();
    agreed_leader();
    watch.expect_one_after_the_other();
}

TEST_F(PartitionedCluster, ALeaderThatIsHeardByNobodyGivesUpAndCatchesUp) {
    prepare_apart("quorum");
    restart();
    make_leader("n5");
    TenureWatch watch(*cluster);
    cut({{5, 1}, {5, 2}, {5, 3}, {5, 4}});
    leader_among({0, 1, 2, 3});
    EXPECT_FALSE(leads(4));
    heal();
    agreed_leader();
    watch.expect_one_after_the_other();
}

TEST_F(PartitionedCluster, EachSideOfInvitationWorksByAPlanOfItsOwnUntilTheyMerge) {
    prepare_apart("invitation", "plan = \"command:plan\"\non_stop = \"command:stop\"\n");
    for (const Cluster::Process& one : cluster->processes()) {
        write_script(one.folder / "plan", "echo for $(cat)\n");
        write_script(one.folder / "stop", "echo stopped >>\"$(dirname \"$0\")/stops\"\n");
    }
    restart();
    expect_leader("n5");
    expect_plan(everybody(), "for n1 n2 n3 n4 n5");
    std::vector<std::string> stops;
    for (const std::size_t at : everybody()) stops.push_back(slurp(process(at).folder / "stops"));

    cut(between({1, 2}, {3, 4, 5}));
    expect_plan({0, 1}, "for n1 n2");
    expect_plan({2, 3, 4}, "for n3 n4 n5");
    expect_leader("n2", {0, 1});
    expect_leader("n5", {2, 3, 4});
    for (const std::size_t at : everybody()) {
        EXPECT_TRUE(comes_true([&] { return slurp(process(at).folder / "stops") != stops[at]; }));
    }

    heal();
    expect_plan(everybody(), "for n1 n2 n3 n4 n5");
    expect_leader("n5");
}

}  // namespace
}  // namespace conclave
