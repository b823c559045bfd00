// cli/cluster_hung_test.cc -- a node that hangs or is cut off, and clients that know others, too:
// its connections stay, the kernel even accepts new ones, but nothing comes of them.
#include <signal.h>

#include <cstdint>
#include <string>

#include "cli/locked_cluster_test.h"

namespace conclave {
namespace {

class HungNode : public LockedCluster {
protected:
    void SetUp() override {
        begin("session_max = \"8s\"\n", &relay);
        // One that leads nothing, and that everybody asks first.
        const std::size_t server = place(lock_server()), leader = place(agreed_leader());
        while (at_fault == server || at_fault == leader) ++at_fault;
        endpoints = "--endpoint " + process(at_fault).endpoint();
        for (const std::size_t other : everybody()) {
            if (other != at_fault) endpoints += "," + process(other).endpoint();
        }
        endpoints += " ";
    }
    Ran command(const std::string& arguments) const {
        return run(endpoints + arguments, "timeout 60");
    }
    void cut_off() {
        const auto id = [](std::size_t place) { return static_cast<std::uint32_t>(place + 1); };
        for (const std::size_t other : everybody()) {
            if (other == at_fault) continue;
            relay.set(id(at_fault), id(other), {.stalled = true});
            relay.set(id(other), id(at_fault), {.stalled = true});
        }
    }
    // Longer than a session, so what was not renewed is lost.
    void expect_still_held() const { EXPECT_EQ(lock("press -w 10s -- true").exit, 75); }

    Relay relay;
    std::size_t at_fault = 0;
    std::string endpoints;
};

TEST_F(HungNode, EveryCommandFindsAnother) {
    kill(at_fault, SIGSTOP);
    for (const char* arguments :
         {"leader main", "status", "members", "locks", "lock press -- true", "resign main"}) {
        const Ran ran = command(arguments);
        EXPECT_EQ(ran.exit, 0) << arguments << ": " << ran.err;
    }
    constexpr int somebody_else = 7;
    const Ran led = command("lead main -n -E 7 -- true");
    EXPECT_TRUE(led.exit == 0 || led.exit == somebody_else) << led.exit << ": " << led.err;
    kill(at_fault, SIGCONT);
}

TEST_F(HungNode, WhatWasHadThereIsHeldThroughAnother) {
    Background holder(endpoints + "lock press", file("holder"));
    token_of(holder.first_line());
    kill(at_fault, SIGSTOP);
    expect_still_held();
    holder.end_input();
    EXPECT_EQ(holder.exit_code(), 0) << holder.said();
    kill(at_fault, SIGCONT);
}

TEST_F(HungNode, WhoIsCutOffFromTheLeaderLosesItsGuestsAndTheyNothing) {
    Background holder(endpoints + "lock press", file("holder"));
    token_of(holder.first_line());
    cut_off();
    expect_still_held();
    EXPECT_EQ(command("lock desk -- true").exit, 0);
    holder.end_input();
    EXPECT_EQ(holder.exit_code(), 0) << holder.said();
}

}  // namespace
}  // namespace conclave
