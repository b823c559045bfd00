#include "node/config_engine.h"
#include "node/config_sample_test.h"
#include "node/duration_text.h"

namespace conclave::node {

namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Case {
    std::string old, replacement;  // in the sample
    std::string what;              // the one thing that is wrong then
};

void expect_errors(const std::vector<Case>& cases, const std::string& text = sample) {
    for (const Case& each : cases) {
        const Loaded loaded = parsed(sample_with(each.old, each.replacement, text));
        EXPECT_FALSE(loaded.config) << each.replacement;
        EXPECT_THAT(texts(loaded.errors), ElementsAre(HasSubstr(each.what)));
    }
}

void expect_warnings(const std::vector<Case>& cases) {
    for (const Case& each : cases) {
        const Loaded loaded = parsed(sample_with(each.old, each.replacement));
        EXPECT_TRUE(loaded.config) << testing::PrintToString(texts(loaded.errors));
        EXPECT_THAT(texts(loaded.warnings), Contains(HasSubstr(each.what)));
    }
}

// Where a name is wrong, whoever lists it as a member is wrong, too.
const std::string nobody_listed = sample_with("members = [\"n1\", \"n2\", \"n3\"]", "");
const std::string minimal = "[cluster]\nname = 'c'\n[node]\nid = 1\nname = 'n'\nstate_dir = '/s'\n";

}  // namespace

TEST(ConfigRules, WhatANodeCannotDoWithoutIsAskedFor) {
    expect_errors(
        {
            {"name = \"prod\"", "", ":2:2: 'name' is missing in [cluster]"},
            {"id = 1\n", "", "'id' is missing in [node]"},
            {"name = \"n1\"\n", "", "'name' is missing in [node]"},
            {"state_dir = \"/var/lib/conclave\"", "", "'state_dir' is missing in [node]"},
            {"id = 2\n", "", "'id' is missing in [[peers]]"},
            {"address = \"n2.example.net:7420\"", "", ":16:1: 'address' is missing in [[peers]]"},
            {"algorithm = \"maekawa\"", "", "'algorithm' is missing in [mutex.press]"},
        },
        nobody_listed);
    EXPECT_EQ(parsed("").errors.size(), 4u) << "cluster.name, node.id, node.name, node.state_dir";
}

TEST(ConfigRules, NoTwoNodesShareAnIdANameOrAnAddress) {
    expect_errors(
        {
            {"id = 3", "id = 2", ":22:1: two peers have the id 2"},
            {"name = \"n3\"", "name = \"n2\"", "two peers have the name 'n2'"},
            {"[2001:db8::3]:7420", "n2.example.net:7420", "two peers have the address n2.example"},
            {"name = \"n2\"", "name = \"n1\"",
             "name 'n1' is this node's own, whose id is 1, not 2"},
            {"\"n2.example.net:7420\"", "\"n1.example.net:7420\"",
             "address n1.example.net:7420 is this node's own, whose id is 1, not 2"},
            {"name = \"prod\"", "name = \"the prod\"",
             "name 'the prod' must have at most 63 letters"},
        },
        nobody_listed);
}

TEST(ConfigRules, ThisNodeMayBeListedAmongThePeersIfItIsTheSame) {
    const auto with = [](const std::string& name, const std::string& address) {
        return sample + "[[peers]]\nid = 1\nname = '" + name + "'\naddress = '" + address + "'\n";
    };
    const Loaded same = parsed(with("n1", "n1.example.net:7420"));
    ASSERT_TRUE(same.config) << testing::PrintToString(texts(same.errors));
    EXPECT_EQ(roster(*same.config).size(), 3u);
    EXPECT_THAT(texts(parsed(with("n9", "n1.example.net:7420")).errors),
                testing::Contains(HasSubstr("id 1 is this node, whose name is 'n1', not 'n9'")));
    EXPECT_THAT(texts(parsed(with("n1", "n1.example.net:1")).errors),
                ElementsAre(HasSubstr("id 1 is this node, which advertises n1.example.net:7420")));
}

