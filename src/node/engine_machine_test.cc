#include "node/engine_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <utility>
#include <variant>

#include "node/journal.h"

namespace conclave::node {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// An engine that says and does only what the test tells it to.
struct Puppet {
    bool exists = true;
    engine::Events* events = nullptr;
    engine::Claim claim;
    int contests = 0, leaves = 0;
    bool alive = false;  // there is a contest
    std::optional<Instant> until;
    std::function<void(const engine::Found<engine::Standing>&)> seen;
    int watches = 0;

    void show(std::vector<engine::Holder> holders) {
        seen(engine::Standing{.thing = {}, .holders = std::move(holders), .waiting = {}});
    }
};

class PuppetContest final : public engine::Contest {
public:
    explicit PuppetContest(Puppet& puppet) : puppet_(puppet) { puppet.alive = true; }
    ~PuppetContest() override { puppet_.alive = false; }
    std::optional<Instant> until() const override { return puppet_.until; }
    Duration session() const override { return 2s; }
    void leave() override {
        ++puppet_.leaves;
        puppet_.until.reset();
    }

private:
    Puppet& puppet_;
};

class PuppetEngine final : public engine::Engine {
public:
    explicit PuppetEngine(Puppet& puppet) : puppet_(puppet) {}
    std::unique_ptr<engine::Contest> contend(engine::Claim claim, engine::Events& events) override {
        ++puppet_.contests;
        puppet_.claim = std::move(claim);
        puppet_.events = &events;
        return std::make_unique<PuppetContest>(puppet_);
    }
    void look(const engine::Thing&, Duration, Told<engine::Standing>) override {}
    void list(engine::Thing::Kind, Duration, Told<std::vector<engine::Standing>>) override {}
    std::unique_ptr<engine::Watch> watch(
        const engine::Thing&,
        std::function<void(const engine::Found<engine::Standing>&)> seen) override {
        ++puppet_.watches;
        puppet_.seen = std::move(seen);
        return std::make_unique<engine::Watch>();
    }

private:
    Puppet& puppet_;
};

struct Lines final : LogSink {
    void log(Level, std::string_view event, std::span<const LogField>) override {
        events.emplace_back(event);
    }
    std::vector<std::string> events;
};

struct Stage final : Ground {
    Instant at{1h};
    std::optional<std::pair<Instant, std::uint32_t>> due;
    std::vector<LeaderIs> leaders;
    std::vector<std::string> reasons;  // of each of them
    bool departed = false;
    std::optional<Refused::Why> refused;
    Journal journal;

    Instant now() override { return at; }
    Attribute attribute() override { return 0; }
    Duration draw(Wait wait) override { return wait.least; }
    void send(NodeId, ByteView, net::Hurry) override {}
    void alarm(Instant when, std::uint32_t stamp) override { due = {when, stamp}; }
    void save(ByteView) override {}
    void told(const Told& notice) override {
        if (std::holds_alternative<Departed>(notice)) departed = true;
        if (const auto* no = std::get_if<Refused>(&notice)) refused = no->why;
        const auto* leader = std::get_if<LeaderIs>(&notice);
        if (!leader) return;
        leaders.push_back(*leader);
        journal.unsettle();
        reasons.push_back(journal.cause(at).reason);
        if (leader->leader) journal.settle();
    }
    void note(Moment moment) override { journal.note(at, std::move(moment)); }
    void tell_guest(const locks::ForGuest&) override {}
    bool recording() const override { return false; }
    void record(wire::RecordedStep, std::optional<NodeId>) override {}
};

class OnAnEngine : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_FALSE(machine.boot(std::nullopt));
        pass(0s);
    }
    void pass(Duration time) {  // and every tick in it
        const Instant end = stage.at + time;
        while (stage.due && stage.due->first <= end) {
            stage.at = std::max(stage.at, stage.due->first);
            machine.fire(std::exchange(stage.due, std::nullopt)->second);
        }
        stage.at = end;
    }
    void grant(std::uint64_t token) {
        puppet.until = stage.at + 2s;
        puppet.events->granted({Epoch{token}, 0});
    }
    std::optional<NodeId> leader() { return machine.leader(stage.at); }
    static engine::Holder holder(std::string name, std::uint64_t token) {
        return {std::move(name), {Epoch{token}, 0}};
    }
    static Peer peer(std::uint32_t id, std::string name) {
        Peer one;
        one.id = NodeId{id};
        one.name = std::move(name);
        return one;
    }

    Puppet puppet;
    Stage stage;
    Lines lines;
    EngineMachine machine{
        {"etcd", "main", 2s, NodeId{1}, {peer(1, "n1"), peer(2, "n2"), peer(3, "n3")}},
        [this]() -> Result<std::unique_ptr<engine::Engine>> {
            if (!puppet.exists) return Error{"ca.crt: there is no such file"};
            return std::unique_ptr<engine::Engine>(std::make_unique<PuppetEngine>(puppet));
        },
        stage,
        lines};
};

