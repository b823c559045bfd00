// cli/node_config_test.cc -- files that `conclave node --config` must refuse, through the command
// itself: exit code 78, a line that names file, key and reason, and nothing started.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/run_test.h"

namespace conclave {
namespace {

using testing::HasSubstr;

struct Broken {
    std::string old, instead;  // in the good file; nothing old: at its end
    std::string complaint;     // behind the file's name
};

class NodeConfig : public Command {
protected:
    const std::string good = R"([cluster]
name = "prod"

[node]
id = 1
name = "n1"
state_dir = "state"

[peer]
listen = "127.0.0.1:0"
advertise = "127.0.0.1:7420"

[[peers]]
id = 2
name = "n2"
address = "127.0.0.1:7421"

[detector]
detect_within = "500ms"

[api]
listen = ["unix:FOLDER/api.sock"]

[groups.main]
algorithm = "quorum"
lease = "200ms"
candidate = true
)";

    std::filesystem::path file() const { return folder / "node.toml"; }
    std::string with(const Broken& broken) const {
        std::string text = good;
        text.replace(text.find("FOLDER"), 6, folder.string());
        if (broken.old.empty()) return text + broken.instead;
        const std::size_t at = text.find(broken.old);
        EXPECT_NE(at, text.npos) << broken.old;
        return text.replace(at, broken.old.size(), broken.instead);
    }
    // One that does start, and should not, is ended: 124.
    Ran start(const std::string& arguments) const {
        return run("node " + arguments, "timeout --kill-after=10 60");
    }
    Ran run_node(const std::string& text, const std::string& arguments = "") const {
        std::ofstream(file(), std::ios::trunc) << text;
        return start("--config " + file().string() + " " + arguments);
    }
    void expect_refusal(const Ran& ran, const std::string& complaint) const {
        EXPECT_EQ(ran.exit, 78) << complaint;
        EXPECT_THAT(ran.err, HasSubstr(complaint));
        EXPECT_EQ(ran.out, "");
        EXPECT_FALSE(std::filesystem::exists(folder / "state")) << complaint;
        EXPECT_FALSE(std::filesystem::exists(folder / "api.sock")) << complaint;
    }
    void expect_refusals(const std::vector<Broken>& table) const {
        for (const Broken& one : table) {
            expect_refusal(run_node(with(one)), file().string() + one.complaint);
        }
    }
};

TEST_F(NodeConfig, TheFileThatTheTableBreaksIsGood) {
    const Ran ran = run_node(with({}), "--check-config");
    EXPECT_EQ(ran.exit, 0) << ran.err;
}

TEST_F(NodeConfig, WhatIsNoTomlIsRefused) {
    expect_refusals({
        {"name = \"prod\"", "name = \"prod", ":2:13: Error while parsing string"},
        {"[node]", "[node", ":4:6: Error while parsing table header"},
        {"", "[cluster]\nname = \"again\"\n", ":28:1: Error while parsing table header: cannot re"},
        {"", std::string("\0\xff\xfe", 3), ":28:1: Encountered invalid utf-8"},
    });
}

TEST_F(NodeConfig, UnknownKeysAndSectionsAreRefusedWithTheNearest) {
    expect_refusals({
        {"detect_within", "detect_witin",
         ":19:1: unknown key 'detect_witin' in [detector]; did you mean 'detect_within'?"},
        {"[detector]", "[detecter]", ":18:2: unknown key 'detecter'; did you mean 'detector'?"},
        {"lease", "leese", ":26:1: unknown key 'leese' in [groups.main]; did you mean 'lease'?"},
        {"", "[web]\nport = 1\n", ":28:2: unknown key 'web'"},
    });
}

TEST_F(NodeConfig, WrongTypesAndValuesAreRefused) {
    const std::string id = ":5:1: 'id' must be a whole number from 1 to 4294967295, not ";
    const std::string within = ":19:1: 'detect_within' must be a duration such as ";
    expect_refusals({
        {"id = 1", "id = \"one\"", id + "\"one\""},
        {"id = 1", "id = 0", id + "the number 0"},
        {"id = 1", "id = -1", id + "the number -1"},
        {"id = 1", "id = 99999999999", id + "the number 99999999999"},
        {"name = \"n1\"", "name = 7", ":6:1: 'name' must be a text, not the number 7"},
        {"127.0.0.1:0", "nowhere", ":10:1: 'listen' is no address: address \"nowhere\": expected"},
        {"127.0.0.1:0", "127.0.0.1:65536", ":10:1: 'listen' is no address: address"},
        {"\"500ms\"", "\"500\"", within},
        {"\"500ms\"", "500", within},
        {"\"200ms\"", "\"-1s\"", ":26:1: 'lease' must be a duration such as"},
        {"candidate = true", "candidate = \"yes\"", ":27:1: 'candidate' must be true or false"},
        {"\"quorum\"", "\"quorom\"", ":25:1: unknown algorithm 'quorom'; did you mean 'quorum'?"},
        {"[\"unix:", "[\"unix:relative", ":22:1: 'listen' has an element that is no address: "},
    });
}

TEST_F(NodeConfig, WhatIsMissingOrContradictsItselfIsRefused) {
    const std::string address = "address = \"127.0.0.1:7421\"";
    expect_refusals({
        {"name = \"prod\"\n", "", ":1:2: 'name' is missing in [cluster]"},
        {"id = 1\n", "", ":4:2: 'id' is missing in [node]"},
        {"state_dir = \"state\"\n", "", ":4:2: 'state_dir' is missing in [node]"},
        {"id = 2", "id = 1", ":15:1: id 1 is this node, whose name is 'n1', not 'n2'"},
        {"name = \"n2\"", "name = \"n1\"", ":15:1: name 'n1' is this node's own"},
        {address, "address = \"127.0.0.1:7420\"", ":16:1: address 127.0.0.1:7420 is this node's"},
        {address, "address = \"192.0.2.7:7421\"", ":16:1: 192.0.2.7:7421 is not on this machine"},
        {"listen = \"127.0.0.1:0\"", "listen = \"127.0.0.1:0\"\ntls = { ca = \"ca.crt\" }",
         ":11:1: tls needs ca, cert and key; 'cert' is missing"},
        {"\"200ms\"", "\"200ms\"\nmembers = [\"n1\", \"n7\"]",
         ":27:1: member 'n7' is neither this node nor one of the [[peers]]"},
    });
}

TEST_F(NodeConfig, EverythingThatIsWrongIsSaidAtOnce) {
    std::string text = with({"id = 1", "id = 0", ""});
    text.replace(text.find("quorum"), 6, "quorom");
    const Ran ran = run_node(text);
    EXPECT_EQ(ran.exit, 78);
    EXPECT_THAT(ran.err, HasSubstr(file().string() + ":5:"));
    EXPECT_THAT(ran.err, HasSubstr(file().string() + ":25:"));
}

TEST_F(NodeConfig, AFileThatCannotBeReadIsNamed) {
    const std::string absent = (folder / "absent.toml").string();
    expect_refusal(start("--config " + absent), absent + ": there is no such file");
    expect_refusal(start("--config " + folder.string()), folder.string() + ": is a directory");
}

TEST_F(NodeConfig, CertificatesThatCannotBeUsedAreNamed) {
    const std::string tls =
        "listen = \"127.0.0.1:0\"\ntls = { ca = \"ca.crt\", cert = \"n1.crt\", key = \"n1.key\" }";
    const std::string text = with({"listen = \"127.0.0.1:0\"", tls, ""});
    const auto refused = [&](const std::string& what) {
        const Ran ran = run_node(text);
        EXPECT_EQ(ran.exit, 78) << what;
        EXPECT_THAT(ran.err, HasSubstr(what));
        EXPECT_FALSE(std::filesystem::exists(folder / "api.sock"));
    };
    refused("ca.crt");
    ASSERT_EQ(run("cert init --dir " + folder.string()).exit, 0);
    refused("n1.crt");
    ASSERT_EQ(run("cert issue --dir " + folder.string() + " n2").exit, 0);
    std::filesystem::copy(folder / "n2.crt", folder / "n1.crt");
    std::filesystem::copy(folder / "n2.key", folder / "n1.key");
    refused("is not for this node: \"n1\" is not among its DNS names");
}

TEST_F(NodeConfig, WhatIsWrongInTheEnvironmentOrOnTheCommandLineIsNamedThere) {
    const Ran flag = run_node(with({}), "--set groups.main.lease=soon");
    EXPECT_EQ(flag.exit, 78);
    EXPECT_THAT(flag.err, HasSubstr("groups.main.lease"));
    ::setenv("CONCLAVE_NODE_ID", "first", 1);
    const Ran variable = run_node(with({}));
    ::unsetenv("CONCLAVE_NODE_ID");
    EXPECT_EQ(variable.exit, 78);
    EXPECT_THAT(variable.err, HasSubstr("CONCLAVE_NODE_ID"));
}

TEST_F(NodeConfig, WhoChoosesAMutexIsToldWhatItReliesOn) {
    const std::string mutexes =
        "[mutex.vote]\nalgorithm = \"maekawa\"\n"
        "[mutex.path]\nalgorithm = \"path-token\"\n";
    const Ran ran = run_node(with({"", mutexes, ""}), "--check-config");
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_THAT(ran.out,
                HasSubstr("[mutex.vote]\n# what breaks it: a lost message blocks for ever; "
                          "a false verdict lets two in"));
    EXPECT_THAT(ran.out, HasSubstr("# no fencing tokens; a command is stopped after 167ms without "
                                   "a word from its node\n"));
    EXPECT_THAT(ran.out,
                HasSubstr("# if a member dies those who need its vote wait until it is back"));
    EXPECT_THAT(ran.out, HasSubstr("# it has a lease: a member that dies holds the others up by at "
                                   "most "));
    const Ran pinged = run_node(with({"", mutexes, ""}), "--check-config --set detector.kind=ping");
    EXPECT_THAT(pinged.out, HasSubstr("one that is slower than that is taken for dead\n"));
    expect_refusals({{"", "[mutex.vote]\nalgorithm = \"maekava\"\n",
                      ":29:1: unknown algorithm 'maekava'; did you mean 'maekawa'?"}});
}

}  // namespace
}  // namespace conclave
