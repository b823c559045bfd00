// Apache Curator itself in one queue with us: who has it, the other one waits for. Needs a Java
// compiler, which `make test` does not install: `tools/install-deps --with-extras` does.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "engine/zookeeper/layout.h"
#include "engine/zookeeper_test.h"

namespace conclave::engine {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

const fs::path recipes = "/usr/share/java/curator-recipes.jar";  // names all that it needs
const fs::path compiler = "/usr/bin/javac";

class Curator : public KeptByZooKeeper {
protected:
    void SetUp() override {
        if (!fs::exists(recipes) || !fs::exists(compiler)) {
            GTEST_SKIP() << "no Curator here (libcurator-recipes-java, default-jdk-headless)";
        }
        KeptByZooKeeper::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        std::string pattern = (fs::temp_directory_path() / "conclave-XXXXXX").string();
        folder = mkdtemp(pattern.data());
        std::string line = compiler.string() + " -cp " + recipes.string() + " -d ";
        line += folder.string() + " " CONCLAVE_SOURCE_DIR "/src/engine/curator/Participant.java";
        ASSERT_EQ(std::system(line.c_str()), 0);
    }
    void TearDown() override {
        if (!folder.empty()) fs::remove_all(folder);
    }

    Server participant(const std::string& recipe, const std::string& path) {
        return {{"java", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                 folder.string() + ":" + recipes.string(), "Participant", servers(), recipe, path,
                 (folder / "stop").string()},
                folder / recipe};
    }
    // Curator first, then we; and Curator waits for us in turn.
    void compete(const std::string& recipe, const Thing& thing, const locks::Terms& terms = {}) {
        const auto engine = connect();
        {
            Server curator = participant(recipe, thing.name);
            curator.start();
            ASSERT_TRUE(waits([&] { return says(curator, "has it"); })) << curator.log();
            Party party;
            party.contend(*engine, thing, "ours", 10s, terms);
            ASSERT_TRUE(waits([&] { return party.diary.is_busy; }));
            EXPECT_FALSE(party.holds());
            std::ofstream(folder / "stop") << "\n";
            ASSERT_TRUE(waits([&] { return party.holds(); })) << curator.log();
            fs::remove(folder / "stop");
            fs::remove(folder / recipe);

            Server second = participant(recipe, thing.name);
            second.start();
            const auto waiting = [&] { return others_wait(thing); };
            ASSERT_TRUE(waits(waiting)) << second.log();
            EXPECT_THAT(second.log(), testing::Not(HasSubstr("has it")));
            EXPECT_TRUE(party.holds());
            party.contest->leave();
            ASSERT_TRUE(waits([&] { return says(second, "has it"); })) << second.log();
            std::ofstream(folder / "stop") << "\n";
            ASSERT_TRUE(waits([&] { return says(second, "left"); })) << second.log();
            fs::remove(folder / "stop");
        }
    }

    fs::path folder;

private:
    static bool says(const Server& server, const std::string& word) {
        return server.log().find(word) != std::string::npos;
    }
    bool others_wait(const Thing& thing) {
        std::size_t tickets = 0;
        for (const std::string& folder_of : {thing.name, thing.name + "/leases"}) {
            for (const std::string& node : nodes(folder_of))
                tickets += zookeeper::read_ticket(node) ? 1 : 0;
        }
        return tickets == 2;
    }
};

TEST_F(Curator, ALeaderLatchCompetesWithUs) { compete("leader", leadership()); }
TEST_F(Curator, AMutexCompetesWithUs) { compete("mutex", lock()); }
TEST_F(Curator, ASemaphoreCompetesWithUs) {
    compete("semaphore", lock(), {locks::Terms::Mode::slot, 1});
}

TEST_F(Curator, OurReaderWaitsForAWriter) {
    const auto engine = connect();
    Server writer = participant("write", path());
    writer.start();
    ASSERT_TRUE(waits([&] { return writer.log().find("has it") != std::string::npos; }))
        << writer.log();
    Party reader;
    reader.contend(*engine, lock(), "ours", 10s, {locks::Terms::Mode::shared, 1});
    ASSERT_TRUE(waits([&] { return reader.diary.is_busy; }));
    std::ofstream(folder / "stop") << "\n";
    ASSERT_TRUE(waits([&] { return reader.holds(); })) << writer.log();
}

}  // namespace
}  // namespace conclave::engine
