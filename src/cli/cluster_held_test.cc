// cli/cluster_held_test.cc -- locks of real nodes as HTTP clients hold them, and as an
// administrator sees them and takes them away.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <string>

#include "cli/locked_cluster_test.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

// Sessions that no slow machine lets run out by itself.
class HeldLocks : public LockedCluster {
protected:
    void SetUp() override { begin("session_max = \"30s\"\n"); }

    Reply call(std::size_t node, const char* method, const std::string& target,
               const json::object& body = {}) const {
        Endpoint endpoint;
        endpoint.urls = process(node).endpoint();
        endpoint.silent = true;
        endpoint.timeout = "90s";
        return ask(endpoint, method, target, body);
    }
    std::string open_session(std::size_t node, const std::string& name,
                             const std::string& ttl = "30s") const {
        const Reply reply = call(node, "POST", "/v1/sessions", {{"ttl", ttl}, {"name", name}});
        EXPECT_EQ(reply.status, 201u);
        return text(reply.body, "session");
    }
    Reply acquire(std::size_t node, const std::string& session, const std::string& lock,
                  json::object more = {}) const {
        more["session"] = session;
        return call(node, "POST", "/v1/locks/" + lock + "/acquire", more);
    }
    Reply release(std::size_t node, const std::string& session, const std::string& lock,
                  const std::string& token) const {
        return call(node, "POST", "/v1/locks/" + lock + "/release",
                    {{"session", session}, {"token", token}});
    }
    static std::string text(const json::value& of, std::string_view name) {
        const auto* object = of.if_object();
        const auto* value = object ? object->if_contains(name) : nullptr;
        if (!value) return "";
        return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
    }
    static json::array list(const json::value& of, std::string_view name) {
        const auto* object = of.if_object();
        const auto* value = object ? object->if_contains(name) : nullptr;
        return value && value->is_array() ? value->get_array() : json::array{};
    }
    // The lock as this node shows it; null: it shows none.
    json::value shown(std::size_t node, const std::string& lock) const {
        for (const json::value& one : list(call(node, "GET", "/v1/locks").body, "locks")) {
            if (text(one, "lock") == lock) return one;
        }
        return {};
    }
};

