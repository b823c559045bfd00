// node/replay_test.cc -- hosted machines without a network, recorded and replayed: the same code
// must do the same things again in the simulator's world.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>

#include "catalog/simulators.h"
#include "node/village_test.h"
#include "sim/simulator.h"

namespace conclave::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Replaying : public RecordingFolder {
protected:
    std::vector<std::filesystem::path> folders(std::initializer_list<int> ids) const {
        std::vector<std::filesystem::path> all;
        for (const int id : ids) all.push_back(folder / ("n" + std::to_string(id)));
        return all;
    }
    static Replayed replay(const std::vector<RecordingFile>& files, const Window& window = {}) {
        const auto group = put_together(files, "");
        EXPECT_TRUE(group) << (group ? "" : group.error().what);
        const auto replayed =
            make_named<Simulator>(simulators(), group->algorithm)->replay(*group, window);
        EXPECT_TRUE(replayed) << (replayed ? "" : replayed.error().what);
        return replayed ? *replayed : Replayed{};
    }
    // A leader is killed, the others go on, and it comes back.
    void live(const Village::Plan& plan) {
        Village village(plan);
        village.run(2s);
        village.kill(3);
        village.run(500ms);
        village.suspect(1, 3);
        village.suspect(2, 3);
        village.run(2s);
        village.restart(3);
        village.run(2s);
    }
};

class EveryElection : public Replaying, public testing::WithParamInterface<std::string> {};

TEST_P(EveryElection, DoesTheSameAgainAsOnTheNodes) {
    live({folder, GetParam()});
    const Replayed replayed = replay(read_all(folders({1, 2, 3})));
    for (const Difference& one : replayed.differences) {
        ADD_FAILURE() << one.place << " " << one.event << "\n  recorded " << one.recorded
                      << "\n  replayed " << one.replayed;
    }
    EXPECT_GT(replayed.report.events, 10U);
    EXPECT_EQ(replayed.report.diagram.lanes.size(), 3U);
    EXPECT_FALSE(replayed.story.empty());
}

std::vector<std::string> elections() {
    std::vector<std::string> names;
    for (const HostEntry& entry : hosts()) {
        if (entry.make()->claim().kind == Kind::election) names.emplace_back(entry.name);
    }
    return names;
}
INSTANTIATE_TEST_SUITE_P(Hosted, EveryElection, testing::ValuesIn(elections()),
                         [](const auto& name) {
                             std::string word = name.param;
                             std::ranges::replace(word, '-', '_');
                             return word;
                         });

TEST_F(Replaying, TheQuorumsPropertiesHoldAndItsLeadersAreDrawn) {
    live({folder});
    const Replayed replayed = replay(read_all(folders({1, 2, 3})));
    EXPECT_THAT(replayed.report.violations, IsEmpty());
    EXPECT_TRUE(replayed.report.agreed);
    EXPECT_GE(replayed.report.changes, 2U);
    EXPECT_FALSE(replayed.report.diagram.reigns.empty());
    EXPECT_THAT(replayed.story, HasSubstr(" 3 crashes\n"));
    EXPECT_THAT(replayed.story, HasSubstr(" suspect 1 3\n"));
    const auto delivered = std::ranges::count(replayed.report.diagram.arrows,
                                              Diagram::Fate::delivered, &Diagram::Arrow::fate);
    EXPECT_GT(delivered, 20);
    for (const Diagram::Arrow& arrow : replayed.report.diagram.arrows) {
        EXPECT_LT(arrow.sent, arrow.arrived);
    }
}

