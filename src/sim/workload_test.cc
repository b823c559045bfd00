#include "sim/workload.h"

#include <gtest/gtest.h>

#include <map>

#include "mutex/path_token.h"
#include "sim/ledger.h"
#include "sim/order.h"
#include "sim/plan_text.h"
#include "sim/slate.h"
#include "sim/world.h"

namespace conclave {
namespace {

using What = Ledger::What;

Instant at(std::int64_t units) { return Instant(units * unit); }

// A critical section without an algorithm: whoever asks is let in at once.
class OpenDoor {
public:
    OpenDoor(const Workload& workload, std::size_t nodes, std::uint64_t seed = 1)
        : members_(default_plan(nodes).members), customers_(workload, members_, seed) {
        for (std::uint32_t node = 0; node < nodes; ++node)
            customers_.hear({at(0), node, What::booted});
    }

    // Until nobody wants anything more; the entries of each node.
    std::map<std::uint32_t, int> run() {
        std::map<std::uint32_t, int> entries;
        for (int events = 0; events < 10'000 && customers_.next_due() != Instant::max(); ++events) {
            const Instant now = customers_.next_due();
            const auto wanted = customers_.take();
            if (!wanted) continue;
            const auto* ask = std::get_if<fault::Ask>(&*wanted);
            if (!ask) continue;
            const std::uint32_t node = number(ask->node) - 1;
            if (ask->request == "Enter") {
                ++entries[node];
                inside_ += 1;
                most_inside = std::max(most_inside, inside_);
                customers_.hear({now, node, What::asked});
                customers_.hear({now, node, What::entered});
            } else {
                inside_ -= 1;
                customers_.hear({now, node, What::left});
                last_left = now;
            }
        }
        return entries;
    }
    Customers& customers() { return customers_; }

