// engine/conformance_test.cc -- what every engine must do, whoever keeps the record: the same tests
// on our own nodes, on etcd and on ZooKeeper, each with three real servers.
#include "engine/conformance_test.h"

#include <algorithm>
#include <vector>

#include "conclave/fence.hpp"

namespace conclave::engine {
namespace {

using namespace std::chrono_literals;
using Mode = locks::Terms::Mode;

TEST_P(Conformance, OneHoldsTheOthersWaitInTheirOrderAndTokensGrow) {
    Applicant &first = somebody(), &second = somebody(), &third = somebody();
    first.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_granted(first));
    EXPECT_TRUE(first.holds());
    second.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(second));
    third.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(third));
    Applicant& elsewhere = somebody();
    elsewhere.want(lock("press/small"));  // another thing, though its name begins alike
    ASSERT_NO_FATAL_FAILURE(expect_granted(elsewhere));
    ASSERT_NO_FATAL_FAILURE(expect_left(first));
    ASSERT_NO_FATAL_FAILURE(expect_granted(second));
    EXPECT_FALSE(third.token);
    expect_one_after_the_other(first, second);
    ASSERT_NO_FATAL_FAILURE(expect_left(second));
    ASSERT_NO_FATAL_FAILURE(expect_granted(third));
    expect_one_after_the_other(second, third);
    // Somebody who gives up while waiting stands in nobody's way.
    Applicant &fourth = somebody(), &fifth = somebody();
    fourth.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(fourth));
    fifth.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(fifth));
    ASSERT_NO_FATAL_FAILURE(expect_left(fourth));
    ASSERT_NO_FATAL_FAILURE(expect_left(third));
    ASSERT_NO_FATAL_FAILURE(expect_granted(fifth));
}

TEST_P(Conformance, SomeShareAndSlotsAreFew) {
    const locks::Terms shared{Mode::shared, 1}, slot{Mode::slot, 2};
    Applicant &reader = somebody(), &another = somebody(), &writer = somebody(), &late = somebody();
    reader.want(lock("book", shared));
    ASSERT_NO_FATAL_FAILURE(expect_granted(reader));
    another.want(lock("book", shared));
    ASSERT_NO_FATAL_FAILURE(expect_granted(another));
    writer.want(lock("book"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(writer));
    late.want(lock("book", shared));
    ASSERT_NO_FATAL_FAILURE(expect_busy(late));  // a reader does not overtake a writer that waits
    ASSERT_NO_FATAL_FAILURE(expect_left(another));
    EXPECT_FALSE(writer.token);
    ASSERT_NO_FATAL_FAILURE(expect_left(reader));
    ASSERT_NO_FATAL_FAILURE(expect_granted(writer));
    EXPECT_FALSE(late.token);
    ASSERT_NO_FATAL_FAILURE(expect_left(writer));
    ASSERT_NO_FATAL_FAILURE(expect_granted(late));

    std::vector<Applicant*> guests;
    for (int seat = 0; seat < 4; ++seat) {
        guests.push_back(&somebody());
        guests.back()->want(lock("desk", slot));
        ASSERT_NO_FATAL_FAILURE(seat < 2 ? expect_granted(*guests.back())
                                         : expect_busy(*guests.back()));
    }
    ASSERT_NO_FATAL_FAILURE(expect_left(*guests[0]));
    ASSERT_NO_FATAL_FAILURE(expect_granted(*guests[2]));
    EXPECT_FALSE(guests[3]->token);
    ASSERT_NO_FATAL_FAILURE(expect_left(*guests[1]));
    ASSERT_NO_FATAL_FAILURE(expect_granted(*guests[3]));
}

// It is not renewed for the dead, and what the dead wanted is nobody's either (users' traps 1, 2,
// 5, 12): who is killed holding, who is killed waiting, and who wakes up much too late.
TEST_P(Conformance, TheDeadHoldNothingAndWhoWakesUpLateKnowsIt) {
    Applicant &holder = somebody(), &dead = somebody(), &next = somebody();
    holder.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_granted(holder));
    dead.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(dead));
    next.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(next));
    holder.stands_still = dead.stands_still = true;
    ASSERT_NO_FATAL_FAILURE(expect_granted(next));
    EXPECT_FALSE(holder.holds()) << "by the clock, before anything has told it";
    expect_one_after_the_other(holder, next);
    // What it protects can tell the two apart, if the late one does not look at the clock.
    FenceGate gate;
    const auto writes = [&](const Applicant& who) {
        return gate.admit({who.token->epoch.value, who.token->number});
    };
    EXPECT_TRUE(writes(next));
    EXPECT_FALSE(writes(holder));
    holder.stands_still = dead.stands_still = false;
    ASSERT_TRUE(comes_true([&] { return holder.is_lost; }));
    // Who was dead while its turn came and went has to wait for another one.
    const Instant end = net::now() + 1s;
    ASSERT_TRUE(comes_true([&] { return net::now() > end; }));
    EXPECT_FALSE(dead.token);
    ASSERT_NO_FATAL_FAILURE(expect_left(next));
    ASSERT_NO_FATAL_FAILURE(expect_granted(dead));
    expect_one_after_the_other(next, dead);
}