TEST(ConfigRules, PlaintextStaysOnThisMachine) {
    const std::string tls =
        "tls = { ca = \"ca.crt\", cert = \"certs/n1.crt\", key = \"/etc/keys/n1.key\" }";
    EXPECT_THAT(
        texts(parsed(sample_with(tls, "")).errors),
        ElementsAre(HasSubstr("0.0.0.0:7420 is not on this machine, and without [peer] tls"),
                    HasSubstr("n2.example.net:7420 is not on this machine"),
                    HasSubstr("[2001:db8::3]:7420 is not on this machine")));
    const std::string local = "[[peers]]\nid = 2\nname = 'm'\naddress = 'localhost:2'\n";
    EXPECT_THAT(texts(parsed(minimal + local).errors), IsEmpty());
    expect_errors({{"ca = \"ca.crt\", ", "", "tls needs ca, cert and key; 'ca' is missing"}});
}

TEST(ConfigRules, ATokenIsNotSentInPlaintext) {
    const std::string api = "[api]\nlisten = ['0.0.0.0:7421']\ntoken_file = 'token'\n";
    EXPECT_THAT(texts(parsed(minimal + api).errors),
                ElementsAre(HasSubstr("without [api] tls the token would be sent in plaintext")));
    const std::string local = "[api]\nlisten = ['127.0.0.1:7421']\ntoken_file = 'token'\n";
    EXPECT_THAT(texts(parsed(minimal + local).errors), IsEmpty());
    const std::string tls = "tls = { ca = 'a', cert = 'b', key = 'c' }\n";
    EXPECT_THAT(texts(parsed(minimal + api + tls).errors), IsEmpty());
    EXPECT_THAT(texts(parsed(minimal + api + "tls = { ca = 'a', key = 'c' }\n").errors),
                ElementsAre(HasSubstr("'cert' is missing")));
}

TEST(ConfigRules, PeersMustBeAbleToFindEachOther) {
    expect_errors({
        {"advertise = \"n1.example.net:7420\"", "", "the peers need an 'advertise' address"},
        {"advertise = \"n1.example.net:7420\"", "advertise = \"n1:0\"", "n1:0 needs a port"},
        {"\"n2.example.net:7420\"", "\"0.0.0.0:1\"",
         "is where one listens, not where one is found"},
    });
}

TEST(ConfigRules, TheDetectorsNumbersFitItsGoal) {
    expect_errors({
        {"kind = \"accrual\"", "kind = \"acrual\"",
         "unknown detector 'acrual'; did you mean 'accrual'?"},
        {"\"400ms\"", "\"11m\"", "detector.detect_within must be 20ms to 10m, not 11m"},
        {"\"90ms\"", "\"101ms\"", "they do not fit into detect_within = 400ms"},
        {"period = \"90ms\"", "period = \"0s\"", "detector.period must be more than 0"},
        {"margin = \"300ms\"", "margin = \"400ms\"", "they do not fit into detect_within"},
        {"period = \"90ms\"\nmargin = \"300ms\"", "margin = \"400ms\"", "they do not fit into"},
        {"margin = \"300ms\"", "margin = \"2562047h\"", "they do not fit into"},
        {"threshold = 9.5", "threshold = nan", "threshold must be more than 0 and at most 100"},
        {"threshold = 9.5", "threshold = 0", "threshold must be more than 0 and at most 100"},
    });
    expect_warnings({{"kind = \"accrual\"", "kind = \"ping\"", "only the accrual detector has"},
                     {"margin = \"300ms\"", "margin = \"80ms\"", "one lost heartbeat is"}});
}

TEST(ConfigRules, AlgorithmsAndEnginesAreThoseThatWeHave) {
    expect_errors({
        {"algorithm = \"quorum\"", "algorithm = \"quorom\"",
         ":38:1: unknown algorithm 'quorom'; did you mean 'quorum'?"},
        {"algorithm = \"maekawa\"", "algorithm = \"bully\"",
         "unknown algorithm 'bully'; there is central, token-ring, "},
        {"engine = \"etcd\"", "engine = \"zookeeper\"", "engine 'zookeeper' is not built in"},
        {"engine = \"etcd\"", "engine = \"etcd\"\nalgorithm = \"ring\"",
         "brings its own algorithm"},
        {"endpoints = [\"http://127.0.0.1:2379\"]", "", "engine 'etcd' needs endpoints"},
        {"engine = \"etcd\"", "", "'endpoints' is for groups with an engine"},
        {"engine = \"etcd\"", "engine = \"etcd\"\nmembers = [\"n1\"]", "has no 'members'"},
    });
}

