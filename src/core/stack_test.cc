// core/stack_test.cc -- step and Stack, on two protocols small enough to see through.
#include "core/stack.h"

#include <gtest/gtest.h>

#include "core/value.h"

namespace conclave {
namespace {

// Suspects a peer whose Tick does not come.
struct Watcher {
    static constexpr Model assumes{};
    static constexpr Claim claim{Kind::detector, "test", "", "", "", ""};
    struct Config {
        Duration patience{};
    };
    static Config configure(const Settings& s) { return {s.tm}; }
    struct Tick {};
    struct Silent {
        NodeId peer{};
    };
    using Message = std::variant<Tick>;
    using Timer = std::variant<Silent>;
    using Request = std::variant<None>;
    using Notice = std::variant<Suspected, Trusted>;
    using Durable = None;
    using Turn = conclave::Turn<Watcher>;

    std::uint32_t signs_of_life = 0;

    void on(Turn& turn, const Booted<Watcher>&) {
        turn.arm(Silent{NodeId{2}}, turn.config().patience);
    }
    void on(Turn& turn, NodeId from, Tick) { on(turn, Heard{from}); }
    void on(Turn& turn, Heard peer) {
        ++signs_of_life;
        turn.arm(Silent{peer.node}, turn.config().patience);
    }
    void on(Turn& turn, Silent silent) { turn.tell(Suspected{silent.peer}); }
};

// Counts what it hears, and remembers it.
struct Ledger {
    static constexpr Model assumes{};
    static constexpr Claim claim{Kind::election, "test", "", "", "", ""};
    struct Config {
        std::uint32_t limit = 3;
    };
    static Config configure(const Settings&) { return {}; }
    struct Note {};
    using Message = std::variant<Note>;
    using Timer = std::variant<None>;
    struct Publish {};
    using Request = std::variant<Publish>;
    struct Full {};
    using Notice = std::variant<Full>;
    struct Durable {
        std::uint32_t notes = 0;
    };
    using Turn = conclave::Turn<Ledger>;

    Durable kept{};
    bool expired = false;

    void expire(Turn&) { expired = true; }
    void on(Turn&, const Booted<Ledger>& booted) { kept = booted.durable; }
    void on(Turn& turn, Suspected peer) {
        ++kept.notes;
        turn.save(kept);
        turn.send(peer.node, Note{});
    }
    void on(Turn&, NodeId, Note) {}
    void on(Turn& turn, Publish) { turn.tell(Full{}); }
};

// Leads from its boot on, until its lease is over.
struct Crown {
    static constexpr Model assumes{};
    static constexpr Claim claim{Kind::election, "test", "", "", "", ""};
    struct Config {};
    static Config configure(const Settings&) { return {}; }
    struct Renew {};
    using Message = std::variant<Renew>;
    using Timer = std::variant<None>;
    using Request = std::variant<None>;
    using Notice = std::variant<LeaderIs>;
    using Durable = None;
    using Turn = conclave::Turn<Crown>;

    std::optional<Instant> end;

    void expire(Turn& turn) {
        if (!end || turn.now < *end) return;
        end.reset();
        turn.tell(LeaderIs{std::nullopt, {}});
    }
    void on(Turn& turn, const Booted<Crown>&) {
        end = turn.now + Duration(10);
        turn.tell(LeaderIs{turn.seat.self, {}});
    }
    void on(Turn&, NodeId, Renew) {}
};

// Writes down what it hears, and in which order.
struct Subject {
    static constexpr Model assumes{};
    static constexpr Claim claim{Kind::mutex, "test", "", "", "", ""};
    struct Config {};
    static Config configure(const Settings&) { return {}; }
    struct Plea {};
    using Message = std::variant<Plea>;
    using Timer = std::variant<None>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<Subject>;

    std::string heard;

    void expire(Turn& turn) {
        if (turn.now >= Instant(Duration(10))) heard += "late ";
    }
    void on(Turn&, const Booted<Subject>&) { heard += "booted "; }
    void on(Turn&, const LeaderIs& now) { heard += now.leader ? "crowned " : "deposed "; }
    void on(Turn&, NodeId, Plea) { heard += "plea "; }
};

using Realm = Stack<Crown, Subject>;

struct StackOfAnElection : testing::Test {
    MemberList members{{{.node = NodeId{1}}}};
    Realm::Config config{};
    Seat<Realm> seat{NodeId{1}, members, config};
    Realm realm{};
    Effects<Realm> effects{};
};

TEST_F(StackOfAnElection, UpperBootsBeforeItHearsWhatLowerTells) {
    step(realm, seat, Instant{}, Booted<Realm>{}, effects);
    EXPECT_EQ(realm.upper.heard, "booted crowned ");
}

// Or a leader that was paused would, when it wakes, give to others what its clients had, and only
// then hear that it leads no more.
TEST_F(StackOfAnElection, ALeaseBelowEndsBeforeAnythingElseIsDoneAbove) {
    step(realm, seat, Instant{}, Booted<Realm>{}, effects);
    step(realm, seat, Instant(Duration(10)), Received<Realm>{NodeId{2}, Subject::Plea{}}, effects);
    EXPECT_EQ(realm.upper.heard, "booted crowned deposed late plea ");
}

using Both = Stack<Watcher, Ledger>;
static_assert(Protocol<Both>);
static_assert(std::variant_size_v<Both::Message> == 2);
static_assert(std::same_as<Both::Request, std::variant<Ledger::Publish>>);  // None gave way
static_assert(std::same_as<Top<Both>, Ledger>);
static_assert(kind_of_message<Both, Watcher::Tick>() == Kind::detector);
static_assert(kind_of_message<Both, Ledger::Note>() == Kind::election);

struct StackTest : testing::Test {
    MemberList members{{{.node = NodeId{1}}, {.node = NodeId{2}}}};
    Both::Config config = Both::configure({.tm = Duration(7)});
    Seat<Both> seat{NodeId{1}, members, config};
    Both both;
    Effects<Both> effects;

