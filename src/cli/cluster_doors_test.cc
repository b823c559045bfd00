// cli/cluster_doors_test.cc -- the ports of a real node's API: who may change something there.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/cluster_test.h"
#include "conclave/client.hpp"

namespace conclave {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// One node with locks, a port beside its socket, and a token.
class Doors : public RealCluster {
protected:
    void begin(const std::string& api = "") {
        write_token("token", "a-word-that-nobody-guesses");
        prepare("quorum", 1, "lease = \"1s\"\n[locks]\nlease = \"1s\"\n");
        open_port(0, "token_file = \"../token\"\n" + api);
        restart();
        expect_leader("n1");
    }
    std::string write_token(const std::string& name, const std::string& word) const {
        const fs::path path = folder / name;
        std::ofstream(path) << word << "\n";
        fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
        return path.string();
    }
    std::string file(const std::string& name) const { return (folder / name).string(); }
    std::string knowing(const std::string& name) const {
        return "--token-file " + file(name) + " ";
    }
    static void expect_lock(const ClientOptions& options) {
        Client client(options);
        const auto held = client.lock("press").lock_for(60s);
        ASSERT_TRUE(held);
        EXPECT_TRUE(held->held());
    }
};

TEST_F(Doors, WhoKnowsTheTokenMayChangeSomething) {
    begin();
    write_token("wrong", "a-word-that-somebody-guessed");
    const std::string there = "--endpoint http://" + api_address(0) + " ";
    EXPECT_EQ(run(there + "groups").exit, 0) << "anybody may look";
    Ran ran = run(there + "drain");
    EXPECT_EQ(ran.exit, 77);
    EXPECT_NE(ran.err.find("show the token"), std::string::npos) << ran.err;
    ran = run(there + knowing("wrong") + "drain");
    EXPECT_EQ(ran.exit, 77);
    EXPECT_NE(ran.err.find("not known"), std::string::npos) << ran.err;
    EXPECT_EQ(run(there + knowing("none") + "groups").exit, 77) << "there is no such file";
    EXPECT_EQ(run(there + "lock press -w 60s -- true").exit, 77);
    EXPECT_EQ(run(there + knowing("token") + "lock press -w 60s -- true").exit, 0) << logs();
    expect_lock({.endpoints = {"http://" + api_address(0)}, .token_file = file("token")});
    ran = run(there + "drain", "CONCLAVE_TOKEN_FILE=" + file("token"));
    EXPECT_EQ(ran.exit, 0) << ran.err;

    write_token("token", "another-word-for-it");
    kill(0, SIGHUP);
    ASSERT_TRUE(logs_at(0, "reloaded"));
    EXPECT_EQ(run(there + knowing("token") + "undrain").exit, 0);
}

// The certificates of the links serve the API too: of the same authority as those of operators.
TEST_F(Doors, WithTlsAnOperatorsCertificateIsAsGood) {
    const std::string certs = file("certs") + "/", others = file("others") + "/";
    ASSERT_EQ(run("cert init --dir " + certs).exit, 0);
    ASSERT_EQ(run("cert issue n1 --host 127.0.0.1 --dir " + certs).exit, 0);
    ASSERT_EQ(run("cert issue ops --client --dir " + certs).exit, 0);
    ASSERT_EQ(run("cert init --dir " + others).exit, 0);
    ASSERT_EQ(run("cert issue ops --client --dir " + others).exit, 0);
    begin(
        "tls = { ca = \"../certs/ca.crt\", cert = \"../certs/n1.crt\", "
        "key = \"../certs/n1.key\" }\n");
    const std::string url = "https://" + api_address(0);
    const std::string there = "--endpoint " + url + " --cacert " + certs + "ca.crt ";
    const auto as = [](const std::string& of) {
        return "--cert " + of + "ops.crt --key " + of + "ops.key ";
    };
    EXPECT_EQ(run(there + "groups").exit, 0) << "anybody may look\n" << logs();
    const Ran ran = run(there + "drain");
    EXPECT_EQ(ran.exit, 77);
    EXPECT_NE(ran.err.find("show a client certificate of this cluster"), std::string::npos)
        << ran.err;
    EXPECT_EQ(run(there + as(certs) + "lock press -w 60s -- true").exit, 0) << logs();
    expect_lock({.endpoints = {url},
                 .cacert = certs + "ca.crt",
                 .cert = certs + "ops.crt",
                 .key = certs + "ops.key"});
    EXPECT_EQ(run(there + as(certs) + "drain").exit, 0);
    EXPECT_EQ(run(there + knowing("token") + "undrain").exit, 0);
    EXPECT_EQ(run(there + as(others) + "groups").exit, 77) << "of another authority";
    EXPECT_EQ(run("--endpoint " + url + " groups").exit, 77) << "whom we do not believe";
    EXPECT_NE(run("--endpoint http://" + api_address(0) + " groups").exit, 0) << "in plaintext";
}

}  // namespace
}  // namespace conclave
