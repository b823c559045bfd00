// cli/command_test.cc -- the command as a person types it: what it prints, how it ends.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "cli/run_test.h"

namespace conclave {
namespace {

TEST_F(Command, RingCostsThreeNMinusOneAtWorstAndTwoNAtBest) {
    for (int n = 2; n <= 64; ++n) {
        const std::string nodes = "sim ring -o json --nodes " + std::to_string(n) + " --start ";
        const auto worst = run(nodes + "1").json();
        EXPECT_EQ(worst.at("messages").at("total").as_int64(), 3 * n - 1) << n;
        EXPECT_EQ(worst.at("time").to_number<double>(), 3 * n - 1) << n;
        const auto best = run(nodes + std::to_string(n)).json();
        EXPECT_EQ(best.at("messages").at("total").as_int64(), 2 * n) << n;
        EXPECT_EQ(best.at("leader").at("1").as_int64(), n);
        EXPECT_TRUE(best.at("agreed").as_bool());
        EXPECT_TRUE(best.at("violations").as_array().empty());
    }
}

TEST_F(Command, RefusesBadArgumentsInOneLineWithUsage) {
    const struct {
        const char *arguments, *says;
    } cases[] = {
        {"sim buly", "did you mean 'bully'"},
        {"sim bully --nodes 5 --crash 9@0", "node 9"},
        {"sim bully --loss 1.5", "1.5"},
        {"sim bully --nodes 4 --partition '1,2|3@1..2'", "4"},
        {"sim bully --nodes 0", "nodes"},
        {"sim bully --nodes five", "five"},
        {"sim bully --delay 5..2", "5..2"},
        {"sim bully --without nonsense", "nonsense"},
        {"sim bully --set nonsense=1", "nonsense"},
        {"sim bully --set answer=soon", "soon"},
        {"sim bully --set answer", "NAME=VALUE"},
        {"sim bully --detector psychic", "psychic"},
        {"sim bully -o xml", "xml"},
        {"sim bully --runs 0", "0"},
        {"sim bully --frobnicate", "frobnicate"},
        {"sim", "what"},
        {"compare --nodes 9..4", "9..4"},
        {"compare nobody", "nobody"},
        {"algorithms nobody", "nobody"},
        {"--endpoint consul://here lock press -- true", "engines are etcd://, etcds:// and"},
        {"", "subcommand"},
    };
    for (const auto& one : cases) {
        const Ran ran = run(one.arguments);
        EXPECT_EQ(ran.exit, 64) << one.arguments;
        EXPECT_EQ(ran.out, "") << one.arguments;
        EXPECT_NE(ran.err.find(one.says), std::string::npos) << one.arguments << ": " << ran.err;
        EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    }
}

TEST_F(Command, TheSameSeedGivesTheSameTraceAndTheTraceReplays) {
    const std::string plan =
        "sim bully --nodes 6 --loss 0.1 --dup 0.1 --delay 0.2..1 --crash 6@9 --restart 6@30 "
        "--until 60 --seed 7 --trace ";
    const auto one = folder / "one.txt", two = folder / "two.txt";
    run(plan + one.string());
    run(plan + two.string());
    EXPECT_NE(slurp(one), "");
    EXPECT_EQ(slurp(one), slurp(two));
    EXPECT_EQ(run("replay " + one.string()).exit, 0);
    std::ofstream(one, std::ios::app) << "\nleaders\n----\nnobody\n";
    const Ran changed = run("replay " + one.string());
    EXPECT_EQ(changed.exit, 1);
    EXPECT_NE(changed.err, "");
}

TEST_F(Command, AFailingSeedPrintsTheCommandThatRepeatsIt) {
    const Ran many = run("sim bully --claimed --without lower-claim --runs 2000");
    ASSERT_EQ(many.exit, 1);
    const auto at = many.err.find("conclave sim");
    ASSERT_NE(at, std::string::npos) << many.err;
    std::string again = many.err.substr(at + std::string("conclave ").size());
    again.pop_back();
    const Ran once = run(again);
    EXPECT_EQ(once.exit, 1);
    EXPECT_NE(once.out.find("violated"), std::string::npos) << once.out;
}

TEST_F(Command, DrawsARun) {
    const auto picture = folder / "run.svg";
    EXPECT_EQ(run("sim bully --nodes 5 --crash 5@0 --start 2 --svg " + picture.string()).exit, 0);
    EXPECT_EQ(slurp(picture).rfind("<svg", 0), 0U);
    const Ran nowhere = run("sim bully --svg /nowhere/at/all.svg");
    EXPECT_EQ(nowhere.exit, 73);
    EXPECT_NE(nowhere.err.find("/nowhere/at/all.svg"), std::string::npos);
}

TEST_F(Command, ComparesEveryElectionWithItsFormulas) {
    const auto picture = folder / "plot.svg";
    const Ran ran = run("compare --nodes 4..16 -o json --svg " + picture.string());
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_GT(ran.json().as_array().size(), 20U);
    EXPECT_EQ(slurp(picture).rfind("<svg", 0), 0U);
}

TEST_F(Command, ListsTheCatalog) {
    const auto all = run("algorithms -o json").json();
    ASSERT_TRUE(all.is_array());
    for (const auto& one : all.as_array()) {
        const Ran detail = run("algorithms " + std::string(one.at("name").as_string()));
        EXPECT_EQ(detail.exit, 0);
        EXPECT_NE(detail.out.find("ensures"), std::string::npos);
    }
}

TEST_F(Command, AMissingFileIsNamed) {
    const Ran ran = run("replay " + (folder / "absent.txt").string());
    EXPECT_EQ(ran.exit, 66);
    EXPECT_NE(ran.err.find("absent.txt"), std::string::npos);
}

}  // namespace
}  // namespace conclave
