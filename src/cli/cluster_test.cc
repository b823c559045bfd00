// cli/cluster_test.cc -- every election on real processes: elect, kill the leader, elect the right
// next one, bring it back, settle again.
#include "cli/cluster.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cli/ask.h"
#include "cli/run_test.h"

namespace conclave {
namespace {

class RealCluster : public Command {
protected:
    void prepare(const std::string& algorithm, std::uint32_t nodes,
                 const std::string& settings = "") {
        auto prepared =
            Cluster::prepare({folder, nodes, algorithm, "main", CONCLAVE_BINARY, settings});
        ASSERT_TRUE(prepared) << prepared.error().what;
        cluster.emplace(std::move(*prepared));
    }
    void start(const std::string& algorithm, std::uint32_t nodes = 5) {
        prepare(algorithm, nodes);
        restart();
    }
    void restart() {
        const auto error = cluster->start();
        ASSERT_FALSE(error) << error->what;
    }
    Reply ask_node(std::size_t at, const std::string& target, const char* method = "GET",
                   const boost::json::value& body = {}) const {
        Endpoint endpoint;
        endpoint.urls = cluster->processes()[at].endpoint();
        endpoint.silent = true;
        return ask(endpoint, method, target, body);
    }
    // Whom this node names; "?" if it does not answer.
    std::string named_by(std::size_t at) const {
        const Reply reply = ask_node(at, "/v1/groups/main");
        const auto* group = reply.good() ? reply.body.if_object() : nullptr;
        if (!group) return "?";
        const auto& leader = group->at("leader");
        return leader.is_string() ? std::string(leader.get_string()) : "nobody";
    }
    std::string named_by_all() const {
        std::string all;
        for (std::size_t at = 0; at < cluster->processes().size(); ++at) {
            if (cluster->processes()[at].pid < 0) continue;
            const std::string named = named_by(at);
            if (!all.empty() && named != all) return "different nodes";
            all = named;
        }
        return all;
    }
    // Polls, with a limit that no machine is too slow for.
    static bool comes_true(const std::function<bool()>& what) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
        while (!what()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return true;
    }
    void expect_leader(const std::string& name) {
        ASSERT_TRUE(comes_true([&] { return named_by_all() == name; }))
            << "they name " << named_by_all() << "\n"
            << logs();
    }
    // Somebody whom all name; empty if that never happens.
    std::string agreed_leader() {
        std::string named;
        const bool agreed = comes_true([&] {
            named = named_by_all();
            return named.starts_with("n") && named != "nobody";
        });
        EXPECT_TRUE(agreed) << "they name " << named << "\n" << logs();
        return agreed ? named : "";
    }
    std::size_t place(const std::string& name) const {
        for (std::size_t at = 0; at < cluster->processes().size(); ++at) {
            if (cluster->processes()[at].name == name) return at;
        }
        return 0;
    }
    std::uint64_t epoch_at(std::size_t at) const {
        const Reply reply = ask_node(at, "/v1/groups/main");
        return reply.good() ? reply.body.at("epoch").to_number<std::uint64_t>() : 0;
    }
    void kill(std::size_t at, int signal = SIGKILL) {
        const pid_t pid = cluster->processes()[at].pid;
        ASSERT_GT(pid, 0);
        ::kill(pid, signal);
        if (signal != SIGKILL) return;
        ASSERT_TRUE(comes_true([&] {
            static_cast<void>(cluster->ended());
            return cluster->processes()[at].pid < 0;
        }));
    }
    std::string logs() const {
        std::string all;
        for (const Cluster::Process& one : cluster->processes()) {
            all += "--- " + one.name + "\n" + slurp(one.folder / "log");
        }
        return all;
    }
    void survives_a_crash(const std::string& algorithm, const std::string& in_the_end) {
        start(algorithm);
        expect_leader("n5");
        kill(4);
        expect_leader("n4");
        restart();
        expect_leader(in_the_end);
    }

    std::optional<Cluster> cluster;
};

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
    kill(paused, SIGSTOP);
    ASSERT_TRUE(comes_true([&] {
        const std::string named = named_by(other);
        return named != first && named != "nobody" && named != "?";
    }));
    kill(paused, SIGCONT);
    ASSERT_TRUE(comes_true([&] { return named_by(paused) != first; }));
    EXPECT_NE(agreed_leader(), first);
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
        std::ofstream(one.folder / "health")
            << "#!/bin/sh\nexec test -e \"$(dirname \"$0\")/well\"\n";
        std::filesystem::permissions(one.folder / "health", std::filesystem::perms::owner_all);
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

TEST_F(RealCluster, TheCoordinatorsPlanReachesEveryMember) {
    prepare("garcia-molina", 3, "plan = \"command:plan\"\n");
    for (const Cluster::Process& one : cluster->processes()) {
        std::ofstream(one.folder / "plan") << "#!/bin/sh\necho plan for $(cat)\n";
        std::filesystem::permissions(one.folder / "plan", std::filesystem::perms::owner_all);
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
    std::vector<std::string> ended;
    ASSERT_TRUE(comes_true([&] {
        for (const std::string& words : cluster->ended()) ended.push_back(words);
        return !ended.empty();
    }));
    EXPECT_EQ(ended.front(), first + " ended with exit code 0");
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
