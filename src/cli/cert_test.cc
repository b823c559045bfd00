// cli/cert_test.cc -- `conclave cert` as a person types it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "cli/run_test.h"

namespace conclave {
namespace {

class Cert : public Command {
protected:
    std::string in_folder() const { return " --dir " + (folder / "pki").string(); }
    Ran init(const std::string& more = "") const { return run("cert init" + in_folder() + more); }
    Ran issue(const std::string& rest) const { return run("cert issue " + rest + in_folder()); }
    std::string path(const std::string& name) const { return (folder / "pki" / name).string(); }
    boost::json::object shown(const std::string& name) const {
        return run("cert show -o json " + path(name)).json().at(0).as_object();
    }
};

TEST_F(Cert, MakesACaAndCertificatesThatItShows) {
    EXPECT_EQ(init(" --name test --days 100").exit, 0);
    const Ran made = issue("n1 n2 --host n1.example.net --host 10.0.0.1 --days 30");
    EXPECT_EQ(made.exit, 0);
    EXPECT_NE(made.out.find("n2.crt  node until 20"), std::string::npos) << made.out;
    EXPECT_NE(made.out.find("n2.key"), std::string::npos) << made.out;

    const auto ca = shown("ca.crt"), node = shown("n1.crt");
    EXPECT_EQ(ca.at("usage").as_string(), "CA");
    EXPECT_EQ(ca.at("subject").as_string(), "CN=test");
    EXPECT_EQ(node.at("issuer").as_string(), "CN=test");
    EXPECT_EQ(node.at("name").as_string(), "n1");
    EXPECT_EQ(node.at("usage").as_string(), "node");
    EXPECT_EQ(node.at("hosts"), (boost::json::array{"n1", "n1.example.net", "10.0.0.1"}));
    EXPECT_NEAR(static_cast<double>(node.at("days_left").as_int64()), 29.5, 0.6);
    EXPECT_EQ(node.at("file").as_string(), path("n1.crt"));
    EXPECT_EQ(node.at("not_after").as_string().size(), std::string("2026-11-15T12:00:00Z").size());

    const Ran text = run("cert show " + path("ca.crt") + " " + path("n1.crt"));
    EXPECT_EQ(text.exit, 0);
    EXPECT_NE(text.out.find("n1, n1.example.net, 10.0.0.1"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("days left"), std::string::npos) << text.out;
}

TEST_F(Cert, KeysAreTheirOwnersAlone) {
    ASSERT_EQ(init().exit, 0);
    ASSERT_EQ(issue("n1").exit, 0);
    for (const char* name : {"ca.key", "n1.key"}) {
        struct stat status {};
        ASSERT_EQ(::stat(path(name).c_str(), &status), 0) << name;
        EXPECT_EQ(status.st_mode & 07777, 0600u) << name;
    }
}

TEST_F(Cert, AnOperatorGetsNoNodesCertificate) {
    ASSERT_EQ(init().exit, 0);
    ASSERT_EQ(issue("alice --client").exit, 0);
    EXPECT_EQ(shown("alice.crt").at("usage").as_string(), "operator");
    EXPECT_EQ(issue("bob --client --host h").exit, 64);
}

TEST_F(Cert, WhatIsThereIsKeptUnlessForced) {
    ASSERT_EQ(init().exit, 0);
    ASSERT_EQ(issue("n1").exit, 0);
    const std::string ca = slurp(path("ca.key")), node = slurp(path("n1.key"));
    const Ran again = init();
    EXPECT_EQ(again.exit, 74);
    EXPECT_NE(again.err.find("--force"), std::string::npos) << again.err;
    EXPECT_EQ(issue("n1").exit, 74);
    EXPECT_EQ(slurp(path("ca.key")), ca);
    EXPECT_EQ(slurp(path("n1.key")), node);
    EXPECT_EQ(issue("n1 --force").exit, 0);
    EXPECT_NE(slurp(path("n1.key")), node);
}

TEST_F(Cert, RefusesInOneLineAndSaysWhy) {
    const Ran nothing = issue("n1");
    EXPECT_EQ(nothing.exit, 74);
    EXPECT_NE(nothing.err.find("cert init"), std::string::npos) << nothing.err;
    EXPECT_EQ(init(" --days 0").exit, 64);
    ASSERT_EQ(init().exit, 0);
    for (const char* wrong : {"ca", "n1 a/b", "'*'", "n1 --host 'a b'", "n1 --days 0",
                              "n1 --days many", "", "n1 --frobnicate"}) {
        const Ran ran = issue(wrong);
        EXPECT_EQ(ran.exit, 64) << wrong;
        EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
        EXPECT_FALSE(std::filesystem::exists(path("n1.crt"))) << wrong;
    }
    EXPECT_EQ(run("cert").exit, 64);
    EXPECT_EQ(run("cert show").exit, 64);
}

TEST_F(Cert, ShowTellsWhatItCanAndFailsForTheRest) {
    ASSERT_EQ(init().exit, 0);
    const Ran mixed =
        run("cert show -o jsonl " + path("ca.key") + " " + path("missing") + " " + path("ca.crt"));
    EXPECT_EQ(mixed.exit, 74);
    EXPECT_EQ(mixed.json().at("usage").as_string(), "CA");
    EXPECT_EQ(std::count(mixed.err.begin(), mixed.err.end(), '\n'), 2) << mixed.err;
    EXPECT_NE(mixed.err.find("ca.key: no certificate"), std::string::npos) << mixed.err;
}

TEST_F(Cert, QuietIsQuietAndAFolderThatCannotBeMadeIsNamed) {
    EXPECT_EQ(run("cert init -q" + in_folder()).out, "");
    std::ofstream(folder / "file") << "in the way";
    const Ran blocked = run("cert init --dir " + (folder / "file" / "pki").string());
    EXPECT_EQ(blocked.exit, 74);
    EXPECT_NE(blocked.err.find("file/pki"), std::string::npos) << blocked.err;
}

}  // namespace
}  // namespace conclave
