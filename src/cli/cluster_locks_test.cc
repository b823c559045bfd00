// cli/cluster_locks_test.cc -- the lock service of real nodes, as `conclave lock` and the library
// use it.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>
#include <thread>

#include "cli/locked_cluster_test.h"
#include "conclave/client.hpp"

namespace conclave {
namespace {

using namespace std::chrono_literals;

TEST_F(LockedCluster, ACommandRunsUnderALockAndItsEndIsOurs) {
    const Ran ran = lock("press -- sh -c 'echo $CONCLAVE_LOCK $CONCLAVE_TOKEN; exit 7'");
    EXPECT_EQ(ran.exit, 7) << ran.err;
    EXPECT_EQ(ran.out.substr(0, 6), "press ");
    EXPECT_EQ(lock("press -- true").exit, 0);
    EXPECT_EQ(lock("press -- sh -c 'kill -9 $$'").exit, 128 + 9);
    EXPECT_EQ(lock("press -- /no/such/program").exit, 127);
}

TEST_F(LockedCluster, EveryNodeServesAndTokensOnlyGrow) {
    FencingToken last;
    for (const std::size_t node : {0, 1, 2, 0}) {
        const Ran ran = run(at(node) + " lock press -- sh -c 'echo $CONCLAVE_TOKEN'", "timeout 60");
        ASSERT_EQ(ran.exit, 0) << ran.err << logs();
        const FencingToken token = token_of(ran.out.substr(0, ran.out.find('\n')));
        EXPECT_GT(token, last);
        last = token;
    }
}

TEST_F(LockedCluster, WhoDoesNotWaitIsToldThatItIsHeld) {
    Background holder("--endpoint " + everywhere() + " lock press", file("holder"));
    const FencingToken first = token_of(holder.first_line());
    EXPECT_EQ(lock("press -n -- true").exit, 75);
    EXPECT_EQ(lock("press -n -E 9 -- true").exit, 9);
    EXPECT_EQ(lock("press -w 100ms -- true").exit, 75);
    EXPECT_EQ(lock("another -n -- true").exit, 0);
    Background next("--endpoint " + everywhere() + " lock press", file("next"));
    holder.end_input();
    EXPECT_EQ(holder.exit_code(), 0);
    EXPECT_GT(token_of(next.first_line()), first);
    next.signal(SIGTERM);
    EXPECT_EQ(next.exit_code(), 0);
    EXPECT_EQ(lock("press -n -- true").exit, 0) << "it was given back";
}

TEST_F(LockedCluster, SomeShareALockAndSomeSlotsAreFew) {
    Background reader("--endpoint " + everywhere() + " lock book -s", file("reader"));
    token_of(reader.first_line());
    EXPECT_EQ(lock("book -s -n -- true").exit, 0);
    EXPECT_EQ(lock("book -n -- true").exit, 75);
    Background one("--endpoint " + everywhere() + " lock desk --slots 2", file("one"));
    token_of(one.first_line());
    Background two("--endpoint " + everywhere() + " lock desk --slots 2", file("two"));
    token_of(two.first_line());
    EXPECT_EQ(lock("desk --slots 2 -n -- true").exit, 75);
}

TEST_F(LockedCluster, WhatIsHeldIsHeldUnderTheNextServer) {
    Background holder("--endpoint " + everywhere() + " lock press", file("holder"));
    const FencingToken first = token_of(holder.first_line());
    const std::string server = lock_server();
    kill(place(server));
    ASSERT_TRUE(comes_true([&] { return !lock_server().empty() && lock_server() != server; }))
        << logs();
    // A whole session later the new server grants, and knows what is held.
    EXPECT_EQ(lock("another -- true").exit, 0);
    EXPECT_EQ(lock("press -n -- true").exit, 75) << holder.said();
    holder.end_input();
    EXPECT_EQ(holder.exit_code(), 0) << holder.said();
    const Ran ran = lock("press -- sh -c 'echo $CONCLAVE_TOKEN'");
    EXPECT_GT(token_of(ran.out.substr(0, ran.out.find('\n'))).epoch, first.epoch);
}

// Its node hangs, so it hears nothing; the others go on, and grant the lock to who waits.
TEST_F(LockedCluster, ACommandIsStoppedBeforeItsLockCanBeAnothers) {
    const std::size_t server = place(lock_server());
    const std::size_t hung = (server + 1) % 3;
    Background holder(at(hung) +
                          " lock press -- sh -c 'trap \"cat /proc/uptime; exit\" TERM; "
                          "echo up; while :; do sleep 0.01; done'",
                      file("holder"));
    EXPECT_EQ(holder.first_line(), "up");
    Background next(at(server) + " lock press -- cat /proc/uptime", file("next"));
    kill(hung, SIGSTOP);
    const double begun = std::stod(next.first_line());
    EXPECT_EQ(holder.exit_code(), 79) << holder.said();
    const std::string said = slurp(file("holder"));
    const double ended = std::stod(said.substr(said.find('\n') + 1));
    EXPECT_LT(ended, begun);
    kill(hung, SIGCONT);
}

TEST_F(LockedCluster, AGraceThatDoesNotFitIsRefused) {
    const Ran ran = lock("press --grace 1500ms -- true");
    EXPECT_EQ(ran.exit, 64);
    EXPECT_NE(ran.err.find("does not fit into a session of 2s: at most 1s"), std::string::npos)
        << ran.err;
}

TEST_F(LockedCluster, ItsDoorIsNotForThoseWhoSpeakHttp) {
    EXPECT_EQ(ask_node(0, "/v1/wire").status, 426u);
}

TEST_F(LockedCluster, AnApplicationHoldsALockByTheClock) {
    Client here({.endpoints = {process(0).endpoint()}}),
        there({.endpoints = {process(1).endpoint()}});
    auto held = here.lock("press").lock_for(60s);
    ASSERT_TRUE(held);
    EXPECT_TRUE(held->held());
    EXPECT_GT(held->remaining(), 0ms);
    EXPECT_LT(held->remaining(), 2s);
    EXPECT_FALSE(there.lock("press").try_lock());
    EXPECT_FALSE(here.lock("press").try_lock()) << "another thread of the same process";
    const FencingToken first = held->token();
    held->unlock();
    EXPECT_FALSE(held->held());
    auto next = there.lock("press").lock_for(60s);
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), first);
}