    template <class E> const std::vector<Effect<Both>>& tell(const E& event) {
        effects.list.clear();
        step(both, seat, Instant{}, event, effects);
        return effects.list;
    }
};

TEST_F(StackTest, WhatLowerTellsUpperHearsInTheSameStep) {
    tell(Booted<Both>{});
    const auto& done = tell(Expired<Both>{Watcher::Silent{NodeId{2}}});
    ASSERT_EQ(done.size(), 3U);
    EXPECT_TRUE(std::holds_alternative<Tell<Both>>(done[0]));  // the application hears it, too
    EXPECT_EQ(std::get<Save<Both>>(done[1]).durable.upper.notes, 1U);
    EXPECT_EQ(std::get<Send<Both>>(done[2]).to, NodeId{2});
}

TEST_F(StackTest, AnyMessageForUpperIsASignOfLifeForLower) {
    tell(Received<Both>{NodeId{2}, Ledger::Note{}});
    EXPECT_EQ(both.lower.signs_of_life, 1U);
    tell(Received<Both>{NodeId{2}, Watcher::Tick{}});
    EXPECT_EQ(both.lower.signs_of_life, 2U);
}

TEST_F(StackTest, ASaveOfOnePartCarriesTheOthersRecord) {
    Both::Durable before;
    before.upper.notes = 41;
    tell(Booted<Both>{before});
    const auto& done = tell(Expired<Both>{Watcher::Silent{NodeId{2}}});
    EXPECT_EQ(std::get<Save<Both>>(done[1]).durable.upper.notes, 42U);
}

TEST_F(StackTest, LeasesEndBeforeTheEventIsLookedAt) {
    EXPECT_FALSE(both.upper.expired);
    tell(Asked<Both>{Ledger::Publish{}});
    EXPECT_TRUE(both.upper.expired);
}

TEST_F(StackTest, IsAValue) {
    Both copy = both;
    EXPECT_TRUE(equal(copy, both));
    EXPECT_EQ(hash_value(copy), hash_value(both));
    copy.upper.kept.notes = 5;
    EXPECT_FALSE(equal(copy, both));
}

TEST(Step, AVerdictWithoutItsOwnRuleIsTakenAsTheNearestWeakerOne) {
    const MemberList members{{{.node = NodeId{1}}}};
    const Ledger::Config config;
    const Seat<Ledger> seat{NodeId{1}, members, config};
    Ledger ledger;
    Effects<Ledger> effects;
    step(ledger, seat, Instant{}, Failed{NodeId{2}}, effects);
    EXPECT_EQ(ledger.kept.notes, 1U);
    step(ledger, seat, Instant{}, Restarted{NodeId{2}}, effects);
    EXPECT_EQ(ledger.kept.notes, 2U);
    step(ledger, seat, Instant{}, Event<Ledger>(Trusted{NodeId{2}}), effects);  // nobody listens
    EXPECT_EQ(ledger.kept.notes, 2U);
}

TEST(MemberList, KnowsPlacesKeysAndTheRing) {
    const MemberList consecutive{{{.node = NodeId{4}}, {.node = NodeId{5}}, {.node = NodeId{6}}}};
    EXPECT_EQ(consecutive.find(NodeId{6}), 2U);
    EXPECT_FALSE(consecutive.find(NodeId{7}));
    EXPECT_FALSE(consecutive.find(NodeId{3}));
    const MemberList scattered{{{.node = NodeId{32}}, {.node = NodeId{5}}, {.node = NodeId{80}}}};
    EXPECT_EQ(scattered.find(NodeId{5}), 1U);
    EXPECT_FALSE(scattered.find(NodeId{6}));
    EXPECT_EQ(scattered.around(NodeId{80}, 1), NodeId{32});
    EXPECT_EQ(scattered.around(NodeId{32}, -1), NodeId{80});
}

}  // namespace
}  // namespace conclave