TEST(ConfigRules, AnEngineIsWhereItsEndpointsSay) {
    const std::string endpoints = "endpoints = [\"http://127.0.0.1:2379\"]";
    const auto at = [](const std::string& list) { return "endpoints = [" + list + "]"; };
    expect_errors({
        {"engine = \"etcd\"", "engine = \"etdc\"", "unknown engine 'etdc'; did you mean 'etcd'?"},
        {endpoints, at("\"ftp://e1:21\""), "'ftp://e1:21' is no endpoint of etcd"},
        {endpoints, at("\"zookeeper://e1:2181\""), "is no endpoint of etcd"},
        {endpoints, at("\"http://e1:2379/apps\""), "is no endpoint of etcd"},
        {endpoints, at("\"http://e1:x\""), "e1:x"},
        {endpoints, at("\"http://me:secret@e1:2379\""), "an endpoint names no user"},
        {endpoints, at("\"http://e1:2379\", \"https://e2:2379\""), "all endpoints are under TLS"},
        {endpoints, endpoints + "\nuser = \"me\"", "'user' and 'password_file' go together"},
        {endpoints, endpoints + "\npassword_file = \"secret\"", "go together"},
        {endpoints, endpoints + "\ntls = { ca = \"ca.crt\" }", "these endpoints are without TLS"},
        {endpoints, at("\"https://e1\"") + "\ntls = { cert = \"n1.crt\" }", "both cert and key"},
        {endpoints, endpoints + "\nlease = \"500ms\"", "lease = 500ms is too short"},
        {endpoints, endpoints + "\npreempt = true", "in the order of asking: no preempt"},
        {endpoints, endpoints + "\nplan = \"command:/plan\"", "has no 'plan'"},
        {"algorithm = \"quorum\"", "algorithm = \"quorum\"\nuser = \"me\"",
         "'user' is for groups with an engine"},
    });
    expect_warnings({{endpoints, endpoints + "\npriority = 3", "in the order of asking"}});
    const auto good = [&](const std::string& settings) {
        return parsed(sample_with(endpoints, settings));
    };
    const Loaded loaded = good(at("\"e1\", \"e2:99\"") +
                               "\nroot = \"apps\"\nuser = \"me\"\npassword_file = \"secret\"\n"
                               "tls = { ca = \"ca.crt\" }");
    ASSERT_TRUE(loaded.config) << to_text(loaded.errors.front());
    EXPECT_EQ(parsed(print_effective(*loaded.config)).config, loaded.config);
    const Group& ledger = loaded.config->groups[2];
    EXPECT_EQ(ledger.lease, 10s);
    EXPECT_EQ(ledger.password_file, "/etc/conclave/secret");
    EXPECT_EQ(ledger.tls.ca, "/etc/conclave/ca.crt");
    const auto place = engine_place(ledger);
    ASSERT_FALSE(place);
    EXPECT_THAT(place.error().what, HasSubstr("/etc/conclave/secret"));
    Group open = ledger;
    open.user.reset();
    const auto found = engine_place(open);
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_THAT(found->servers, ElementsAre("e1:2379", "e2:99"));
    EXPECT_EQ(found->root, "/apps");
    EXPECT_TRUE(found->secure);
}

TEST(ConfigRules, AGroupAsksOnlyForWhatItsAlgorithmCanDo) {
    expect_errors({
        {"algorithm = \"invitation\"", "algorithm = \"invitation\"\npreempt = true",
         "invitation merges groups and deposes nobody: no preempt"},
        {"algorithm = \"invitation\"", "algorithm = \"bully\"",
         "bully does not reorganise, so nobody would ask for a plan"},
        {"attribute = ", "priority = 1\nattribute = ", "by priority or by attribute, not by both"},
        {"lease = \"300ms\"", "lease = \"80ms\"",
         "lease = 80ms is shorter than the detector's period of 90ms"},
        {"lease = \"300ms\"", "lease = \"2h\"", "groups.billing.lease must be 10ms to 1h, not 2h"},
        {"session_max = \"3s\"", "session_max = \"0s\"", "locks.session_max must be 100ms to 1h"},
        {"session_max = \"3s\"", "lease = \"1ms\"", "locks.lease must be 10ms to 1h, not 1ms"},
        {"[groups.archive]", "[groups.locks]", "the lock service's own group has this name"},
        {"algorithm = \"maekawa\"", "algorithm = \"central\"\nlease = \"80ms\"",
         "lease = 80ms is shorter than the detector's period of 90ms"},
        {"algorithm = \"maekawa\"", "algorithm = \"central\"\nlease = \"2h\"",
         "mutex.press.lease must be 10ms to 1h, not 2h"},
        {"algorithm = \"maekawa\"", "algorithm = \"maekawa\"\ncandidate = true",
         "unknown key 'candidate' in [mutex.press]"},
        {"bytes = 10000000", "bytes = 1000", "record.bytes must be 1000000 to 1000000000000, not"},
        {"role = \"voter\"", "role = \"witness\"", "only a voter can stand, and this node is none"},
    });
    expect_warnings({{"dir = \"record\"\n", "", "nothing is recorded without record.dir"},
                     {"role = \"voter\"", "role = \"learner\"", "stands once it is admitted"},
                     {"algorithm = \"quorum\"", "algorithm = \"bully\"", "bully has no leases"},
                     {"algorithm = \"maekawa\"", "algorithm = \"maekawa\"\nlease = \"1s\"",
                      "maekawa has no leader, and so no lease"},
                     {"algorithm = \"quorum\"", "algorithm = \"bully\"",
                      "in bully every node stands, however it is"}});
    EXPECT_TRUE(parsed(sample_with("\"invitation\"", "\"garcia-molina\"")).config);
}

