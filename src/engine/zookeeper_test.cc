// What ZooKeeper keeps for us: three real servers, and what users of its sessions get burnt by.
#include "engine/zookeeper_test.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "cli/relay_test.h"

namespace conclave::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::SizeIs;
using zookeeper::Session;

constexpr Duration session = 4s, short_session = 1500ms;

// To one server, and what is done to the way there.
class Way {
public:
    explicit Way(const std::string& server) : door_(relay_.open(us, them, server)) {}
    const std::string& door() const { return door_; }
    void cut(bool is = true) { relay_.set(us, them, {{}, false, is}); }
    void hold_back_answers(bool is = true) { relay_.set(them, us, {{}, is, false}); }

private:
    static constexpr std::uint32_t us = 1, them = 2;
    Relay relay_;
    const std::string door_;
};

TEST_F(KeptByZooKeeper, WhoLeavesHandsOverAndTokensGrow) {
    const auto engine = connect();
    std::vector<locks::Token> tokens;
    auto holder = std::make_unique<Party>(), next = std::make_unique<Party>();
    holder->contend(*engine, leadership(), "n1", session);
    ASSERT_TRUE(waits([&] { return holder->holds(); }));
    EXPECT_THAT(nodes(path()), ElementsAre(MatchesRegex("_c_[0-9a-f-]{36}-latch-[0-9]{10}")));
    for (int turn = 0; turn < 4; ++turn) {
        tokens.push_back(*holder->diary.token);
        next = std::make_unique<Party>();
        next->contend(*engine, leadership(), "next", session);
        ASSERT_TRUE(waits([&] { return next->diary.is_busy; }));
        EXPECT_FALSE(next->holds());
        holder->contest->leave();
        EXPECT_FALSE(holder->holds());
        ASSERT_TRUE(waits([&] { return holder->diary.has_left && next->holds(); }));
        std::swap(holder, next);
    }
    for (std::size_t i = 1; i < tokens.size(); ++i) EXPECT_LT(tokens[i - 1], tokens[i]);
    // Also after the folder was made anew, and its numbers began anew.
    holder->contest->leave();
    ASSERT_TRUE(waits([&] { return holder->diary.has_left; }));
    const auto admin = stranger();
    EXPECT_EQ(answer([&](auto done) { admin->remove(path(), done); }).code, 0);
    Party late;
    late.contend(*engine, leadership(), "late", session);
    ASSERT_TRUE(waits([&] { return late.holds(); }));
    EXPECT_THAT(nodes(path()), ElementsAre(testing::EndsWith("-latch-0000000000")));
    EXPECT_GT(*late.diary.token, tokens.back());
}

TEST_F(KeptByZooKeeper, AHolderRenewsForLongerThanASession) {
    const auto engine = connect();
    Party party;
    party.contend(*engine, lock(), "n1", short_session);
    ASSERT_TRUE(waits([&] { return party.holds(); }));
    const Instant end = net::now() + 3 * short_session;
    ASSERT_TRUE(waits([&] { return net::now() > end; }));
    EXPECT_TRUE(party.holds());
    EXPECT_FALSE(party.diary.lost_at);
    EXPECT_GT(party.diary.renewals, 4);
    EXPECT_LE(*party.contest->until(), net::now() + short_session);
}

// users.md 1: the old holder keeps working.
TEST_F(KeptByZooKeeper, WhoIsCutOffHasStoppedBeforeAnotherIsLetIn) {
    Way way(servers(0));
    const auto far = connect(way.door()), near = connect();
    Party old, next;
    old.contend(*far, lock(), "old", short_session);
    ASSERT_TRUE(waits([&] { return old.holds(); }));
    next.contend(*near, lock(), "next", session);
    ASSERT_TRUE(waits([&] { return next.diary.is_busy; }));
    way.cut();
    ASSERT_TRUE(waits([&] { return next.holds(); }));
    ASSERT_TRUE(old.diary.lost_at);
    EXPECT_LT(*old.diary.lost_at, *next.diary.granted_at);
    EXPECT_FALSE(old.holds());
}