TEST_F(Replaying, WhatIsLeftOfALongRecordingReplaysFromItsFirstState) {
    live({.folder = folder, .room = 8'000});
    const auto files = read_all(folders({1, 2, 3}));
    ASSERT_GT(files.front().recording.head.steps, 0U);  // its beginning is gone
    const Replayed replayed = replay(files);
    EXPECT_THAT(replayed.differences, IsEmpty());
    EXPECT_THAT(replayed.report.violations, IsEmpty());
    EXPECT_TRUE(replayed.report.agreed);
    EXPECT_THAT(replayed.story, HasSubstr(" 1 is recorded from here on\n"));
}

TEST_F(Replaying, WhatWasBeforeAChangeOfTheMembersIsReplayedByItselfAndSoIsWhatCameAfter) {
    {
        Village village({folder});
        village.run(2s);
        village.seat(
            MemberList({{NodeId{1}}, {NodeId{2}}, {NodeId{3}}, {NodeId{9}, 0, Role::learner}}));
        const std::uint32_t leader = village.leader_by(1).value_or(1);
        village.group(leader).reform(quorum::Expel{NodeId{9}}, [](const auto&) {});
        village.run(2s);
    }
    const auto files = read_all(folders({1, 2, 3}));
    const auto all = put_together(files, "");
    ASSERT_FALSE(all);
    EXPECT_THAT(all.error().what, HasSubstr("the group has other members"));
    for (const std::size_t members : {3U, 4U}) {
        std::vector<RecordingFile> some;
        std::ranges::copy_if(files, std::back_inserter(some), [members](const auto& file) {
            return file.recording.machines.front().members.size() == members;
        });
        ASSERT_EQ(some.size(), 3U);
        const Replayed replayed = replay(some);
        EXPECT_THAT(replayed.differences, IsEmpty());
        EXPECT_THAT(replayed.report.violations, IsEmpty());
    }
}

TEST_F(Replaying, OneNodeAloneHasItsPeersAsLines) {
    live({folder});
    const Replayed replayed = replay(read_all(folders({1})));
    EXPECT_THAT(replayed.differences, IsEmpty());
    EXPECT_THAT(replayed.report.violations, IsEmpty());
    std::set<Diagram::Index> senders, receivers;
    for (const Diagram::Arrow& arrow : replayed.report.diagram.arrows) {
        senders.insert(arrow.from);
        receivers.insert(arrow.to);
    }
    EXPECT_THAT(senders, ElementsAre(0, 1, 2));
    EXPECT_THAT(receivers, ElementsAre(0, 1, 2));
}

TEST_F(Replaying, OnlyTheWindowIsToldAndDrawn) {
    live({folder});
    const auto files = read_all(folders({1, 2, 3}));
    const Window window{Instant(2400ms), Instant(3s)};
    const Replayed replayed = replay(files, window);
    EXPECT_THAT(replayed.differences, IsEmpty());
    EXPECT_FALSE(replayed.report.diagram.arrows.empty());
    EXPECT_EQ(replayed.report.diagram.begin, 2400);
    for (const Diagram::Arrow& arrow : replayed.report.diagram.arrows) {
        EXPECT_GE(arrow.sent, 2400);
        EXPECT_LE(arrow.sent, 3000);
    }
    EXPECT_LT(replayed.story.size(), replay(files).story.size() / 2);
}

// The file again, as it would be with these contents.
RecordingFile rewritten(const RecordingFile& file, const wire::Recording& contents) {
    Bytes bytes;
    EXPECT_TRUE(wire::append_recording(bytes, contents.head, contents.machines));
    for (const auto& step : contents.steps) EXPECT_TRUE(wire::append_step(bytes, step));
    auto changed = read_recording_file(file.name, bytes);
    EXPECT_TRUE(changed);
    return std::move(*changed);
}
RecordingFile with_event(const RecordingFile& file, std::size_t at, ByteView event) {
    wire::Recording contents = file.recording;
    contents.steps[at].event = event;
    return rewritten(file, contents);
}
// As a machine would have written it that was switched on at another time.
RecordingFile elsewhere(const RecordingFile& file, Duration since) {
    wire::Recording contents = file.recording;
    contents.head.clock = "of another machine";
    contents.head.wall_ns = contents.head.at.time_since_epoch().count();
    contents.head.at += since;
    for (auto& step : contents.steps) step.at += since;
    return rewritten(file, contents);
}

TEST_F(Replaying, MachinesWithClocksOfTheirOwnAreComparedByTheWallClock) {
    live({folder});
    auto files = read_all(folders({1, 2, 3}));
    Duration since = -10min;
    for (RecordingFile& file : files) file = elsewhere(file, since += 7min);
    files.front().recording.head.clock = "of the first machine";
    const auto group = put_together(files, "main");
    ASSERT_TRUE(group);
    EXPECT_FALSE(group->one_clock);
    const auto replayed = make_named<Simulator>(simulators(), "quorum")->replay(*group, {});
    ASSERT_TRUE(replayed);
    EXPECT_THAT(replayed->differences, IsEmpty());
    EXPECT_THAT(replayed->report.violations, IsEmpty());
    EXPECT_TRUE(replayed->report.agreed);
    for (const Diagram::Arrow& arrow : replayed->report.diagram.arrows) {
        EXPECT_LT(arrow.sent, arrow.arrived);
    }
}

TEST_F(Replaying, AnEventThatWasTamperedWithIsFoundWhereItIs) {
    live({folder});
    auto files = read_all(folders({1, 2, 3}));
    RecordingFile& file = files.front();
    // A sign of life, which means nothing to a quorum, instead of something that had effects.
    const std::array heard{std::byte{8}, std::byte{1}, std::byte{2}};
    std::size_t at = 20;
    while (file.recording.steps[at].effects.size() < 20) ++at;
    file = with_event(file, at, heard);
    const Replayed replayed = replay(files);
    ASSERT_EQ(replayed.differences.size(), 1U);
    const Difference& found = replayed.differences.front();
    EXPECT_EQ(found.node, NodeId{1});
    EXPECT_EQ(found.place,
              file.name + " at byte " + std::to_string(file.recording.steps[at].offset));
    EXPECT_THAT(found.event, HasSubstr("Heard"));
    EXPECT_NE(found.recorded, found.replayed);
}

TEST_F(Replaying, AnEventThatIsNoneIsRefusedWithItsPlace) {
    live({folder});
    auto files = read_all(folders({1, 2, 3}));
    const std::array garbage{std::byte{99}};
    files.front() = with_event(files.front(), 5, garbage);
    const auto group = put_together(files, "main");
    ASSERT_TRUE(group);
    const auto replayed = make_named<Simulator>(simulators(), "quorum")->replay(*group, {});
    ASSERT_FALSE(replayed);
    EXPECT_THAT(replayed.error().what,
                HasSubstr(files.front().name + " at byte " +
                          std::to_string(files.front().recording.steps[5].offset)));
}

// It would act on a state without its record, and might save that over the record.
TEST_F(Replaying, NobodyIsAskedForAnythingBeforeItHasBooted) {
    {
        Village village({.folder = folder, .boots = false});
        EXPECT_TRUE(village.ask(1, Depart{}).refused);
        EXPECT_TRUE(village.ask(1, Campaign{}).refused);
    }
    EXPECT_THAT(read_all(folders({1})).front().recording.steps, IsEmpty());
}

// Two worlds in which another node leads at the same time, passed off as one.
TEST_F(Replaying, TwoWhoHoldAtTheSameTimeAreCaught) {
    const auto lead = [&](const char* name, std::uint32_t absent, std::uint32_t witness) {
        Village village({.folder = folder / name, .absent = {absent}});
        village.run(3s);
        return village.leader_by(witness);
    };
    ASSERT_EQ(lead("one", 1, 2), 3U);
    ASSERT_EQ(lead("two", 3, 1), 2U);
    const auto files = read_all({folder / "one" / "n3", folder / "two" / "n2"});
    const Replayed replayed = replay(files);
    EXPECT_THAT(replayed.differences, IsEmpty());
    std::vector<std::string> broken;
    for (const Violation& one : replayed.report.violations) broken.push_back(one.property);
    EXPECT_THAT(broken, testing::Contains("Q2 at no time two valid leases"));
    EXPECT_THAT(replayed.story, HasSubstr("violated: Q2"));
}

TEST_F(Replaying, WhatDoesNotBelongTogetherIsNotPutTogether) {
    live({folder});
    live({folder / "other", "bully"});
    const auto said = [](const std::vector<RecordingFile>& files, std::string_view group) {
        const auto together = put_together(files, group);
        return together ? "" : together.error().what;
    };
    const auto files = read_all({folder / "n1", folder / "other" / "n2"});
    EXPECT_THAT(said(files, "main"), HasSubstr("two algorithms, quorum and bully"));
    EXPECT_THAT(said(files, "none"), HasSubstr("no group 'none' is recorded here"));
    EXPECT_THAT(said(read_all({folder / "n1", folder / "n1"}), ""), HasSubstr("the same segment"));
}

}  // namespace
}  // namespace conclave::node
