// sim/script_test.cc -- the language of scripts: commands, comparison, rewriting.
#include "sim/script.h"

#include <gtest/gtest.h>

#include "sim/diary_test.h"
#include "sim/dice.h"
#include "sim/simulate.h"

namespace conclave {
namespace {

std::unique_ptr<Simulator> find(std::string_view name) {
    return name == "diary" ? make_simulator<test::Diary>("diary") : nullptr;
}
ScriptResult run(const std::string& text) { return run_script(text, find); }

// What one block of commands prints in a world of three.
std::string output(const std::string& commands, const std::string& world = "nodes=3") {
    const std::string head = "world diary " + world + "\n----\n\n";
    const std::string text = run(head + commands + "\n----\n").text;
    return text.substr(head.size() + commands.size() + 6);
}

TEST(Script, DeliversLosesAndDuplicatesByName) {
    EXPECT_EQ(output("ask 1 Write 2 7\ndeliver 1>2"), "1 sends Note(7) to 2\n2 does nothing\n");
    EXPECT_EQ(output("ask 1 Write 2 7\nask 1 Write 2 8\ndeliver 1>2 Note(8)\npending"),
              "1 sends Note(7) to 2\n1 sends Note(8) to 2\n2 does nothing\n1>2 Note(7) due 1\n");
    EXPECT_EQ(output("ask 1 Write 2 7\nduplicate 1>2 Note\nlose 1>2\npending"),
              "1 sends Note(7) to 2\n1>2 Note(7) due 1\n");
    EXPECT_EQ(output("ask 1 Write 2 7\nask 2 Write 3 8\ndeliver all\nlose all\npending"),
              "1 sends Note(7) to 2\n2 sends Note(8) to 3\nat 0 deliver 1>2 Note(7)\n"
              "  2 does nothing\nat 0 deliver 2>3 Note(8)\n  3 does nothing\nnothing\n");
}

TEST(Script, ShowsWhatTheNodesAre) {
    EXPECT_EQ(output("ask 1 Keep 2 5\ncrash 1\npause 2\ndeliver 1>2 Note(1)\nask 3 Dance 4\nshow"),
              "1 sends Note(1) to 2; saves Durable(5); sends Note(2) to 2\n"
              "error: this algorithm knows no request 'Dance 4'\n"
              "1 down, disk Durable(5)\n"
              "2 paused Diary([\"booted with 0\"], [0]), disk Durable(0), 1 waiting\n"
              "3 up Diary([\"booted with 0\"], [0]), disk Durable(0)\n");
    EXPECT_EQ(output("crash 1\nrestart 1\nattribute 1 7\nshow 1"),
              "1 up Diary([\"booted with 0\"], [0]), disk Durable(0), life 2, attribute 7\n");
    EXPECT_EQ(output("leaders"), "error: this algorithm elects nobody\n");
    EXPECT_EQ(output("check"), "nothing to check\n");
}

TEST(Script, RunsWhatIsDueInOrder) {
    EXPECT_EQ(output("ask 1 Write 2 7\ncrash 3\nrun 2"),
              "1 sends Note(7) to 2\nat 1 deliver 1>2 Note(7)\n  2 does nothing\n"
              "at 2 fail 1 3\n  1 does nothing\nat 2 fail 2 3\n  2 does nothing\nit is 2\n");
    EXPECT_EQ(output("ask 1 Write 2 7\nevents off\nrun"), "1 sends Note(7) to 2\nquiet at 1\n");
    EXPECT_EQ(output("run", "nodes=2 crash=1@3 restart=1@4 detector=none"),
              "at 3 crash 1\nat 4 restart 1\nquiet at 4\n");
    EXPECT_EQ(output("at 5 run 2.5\nat 8\ncounts"), "it is 7.5\nno messages\n");
}

TEST(Script, PartitionsCutAndHealAll) {
    EXPECT_EQ(
        output("partition 1|2,3\nask 1 Write 2 7\nask 2 Write 3 8\nheal 1-2\nask 1 Write 2 9\n"
               "heal all\nask 3 Write 1 4\ncounts\ncounts clear\ncounts",
               "nodes=3 detector=none"),
        "1 sends Note(7) to 2\n(the link is cut: 1>2 Note(7))\n2 sends Note(8) to 3\n"
        "1 sends Note(9) to 2\n3 sends Note(4) to 1\n4 messages: Note 4\nno messages\n");
}

TEST(Script, TellsLivesApart) {
    EXPECT_EQ(output("ask 1 Write 2 7\ncrash 1\nrestart 1\nask 1 Write 2 7\npending\n"
                     "deliver 1>2 Note(7) life 2\ndeliver 1>2",
                     "nodes=2 detector=none"),
              "1 sends Note(7) to 2\n1 sends Note(7) to 2\n1>2 Note(7) due 1\n"
              "1>2 Note(7) life 2 due 1\n2 notices that 1 restarted\n2 does nothing\n"
              "(from an earlier life: 1>2 Note(7))\n");
    EXPECT_EQ(output("crash 1 torn\nask 1 Keep 2 5", "nodes=2 detector=none"),
              "1 sends Note(1) to 2; saves Durable(5); sends Note(2) to 2\n"
              "(1 crashes before its save is done)\n");
}

TEST(Script, SaysWhatCannotBeDone) {
    for (const auto& [command, error] : std::vector<std::pair<std::string, std::string>>{
             {"crash 9", "node 9 is not one of the 3 nodes"},
             {"crash", "a node is missing"},
             {"crash x", "a node is missing, there is 'x'"},
             {"crash 1 hard", "nothing is known about 'hard'"},
             {"cut 1+2", "a link like 1>2 is missing, there is '1+2'"},
             {"deliver 1-2", "a message goes one way: write 1>2"},
             {"deliver 1>2", "no message is on its way from 1 to 2"},
             {"lose 1>2 Note(3)", "no Note(3) is on its way from 1 to 2"},
             {"expire 1 Alarm", "node 1 has no timer Alarm armed"},
             {"partition 1,2", "partition '1,2' misses node 3"},
             {"call 1", "this algorithm knows no request 'Campaign'"},
             {"at x crash 1", "a time is missing, there is 'x'"},
             {"run until tired", "run until what? 'settled' is known"},
             {"run until settled", "this algorithm has no properties"},
             {"events", "events are on or off"},
             {"drift 1 9999999", "drift must be a clock's error in ppm, not 9999999"},
             {"dance", "unknown command 'dance'"},
         }) {
        EXPECT_EQ(output(command), "error: " + error + "\n");
    }
    EXPECT_EQ(output("at 3\nat 2"), "error: it is 3 already\n");
}

TEST(Script, WorldsAreChecked) {
    auto first_error = [](const std::string& line) {
        const ScriptResult result = run(line + "\n----\n");
        return result.errors.empty() ? "" : result.errors[0].what;
    };
    EXPECT_EQ(first_error("world"), "which algorithm? Write: world ALGORITHM nodes=N");
    EXPECT_EQ(first_error("world hamlet nodes=3"), "unknown algorithm 'hamlet'");
    EXPECT_EQ(first_error("world diary nodes=3 loss=2"), "loss must be between 0 and 1, not 2");
    EXPECT_EQ(first_error("world diary nodes=3 without=x"), "unknown fix 'x' of diary");
    EXPECT_EQ(first_error("crash 1"), "there is no world yet, begin with: world ALGORITHM nodes=N");
}

TEST(Script, ComparesAndRewrites) {
    const std::string script =
        "# A story.\n\n"
        "world diary nodes=2\n----\n\n"
        "# Why.\nask 1 Write 2 7\n# Now.\ndeliver 1>2\n----\nold\nlines\n\n\n"
        "counts\n----\n1 messages: Note 1\n";
    const ScriptResult result = run(script);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.commands, 4U);
    ASSERT_EQ(result.differences.size(), 1U);
    EXPECT_EQ(result.differences[0].line, 7U);
    EXPECT_EQ(explain(result, "x.txt"),
              "x.txt:7: ask 1 Write 2 7\n  - old\n  - lines\n  + 1 sends Note(7) to 2\n"
              "  + 2 does nothing\n");
    std::string mended = script;
    mended.replace(mended.find("old\nlines"), 9, "1 sends Note(7) to 2\n2 does nothing");
    EXPECT_EQ(result.text, mended);
    EXPECT_TRUE(run(result.text).ok());
    EXPECT_EQ(explain(run(result.text), "x.txt"), "");
}

TEST(Script, ExpectedErrorIsNoError) {
    const std::string head = "world diary nodes=2\n----\n\n";
    EXPECT_TRUE(run(head + "crash 9\n----\nerror: node 9 is not one of the 2 nodes\n").ok());
    const ScriptResult result = run(head + "counts\ncrash 9\n----\nno messages\n");
    ASSERT_EQ(result.errors.size(), 1U);
    EXPECT_EQ(result.errors[0].line, 5U);
    EXPECT_EQ(run("world diary nodes=2\n").errors.at(0).what,
              "no line of dashes behind the commands");
    EXPECT_EQ(run("----\nx\n").errors.at(0).what, "no command before the line of dashes");
}

TEST(Script, NamesTheAlgorithmsItNeeds) {
    EXPECT_EQ(algorithms_of("# x\nworld bully nodes=2\n----\n\nworld  ring nodes=3\n----\n\n"
                            "world bully nodes=4\n----\n"),
              (std::vector<std::string>{"bully", "ring"}));
}

TEST(Script, JunkIsObeyedOrRefusedButNeverCrashes) {
    constexpr std::string_view words[] = {
        "at",    "deliver", "lose",  "duplicate", "expire", "crash", "restart", "pause", "resume",
        "cut",   "heal",    "all",   "partition", "call",   "ask",   "suspect", "trust", "fail",
        "drift", "run",     "show",  "leaders",   "counts", "clear", "pending", "check", "events",
        "1",     "2",       "3",     "9",         "-1",     "1>2",   "2-3",     "0.5",   "1e99",
        "on",    "off",     "Note",  "Note(7)",   "life",   "Write", "Keep",    "Wake",  "world",
        "until", "settled", "1|2,3", "torn",      "",       "----",  "#",       "\xff",  "Alarm"};
    Dice dice(5);
    for (int i = 0; i < 2'000; ++i) {
        std::string text = "world diary nodes=3\n----\n\n";
        for (int line = 0; line < 8; ++line) {
            for (std::uint64_t n = 1 + dice.below(5); n > 0; --n) {
                text += std::string(words[dice.below(std::size(words))]) + " ";
            }
            text += dice.chance(0.3) ? "\n----\n\n" : "\n";
        }
        const ScriptResult result = run(text);
        EXPECT_TRUE(run(result.text).differences.empty()) << text;
    }
}

}  // namespace
}  // namespace conclave