// users.md 2: what was granted may be over when the answer comes.
TEST_F(KeptByZooKeeper, AnAnswerThatComesAfterTheSessionGrantsNothing) {
    Way way(servers(0));
    const auto far = connect(way.door());
    Party late;
    late.contend(*far, lock(), "late", short_session);
    ASSERT_TRUE(waits([&] { return !late.diary.servers.empty(); }));
    way.hold_back_answers();  // of whatever it has asked by now
    const Instant end = net::now() + 3 * short_session;
    bool held_late = false;
    ASSERT_TRUE(waits([&] {
        held_late = held_late || (late.holds() && net::now() > end - short_session);
        return net::now() > end;
    }));
    EXPECT_FALSE(held_late);
    way.hold_back_answers(false);
    // Either it was granted in time and is lost, or it begins anew with another session.
    ASSERT_TRUE(waits([&] { return late.diary.lost_at || late.holds(); }));
    EXPECT_THAT(nodes(path()), SizeIs(late.diary.lost_at ? 0 : 1));
}

// users.md 12: a node that nobody knows to be his stands in everybody's way.
TEST_F(KeptByZooKeeper, ACreateWhoseAnswerWasLostLeavesNobodyInTheWay) {
    Way way(servers(0));
    const auto far = connect(way.door());
    const auto maker = stranger();
    answer([&](auto done) { maker->create(path(), "", Session::Node::folder, done); });
    class Muting : public Diary {
    public:
        explicit Muting(Way& way) : way_(way) {}
        void reached(const std::string& server) override {
            if (servers.empty()) way_.hold_back_answers();
            Diary::reached(server);
        }
        Way& way_;
    } diary(way);
    const auto contest = far->contend({lock(), {}, "n1", session}, diary);
    ASSERT_TRUE(waits([&] { return !nodes(path()).empty(); }));
    EXPECT_FALSE(diary.token);
    const auto made = nodes(path());
    way.cut();
    way.hold_back_answers(false);
    way.cut(false);
    ASSERT_TRUE(waits([&] { return diary.token.has_value(); }));
    EXPECT_EQ(nodes(path()), made);
    const std::string node = path() + "/" + made.front();
    EXPECT_EQ(Epoch{static_cast<std::uint64_t>(
                  answer([&](auto done) { maker->read(node, false, done); }).czxid)},
              diary.token->epoch);
}

TEST_F(KeptByZooKeeper, ASessionThatExpiresWhileWaitingIsBegunAnew) {
    Way way(servers(0));
    const auto far = connect(way.door()), near = connect();
    Party holder, waiter;
    holder.contend(*near, leadership(), "holder", session);
    ASSERT_TRUE(waits([&] { return holder.holds(); }));
    waiter.contend(*far, leadership(), "waiter", short_session);
    ASSERT_TRUE(waits([&] { return waiter.diary.is_busy; }));
    const auto before = nodes(path());
    EXPECT_THAT(before, SizeIs(2));
    way.cut();
    ASSERT_TRUE(waits([&] { return nodes(path()).size() == 1; }));
    waiter.diary.is_busy = false;
    way.cut(false);
    ASSERT_TRUE(waits([&] { return waiter.diary.is_busy; }));
    EXPECT_FALSE(waiter.diary.lost_at);
    EXPECT_THAT(nodes(path()), SizeIs(2));
    EXPECT_NE(nodes(path()), before);
    holder.contest->leave();
    ASSERT_TRUE(waits([&] { return waiter.holds(); }));
}