TEST_F(OnAnEngine, TheNodeLeadsWithTheEnginesTokenWhileTheContestSaysSo) {
    EXPECT_EQ(puppet.claim.thing, (engine::Thing{engine::Thing::Kind::leadership, "main"}));
    EXPECT_EQ(puppet.claim.holder, "n1");
    EXPECT_EQ(puppet.claim.session, 2s);
    EXPECT_EQ(leader(), std::nullopt);
    grant(7);
    EXPECT_EQ(leader(), NodeId{1});
    const auto held = machine.tenure(stage.at);
    ASSERT_TRUE(held);
    EXPECT_EQ(held->epoch, Epoch{7});
    EXPECT_EQ(held->until, *puppet.until);
    puppet.show({holder("n3", 5)});  // seen late
    EXPECT_EQ(leader(), NodeId{1});
    stage.at += 2s;  // no tick, no word: only the clock
    EXPECT_EQ(leader(), std::nullopt);
    EXPECT_EQ(machine.tenure(stage.at), std::nullopt);
    puppet.events->lost();
    EXPECT_EQ(stage.leaders.back().leader, std::nullopt);
    EXPECT_EQ(stage.reasons.back(), "LeaseOver");
    pass(0s);
    EXPECT_EQ(puppet.contests, 2) << "it stands again";
}

TEST_F(OnAnEngine, WhoIsFirstIsNamedAndWhyThatEnds) {
    puppet.show({holder("n2", 4)});
    EXPECT_EQ(leader(), NodeId{2});
    EXPECT_EQ(stage.leaders.back().epoch, Epoch{4});
    puppet.show({});
    EXPECT_EQ(leader(), std::nullopt) << "that nobody leads is said, too";
    EXPECT_EQ(stage.reasons.back(), "Release") << "it is alive: it has gone by itself";
    puppet.show({holder("n3", 9)});
    machine.hear(Suspected{NodeId{3}});
    EXPECT_EQ(leader(), NodeId{3}) << "the engine decides that, not the detector";
    grant(12);
    EXPECT_EQ(leader(), NodeId{1});
    EXPECT_EQ(stage.reasons.back(), "LeaseOver");
}

TEST_F(OnAnEngine, WhoIsNoOtherMemberIsNotNamedButShown) {
    puppet.show({holder("etcdctl", 4)});
    EXPECT_EQ(leader(), std::nullopt);
    EXPECT_THAT(machine.trouble().value_or(""), HasSubstr("'etcdctl'"));
    puppet.show({holder("n1", 5)});  // an earlier life: this one holds nothing
    EXPECT_EQ(leader(), std::nullopt);
    EXPECT_THAT(machine.trouble().value_or(""), HasSubstr("'n1'"));
    puppet.show({holder("n2", 6)});
    EXPECT_EQ(leader(), NodeId{2});
    EXPECT_EQ(machine.trouble(), std::nullopt);
}

