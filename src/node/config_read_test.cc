#include "node/config_sample_test.h"

namespace conclave::node {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ConfigRead, EverySettingArrives) {
    const Loaded loaded = parsed(sample);
    ASSERT_TRUE(loaded.config) << testing::PrintToString(texts(loaded.errors));
    EXPECT_THAT(texts(loaded.warnings), IsEmpty());
    const Config& config = *loaded.config;
    EXPECT_EQ(config.cluster.name, "prod");
    EXPECT_EQ(config.node.id, NodeId{1});
    EXPECT_EQ(config.node.role, Role::voter);
    EXPECT_EQ(config.peer.listen, net::Address(net::HostPort{"0.0.0.0", 7420}));
    ASSERT_EQ(config.peers.size(), 2u);
    EXPECT_EQ(config.peers[1].id, NodeId{3});
    EXPECT_EQ(config.peers[1].role, Role::witness);
    EXPECT_EQ(config.peers[1].address, net::Address(net::HostPort{"2001:db8::3", 7420}));
    EXPECT_EQ(config.detector.detect_within, 400ms);
    EXPECT_EQ(config.detector.period, 90ms);
    EXPECT_EQ(config.detector.threshold, 9.5);
    EXPECT_THAT(config.api.listen,
                ElementsAre(net::Address(net::UnixPath{"/run/conclave/api.sock"}),
                            net::Address(net::HostPort{"127.0.0.1", 7421})));
    ASSERT_EQ(config.groups.size(), 3u);
    const Group &archive = config.groups[0], &billing = config.groups[1],
                &ledger = config.groups[2];
    EXPECT_EQ(archive.attribute, (Measure{Measure::Kind::command, Command{"/usr/lib/free"}}));
    EXPECT_EQ(archive.plan, Planner{Command{"/usr/lib/plan"}});
    EXPECT_EQ(billing.name, "billing");
    EXPECT_EQ(billing.priority, 10);
    EXPECT_TRUE(billing.preempt);
    EXPECT_TRUE(billing.candidate);
    EXPECT_EQ(billing.lease, 300ms);
    EXPECT_THAT(billing.members.value(), ElementsAre("n1", "n2", "n3"));
    EXPECT_EQ(ledger.engine, "etcd");
    EXPECT_EQ(ledger.algorithm, std::nullopt);
    EXPECT_EQ(config.locks.session_max, 3s);
    EXPECT_TRUE(config.locks.serve) << "there is such a section";
    EXPECT_FALSE(parsed(sample_with("[locks]", "[locks]\nserve = false")).config->locks.serve);
    EXPECT_FALSE(parsed(sample_with("[locks]\nsession_max = \"3s\"\n", "")).config->locks.serve);
    ASSERT_EQ(config.mutexes.size(), 1u);
    EXPECT_EQ(config.mutexes[0].algorithm, "maekawa");
    EXPECT_EQ(config.log.level, Level::debug);
    EXPECT_EQ(config.log.format, LogFormat::json);
    EXPECT_EQ(config.record.dir, "/etc/conclave/record");
    EXPECT_EQ(config.record.bytes, 10'000'000);
}

TEST(ConfigRead, LittleHasToBeSaid) {
    const Loaded loaded = parsed(R"(
        cluster.name = "c"
        node = { id = 7, name = "n7", state_dir = "state" }
        [groups.one])");
    ASSERT_TRUE(loaded.config) << testing::PrintToString(texts(loaded.errors));
    EXPECT_THAT(texts(loaded.warnings), IsEmpty());
    const Config& config = *loaded.config;
    EXPECT_EQ(config.peer.advertise, config.peer.listen);
    EXPECT_TRUE(net::is_loopback(config.peer.listen));
    EXPECT_EQ(config.groups[0].algorithm, "quorum");
    EXPECT_EQ(config.groups[0].priority, 0);
    EXPECT_EQ(config.groups[0].lease, 200ms);
}

TEST(ConfigRead, RelativePathsStartAtTheFolderOfTheFile) {
    const Config config = parsed(sample).config.value();
    EXPECT_EQ(config.peer.tls.ca, "/etc/conclave/ca.crt");
    EXPECT_EQ(config.peer.tls.cert, "/etc/conclave/certs/n1.crt");
    EXPECT_EQ(config.peer.tls.key, "/etc/keys/n1.key");
    EXPECT_EQ(config.groups[1].health, Command{"/etc/conclave/healthy"});
    EXPECT_EQ(config.groups[1].on_stop, Command{"/usr/lib/billing/stop"});
}

TEST(ConfigRead, AFileNamedRelativelyStillYieldsAbsolutePaths) {
    const Loaded loaded = parse_config(sample, "here/conclave.toml", {}, all_known);
    EXPECT_EQ(loaded.config.value().peer.tls.ca, std::filesystem::current_path() / "here/ca.crt");
}

TEST(ConfigRead, AnUnknownKeyIsNamedWithItsPlaceAndAGuess) {
    const Loaded loaded = parsed(sample_with("lease =", "leese ="));
    EXPECT_FALSE(loaded.config);
    EXPECT_THAT(texts(loaded.errors),
                ElementsAre("/etc/conclave/conclave.toml:41:1: unknown key 'leese' in "
                            "[groups.billing]; did you mean 'lease'?"));
}

