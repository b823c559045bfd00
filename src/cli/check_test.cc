// cli/check_test.cc -- `check`, and the critical section on the command line.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cli/run_test.h"

namespace conclave {
namespace {

TEST_F(Command, ExploresAWorldAndSaysHowLargeItWas) {
    const Ran ran = run("check bully --nodes 2 --crashes 1 -o json");
    EXPECT_EQ(ran.exit, 0) << ran.err;
    const auto report = ran.json();
    EXPECT_TRUE(report.at("complete").as_bool());
    EXPECT_GT(report.at("states").as_int64(), 100);
    EXPECT_EQ(report.at("bounds").at("crashes").as_int64(), 1);
    EXPECT_TRUE(report.at("counterexample").is_null());
    for (const auto& property : report.at("properties").as_array()) {
        EXPECT_TRUE(property.at("holds").as_bool()) << property.at("name").as_string();
    }
}

TEST_F(Command, ACounterexampleIsAScriptThatRuns) {
    const auto script = folder / "story.txt", picture = folder / "story.svg";
    const Ran ran = run("check bully --timing asynchronous --script " + script.string() +
                        " --svg " + picture.string());
    EXPECT_EQ(ran.exit, 1);
    EXPECT_NE(ran.out.find("both lead"), std::string::npos) << ran.out;
    EXPECT_EQ(slurp(picture).rfind("<svg", 0), 0U);
    const Ran told = run("sim " + script.string());
    EXPECT_EQ(told.exit, 0) << told.out << told.err;
}

TEST_F(Command, ASearchThatIsCutShortSaysSo) {
    const Ran ran = run("check bully --nodes 3 --crashes 1 --states 1000 -o json");
    EXPECT_EQ(ran.exit, 75) << ran.err;
    EXPECT_FALSE(ran.json().at("complete").as_bool());
}

TEST_F(Command, DepthFirstDoesNotSayWhatEndlessRunsComeTo) {
    const Ran ran =
        run("check maekawa --nodes 3 --crashes 0 --restarts 0 --without own-queue --depth-first -o "
            "json");
    const auto report = ran.json();
    std::size_t settled = 0;
    for (const auto& property : report.at("properties").as_array()) {
        if (property.at("kind") != "settled") continue;
        ++settled;
        EXPECT_TRUE(property.at("holds").is_null());
    }
    EXPECT_EQ(settled, 1U);
}

TEST_F(Command, WrongWordsToCheckAreNamed) {
    struct Case {
        std::string words, named;
    };
    for (const auto& [words, named] :
         {Case{"nobody", "nobody"},
          {"bully --crashes x", "'x'"},
          {"bully --nodes 99", "16"},
          {"bully --without nothing", "nothing"},
          {"bully --timing odd", "'odd'"},
          {"bully --timing asynchronous --settle 9", "--settle counts ticks"},
          {"bully --judge good-manners", "no property 'good-manners'"},
          {"bully --cut 1-2@3", "faults at given times"},
          {"heartbeat --ticks 0", "--ticks"},
          {"heartbeat --timing asynchronous", "looks at its clock"},
          {"bully-on-heartbeat", "bully-on-heartbeat' has no checker"}}) {
        const Ran ran = run("check " + words);
        EXPECT_EQ(ran.exit, 64) << words;
        EXPECT_NE(ran.err.find(named), std::string::npos) << ran.err;
    }
}

// No time passes in that world: the story must not need any either.
TEST_F(Command, ACounterexampleOfAnUntimedWorldIsAScriptThatRuns) {
    const auto script = folder / "story.txt";
    const Ran ran =
        run("check ricart-agrawala --nodes 2 --crashes 0 --losses 1 --script " + script.string());
    ASSERT_EQ(ran.exit, 1) << ran.err;
    EXPECT_EQ(run("sim " + script.string()).exit, 0);
}

TEST_F(Command, ALinkCanBeCutFromTheBeginning) {
    const auto script = folder / "story.txt";
    const std::string world = "check bully --nodes 2 --crashes 0 --one-leader ";
    EXPECT_EQ(run(world).exit, 0);
    const Ran apart = run(world + "--cut 1-2 --script " + script.string());
    ASSERT_EQ(apart.exit, 1) << apart.err;
    const Ran told = run("sim " + script.string());
    EXPECT_EQ(told.exit, 0) << told.out << told.err;
}

TEST_F(Command, ReportsWhatAnEntryCosts) {
    const auto report =
        run("sim ricart-agrawala --nodes 5 --requests 2 --contention 1 -o json").json();
    EXPECT_EQ(report.at("entries").as_int64(), 10);
    EXPECT_EQ(report.at("messages_per_entry").to_number<double>(), 8);
    EXPECT_EQ(report.at("client_delay").to_number<double>(), 2);
    EXPECT_TRUE(report.at("synchronization_delay").is_null());
    EXPECT_TRUE(report.at("order_kept").as_bool());
    EXPECT_EQ(report.at("overtakings").as_int64(), 0);
}

TEST_F(Command, ADeadlockSaysWhoWaitsForWhom) {
    const std::string world = "sim maekawa --nodes 7 --set sets=lecture --start 1,2,5";
    const Ran stuck = run(world + " --without inquire");
    EXPECT_EQ(stuck.exit, 1);
    EXPECT_NE(stuck.out.find("1 waits for 2, 2 waits for 5, 5 waits for 1"), std::string::npos)
        << stuck.out;
    const Ran freed = run(world + " -o json");
    EXPECT_EQ(freed.exit, 0);
    EXPECT_EQ(freed.json().at("entries").as_int64(), 3);
}

TEST_F(Command, ComparesEveryMutualExclusionWithItsFormulas) {
    const auto picture = folder / "plot.svg";
    const Ran ran = run("compare --mutex --nodes 4..16 -o json --svg " + picture.string());
    EXPECT_EQ(ran.exit, 0) << ran.err;
    std::set<std::string> compared;
    const auto rows = ran.json();
    for (const auto& row : rows.as_array()) compared.emplace(row.at("algorithm").as_string());
    EXPECT_EQ(compared, (std::set<std::string>{"central", "token-ring", "ricart-agrawala",
                                               "maekawa", "path-token"}));
    EXPECT_EQ(slurp(picture).rfind("<svg", 0), 0U);
    EXPECT_EQ(run("compare --mutex --contention --nodes 7").exit, 0);
    EXPECT_EQ(run("compare --mutex bully --nodes 4..8").exit, 64);
}

TEST_F(Command, PrintsVotingSetsForAGroupOfAnySize) {
    const auto seven = run("algorithms maekawa --nodes 7 -o json").json().at("voting_sets");
    EXPECT_EQ(seven.at("kind").as_string(), "plane");
    EXPECT_TRUE(seven.at("fair").as_bool());
    EXPECT_EQ(seven.at("sets").as_array().size(), 7U);
    EXPECT_NE(run("algorithms maekawa --nodes 10").out.find("K = "), std::string::npos);
    EXPECT_EQ(run("algorithms maekawa --nodes 0").exit, 64);
}

}  // namespace
}  // namespace conclave
