// cli/replay_test.cc -- real processes record, one is killed, and `conclave replay` tells it.
#include "cli/replay.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/cluster_test.h"

namespace conclave {
namespace {

class Recordings : public RealCluster {
protected:
    // Three nodes elect, the leader is killed, the others elect again, and all stop.
    void live() {
        Cluster::Plan plan = plan_of("quorum", 3);
        plan.record = true;
        ASSERT_NO_FATAL_FAILURE(prepare(plan));
        ASSERT_NO_FATAL_FAILURE(restart());
        killed = agreed_leader();
        ASSERT_NE(killed, "");
        ASSERT_NO_FATAL_FAILURE(kill(place(killed)));
        ASSERT_TRUE(comes_true([this] {
            const std::string named = named_by_all();
            return named.starts_with("n") && named != "nobody" && named != killed;
        })) << logs();
        cluster->stop();
    }
    std::string folders() const {
        std::string all;
        for (const char* name : {"n1", "n2", "n3"})
            all += " " + (folder / name / "record").string();
        return all;
    }
    std::filesystem::path file_of(const std::string& name) const {
        return std::filesystem::directory_iterator(folder / name / "record")->path();
    }

    std::string killed;
};

TEST_F(Recordings, OfARealClusterReplayWithTheSameEffectsAndEveryPropertyHolds) {
    ASSERT_NO_FATAL_FAILURE(live());
    const auto picture = folder / "run.svg";
    const Ran text = run("replay" + folders() + " --svg " + picture.string());
    EXPECT_EQ(text.exit, 0) << text.err;
    EXPECT_NE(text.out.find("all as recorded"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("every property holds"), std::string::npos);
    EXPECT_NE(text.out.find("tells LeaderIs"), std::string::npos);
    EXPECT_NE(slurp(picture).find("</svg>"), std::string::npos);

    const Ran json = run("-o json replay" + folders());
    ASSERT_EQ(json.exit, 0) << json.err;
    const boost::json::value parsed = json.json();
    const auto& out = parsed.as_object();
    EXPECT_EQ(out.at("group").as_string(), "main");
    EXPECT_EQ(out.at("recorded").as_array().size(), 3U);
    EXPECT_TRUE(out.at("differences").as_array().empty());
    EXPECT_TRUE(out.at("violations").as_array().empty());
    EXPECT_TRUE(out.at("one_clock").as_bool());
    EXPECT_GT(out.at("events").to_number<int>(), 20);

    const Ran detector = run("-q replay --group '(detector)'" + folders());
    EXPECT_EQ(detector.exit, 0) << detector.err;
    EXPECT_EQ(detector.out, "");
    const Ran last = run("replay --last 100ms" + folders());
    EXPECT_EQ(last.exit, 0) << last.err;
    EXPECT_LT(last.out.size(), text.out.size());
    const Ran alone = run("replay " + (folder / killed / "record").string());
    EXPECT_EQ(alone.exit, 0) << alone.err;
}

TEST_F(Recordings, ThatAreDamagedAreRefusedOrCutShortButNeverBelieved) {
    ASSERT_NO_FATAL_FAILURE(live());
    const auto path = file_of("n2");
    const std::string whole = slurp(path);
    const auto put = [&](const std::string& text) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    };
    put(whole.substr(0, whole.size() * 2 / 3));
    EXPECT_EQ(run("-q replay" + folders()).exit, 0);
    put(whole.substr(0, whole.size() / 2) + std::string(3000, '\xff'));
    const Ran garbage = run("-q replay" + folders());
    EXPECT_EQ(garbage.exit, 66);
    EXPECT_NE(garbage.err.find(path.string()), std::string::npos) << garbage.err;
    EXPECT_NE(garbage.err.find("at byte "), std::string::npos) << garbage.err;
}

TEST_F(Recordings, AreAskedForInWordsThatAreUnderstood) {
    std::ofstream(folder / "trace.txt") << "world bully nodes=3\n----\n";
    const Ran mixed = run("replay --last 5s " + (folder / "trace.txt").string());
    EXPECT_EQ(mixed.exit, 64);
    std::filesystem::create_directory(folder / "empty");
    const Ran empty = run("replay " + (folder / "empty").string());
    EXPECT_EQ(empty.exit, 66);
    EXPECT_NE(empty.err.find("no recording is in this folder"), std::string::npos) << empty.err;
}

}  // namespace
}  // namespace conclave