TEST_F(HeldLocks, ASessionHoldsALockOverHttp) {
    const std::string one = open_session(0, "cron@host"), two = open_session(1, "other@host");
    const Reply granted = acquire(0, one, "press", {{"wait", "60s"}});
    ASSERT_EQ(granted.status, 200u) << logs();
    const FencingToken first = token_of(text(granted.body, "token"));
    const double left = std::stod(text(granted.body, "remaining_ms"));
    EXPECT_GT(left, 0);
    EXPECT_LT(left, 30'000);
    EXPECT_EQ(text(acquire(0, one, "press").body, "token"), text(granted.body, "token"));
    EXPECT_EQ(acquire(0, one, "press", {{"mode", "shared"}}).status, 409u);
    EXPECT_EQ(acquire(1, two, "press").status, 409u);
    EXPECT_EQ(acquire(1, two, "press", {{"wait", "10ms"}}).exit, Exit::not_yet);
    EXPECT_EQ(acquire(1, one, "press").status, 410u) << "a session is one node's";

    const Reply renewed = call(0, "POST", "/v1/sessions/" + one + "/renew");
    ASSERT_EQ(list(renewed.body, "locks").size(), 1u);
    EXPECT_EQ(text(list(renewed.body, "locks")[0], "lock"), "press");
    EXPECT_EQ(text(list(renewed.body, "locks")[0], "token"), text(granted.body, "token"));

    EXPECT_EQ(release(0, one, "press", "0.1").status, 409u) << "by another token";
    EXPECT_EQ(release(0, one, "press", text(granted.body, "token")).status, 204u);
    EXPECT_EQ(release(0, one, "press", text(granted.body, "token")).status, 409u);
    const Reply next = acquire(1, two, "press", {{"wait", "60s"}});
    ASSERT_EQ(next.status, 200u);
    EXPECT_GT(token_of(text(next.body, "token")), first);
}

TEST_F(HeldLocks, SomeShareALockAndSomeSlotsAreFewOverHttp) {
    const std::string one = open_session(0, "one"), two = open_session(0, "two"),
                      three = open_session(2, "three");
    const json::object sharing{{"mode", "shared"}, {"wait", "60s"}};
    EXPECT_EQ(acquire(0, one, "book", sharing).status, 200u);
    EXPECT_EQ(acquire(0, two, "book", sharing).status, 200u);
    EXPECT_EQ(acquire(2, three, "book").status, 409u);
    const json::object slot{{"mode", "slot"}, {"slots", 2}, {"wait", "60s"}};
    EXPECT_EQ(acquire(0, one, "desk", slot).status, 200u);
    EXPECT_EQ(acquire(0, two, "desk", slot).status, 200u);
    EXPECT_EQ(acquire(2, three, "desk", {{"mode", "slot"}, {"slots", 2}}).status, 409u);
    EXPECT_EQ(acquire(0, one, "desk", {{"mode", "slot"}}).status, 400u);
}

TEST_F(HeldLocks, WhatASessionHeldIsFreeWhenItEnds) {
    std::string brief;
    ASSERT_TRUE(comes_true([&] {
        brief = open_session(0, "brief", "1s");
        return acquire(0, brief, "press", {{"wait", "60s"}}).status == 200u;
    })) << logs();
    const std::string next = open_session(1, "next");
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(acquire(1, next, "press", {{"wait", "60s"}}).status, 200u);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 25s) << "it was given back";
    EXPECT_EQ(acquire(0, brief, "press").status, 410u);
    EXPECT_EQ(call(1, "DELETE", "/v1/sessions/" + next).status, 204u);
    EXPECT_EQ(lock("press -w 60s -- true").exit, 0);
}

