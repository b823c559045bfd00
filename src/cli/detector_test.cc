// cli/detector_test.cc -- `conclave sim detector`: measured quality beside what is known of it.
#include "cli/detector.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/command.h"

namespace conclave {
namespace {

struct Ran {
    int exit = -1;
    std::string out, err;
    boost::json::value row(std::size_t at = 0) const {
        return boost::json::parse(out).at("rows").at(at);
    }
};

// The words behind `conclave sim detector`, separated by blanks.
Ran detector(const std::string& words) {
    std::vector<std::string> all{"conclave", "sim", "detector"};
    for (std::size_t from = 0; from < words.size();) {
        const auto blank = std::min(words.find(' ', from), words.size());
        all.push_back(words.substr(from, blank - from));
        from = blank + 1;
    }
    std::vector<const char*> argv;
    for (const std::string& word : all) argv.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Ran ran;
    ran.exit = command(static_cast<int>(argv.size()), argv.data());
    ran.out = testing::internal::GetCapturedStdout();
    ran.err = testing::internal::GetCapturedStderr();
    return ran;
}

double real(const boost::json::value& value) { return value.to_number<double>(); }

TEST(DetectorCommand, MeasuresWhatTheFormulasForetell) {
    const auto row = detector(
                         "--kind chen --loss 0.1 --delay 0.1..1 --without widening -o json "
                         "--set margin=1.25 --runs 200")
                         .row();
    const auto& known = row.at("foretold");
    const auto near = [](const boost::json::value& seen, const boost::json::value& foretold) {
        EXPECT_NEAR(real(seen) / real(foretold), 1, 0.1);
    };
    near(row.at("mistakes_per_1000"), known.at("mistakes_per_1000"));
    near(row.at("mistake_duration"), known.at("mistake_duration"));
    near(row.at("mistake_recurrence"), known.at("mistake_recurrence"));
    EXPECT_NEAR(real(row.at("accuracy")), real(known.at("accuracy")), 0.005);
    EXPECT_LE(real(row.at("detection_time").at("max")), real(known.at("detection_most")) + 0.1);
    EXPECT_GT(real(row.at("detection_time").at("max")), real(known.at("detection_most")) - 0.5);
    EXPECT_EQ(row.at("detection_time").at("count").as_int64(), 200);
    EXPECT_GT(real(row.at("false_elections_per_1000")), 1) << "and what it does to an election";
}

TEST(DetectorCommand, MeasuresACrashToTheTick) {
    // Asked at 0, 4, ..., the answer is due 2 later; crashed at 50, asked at 52.
    const auto ping = detector("--kind ping --crash 2@50 --runs 3 -o json").row();
    EXPECT_EQ(real(ping.at("detection_time").at("p50")), 4);
    EXPECT_EQ(real(ping.at("detection_time").at("max")), 4);
    EXPECT_EQ(real(ping.at("foretold").at("detection_most")), 4 + 2 - 1);
    // d + W - x with d = 1, W = 4 + 2, x = 2.
    const auto beats =
        detector("--kind heartbeat --set margin=2 --crash 2@50 --nodes 3 --runs 2 -o json").row();
    EXPECT_EQ(real(beats.at("detection_time").at("p99")), 5);
    EXPECT_EQ(beats.at("detection_time").at("count").as_int64(), 4) << "two observers, two runs";
    EXPECT_EQ(real(beats.at("accuracy")), 1);
}

TEST(DetectorCommand, CountsMessagesPerUnit) {
    const std::string world = " --nodes 4 --until 400 --crash 4@399 --runs 1 -o json";
    EXPECT_NEAR(real(detector("--kind heartbeat" + world).row().at("messages_per_unit")), 3, 0.1);
    EXPECT_NEAR(real(detector("--kind ping" + world).row().at("messages_per_unit")), 6, 0.1);
}

TEST(DetectorCommand, SaysHowManyCrashesNobodyNoticed) {
    const auto row =
        detector("--kind heartbeat --set margin=900 --crash 2@50 --until 100 --runs 2 -o json")
            .row();
    EXPECT_EQ(row.at("detection_time").at("count").as_int64(), 0);
    EXPECT_EQ(row.at("detection_time").at("crashes").as_int64(), 2);
    const Ran restarted = detector(
        "--kind heartbeat --set margin=30 --crash 2@50 --restart 2@60 --until 200 --runs 2");
    EXPECT_NE(restarted.out.find("0 of 2 crashes noticed"), std::string::npos) << restarted.out;
}

TEST(DetectorCommand, SweepsASettingAndDrawsTheTradeOff) {
    const auto picture = std::filesystem::temp_directory_path() / "conclave-trade-off.svg";
    const std::string sweep =
        "--kind chen --tm 1 --delay 0..4 --without widening --sweep margin=0.5,1,2 --runs 30 ";
    const Ran ran = detector(sweep + "-o json --svg " + picture.string());
    ASSERT_EQ(ran.exit, 0) << ran.err;
    double slower = 0, better = 1e9;
    for (std::size_t at = 0; at < 3; ++at) {
        const auto row = ran.row(at);
        EXPECT_GT(real(row.at("detection_time").at("p99")), slower);
        EXPECT_LT(real(row.at("mistakes_per_1000")), better);
        slower = real(row.at("detection_time").at("p99"));
        better = real(row.at("mistakes_per_1000"));
    }
    EXPECT_EQ(ran.row(1).at("setting").at("margin").as_string(), "1");
    std::ifstream file(picture);
    const std::string svg{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(svg.rfind("<svg", 0), 0U);
    EXPECT_NE(svg.find("chen, margin"), std::string::npos);
    std::filesystem::remove(picture);

    const Ran text = detector(sweep + "--sweep period=2,8");
    EXPECT_NE(text.out.find("margin=0.5"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("period=8"), std::string::npos) << text.out;
}

TEST(DetectorCommand, WithoutAKindComparesAll) {
    const Ran ran = detector("--tm 1 --delay 0..2 --runs 10");
    for (const char* kind : {"heartbeat", "adaptive", "chen", "bertier", "accrual", "ping"}) {
        EXPECT_NE(ran.out.find(kind), std::string::npos) << ran.out;
    }
    const Ran some = detector("--runs 2 --without widening --set margin=2 --sweep threshold=1,8");
    EXPECT_EQ(some.exit, 0) << "each takes what concerns it: " << some.err;
    EXPECT_EQ(some.out.find("ping"), std::string::npos) << some.out;
    const Ran lines = detector("--runs 2 -o jsonl");
    EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 6);
}

TEST(DetectorCommand, TheSameSeedGivesTheSameNumbers) {
    const std::string words = "--kind bertier --tm 1 --delay 0..3 --loss 0.05 --runs 5 --seed 9";
    EXPECT_EQ(detector(words).out, detector(words).out);
    EXPECT_NE(detector(words).out, detector(words + "9").out);
}

TEST(DetectorCommand, RefusesBadArgumentsInOneLine) {
    const struct {
        const char *words, *says;
    } cases[] = {
        {"--kind psychic", "psychic"},
        {"--kind chen --sweep margin", "NAME=VALUE"},
        {"--kind chen --sweep margin=", "NAME=VALUE"},
        {"--kind chen --sweep margin=1,,2", "NAME=VALUE"},
        {"--kind chen --sweep threshold=1", "makes no difference to chen (period, margin)"},
        {"--kind chen --sweep period=2,soon", "soon"},
        {"--kind chen --sweep period=0", "period must be"},
        {"--kind chen --set period=0", "period must be"},
        {"--kind chen --set nonsense=1", "nonsense"},
        {"--kind chen --nodes 1", "--nodes 2"},
        {"--kind chen --crash 9@5", "node 9"},
        {"--kind chen --svg picture.svg", "--sweep"},
        {"--kind chen --claimed", "--claimed"},
        {"--kind chen --detector ping", "--kind"},
        {"--sweep nonsense=1", "makes no difference to any detector"},
        {"--kind ping --without widening", "widening"},
        {"--kind chen --suspect 1:2@5", "detector of its own"},
        {"--kind chen --runs 0", "0"},
    };
    for (const auto& one : cases) {
        const Ran ran = detector(one.words);
        EXPECT_EQ(ran.exit, 64) << one.words;
        EXPECT_EQ(ran.out, "") << one.words;
        EXPECT_NE(ran.err.find(one.says), std::string::npos) << one.words << ": " << ran.err;
        EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    }
    EXPECT_EQ(detector("--sweep period=2,4 --runs 1 --svg /nowhere/at/all.svg").exit, 73);
}

}  // namespace
}  // namespace conclave
