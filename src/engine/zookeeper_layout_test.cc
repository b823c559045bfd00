// Which node stands for what, and how long a session is counted on: no server is needed for these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "engine/zookeeper/evidence.h"
#include "engine/zookeeper/layout.h"

namespace conclave::engine::zookeeper {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::MatchesRegex;
using Where = Position::Where;

const std::string uuid = "_c_0a1b2c3d-0123-4567-89ab-0123456789ab-";

Claim claim(Thing::Kind kind, const std::string& name, locks::Terms terms = {}) {
    return {{kind, name}, terms, "me", 2s};
}
Claim lock(locks::Terms terms) { return claim(Thing::Kind::lock, "a", terms); }

// As in Curator's LeaderLatch, InterProcessMutex, InterProcessReadWriteLock,
// InterProcessSemaphoreV2 and ProtectedUtils, version 5.4.0.
TEST(ZooKeeperLayout, NamesAreThoseOfCurator) {
    using Mode = locks::Terms::Mode;
    const auto leader = steps_of(claim(Thing::Kind::leadership, "/app/leader"), "");
    ASSERT_EQ(leader.size(), 1U);
    EXPECT_EQ(leader[0].folder, "/app/leader");
    const std::string drawn = "_c_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}-";
    EXPECT_THAT(draw_name(leader[0].kind), MatchesRegex(drawn + "latch-"));
    EXPECT_NE(draw_name(leader[0].kind), draw_name(leader[0].kind));
    EXPECT_THAT(draw_name(steps_of(lock({Mode::exclusive, 1}), "")[0].kind),
                MatchesRegex(drawn + "lock-"));
    EXPECT_THAT(draw_name(steps_of(lock({Mode::shared, 1}), "")[0].kind),
                MatchesRegex(drawn + "__READ__"));
    const auto slots = steps_of(claim(Thing::Kind::lock, "/s", {Mode::slot, 3}), "");
    ASSERT_EQ(slots.size(), 2U);
    EXPECT_EQ(slots[0].folder, "/s/locks");
    EXPECT_EQ(slots[1].folder, "/s/leases");
    EXPECT_EQ(slots[1].room, 3U);
    EXPECT_THAT(draw_name(slots[0].kind), MatchesRegex(drawn + "lock-"));
    EXPECT_THAT(draw_name(slots[1].kind), MatchesRegex(drawn + "lease-"));
}

TEST(ZooKeeperLayout, ANameIsOneNodeWhateverIsInIt) {
    for (const std::string name :
         {"nightly-backup", "a/b", "100%", ".", "..", "%2E", "\xC3\xA9 x"}) {
        const std::string folder = folder_of({Thing::Kind::lock, name}, "/root");
        const std::string parent = folder_of(Thing::Kind::lock, "/root");
        EXPECT_EQ(parent_of(folder), parent) << name;
        const std::string node = folder.substr(parent.size() + 1);
        EXPECT_NE(node, ".");
        EXPECT_NE(node, "..");
        EXPECT_EQ(name_in_folder(node), name);
    }
    EXPECT_EQ(folder_of({Thing::Kind::lock, "/x/y"}, "/root"), "/root/x/y");
    EXPECT_NE(folder_of({Thing::Kind::lock, "a"}, ""),
              folder_of({Thing::Kind::leadership, "a"}, ""));
}

TEST(ZooKeeperLayout, TheOldestIsFirstAndEachWaitsForTheOneBeforeIt) {
    const Step step{"/a", Ticket::Kind::lock};
    const std::vector<std::string> names{"_c_z-lock-0000000009",
                                         "_c_a-lock-0000000011",
                                         "junk",
                                         "_c_m-lock-0000000010",
                                         "locks",
                                         "other-0000000001",
                                         "_c_q-latch-0000000002",
                                         "lock-00000000x3"};
    EXPECT_EQ(position_of(names[0], names, step).where, Where::front);
    EXPECT_EQ(position_of(names[3], names, step).ahead, names[0]);
    EXPECT_EQ(position_of(names[1], names, step).ahead, names[3]);
    EXPECT_EQ(position_of("_c_n-lock-0000000012", names, step).where, Where::gone);
    // Others need not protect the names of their nodes.
    EXPECT_EQ(position_of(names[0], {names[0], "lock-0000000008"}, step).ahead, "lock-0000000008");
}

TEST(ZooKeeperLayout, ReadersWaitOnlyForWriters) {
    const Step reader{"/a", Ticket::Kind::read}, owner{"/a", Ticket::Kind::lock};
    const std::string first = uuid + "__READ__0000000001", writer = uuid + "__WRIT__0000000002",
                      second = uuid + "__READ__0000000003", third = uuid + "__READ__0000000004",
                      mine = uuid + "lock-0000000005";
    const std::vector<std::string> names{first, writer, second, third, mine};
    EXPECT_EQ(position_of(first, names, reader).where, Where::front);
    EXPECT_EQ(position_of(second, names, reader).ahead, writer);
    EXPECT_EQ(position_of(third, names, reader).ahead, writer);
    EXPECT_EQ(position_of(third, {first, second, third}, reader).where, Where::front);
    EXPECT_EQ(position_of(mine, names, owner).ahead, third);
}

TEST(ZooKeeperLayout, ThereAreOnlySoManyLeases) {
    const Step step{"/a/leases", Ticket::Kind::lease, 2};
    const std::string one = uuid + "lease-0000000001", two = uuid + "lease-0000000002",
                      three = uuid + "lease-0000000003";
    EXPECT_EQ(position_of(two, {two, one}, step).where, Where::front);
    EXPECT_EQ(position_of(three, {three, two, one}, step).where, Where::behind);
    EXPECT_EQ(position_of(three, {two, one}, step).where, Where::gone);
}

TEST(ZooKeeperLayout, ReadersHoldTogetherAndAWriterWaits) {
    const auto entry = [](Ticket::Kind kind, std::int64_t number, const std::string& holder) {
        return Entry{{kind, number, holder}, holder, 100 + number};
    };
    const auto names = [](const Standing& standing) {
        std::vector<std::string> all;
        for (const Holder& holder : standing.holders) all.push_back(holder.name);
        return all;
    };
    Picture picture;
    picture.queue = {entry(Ticket::Kind::read, 1, "r1"), entry(Ticket::Kind::read, 2, "r2"),
                     entry(Ticket::Kind::lock, 3, "w"), entry(Ticket::Kind::read, 4, "r3")};
    const Standing shared = standing_of({}, picture);
    EXPECT_THAT(names(shared), ElementsAre("r1", "r2"));
    EXPECT_EQ(shared.holders[1].token, (locks::Token{Epoch{102}, 0}));
    EXPECT_THAT(shared.waiting, ElementsAre("w", "r3"));
    picture.queue.erase(picture.queue.begin(), picture.queue.begin() + 2);
    const Standing exclusive = standing_of({}, picture);
    EXPECT_THAT(names(exclusive), ElementsAre("w"));
    EXPECT_THAT(exclusive.waiting, ElementsAre("r3"));
}

Instant at(Duration since) { return Instant(since); }

// Half a tick is 100 ms: the shortest session has two of them.
Evidence evidence() {
    Evidence evidence;
    evidence.agree(2s, 400ms);
    evidence.connected(at(0s), at(50ms));
    return evidence;
}

TEST(ZooKeeperEvidence, AnAnswerThatNoMajorityStandsBehindProvesNothing) {
    Evidence all = evidence();
    EXPECT_FALSE(all.until());
    for (Duration now = 0s; now < 10s; now += 100ms) all.answered(at(now), at(now + 5ms));
    EXPECT_FALSE(all.until());
    all.written(at(10s));
    ASSERT_TRUE(all.until());
    EXPECT_EQ(*all.until(), at(9800ms) + usable(2s));  // 9900 was answered less than a lag before
}

TEST(ZooKeeperEvidence, CountsFromWhenARequestWasSentThatALaterWriteProves) {
    Evidence all = evidence();
    all.written(at(60ms));
    EXPECT_EQ(all.until(), at(0s) + usable(2s));
    EXPECT_LT(*all.until(), at(2s) - 40ms);
    all.answered(at(300ms), at(310ms));
    all.written(at(400ms));  // sent too soon: its server may not have handed on the other one
    EXPECT_EQ(all.until(), at(0s) + usable(2s));
    all.written(at(410ms));
    EXPECT_EQ(all.until(), at(300ms) + usable(2s));
}

TEST(ZooKeeperEvidence, ANewConnectionCountsFromTheLastAnswerOfTheOldOne) {
    Evidence all = evidence();
    all.answered(at(300ms), at(310ms));
    all.connected(at(0s), at(1500ms));  // whenever in between
    EXPECT_FALSE(all.until());
    all.written(at(1500ms));
    EXPECT_EQ(all.until(), at(300ms) + usable(2s));
}

TEST(ZooKeeperEvidence, WhereTheShortestSessionIsNotKnownItIsThisOne) {
    Evidence all;
    all.agree(2s, 2s);
    all.connected(at(0s), at(0s));
    all.answered(at(100ms), at(100ms));
    all.written(at(599ms));
    EXPECT_EQ(all.until(), at(0s) + usable(2s));
    all.written(at(600ms));
    EXPECT_EQ(all.until(), at(100ms) + usable(2s));
}

}  // namespace
}  // namespace conclave::engine::zookeeper
