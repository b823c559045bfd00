#include "node/flight_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "node/recordings_test.h"

namespace conclave::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Flight : public RecordingFolder {
protected:
    FlightRecorder::Settings settings(std::uint64_t bytes) {
        FlightRecorder::Settings settings;
        settings.folder = folder / "record";
        settings.bytes = bytes;
        settings.head.name = "n1";
        settings.head.incarnation = life;
        settings.now = [this] { return now; };
        settings.machines = [] {
            return std::vector<wire::RecordedMachine>{{"main", "quorum", {}, {}, Bytes(100)}};
        };
        return settings;
    }
    void step(FlightRecorder& recorder, std::uint64_t times = 1) {
        static constexpr std::array<std::byte, 100> event{};
        for (; times > 0; --times) {
            now += Duration(1);
            wire::RecordedStep one;
            one.at = now;
            one.event = event;
            recorder.step(one);
        }
    }
    std::vector<RecordingFile> recorded() const { return read_all({folder / "record"}); }

    Instant now{Duration(1)};
    Incarnation life{1};
    LogLines log;
};

TEST_F(Flight, TheFilesNeverTakeMoreThanTheirRoomAndTheNewestAreKept) {
    constexpr std::uint64_t room = 50'000, steps = 5'000;
    {
        FlightRecorder recorder(settings(room), log);
        step(recorder, steps);
        recorder.end();
    }
    const auto files = recorded();
    ASSERT_GE(files.size(), 3U);
    std::uint64_t bytes = 0, next = files.front().recording.head.steps;
    EXPECT_GT(next, 0U);  // the beginning is gone
    for (const RecordingFile& file : files) {
        EXPECT_EQ(file.recording.head.steps, next) << file.name;
        next += file.recording.steps.size();
        bytes += file.bytes.size();
    }
    EXPECT_EQ(next, steps);
    EXPECT_LE(bytes, room);
    EXPECT_TRUE(files.back().recording.ended);
}

TEST_F(Flight, TheLifeBeforeStaysUntilItsRoomIsNeeded) {
    {
        FlightRecorder recorder(settings(1'000'000), log);
        step(recorder, 3);
    }
    life = Incarnation{2};
    FlightRecorder(settings(1'000'000), log).end();
    const auto files = recorded();
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].recording.head.incarnation, Incarnation{1});
    EXPECT_EQ(files[0].recording.steps.size(), 3U);
    EXPECT_FALSE(files[0].recording.ended);
    EXPECT_EQ(files[1].recording.head.incarnation, Incarnation{2});
    EXPECT_TRUE(files[1].recording.ended);
}

// However slow the disk is: each step is in a file, or is counted as missing in front of one.
TEST_F(Flight, WhoFallsBehindLeavesStepsOutAndSaysSo) {
    constexpr std::uint64_t steps = 20'000;
    auto slow = settings(100'000'000);
    slow.backlog = 0;
    FlightRecorder::Totals totals;
    {
        FlightRecorder recorder(slow, log);
        step(recorder, steps);
        totals = recorder.totals();
    }
    std::uint64_t kept = 0, at_least = 0;
    for (const RecordingFile& file : recorded()) {
        EXPECT_GE(file.recording.head.steps, at_least) << file.name;
        kept += file.recording.steps.size();
        at_least = file.recording.head.steps + file.recording.steps.size();
    }
    EXPECT_LE(at_least, steps);
    EXPECT_EQ(kept + totals.dropped, steps);
    EXPECT_TRUE(log.lines.empty());
}

TEST_F(Flight, ADiskThatFailsEndsTheRecordingAndNothingElse) {
    std::ofstream(folder / "record") << "a file where a folder should be";
    FlightRecorder recorder(settings(1'000'000), log);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (recorder.on() && std::chrono::steady_clock::now() < end) {
        step(recorder);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(recorder.on());
    step(recorder, 10);
    recorder.end();
    EXPECT_THAT(log.lines, ElementsAre(HasSubstr("nothing is recorded any more")));
    EXPECT_THAT(log.lines, ElementsAre(HasSubstr("record")));
}

TEST_F(Flight, OtherFilesOfTheFolderAreLeftAlone) {
    std::filesystem::create_directories(folder / "record");
    const std::string mine(40'000, 'x');
    for (const char* name : {"n1.rec", "n10-00000001-00000000.rec", "n1-notes"}) {
        std::ofstream(folder / "record" / name) << mine;
    }
    {
        FlightRecorder recorder(settings(50'000), log);
        step(recorder, 5'000);
    }
    for (const char* name : {"n1.rec", "n10-00000001-00000000.rec", "n1-notes"}) {
        EXPECT_EQ(std::filesystem::file_size(folder / "record" / name), mine.size()) << name;
    }
}

}  // namespace
}  // namespace conclave::node
