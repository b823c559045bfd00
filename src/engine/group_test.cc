// engine/group_test.cc -- real nodes whose group is kept by an engine: three of them on three real
// servers, and one that has to do with servers that are not there or do not let it in.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster_test.h"
#include "engine/etcd_servers_test.h"
#include "engine/servers_test.h"
#include "net/http_client.h"
#include "net/json_members.h"

namespace conclave::engine {
namespace {

struct Kind {
    const char* name;
    std::unique_ptr<Servers> (*servers)(const std::filesystem::path&);
    const char* lease;
};

// What a group's section says of its engine.
std::string settings_of(const std::string& engine, const std::vector<std::string>& endpoints,
                        const std::string& lease) {
    std::string list;
    for (const std::string& one : endpoints)
        list.append(list.empty() ? "\"" : ", \"").append(one).append("\"");
    return "engine = \"" + engine + "\"\nendpoints = [" + list + "]\nlease = \"" + lease + "\"\n";
}

class GroupOnEngine : public RealCluster {
protected:
    void TearDown() override {
        RealCluster::TearDown();
        servers.reset();
    }
    std::filesystem::path servers_folder() const {
        const auto path = folder / "servers";
        std::filesystem::create_directories(path);
        return path;
    }
    Cluster::Plan plan_on(const std::string& settings, std::uint32_t nodes = 3) const {
        return plan_of("", nodes, settings);
    }
    Ran at_node(std::size_t at, const std::string& words) const {
        return run("--endpoint " + process(at).endpoint() + " " + words, "timeout 90");
    }
    std::string metrics_at(std::size_t at) const {
        net::ClientOptions options;
        options.endpoints = {*net::parse_http_endpoint(process(at).endpoint())};
        const auto outcome = net::ask(options, {.target = "/metrics"}, std::chrono::seconds(30));
        const auto* answer = std::get_if<net::Answer>(&outcome);
        return answer ? answer->body : "";
    }
    std::string trouble_at(std::size_t at) const { return text_member(group_at(at), "trouble"); }
    // Who asks and who watches find out each for itself, and the later of the two ends it.
    bool has_no_trouble(std::size_t at) const {
        return comes_true([&] { return trouble_at(at).empty(); });
    }

    std::unique_ptr<Servers> servers;
};

class GroupOnEach : public GroupOnEngine, public testing::WithParamInterface<Kind> {};

TEST_P(GroupOnEach, AnotherNodeLeadsWithALargerTokenAndItIsSaidWhy) {
    servers = GetParam().servers(servers_folder());
    if (!servers) GTEST_SKIP() << "there is no " << GetParam().name << " here";
    for (std::size_t at = 0; at < Servers::count; ++at) servers->start(at);
    ASSERT_TRUE(comes_true([&] { return servers->ready(); })) << servers->logs();
    std::vector<std::string> endpoints;
    for (std::size_t at = 0; at < Servers::count; ++at) endpoints.push_back(servers->endpoint(at));
    prepare(plan_on(settings_of(GetParam().name, endpoints, GetParam().lease)));
    restart();
    const std::size_t first = place(agreed_leader());
    const std::size_t other = (first + 1) % 3, third = (first + 2) % 3;
    const std::uint64_t token = epoch_at(first);
    EXPECT_TRUE(leads(first));
    EXPECT_EQ(ask_node(first, "/v1/groups/main/leader-check").status, 200u);
    EXPECT_EQ(ask_node(other, "/v1/groups/main/leader-check").status, 503u);
    // The engine itself says the same to whoever asks it.
    const Ran there = run("--endpoint " + servers->endpoint() + " -o json leader main");
    EXPECT_EQ(text_member(there.json(), "leader"), process(first).name) << there.err;
    EXPECT_EQ(number_member(there.json(), "epoch"), token);

    kill(first);
    const std::size_t next = place(leader_among({other, third}));
    ASSERT_NE(next, first);
    EXPECT_GT(epoch_at(next), token);
    const Ran why = at_node(next, "explain main");
    EXPECT_NE(why.out.find("does not lead any more, and is suspected"), std::string::npos)
        << why.out << why.err;
    EXPECT_NE(why.out.find("Suspected"), std::string::npos) << why.out;

    // A hand-over that is asked of a node that does not lead.
    const std::size_t waits = next == other ? third : other;
    const std::uint64_t second = epoch_at(next);
    const Ran resigned = at_node(waits, "resign main");
    EXPECT_EQ(resigned.exit, 0) << resigned.err;
    expect_leader(process(waits).name, {other, third});
    EXPECT_GT(epoch_at(waits), second);
    EXPECT_NE(at_node(next, "resign main --to " + process(waits).name).exit, 0);
    EXPECT_EQ(at_node(next, "drain").exit, 0);  // or it would lead if the other loses it for once
    const Ran ran = at_node(waits, "lead main -- sh -c 'echo $CONCLAVE_EPOCH'");
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_GE(std::stoull("0" + ran.out), second) << ran.out << ran.err;
    expect_leader(process(waits).name, {other, third});
    EXPECT_NE(metrics_at(waits).find("conclave_group_is_leader{group=\"main\"} 1"),
              std::string::npos);
    EXPECT_TRUE(has_no_trouble(waits)) << trouble_at(waits);
}

std::vector<Kind> kinds() {
    std::vector<Kind> all{{"etcd", etcd_servers, "2s"}};
#ifdef CONCLAVE_ZOOKEEPER
    all.push_back({"zookeeper", zookeeper_servers, "4s"});
#endif
    return all;
}
INSTANTIATE_TEST_SUITE_P(Engines, GroupOnEach, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return std::string(kind.param.name); });

using GroupOnEtcd = GroupOnEngine;

TEST_F(GroupOnEtcd, ANodeStaysUpAndTriesAgainUntilItIsLetIn) {
    if (!EtcdServers::installed()) GTEST_SKIP() << "there is no etcd here";
    EtcdServers etcd(servers_folder(), {.size = 1});
    const std::string where = etcd.endpoint();
    const auto password = folder / "password";
    std::ofstream(password) << "wrong\n";
    prepare(plan_on(settings_of("etcd", {where}, "2s") + "user = \"root\"\npassword_file = \"" +
                        password.string() + "\"\n",
                    1));
    restart();
    const std::string address = where.substr(where.rfind('/') + 1);
    const auto says = [&](const std::string& words) {
        return comes_true([&] { return trouble_at(0).find(words) != std::string::npos; });
    };
    EXPECT_TRUE(says(address)) << trouble_at(0) << log_of(0);
    EXPECT_EQ(named_by(0), "nobody");
    EXPECT_TRUE(logs_at(0, "an engine does not serve us"));
    EXPECT_NE(at_node(0, "status").out.find("main: " + trouble_at(0).substr(0, 9)),
              std::string::npos);

    ASSERT_TRUE(etcd.come_up()) << etcd.logs();
    expect_leader("n1");  // nobody asks for a password yet
    EXPECT_TRUE(has_no_trouble(0)) << trouble_at(0) << log_of(0);
    etcd.ask_for_password("right");
    EXPECT_TRUE(says("authentication failed")) << trouble_at(0) << log_of(0) << etcd.logs();
    expect_leader("nobody");
    std::ofstream(password) << "right\n";
    expect_leader("n1");
}

}  // namespace
}  // namespace conclave::engine