TEST_P(Conformance, WhatIsHeldOutlivesTheServersLeader) {
    Applicant &holder = somebody(), &next = somebody();
    holder.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_granted(holder));
    next.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(next));
    const auto leader = servers->leader();
    ASSERT_TRUE(leader);
    servers->kill(*leader);
    ASSERT_TRUE(comes_true([&] { return servers->ready() || holder.is_lost; }));
    // A slow machine may lose it by the clock; then it is lost, and not held twice.
    const Instant later = net::now() + 3s;
    ASSERT_TRUE(comes_true([&] { return net::now() > later || next.token; }));
    if (!holder.is_lost) {
        EXPECT_FALSE(next.token);
        ASSERT_NO_FATAL_FAILURE(expect_left(holder));
    }
    ASSERT_NO_FATAL_FAILURE(expect_granted(next));
    expect_one_after_the_other(holder, next);
}

// The server that it talks to hangs: nothing breaks off, nothing is answered.
TEST_P(Conformance, ItIsOverByTheClockWhenTheServerHangs) {
    const auto leader = servers->leader();
    ASSERT_TRUE(leader);
    const std::size_t hung = (*leader + 1) % Servers::count, other = (*leader + 2) % Servers::count;
    Applicant &holder = somebody(hung), &next = somebody(other);
    holder.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_granted(holder));
    next.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(next));
    servers->pause(hung);
    ASSERT_NO_FATAL_FAILURE(expect_granted(next));
    servers->resume(hung);
    ASSERT_TRUE(comes_true([&] { return holder.is_lost; }));
    expect_one_after_the_other(holder, next);
}

TEST_P(Conformance, AllAreServedAfterTheServersWereRestarted) {
    constexpr std::size_t crowd = 20;
    for (std::size_t one = 0; one < crowd; ++one) {
        somebody().want(lock("press"));
    }
    ASSERT_TRUE(comes_true([&] {
        return std::ranges::all_of(people,
                                   [](const Applicant& one) { return one.token || one.is_busy; });
    })) << servers->logs();
    for (std::size_t at = 0; at < Servers::count; ++at) servers->kill(at);
    for (std::size_t at = 0; at < Servers::count; ++at) servers->start(at);
    std::vector<Applicant*> served;
    for (std::size_t turn = 0; turn < crowd; ++turn) {
        Applicant* now = nullptr;
        ASSERT_TRUE(comes_true([&] {
            for (Applicant& one : people) {
                const bool done = std::ranges::find(served, &one) != served.end();
                if (!done && one.is_lost) one.want(lock("press"));
                if (!done && one.holds()) now = &one;
            }
            return now != nullptr;
        })) << turn
            << " were served\n"
            << servers->logs();
        const auto holders =
            std::ranges::count_if(people, [](const Applicant& one) { return one.holds(); });
        EXPECT_EQ(holders, 1);
        const locks::Token last = served.empty() ? locks::Token{} : *served.back()->token;
        EXPECT_GT(*now->token, last);
        served.push_back(now);
        now->leave();
    }
}

TEST_P(Conformance, OneLeadsAtATimeAndItIsSeen) {
    Applicant &first = somebody(0), &second = somebody(1), &witness = somebody();
    std::vector<Standing> seen;
    const auto watch =
        witness.engine().watch({Thing::Kind::leadership, servers->group()}, [&](const auto& found) {
            if (const auto* standing = std::get_if<Standing>(&found)) seen.push_back(*standing);
        });
    const auto sees = [&](std::optional<Epoch> epoch) {
        return comes_true([&] {
            if (seen.empty()) return false;
            const auto& holders = seen.back().holders;
            return epoch ? !holders.empty() && holders.front().token.epoch == *epoch
                         : holders.empty();
        });
    };
    EXPECT_TRUE(sees(std::nullopt)) << "nobody is there, and that is said";
    first.want(lead());
    ASSERT_NO_FATAL_FAILURE(expect_granted(first));
    EXPECT_TRUE(sees(first.token->epoch));
    second.want(lead());
    ASSERT_NO_FATAL_FAILURE(expect_busy(second));
    first.stands_still = true;  // and dies
    ASSERT_NO_FATAL_FAILURE(expect_granted(second));
    expect_one_after_the_other(first, second);
    EXPECT_TRUE(sees(second.token->epoch));
    ASSERT_NO_FATAL_FAILURE(expect_left(second));
    EXPECT_TRUE(sees(std::nullopt)) << "that it has gone is said, too";
}

std::vector<Kind> kinds() {
    std::vector<Kind> all{{"native", native_servers}, {"etcd", etcd_servers}};
#ifdef CONCLAVE_ZOOKEEPER
    all.push_back({"zookeeper", zookeeper_servers});
#endif
    return all;
}

INSTANTIATE_TEST_SUITE_P(Engines, Conformance, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace conclave::engine
