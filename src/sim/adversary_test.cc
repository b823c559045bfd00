// sim/adversary_test.cc -- random schedules: the same for the same seed, over when they must be.
#include "sim/adversary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/diary_test.h"
#include "sim/narrate.h"

namespace conclave {
namespace {

Adversary busy() {
    Adversary adversary;
    adversary.crashes = 3;
    adversary.restarts = true;
    adversary.amnesia = true;
    adversary.torn_saves = 2;
    adversary.pauses = 3;
    adversary.partitions = 2;
    adversary.one_way_cuts = 3;
    adversary.false_suspicions = 3;
    adversary.calls = 2;
    adversary.attribute_changes = 2;
    adversary.calm = 100 * unit;
    return adversary;
}
const std::vector<NodeId> nodes{NodeId{1}, NodeId{2}, NodeId{3}, NodeId{4}};

std::string text(const Schedule& schedule) {
    std::string all;
    for (const Scheduled& one : schedule) {
        all += units_text(one.at.time_since_epoch()) + " " + fault_text(one.fault) + "\n";
    }
    return all;
}

TEST(Adversary, SameSeedGivesTheSameSchedule) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const std::string once = text(draw_schedule(busy(), nodes, seed));
        EXPECT_EQ(once, text(draw_schedule(busy(), nodes, seed)));
        EXPECT_NE(once, text(draw_schedule(busy(), nodes, seed + 1)));
    }
}

TEST(Adversary, SchedulesAreInOrderAndNameOnlyTheNodes) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const Schedule schedule = draw_schedule(busy(), nodes, seed);
        EXPECT_TRUE(std::ranges::is_sorted(schedule, {}, &Scheduled::at));
        for (const Scheduled& one : schedule) {
            EXPECT_LE(one.at, Instant(busy().calm));
            for_each_leaf(one.fault, [](const NodeId& node) {
                EXPECT_NE(std::ranges::find(nodes, node), nodes.end());
            });
        }
    }
}

// Played to the end: everybody is up, nobody paused or about to tear, no link cut, no lie believed.
TEST(Adversary, EverythingIsHealedAtCalm) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        test::Shelf shelf(4, false);
        for (const Scheduled& one : draw_schedule(busy(), nodes, seed)) {
            shelf.run(one.at - shelf.stage.world.now);
            shelf.stage.play(one.fault);
        }
        shelf.run(10 * unit);
        const auto& world = shelf.stage.world;
        EXPECT_TRUE(world.cuts.links.empty()) << "seed " << seed;
        for (std::uint32_t at = 0; at < nodes.size(); ++at) {
            EXPECT_TRUE(world.nodes[at].up) << "seed " << seed;
            EXPECT_FALSE(world.nodes[at].paused) << "seed " << seed;
            EXPECT_FALSE(world.nodes[at].tear) << "seed " << seed;
            for (NodeId other : nodes) {
                EXPECT_FALSE(shelf.stage.oracle.suspects(at, other)) << "seed " << seed;
            }
        }
    }
}

}  // namespace
}  // namespace conclave
