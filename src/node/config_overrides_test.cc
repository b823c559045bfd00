#include <cstdlib>

#include "node/config_sample_test.h"

namespace conclave::node {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(ConfigOverrides, AFlagOverridesTheEnvironmentAndTheEnvironmentTheFile) {
    const Overrides environment{.environment = {{"CONCLAVE_NODE_ID", "8"},
                                                {"CONCLAVE_PEER_TLS_CA", "other.crt"},
                                                {"CONCLAVE_API_LISTEN", "unix:/a,127.0.0.1:1"},
                                                {"CONCLAVE_LOG_LEVEL", ""}},
                                .flags = {}};
    Config config = parsed(sample, environment).config.value();
    EXPECT_EQ(config.node.id, NodeId{8});
    EXPECT_EQ(config.peer.tls.ca, "/etc/conclave/other.crt");
    EXPECT_EQ(config.api.listen.size(), 2u);
    EXPECT_EQ(config.log.level, Level::debug) << "an empty variable says nothing";
    EXPECT_EQ(to_text(config.origins.places.at("node.id")), "CONCLAVE_NODE_ID");
    EXPECT_EQ(config.origins.places.at("node.name").line, 7u);
    EXPECT_FALSE(config.origins.places.contains("peers.0.role"));

    Overrides both = environment;
    both.flags = {"node.id=9", "groups.billing.lease=400ms", "node.id=10", "peers.0.name=x",
                  "groups.billing.members=n1,x"};
    config = parsed(sample, both).config.value();
    EXPECT_EQ(config.node.id, NodeId{10});
    EXPECT_EQ(config.groups[1].lease, 400ms);
    EXPECT_EQ(config.peers[0].name, "x");
    EXPECT_EQ(config.origins.places.at("node.id").kind, Place::Kind::flag);
}

TEST(ConfigOverrides, AnOverrideThatMeansNothingIsRefused) {
    const Overrides overrides{
        .environment = {},
        .flags = {"node.id", "id=5", "node.=5", ".id=5", "groups.billin.lease=1s", "node.nam=x"}};
    EXPECT_THAT(texts(parsed(sample, overrides).errors),
                ElementsAre("--set node.id: expected section.key=value",
                            "--set id: expected section.key=value",
                            "--set node.: expected section.key=value",
                            "--set .id: expected section.key=value",
                            "--set groups.billin.lease: unknown section [groups.billin]; did you "
                            "mean 'groups.billing'?",
                            "--set node.nam: unknown key 'nam' in [node]; did you mean 'name'?"));
}

TEST(ConfigOverrides, AVariableThatNamesNoSettingIsAWarning) {
    const Overrides overrides{.environment = {{"CONCLAVE_NODE", "n1"},
                                              {"CONCLAVE_ENDPOINT", "x"},
                                              {"CONCLAVE_NODE_NAM", "n2"},
                                              {"PATH", "/bin"}},
                              .flags = {}};
    const Loaded loaded = parsed(sample, overrides);
    EXPECT_TRUE(loaded.config);
    EXPECT_THAT(texts(loaded.warnings),
                ElementsAre("CONCLAVE_NODE_NAM: no setting has this name; it is ignored; did you "
                            "mean 'CONCLAVE_NODE_NAME'?"));
}

TEST(ConfigOverrides, TheEnvironmentOfTheProcessIsRead) {
    ASSERT_EQ(setenv("CONCLAVE_LOG_FORMAT", "json", 1), 0);
    EXPECT_EQ(environment().at("CONCLAVE_LOG_FORMAT"), "json");
    ASSERT_EQ(unsetenv("CONCLAVE_LOG_FORMAT"), 0);
    EXPECT_FALSE(environment().contains("CONCLAVE_LOG_FORMAT"));
}

}  // namespace conclave::node