// users.md 3: two leaders after a reconnect. Whoever is thrown out again and again never finds
// itself a holder while another is one.
TEST_F(KeptByZooKeeper, AStormOfReconnectsNeverMakesTwoHolders) {
    Way way(servers(0)), other(servers(1));
    const auto left = connect(way.door()), right = connect(other.door());
    Party one, two;
    one.contend(*left, lock(), "one", short_session);
    two.contend(*right, lock(), "two", short_session);
    int both = 0, cuts = 0;
    std::vector<locks::Token> tokens;
    Instant next = net::now() + 100ms;
    const auto note = [&](Party& party, Engine& engine, const char* name) {
        if (party.diary.token && (tokens.empty() || *party.diary.token > tokens.back()))
            tokens.push_back(*party.diary.token);
        if (!party.diary.lost_at) return;
        party = {};
        party.contend(engine, lock(), name, short_session);
    };
    ASSERT_TRUE(waits([&] {
        if (one.holds() && two.holds()) ++both;
        note(one, *left, "one");
        note(two, *right, "two");
        if (net::now() < next) return false;
        Way& victim = cuts % 2 == 0 ? way : other;
        victim.cut();
        if (cuts % 5 != 4) victim.cut(false);  // sometimes for long
        if (cuts % 5 == 4) (cuts % 2 == 0 ? other : way).cut(false);
        next = net::now() + (cuts % 5 == 4 ? short_session : 150ms);
        return ++cuts == 25;
    }));
    way.cut(false);
    other.cut(false);
    EXPECT_EQ(both, 0);
    ASSERT_TRUE(waits([&] {
        note(one, *left, "one");
        note(two, *right, "two");
        return one.holds() || two.holds();
    }));
    EXPECT_FALSE(tokens.empty());
}

// users.md 5: an administrator takes it away.
TEST_F(KeptByZooKeeper, AHolderWhoseNodeIsRemovedHearsOfItAtOnce) {
    const auto engine = connect();
    Party party;
    party.contend(*engine, lock(), "n1", 30s);
    ASSERT_TRUE(waits([&] { return party.holds(); }));
    const auto admin = stranger();
    const std::string node = path() + "/" + nodes(path()).at(0);
    const Instant before = net::now();
    EXPECT_EQ(answer([&](auto done) { admin->remove(node, done); }).code, 0);
    ASSERT_TRUE(waits([&] { return party.diary.lost_at.has_value(); }));
    EXPECT_LT(*party.diary.lost_at, before + 30s / 10);  // not only by the next confirmation
    EXPECT_FALSE(party.holds());
}

// users.md 12: the client's own threads would keep the session of a hung program for ever.
TEST_F(KeptByZooKeeper, AProgramThatStandsStillLetsGo) {
    net::TestLoop still;
    const auto place = read_place(ensemble->endpoint());
    auto hung = open_zookeeper(still, *place);
    ASSERT_TRUE(hung);
    Party old, next;
    old.contend(**hung, lock(), "old", short_session);
    ASSERT_TRUE(still.until([&] { return old.holds(); }));
    const auto engine = connect();
    next.contend(*engine, lock(), "next", session);
    ASSERT_TRUE(waits([&] { return next.holds(); }));
    EXPECT_FALSE(old.holds());
    EXPECT_FALSE(old.diary.lost_at) << "it has not moved";
    ASSERT_TRUE(still.until([&] { return old.diary.lost_at.has_value(); }));
}

// A server answers pings and reads of its own for long after it has lost the ensemble.
TEST_F(KeptByZooKeeper, NothingIsRenewedWithoutAMajority) {
    const auto leader = ensemble->leader();
    ASSERT_TRUE(leader);
    const std::size_t follower = (*leader + 1) % Servers::count;
    const auto engine = connect(servers(follower));
    Party party;
    party.contend(*engine, lock(), "n1", session);
    ASSERT_TRUE(waits([&] { return party.diary.renewals > 2; }));
    ensemble->pause(*leader);
    const Instant paused = net::now();
    Instant until = *party.contest->until();
    EXPECT_LT(until, paused + session);
    ASSERT_TRUE(waits([&] { return !party.holds(); }));
    EXPECT_LT(net::now(), paused + session);
    ensemble->resume(*leader);
    EXPECT_TRUE(party.diary.lost_at);
}

}  // namespace
}  // namespace conclave::engine
