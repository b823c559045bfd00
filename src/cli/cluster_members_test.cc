// cli/cluster_members_test.cc -- nodes that join a running cluster and leave it, by the operator's
// commands, and whose votes count afterwards.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/cluster_test.h"

namespace conclave {
namespace {

namespace json = boost::json;

// Three that know of each other only, and a fourth that knows them: it is to join.
class Membership : public RealCluster {
protected:
    void SetUp() override {
        prepare("quorum", 4, "lease = \"1s\"\n[locks]\nlease = \"1s\"\n");
        for (const std::size_t at : {0U, 1U, 2U}) {
            edit(at,
                 [](std::string text) { return text.substr(0, text.find("\n[[peers]]\nid = 4")); });
        }
        give_id(3, 4);
        restart();
        ASSERT_NE(leader_among(founders), "");
    }
    void TearDown() override {
        if (cluster) kill_all();
        RealCluster::TearDown();
    }
    template <class Change> void edit(std::size_t at, Change change) {
        const auto path = process(at).folder / "node.toml";
        const std::string text = change(slurp(path));
        std::ofstream(path) << text;
    }
    // It begins anew: as somebody who is to join, with this id.
    void give_id(std::size_t at, int id) {
        edit(at, [id](std::string text) {
            const auto begin = text.find("id = "), end = text.find("name", begin);
            return text.replace(begin, end - begin,
                                "id = " + std::to_string(id) + "\nrole = \"learner\"\n");
        });
        std::filesystem::remove_all(process(at).folder / "state");
    }
    Ran members(std::size_t at, const std::string& words) const {
        return run("--endpoint " + process(at).endpoint() + " members " + words, "timeout 120");
    }
    std::string add(std::size_t who, int id, std::size_t asked) const {
        const Ran ran = members(asked, "add " + process(who).name + " " + process(who).listen +
                                           " --id " + std::to_string(id) + " --wait 60s");
        return ran.exit == 0 ? "" : ran.err + logs();
    }
    // Whose votes count in a group, as one of them knows it: "n1 n2 n4".
    std::string voters(std::size_t at, const std::string& group) const {
        const json::value said = said_at(process(at).endpoint(), "/v1/groups/" + group);
        const auto* object = said.if_object();
        if (!object) return "?";
        std::string list;
        for (const json::value& member : object->at("members").as_array()) {
            if (member.at("role").as_string() != "voter") continue;
            list += (list.empty() ? "" : " ") + std::string(member.at("node").as_string());
        }
        return list;
    }
    void expect_voters(const std::string& names, const Places& by) {
        for (const std::string group : {"main", "locks"}) {
            for (const std::size_t at : by) {
                EXPECT_TRUE(comes_true([&] { return voters(at, group) == names; }))
                    << process(at).name << ", " << group << ": " << voters(at, group) << "\n"
                    << logs();
            }
        }
    }

    const Places founders{0, 1, 2};
};

TEST_F(Membership, ANodeThatWasAddedVotesAndIsRememberedByAllAfterARestart) {
    const std::size_t leader = place(leader_among(founders));
    const std::size_t asked = (leader + 1) % 3, absent = (leader + 2) % 3;
    kill(absent);
    ASSERT_EQ(add(3, 4, asked), "");
    expect_voters("n1 n2 n3 n4", {leader, asked, 3});
    kill_all();
    restart();
    agreed_leader();
    expect_voters("n1 n2 n3 n4", everybody());
    EXPECT_TRUE(logs_at(asked, "not as in the configuration: n4 added")) << logs();
    EXPECT_TRUE(comes_true([&] { return members(absent, "").out.find("n4") != std::string::npos; }))
        << "who was not there hears of it from the others\n"
        << logs();
    // Three of four must agree, so without the fourth these two could not.
    const std::size_t next = place(agreed_leader());
    kill(next == 3 ? 0 : next);
    Places left = everybody();
    std::erase(left, next == 3 ? 0 : next);
    EXPECT_NE(leader_among(left), "");
}

TEST_F(Membership, ANodeThatWasRemovedIsAskedNoMoreAndStandsNoMore) {
    ASSERT_EQ(add(3, 4, 0), "");
    expect_voters("n1 n2 n3 n4", everybody());
    const std::size_t leader = place(agreed_leader()), other = leader == 0 ? 1 : 0;
    const Ran removed = members(other, "remove " + process(leader).name + " --wait 60s");
    ASSERT_EQ(removed.exit, 0) << removed.err << logs();
    Places left = everybody();
    std::erase(left, leader);
    std::string names;
    for (const std::size_t at : left) names += (names.empty() ? "" : " ") + process(at).name;
    expect_voters(names, left);
    EXPECT_NE(leader_among(left), "");
    EXPECT_TRUE(logs_at(leader, "this node was removed from the cluster")) << logs();
    EXPECT_TRUE(comes_true([&] { return named_by(leader) == "nobody"; }));
    const Ran again = members(other, "remove " + process(leader).name);
    EXPECT_NE(again.exit, 0);
    EXPECT_NE(again.err.find("nobody here is called"), std::string::npos) << again.err;
    kill_all();
    restart();
    EXPECT_NE(leader_among(left), "");
    expect_voters(names, left);
    EXPECT_TRUE(ask_node(leader, "/v1/status").body.at("removed").as_bool());
    // With one of three dead a second one cannot go: nobody could be elected any more.
    const std::size_t dead = left.back();
    kill(dead);
    left.pop_back();
    ASSERT_NE(leader_among(left), "");
    const Ran refused = members(left[0], "remove " + process(left[1]).name + " --wait 60s");
    EXPECT_NE(refused.exit, 0);
    EXPECT_NE(refused.err.find("majority"), std::string::npos) << refused.err;
    const Ran buried = members(left[0], "remove " + process(dead).name + " --wait 60s");
    EXPECT_EQ(buried.exit, 0) << buried.err << logs();
    // Without its disk it is somebody else, who may have the same name.
    give_id(dead, 9);
    restart();
    EXPECT_EQ(add(dead, 9, left[0]), "");
    expect_voters(names, left);
}

}  // namespace
}  // namespace conclave