TEST(ConfigRead, UnknownSectionsAndPeersKeysAreNamed) {
    EXPECT_THAT(texts(parsed("colour = 1\n" + sample).errors),
                ElementsAre(EndsWith("toml:1:1: unknown key 'colour'")));
    EXPECT_THAT(texts(parsed(sample_with("[locks]", "[lock]")).errors),
                ElementsAre(EndsWith(": unknown key 'lock'; did you mean 'locks'?")));
    EXPECT_THAT(
        texts(parsed(sample_with("id = 3", "id = 3\nadress = 3")).errors),
        ElementsAre(EndsWith("unknown key 'adress' in [[peers]]; did you mean 'address'?")));
}

TEST(ConfigRead, AllErrorsAreReportedInTheOrderOfTheFile) {
    std::string text = sample_with("id = 1\n", "id = 0\n");
    text.replace(text.find("\"400ms\""), 7, "400");
    text.replace(text.find("\"debug\""), 7, "\"loud\"");
    text += "color = true\n[[extra]]\nx = 1\n[[extra]]\nx = 2\n";
    EXPECT_THAT(
        texts(parsed(text).errors),
        ElementsAre(
            EndsWith(":6:1: 'id' must be a whole number from 1 to 4294967295, not the number 0"),
            EndsWith("'detect_within' must be a duration such as \"200ms\", \"2s\" or \"1m\", not "
                     "the number 400"),
            EndsWith("'level' must be one of debug, info, warning, error, not \"loud\""),
            EndsWith("unknown key 'color' in [log]"), EndsWith("unknown key 'extra'")));
}

TEST(ConfigRead, EveryTypeRefusesWhatItIsNot) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"node.role=boss", "'role' must be one of voter, witness, learner, not \"boss\""},
        {"node.id=4294967296", "not \"4294967296\""},
        {"node.id=-1", "from 1 to"},
        {"node.id=1x", "from 1 to"},
        {"node.name=", "'name' must not be empty"},
        {"node.name=a\nb", "without control characters"},
        {"node.state_dir=\xff", "without control characters"},
        {"peer.listen=7420", "'listen' is no address"},
        {"api.listen=unix:api.sock", "'listen' has an element that is no address"},
        {"groups.billing.preempt=yes", "'preempt' must be true or false, not \"yes\""},
        {"groups.billing.priority=high", "'priority' must be a whole number, not \"high\""},
        {"groups.billing.lease=soon", "'lease' must be a duration"},
        {"groups.billing.health=/bin/true", "'health' must be \"command:\" and the path"},
        {"groups.archive.plan=somebody", "'plan' must be \"application\" or \"command:/path\""},
        {"groups.archive.attribute=speed", "must be \"load\", \"disk\" or \"command:/path\""},
        {"detector.threshold=much", "'threshold' must be a number"},
    };
    for (const auto& [override, complaint] : cases) {
        const auto errors = texts(parsed(sample, {.environment = {}, .flags = {override}}).errors);
        const std::string name = override.substr(0, override.find('='));
        EXPECT_THAT(errors, Contains(AllOf(HasSubstr("--set " + name), HasSubstr(complaint))));
    }
}

TEST(ConfigRead, ASectionIsNoValueAndAValueIsNoSection) {
    EXPECT_THAT(texts(parsed("locks = 5\n[node.id]\nx = 1\n").errors),
                AllOf(Contains(EndsWith("'locks' must be a section, [locks], not the number 5")),
                      Contains(EndsWith("not a table")), testing::Not(Contains(HasSubstr("'x'")))));
    EXPECT_THAT(texts(parsed("[peers]\nid = 5\n").errors),
                Contains(EndsWith("'peers' must be written as [[peers]], once for each peer")));
    EXPECT_THAT(texts(parsed("[groups]\nbilling = \"quorum\"\n").errors),
                Contains(EndsWith("unknown key 'billing' in [groups]")));
}

TEST(ConfigRead, AKeyThatNeedsQuotesIsRefused) {
    EXPECT_THAT(texts(parsed(sample + "[groups.\"a.b\"]\n").errors),
                ElementsAre(EndsWith("key \"a.b\" may have only letters, digits, '-' and '_'")));
}

TEST(ConfigRead, ASyntaxErrorHidesNothingElseThanWhatItBroke) {
    const Overrides overrides{.environment = {}, .flags = {"groups.billing.lease=1s"}};
    EXPECT_THAT(texts(parsed(sample_with("id = 2", "id = = 2"), overrides).errors),
                ElementsAre(HasSubstr("conclave.toml:17:")));
    EXPECT_THAT(texts(parsed(sample + "[log]\n").errors), ElementsAre(HasSubstr("log")));
    EXPECT_THAT(texts(parsed("name = \"\xff\xfe\"\n").errors), ElementsAre(HasSubstr(":1:")));
}

}  // namespace conclave::node
