#include "wire/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/hash.h"
#include "wire/frame.h"

namespace conclave::wire {
namespace {

using testing::HasSubstr;

Bytes bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

RecordingHead head() {
    return {recording_version,    "prod", NodeId{2}, "n2", Incarnation{3}, "clock",
            Instant(Duration(7)), 1000,   4,         90};
}
std::vector<RecordedMachine> machines() {
    return {{"(detector)", "heartbeat", {{NodeId{1}}, {NodeId{2}}}, bytes_of("c0"), bytes_of("s0")},
            {"main", "quorum", {{NodeId{1}}, {NodeId{2}}}, bytes_of("c1"), std::nullopt}};
}
struct Sample {
    Bytes event = bytes_of("event"), effects = bytes_of("effects"), file;
    std::vector<std::size_t> ends;  // of the frames behind the machines

    Sample() {
        EXPECT_TRUE(append_recording(file, head(), machines()));
        ends.push_back(file.size());
        for (std::uint32_t at = 0; at < 3; ++at) {
            const Instant when{Duration(100 + at)};
            EXPECT_TRUE(append_step(file, {at % 2, when, -5, Incarnation{1}, event, effects, 0}));
            ends.push_back(file.size());
        }
        append_end(file);
        ends.push_back(file.size());
    }
};

TEST(Recording, WhatIsWrittenIsRead) {
    const Sample sample;
    const auto read = read_recording(sample.file);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_TRUE(equal(read->head, head()));
    EXPECT_TRUE(equal(read->machines, machines()));
    ASSERT_EQ(read->steps.size(), 3U);
    const RecordedStep& step = read->steps[1];
    EXPECT_EQ(step.machine, 1U);
    EXPECT_EQ(step.at, Instant(Duration(101)));
    EXPECT_EQ(step.attribute, -5);
    EXPECT_EQ(step.life, Incarnation{1});
    EXPECT_EQ(Bytes(step.event.begin(), step.event.end()), sample.event);
    EXPECT_EQ(Bytes(step.effects.begin(), step.effects.end()), sample.effects);
    EXPECT_EQ(step.offset, sample.ends[1]);
    EXPECT_TRUE(read->ended);
}

TEST(Recording, AFileThatWasCutAnywhereIsAsGoodAsItsWholeFrames) {
    const Sample sample;
    for (std::size_t size = sample.ends.front(); size < sample.file.size(); ++size) {
        const auto read = read_recording(ByteView(sample.file).first(size));
        ASSERT_TRUE(read) << size << ": " << read.error().what;
        std::size_t whole = 0;
        while (whole < 3 && sample.ends[whole + 1] <= size) ++whole;
        EXPECT_EQ(read->steps.size(), whole) << size;
        EXPECT_FALSE(read->ended);
    }
}

TEST(Recording, WithoutItsHeadItIsNothing) {
    const Sample sample;
    for (std::size_t size = 0; size < recording_magic.size() + 5; ++size) {
        EXPECT_FALSE(read_recording(ByteView(sample.file).first(size))) << size;
    }
}

TEST(Recording, ZerosAtTheEndAreWhatAFileSystemLeftOfIt) {
    Sample sample;
    sample.file.resize(sample.ends[2]);
    sample.file.resize(sample.file.size() + 500);
    const auto read = read_recording(sample.file);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->steps.size(), 2U);
}

TEST(Recording, GarbageIsRefusedWithItsPlace) {
    Sample sample;
    sample.file.resize(sample.ends[1]);
    const std::string place = "at byte " + std::to_string(sample.file.size()) + ": ";
    const auto with = [&](std::initializer_list<int> more) {
        Bytes file = sample.file;
        for (const int byte : more) file.push_back(static_cast<std::byte>(byte));
        const auto read = read_recording(file);
        return read ? "accepted" : read.error().what;
    };
    EXPECT_EQ(with({3, 3, 0xff, 0xff}), place + "a step cannot be read");
    EXPECT_EQ(with({5, 3, 1, 9, 0, 0}), place + "a step of an unknown machine");
    EXPECT_EQ(with({2, 1, 0}), place + "a second head");
    EXPECT_EQ(with({2, 2, 0}), place + "a machine after the first step");
    EXPECT_THAT(with({0, 7}), HasSubstr(place));
    EXPECT_EQ(with({0xff, 0xff, 0xff, 0x7f, 1}),
              place + "a frame of 268435455 bytes, the limit is 16777216");
    EXPECT_EQ(with({2, 77, 0}), "accepted");  // of a kind that a newer version may have
    EXPECT_EQ(read_recording(bytes_of("world bully nodes=3\n")).error().what,
              "at byte 0: this is no recording of a node");
}

TEST(Recording, AnotherVersionIsRefused) {
    RecordingHead newer = head();
    newer.version = recording_version + 1;
    Bytes file;
    ASSERT_TRUE(append_recording(file, newer, machines()));
    EXPECT_THAT(read_recording(file).error().what, HasSubstr("version 2, this program reads 1"));
}

}  // namespace
}  // namespace conclave::wire
