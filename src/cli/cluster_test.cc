// cli/cluster_test.cc -- every election on real processes: elect, kill the leader, elect the right
// next one, bring it back, settle again.
#include "cli/cluster_test.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <string>

#include "cli/tenures_test.h"

namespace conclave {
namespace {

// Who is late at the start may find another one in office, and that one stays.
TEST_F(RealCluster, QuorumElectsFailsOverAndKeepsItsLeader) {
    start("quorum");
    const std::string first = agreed_leader();
    const std::size_t other = first == "n1" ? 1 : 0;
    const std::uint64_t epoch = epoch_at(other);
    kill(place(first));
    ASSERT_TRUE(comes_true([&] { return named_by_all() != first; }));
    const std::string second = agreed_leader();
    EXPECT_NE(second, first);
    EXPECT_GT(epoch_at(other), epoch);
    restart();
    expect_leader(second);
}
TEST_F(RealCluster, BullyElectsFailsOverAndTakesItsBestBack) { survives_a_crash("bully", "n5"); }
TEST_F(RealCluster, RingElectsFailsOverAndTakesItsBestBack) { survives_a_crash("ring", "n5"); }
TEST_F(RealCluster, RingListElectsFailsOverAndTakesItsBestBack) {
    survives_a_crash("ring-list", "n5");
}
TEST_F(RealCluster, GarciaMolinaElectsFailsOverAndTakesItsBestBack) {
    survives_a_crash("garcia-molina", "n5");
}
TEST_F(RealCluster, InvitationElectsFailsOverAndTakesItsBestBack) {
    survives_a_crash("invitation", "n5");
}

TEST_F(RealCluster, APausedLeaderFindsAnotherInOfficeWhenItWakes) {
    start("quorum", 3);
    const std::string first = agreed_leader();
    const std::size_t paused = place(first), other = paused == 0 ? 1 : 0;
    TenureWatch watch(*cluster);
    kill(paused, SIGSTOP);
    ASSERT_TRUE(comes_true([&] {
        const std::string named = named_by(other);
        return named != first && named != "nobody" && named != "?";
    }));
    kill(paused, SIGCONT);
    ASSERT_TRUE(comes_true([&] { return named_by(paused) != first; }));
    EXPECT_NE(agreed_leader(), first);
    watch.expect_one_after_the_other();
}

// It may have voted: its votes count for nothing until a person gives it a new id.
TEST_F(RealCluster, ANodeThatLostItsDiskIsNotBelieved) {
    start("quorum", 3);
    const std::string leader = agreed_leader();
    const std::size_t lost = leader == "n1" ? 1 : 0;
    const Cluster::Process& victim = cluster->processes()[lost];
    kill(lost);
    std::filesystem::remove_all(victim.folder / "state");
    restart();
    for (std::size_t at = 0; at < 3; ++at) {
        if (at == lost) continue;
        EXPECT_TRUE(comes_true([&] {
            const Reply reply = ask_node(at, "/v1/members/" + victim.name);
            const auto* member = reply.good() ? reply.body.if_object() : nullptr;
            return member && member->contains("distrusted");
        })) << logs();
        EXPECT_EQ(named_by(at), leader);
    }
}

TEST_F(RealCluster, AnUnhealthyLeaderHandsOverAndDoesNotStandAgain) {
    prepare("quorum", 3, "health = \"command:health\"\n");
    for (const Cluster::Process& one : cluster->processes()) {
        write_script(one.folder / "health", "exec test -e \"$(dirname \"$0\")/well\"\n");
        std::ofstream(one.folder / "well") << "yes";
    }
    restart();
    const std::string first = agreed_leader();
    std::filesystem::remove(cluster->processes()[place(first)].folder / "well");
    ASSERT_TRUE(comes_true([&] { return named_by_all() != first; }));
    const std::string second = agreed_leader();
    EXPECT_NE(second, first);
    std::filesystem::remove(cluster->processes()[place(second)].folder / "well");
    ASSERT_TRUE(comes_true([&] { return named_by_all() != second; }));
    const std::string third = agreed_leader();
    EXPECT_NE(third, first);
    EXPECT_NE(third, second);
}

TEST_F(RealCluster, ADrainedNodeLeadsNothing) {
    start("quorum", 3);
    const std::string first = agreed_leader();
    ASSERT_TRUE(ask_node(place(first), "/v1/node/drain", "POST", boost::json::object{}).good());
    ASSERT_TRUE(comes_true([&] { return named_by_all() != first; }));
    EXPECT_NE(agreed_leader(), first);
}

// A lease that no busy machine loses: whoever leads is moved by nothing but the wish.
class HandOver : public RealCluster {
protected:
    void SetUp() override {
        prepare("quorum", 3, "lease = \"20s\"\n");
        restart();
        leader = agreed_leader();
        ASSERT_NE(leader, "");
        follower = leader == "n1" ? 1 : 0;
        third = 3 - follower - place(leader);
    }
    void TearDown() override {
        kill_all();
        RealCluster::TearDown();
    }
    Reply wish(const std::string& deed, const boost::json::value& how) const {
        Endpoint endpoint;
        endpoint.urls = process(follower).endpoint();
        endpoint.timeout = "60s";
        endpoint.silent = true;
        return ask(endpoint, "POST", "/v1/groups/main/" + deed, how);
    }
    // Whom the leader has not heard yet it does not hand over to: then it is wished again.
    void expect_done(const std::string& deed, const boost::json::value& how) const {
        Reply reply;
        EXPECT_TRUE(comes_true([&] {
            reply = wish(deed, how);
            return reply.status == 202;
        })) << boost::json::serialize(reply.body);
    }