TEST(ConfigRules, TheMembersOfAGroupAreKnownNodes) {
    const std::string old = "members = [\"n1\", \"n2\", \"n3\"]";
    expect_errors({
        {old, "members = [\"n1\", \"n4\"]", "member 'n4' is neither this node nor one of the"},
        {old, "members = [\"n1\", \"n2\", \"n1\"]", "member 'n1' is listed twice"},
        {old, "members = [\"n3\"]", "none of the members is a voter"},
    });
    EXPECT_THAT(texts(parsed(sample_with(old, "members = []")).errors),
                testing::Contains(HasSubstr("a group needs members")));
    EXPECT_THAT(texts(parsed(minimal + "[groups.g]\nmembers = ['n', 'm']\n").errors),
                ElementsAre(HasSubstr("member 'm' is neither this node")));
    EXPECT_THAT(texts(parsed(sample_with("role = \"witness\"", "role = \"learner\"")).warnings),
                ElementsAre(HasSubstr("two voters and no witness: if either fails, nobody")));
}

TEST(ConfigRules, ALonelyNodeMustBeAbleToLead) {
    EXPECT_THAT(texts(parsed(minimal + "role = 'witness'\n").errors),
                ElementsAre(HasSubstr(":7:1: a node without [[peers]] must be a voter")));
}

TEST(ConfigRules, AnApiForOtherMachinesIsWarnedOf) {
    expect_warnings({{"\"127.0.0.1:7421\"", "\"0.0.0.0:7421\"", "lets other machines read"}});
}

TEST(ConfigRules, MembersAreAllNodesUnlessTheyAreNamed) {
    const Config config =
        parsed(sample_with("members = [\"n1\", \"n2\", \"n3\"]", "members = [\"n2\", \"n1\"]"))
            .config.value();
    const auto ids = [&](const Group& group) {
        std::vector<std::uint32_t> list;
        for (const Peer& peer : members(config, group)) list.push_back(number(peer.id));
        return list;
    };
    EXPECT_THAT(ids(config.groups[0]), ElementsAre(1, 2, 3));
    EXPECT_THAT(ids(config.groups[1]), ElementsAre(1, 2));
}

TEST(DetectorSettings, ThreeHeartbeatsFitIntoTheWindow) {
    EXPECT_EQ(detector_settings(600ms), (DetectorSettings{200ms, 400ms}));
    for (Duration within = 20ms; within < 10min; within = within * 7 / 5 + 1ns) {
        const auto [period, margin] = detector_settings(within);
        EXPECT_LE(period + margin, within);
        EXPECT_GE(margin, 2 * period) << duration_text(within);
        EXPECT_GT(4 * period, within) << "a longer period would do";
    }
}

TEST(DetectorSettings, WhatIsSetByHandIsKeptAndTheRestFollows) {
    Detector detector;
    detector.detect_within = 600ms;
    detector.period = 50ms;
    EXPECT_EQ(detector_settings(detector), (DetectorSettings{50ms, 550ms}));
    detector.margin = 60ms;
    EXPECT_EQ(detector_settings(detector), (DetectorSettings{50ms, 60ms}));
    detector.period.reset();
    EXPECT_EQ(detector_settings(detector), (DetectorSettings{200ms, 60ms}));
    detector.margin = 580ms;
    EXPECT_EQ(detector_settings(detector), (DetectorSettings{20ms, 580ms}));
}

}  // namespace conclave::node