TEST_F(LockedCluster, AStickyLockIsHadAgainUnderItsTokenUntilAnotherWantsIt) {
    Client here({.endpoints = {process(0).endpoint()}}),
        there({.endpoints = {process(1).endpoint()}});
    Lock sticky = here.lock("press", {.sticky = true});
    auto held = sticky.lock_for(60s);
    ASSERT_TRUE(held);
    const FencingToken first = held->token();
    held->unlock();
    EXPECT_FALSE(held->held());
    held = sticky.try_lock();
    ASSERT_TRUE(held);
    EXPECT_EQ(held->token(), first);
    held->unlock();
    auto next = there.lock("press").lock_for(60s);
    ASSERT_TRUE(next) << "it is idle: whoever asks has it";
    EXPECT_GT(next->token(), first);
    EXPECT_FALSE(sticky.try_lock());
    next->unlock();
    EXPECT_TRUE(here.lock("press").lock_for(60s)) << "on other terms";
}

TEST_F(LockedCluster, AHolderIsToldThatAnotherWaits) {
    Client here({.endpoints = {process(0).endpoint()}}),
        there({.endpoints = {process(1).endpoint()}});
    auto held = here.lock("press", {.told = true}).lock_for(60s);
    ASSERT_TRUE(held);
    EXPECT_FALSE(held->wanted().stop_requested());
    std::optional<Held> next;
    std::jthread waits([&] { next = there.lock("press").lock_for(60s); });
    EXPECT_TRUE(comes_true([&] { return held->wanted().stop_requested(); }));
    held->unlock();
    waits.join();
    EXPECT_TRUE(next);
}

TEST_F(LockedCluster, AnApplicationIsToldToStopInTime) {
    Client client({.endpoints = {process(0).endpoint()}});
    auto held = client.lock("press").lock_for(60s);
    ASSERT_TRUE(held);
    std::atomic<bool> told = false, still_held = false;
    const std::stop_callback callback(held->lost(), [&] {
        still_held = held->held();
        told = true;
    });
    for (std::size_t node = 0; node < 3; ++node) kill(node, SIGSTOP);
    EXPECT_TRUE(comes_true([&] { return told.load(); }));
    EXPECT_FALSE(still_held);
    for (std::size_t node = 0; node < 3; ++node) kill(node, SIGCONT);
    auto again = client.lock("press").lock_for(60s);
    ASSERT_TRUE(again);
    EXPECT_GT(again->token(), held->token());
}

TEST_F(RealCluster, ANodeWithoutLocksSaysSo) {
    start("quorum", 1);
    const Ran ran = run("--endpoint " + process(0).endpoint() + " --timeout 2s lock press -- true");
    EXPECT_EQ(ran.exit, 69);
    EXPECT_NE(ran.err.find("no [locks]"), std::string::npos) << ran.err;
}

TEST_F(Command, ALockWithoutANodeEndsInTime) {
    const Ran ran = run("--endpoint unix:/nowhere/at/all --timeout 300ms lock press -- true");
    EXPECT_EQ(ran.exit, 69) << ran.err;
}

}  // namespace
}  // namespace conclave