    int most_inside = 0;
    Instant last_left{};

private:
    std::vector<Member> members_;
    Customers customers_;
    int inside_ = 0;
};

TEST(Workload, EverybodyAsksAsOftenAsRequested) {
    const Workload workload{.requests = 3, .hold_least = 2 * unit, .hold_most = 2 * unit};
    OpenDoor door(workload, 4);
    const auto entries = door.run();
    EXPECT_EQ(entries.size(), 4U);
    for (const auto& [node, count] : entries) EXPECT_EQ(count, 3) << "node " << node + 1;
    EXPECT_EQ(door.most_inside, 4);
    EXPECT_EQ(door.last_left, at(6));
    EXPECT_TRUE(door.customers().done());
}

TEST(Workload, OnlyTheListedAsk) {
    const Workload workload{.requests = 2, .askers = {NodeId{2}, NodeId{4}}};
    const auto entries = OpenDoor(workload, 5).run();
    EXPECT_EQ(entries, (std::map<std::uint32_t, int>{{1, 2}, {3, 2}}));
}

TEST(Workload, ContentionBoundsHowManyWantInAtOnce) {
    for (std::uint32_t contention = 1; contention <= 4; ++contention) {
        const Workload workload{.requests = 25, .contention = contention};
        OpenDoor door(workload, 8);
        int total = 0;
        for (const auto& [node, count] : door.run()) total += count;
        EXPECT_EQ(total, 8 * 25);
        EXPECT_EQ(door.most_inside, static_cast<int>(contention));
        EXPECT_TRUE(door.customers().done());
    }
}

TEST(Workload, OneAtATimeIsDrawnUniformly) {
    const Workload workload{.requests = 400, .contention = 1};
    for (const auto& [node, count] : OpenDoor(workload, 4).run()) {
        // 1600 draws of probability 1/4: the standard deviation is 17.
        EXPECT_NEAR(count, 400, 90) << "node " << node + 1;
    }
}

TEST(Workload, ACrashLosesTheOpenRequestAndTheRestComesAfterTheRestart) {
    const std::vector<Member> members = default_plan(1).members;
    const Workload workload{.requests = 2, .hold_least = 5 * unit, .hold_most = 5 * unit};
    Customers customers(workload, members, 1);
    customers.hear({at(0), 0, What::booted});
    ASSERT_TRUE(customers.take());
    customers.hear({at(0), 0, What::asked});
    customers.hear({at(0), 0, What::entered});
    customers.hear({at(1), 0, What::crashed});
    EXPECT_EQ(customers.next_due(), at(5));
    EXPECT_FALSE(customers.take()) << "the dead need not leave";
    EXPECT_TRUE(customers.done()) << "as long as it is down";
    customers.hear({at(9), 0, What::booted});
    EXPECT_FALSE(customers.done());
    EXPECT_EQ(customers.next_due(), at(9));
    EXPECT_TRUE(customers.take());
}

TEST(Workload, WhoeverAsksMayTellSomebodyElse) {
    const std::vector<Member> members = default_plan(3).members;
    const Workload workload{.requests = 1, .whispers = 1};
    Customers customers(workload, members, 7);
    customers.hear({at(0), 0, What::booted});
    ASSERT_TRUE(customers.take());
    customers.hear({at(2), 0, What::asked});
    const auto told = customers.take();
    ASSERT_TRUE(told && std::holds_alternative<fault::Whisper>(*told));
    EXPECT_EQ(std::get<fault::Whisper>(*told).from, NodeId{1});
    EXPECT_NE(std::get<fault::Whisper>(*told).to, NodeId{1});
}

TEST(Ledger, ClientDelayIsOfThoseWhoAskedAlone) {
    Ledger ledger;
    ledger.open(2);
    ledger.asked(at(0), 0);
    ledger.entered(at(2), 0);
    ledger.asked(at(3), 1);  // somebody is inside
    ledger.left(at(10), 0);
    ledger.entered(at(11), 1);
    const Turns turns = ledger.turns(true);
    EXPECT_EQ(turns.entries, 2U);
    EXPECT_EQ(turns.client_delay, 2);
    EXPECT_EQ(turns.synchronization_delay, 1);
    EXPECT_EQ(turns.longest_wait, 8);
    EXPECT_EQ(turns.overtakings, 0U);
    EXPECT_EQ(turns.order_kept, true);
}

TEST(Ledger, NobodyAsksAloneWhoIsJoinedWhileWaiting) {
    Ledger ledger;
    ledger.open(2);
    ledger.asked(at(0), 0);
    ledger.asked(at(1), 1);
    ledger.entered(at(2), 0);
    EXPECT_FALSE(ledger.turns(true).client_delay);
}

TEST(Ledger, CountsWhoIsOvertaken) {
    Ledger ledger;
    ledger.open(3);
    ledger.asked(at(0), 0);
    ledger.asked(at(1), 1);
    ledger.asked(at(2), 2);
    ledger.entered(at(3), 2);
    ledger.left(at(4), 2);
    ledger.entered(at(5), 0);
    EXPECT_EQ(ledger.turns(true).overtakings, 1U);
}

TEST(Ledger, ACrashInsideIsNoHandOver) {
    Ledger ledger;
    ledger.open(2);
    ledger.asked(at(0), 0);
    ledger.entered(at(0), 0);
    ledger.asked(at(1), 1);
    ledger.crashed(at(2), 0);
    ledger.entered(at(9), 1);
    EXPECT_FALSE(ledger.turns(true).synchronization_delay);
}

TEST(Order, ARequestHeardOfBeforeAskingHappenedBefore) {
    Order order{.places = std::vector<Order::Place>(3)};
    order.ask(0);
    order.learn(1, order.places[0].past);  // told by a message
    order.ask(1);
    order.ask(2);  // knows of nobody
    EXPECT_EQ(order.passed_by(1), 0U);
    EXPECT_FALSE(order.passed_by(0));
    EXPECT_FALSE(order.passed_by(2));
}

TEST(Order, WhatIsGrantedIsInNobodysPast) {
    Order order{.places = std::vector<Order::Place>(2)};
    order.ask(0);
    order.learn(1, order.places[0].past);
    order.ask(1);
    order.close(0);
    EXPECT_FALSE(order.passed_by(1));
}

TEST(Order, AMessageCarriesTheRequestThatItMakes) {
    conclave::Setup<PathToken> setup;
    setup.members = MemberList(default_plan(3).members);
    Bench<PathToken> bench{setup};
    World<PathToken, Slate<PathToken>> world(bench, Slate<PathToken>(unit));
    for (std::uint32_t node = 0; node < 3; ++node) world.boot(node);
    world.happen(2, Asked<PathToken>{Enter{}});  // asks 1, who has the token
    ASSERT_EQ(world.agenda.packets.size(), 1U);
    EXPECT_EQ(world.agenda.packets[0].past.requests, world.order.bit(2));
    world.arrive(world.agenda.take_packet(0));
    EXPECT_EQ(world.order.places[0].past.requests, world.order.bit(2));
}

TEST(Order, HearsayCounts) {
    Order order{.places = std::vector<Order::Place>(3)};
    order.ask(0);
    order.learn(1, order.places[0].past);
    order.learn(2, order.places[1].past);
    order.ask(2);
    EXPECT_EQ(order.passed_by(2), 0U);
}

TEST(Order, LargeWorldsAreNotFollowed) {
    Order order{.places = std::vector<Order::Place>(65)};
    EXPECT_FALSE(order.followed());
    order.ask(0);
    order.learn(64, order.places[0].past);
    order.ask(64);
    EXPECT_FALSE(order.passed_by(64));
}

}  // namespace
}  // namespace conclave