TEST_F(HeldLocks, EveryNodeSaysWhoHoldsAndWhoWaits) {
    Background holder(at(0) + " lock press -- sh -c 'echo up; exec sleep 1000'", file("holder"));
    EXPECT_EQ(holder.first_line(), "up");
    Background waiter(at(1) + " lock press -- true", file("waiter"));
    const std::string cron = open_session(2, "cron@host");
    ASSERT_EQ(acquire(2, cron, "book", {{"mode", "shared"}, {"wait", "60s"}}).status, 200u);
    for (const std::size_t node : {0, 1, 2}) {
        json::value press;
        ASSERT_TRUE(comes_true([&] {
            press = shown(node, "press");
            return !list(press, "waiters").empty();
        })) << logs();
        ASSERT_EQ(list(press, "holders").size(), 1u);
        const json::value who = list(press, "holders")[0];
        EXPECT_EQ(text(who, "name").substr(0, 3), "sh@") << json::serialize(press);
        EXPECT_EQ(text(who, "mode"), "exclusive");
        token_of(text(who, "token"));
        EXPECT_EQ(text(list(press, "waiters")[0], "name").substr(0, 5), "true@");
        const json::value book = shown(node, "book");
        ASSERT_EQ(list(book, "holders").size(), 1u);
        EXPECT_EQ(text(list(book, "holders")[0], "name"), "cron@host");
        EXPECT_EQ(text(list(book, "holders")[0], "mode"), "shared");
    }
    const Ran table = run(at(1) + " locks");
    EXPECT_EQ(table.exit, 0) << table.err;
    EXPECT_NE(table.out.find("press"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("true@"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("cron@host"), std::string::npos) << table.out;
    EXPECT_EQ(text(run(at(1) + " -o json locks").json(), "total"), "2");

    const std::size_t server = place(lock_server());
    EXPECT_EQ(metric(server, "conclave_locks_held"), 2);
    EXPECT_EQ(metric(server, "conclave_lock_waiters"), 1);
    EXPECT_GE(metric(server, "conclave_lock_sessions"), 3);
    for (const std::size_t node : {0, 1, 2}) {
        EXPECT_EQ(metric(node, "conclave_sessions"), 1) << "of one client, whoever grants";
    }
    EXPECT_GE(metric(server, "conclave_lock_wait_seconds_count"), 2);
    EXPECT_EQ(metric((server + 1) % 3, "conclave_locks_held"), 0);
}

TEST_F(HeldLocks, ForcedReleaseStopsTheHolderAndThenFreesTheLock) {
    Background holder(at(0) +
                          " lock press -- sh -c 'trap \"cat /proc/uptime; exit\" TERM; "
                          "echo up; while :; do sleep 0.01; done'",
                      file("holder"));
    EXPECT_EQ(holder.first_line(), "up");
    const std::string token = text(list(shown(0, "press"), "holders")[0], "token");
    Background next(at(1) + " lock press -- sh -c 'cat /proc/uptime; echo $CONCLAVE_TOKEN'",
                    file("next"));
    ASSERT_TRUE(comes_true([&] { return !list(shown(0, "press"), "waiters").empty(); }));

    Ran ran = run(at(1) + " release press");
    EXPECT_EQ(ran.exit, 64);
    EXPECT_NE(ran.err.find("--force"), std::string::npos) << ran.err;
    const auto begun = std::chrono::steady_clock::now();
    ran = run(at(1) + " release press --force");
    EXPECT_EQ(ran.exit, 0) << ran.err << logs();
    EXPECT_EQ(holder.exit_code(), 79) << holder.said();
    EXPECT_EQ(next.exit_code(), 0) << next.said();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 25s) << "it said that it had stopped";
    const std::string ended = slurp(file("holder")), entered = slurp(file("next"));
    EXPECT_LE(std::stod(ended.substr(ended.find('\n') + 1)), std::stod(entered));
    EXPECT_GT(
        token_of(entered.substr(entered.find('\n') + 1, entered.size() - 2 - entered.find('\n'))),
        token_of(token));
    const std::size_t server = place(lock_server());
    EXPECT_GE(metric(server, "conclave_lock_lost_total"), 1);

    ran = run(at(2) + " release press --force");
    EXPECT_EQ(ran.exit, 75) << "nobody holds it";
}

// It hears nothing, so it holds the lock until its session is over, and nobody else does.
TEST_F(HeldLocks, ForcedReleaseOfWhoDoesNotHearItTakesItsSession) {
    Background holder(at(0) + " lock press --ttl 2s", file("holder"));
    const FencingToken first = token_of(holder.first_line());
    Background next(at(1) + " lock press", file("next"));
    ASSERT_TRUE(comes_true([&] { return !list(shown(0, "press"), "waiters").empty(); }));
    holder.signal(SIGSTOP);
    EXPECT_EQ(call(2, "DELETE", "/v1/locks/press").status, 202u);
    EXPECT_GT(token_of(next.first_line()), first);
    holder.signal(SIGCONT);
    EXPECT_EQ(holder.exit_code(), 79) << holder.said();
}

TEST_F(HeldLocks, ALongNameIsRefusedBeforeAnybodyIsAsked) {
    const std::string name(256, 'x');
    const Ran ran = lock(name + " -- true");
    EXPECT_EQ(ran.exit, 64);
    EXPECT_NE(ran.err.find("1 to 255 bytes"), std::string::npos) << ran.err;
    EXPECT_EQ(acquire(0, open_session(0, "one"), name).status, 400u);
}

TEST_F(RealCluster, ANodeWithoutLocksHasNoneToShow) {
    start("quorum", 1);
    expect_leader("n1");
    const Ran ran = run("--endpoint " + process(0).endpoint() + " locks");
    EXPECT_EQ(ran.exit, 64);
    EXPECT_NE(ran.err.find("no [locks]"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace conclave