TEST_F(OnAnEngine, NobodyIsNamedAfterALeaseWithoutAnAnswerNorAfterASleep) {
    puppet.show({holder("n2", 4)});
    puppet.seen(net::Failure{net::Trouble::timeout, "127.0.0.1:2379: no answer", true});
    pass(1s);
    EXPECT_EQ(leader(), NodeId{2}) << "servers restart";
    pass(2s);
    EXPECT_EQ(leader(), std::nullopt);
    EXPECT_EQ(stage.reasons.back(), "Unreachable");
    EXPECT_EQ(machine.trouble(), "127.0.0.1:2379: no answer");
    puppet.show({holder("n2", 4)});
    EXPECT_EQ(leader(), NodeId{2});
    EXPECT_EQ(machine.trouble(), std::nullopt);
    EXPECT_THAT(lines.events,
                ElementsAre("an engine does not serve us", "an engine serves us again"));
    stage.at += 1h;
    EXPECT_EQ(leader(), std::nullopt) << "who knows what has happened meanwhile";
    pass(0s);
    EXPECT_EQ(puppet.watches, 2) << "it looks anew";
    puppet.show({holder("n3", 8)});
    EXPECT_EQ(leader(), NodeId{3});
}

TEST_F(OnAnEngine, WhatIsRefusedIsSaidOnceAndTriedAgain) {
    for (int time = 1; time <= 3; ++time) {
        EXPECT_EQ(puppet.contests, time);
        puppet.events->failed({net::Trouble::refused, "e1: authentication failed", true}, true);
        pass(1s);
        EXPECT_FALSE(puppet.alive);
        EXPECT_EQ(machine.trouble(), "e1: authentication failed");
        pass(5s);
    }
    EXPECT_THAT(lines.events, ElementsAre("an engine does not serve us"));
    grant(3);
    EXPECT_EQ(leader(), NodeId{1});
    EXPECT_EQ(machine.trouble(), std::nullopt);
}

TEST_F(OnAnEngine, WhoResignsGoesToTheEndOfTheQueueAndWhoRetiresStaysOut) {
    grant(3);
    EXPECT_FALSE(machine.ask(Resign{NodeId{2}})) << "whom the engine serves next is its own choice";
    EXPECT_EQ(leader(), NodeId{1});
    EXPECT_TRUE(machine.ask(Resign{}));
    EXPECT_EQ(leader(), std::nullopt);
    EXPECT_EQ(stage.reasons.back(), "Resign");
    EXPECT_TRUE(machine.ask(Resign{}));
    EXPECT_EQ(stage.refused, Refused::Why::not_leader);
    puppet.events->left();
    pass(0s);
    EXPECT_EQ(puppet.contests, 2);
    grant(5);
    EXPECT_TRUE(machine.ask(Retire{}));
    puppet.events->left();
    pass(10s);
    EXPECT_EQ(puppet.contests, 2);
    EXPECT_TRUE(machine.ask(Return{}));
    pass(0s);
    EXPECT_EQ(puppet.contests, 3);
    EXPECT_TRUE(machine.ask(Depart{}));
    EXPECT_FALSE(stage.departed) << "the engine does not know yet";
    puppet.events->left();
    EXPECT_TRUE(stage.departed);
}

TEST_F(OnAnEngine, WhoDoesNotStandIsSoonGone) {
    EXPECT_TRUE(machine.ask(Retire{}));
    puppet.events->left();
    pass(1s);
    EXPECT_TRUE(machine.ask(Depart{}));
    EXPECT_TRUE(stage.departed);
}

TEST(OnAMissingEngine, EverythingIsTriedAgain) {
    Puppet puppet;
    Stage stage;
    Lines lines;
    puppet.exists = false;
    EngineMachine machine{
        {"etcd", "main", 2s, NodeId{1}, {}},
        [&]() -> Result<std::unique_ptr<engine::Engine>> {
            if (!puppet.exists) return Error{"ca.crt: there is no such file"};
            return std::unique_ptr<engine::Engine>(std::make_unique<PuppetEngine>(puppet));
        },
        stage,
        lines};
    ASSERT_FALSE(machine.boot(std::nullopt));
    const auto tick = [&] { machine.fire(std::exchange(stage.due, std::nullopt)->second); };
    tick();
    EXPECT_EQ(machine.trouble(), "ca.crt: there is no such file");
    puppet.exists = true;
    stage.at += 5s;
    tick();
    EXPECT_EQ(puppet.contests, 1);
    EXPECT_EQ(machine.trouble(), std::nullopt);
}

}  // namespace
}  // namespace conclave::node