    std::string leader;
    std::size_t follower = 0, third = 0;
};

TEST_F(HandOver, IsDoneByTheLeaderWhereverItIsWished) {
    expect_done("resign", boost::json::object{{"to", process(third).name}});
    expect_leader(process(third).name);
    expect_done("appoint", boost::json::object{{"node", leader}});
    expect_leader(leader);
}
TEST_F(HandOver, IsRefusedInTheLeadersWords) {
    const Reply reply = wish("resign", boost::json::object{{"to", leader}});
    EXPECT_EQ(reply.status, 409u);
    EXPECT_EQ(reply.body.at("detail"), "that node may not lead the group");
    expect_leader(leader);
}
TEST_F(HandOver, IsNotWaitedForIfTheLeaderDoesNotAnswer) {
    kill(place(leader), SIGSTOP);
    EXPECT_EQ(wish("resign", boost::json::object{}).status, 503u);
}

TEST_F(RealCluster, TheCoordinatorsPlanReachesEveryMember) {
    prepare("garcia-molina", 3, "plan = \"command:plan\"\n");
    for (const Cluster::Process& one : cluster->processes()) {
        write_script(one.folder / "plan", "echo plan for $(cat)\n");
    }
    restart();
    for (std::size_t at = 0; at < 3; ++at) {
        EXPECT_TRUE(comes_true([&] {
            const Reply reply = ask_node(at, "/v1/groups/main");
            const std::string text = boost::json::serialize(reply.body);
            return text.find("plan for n1 n2 n3") != text.npos;
        })) << logs();
    }
}

TEST_F(RealCluster, ACleanStopEndsWithZeroAndLeavesNoLeaderBehind) {
    start("quorum", 3);
    const std::string first = agreed_leader();
    kill(place(first), SIGTERM);
    EXPECT_EQ(end_of(place(first)), first + " ended with exit code 0");
    ASSERT_TRUE(comes_true([&] { return named_by_all() != first; }));
    EXPECT_NE(agreed_leader(), first);
}

TEST_F(RealCluster, AppointedFollowsThePersonsChoiceAndNobodyElse) {
    start("appointed");
    const auto appoint = [&](const char* whom) {
        return comes_true([&] {
            return ask_node(0, "/v1/groups/main/appoint", "POST",
                            boost::json::object{{"node", whom}})
                .good();
        });
    };
    ASSERT_TRUE(appoint("n5"));
    expect_leader("n5");
    kill(4);
    ASSERT_TRUE(appoint("n2"));
    expect_leader("n2");
    restart();
    expect_leader("n2");
}

}  // namespace
}  // namespace conclave
