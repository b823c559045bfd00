// engine/library_test.cc -- the headers for applications, on a real etcd: locks without any node,
// and leadership through a node whose group etcd keeps.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "conclave/client.hpp"
#include "engine/etcd_servers_test.h"
#include "library/company_test.h"

namespace conclave::engine {
namespace {

class LibraryOnEtcd : public Company {
protected:
    void SetUp() override {
        if (!EtcdServers::installed()) GTEST_SKIP() << "there is no etcd here";
        const auto home = folder / "etcd";
        std::filesystem::create_directories(home);
        etcd.emplace(home, EtcdServers::Options{.size = 1});
        ASSERT_TRUE(etcd->come_up()) << etcd->logs();
    }
    Client client() const {
        return Client({.endpoints = {etcd->endpoint()}, .session = std::chrono::seconds(2)});
    }
    std::string settings() const {
        return "engine = \"etcd\"\nendpoints = [\"" + etcd->endpoint() + "\"]\nlease = \"2s\"\n";
    }

    std::optional<EtcdServers> etcd;
};

TEST_F(LibraryOnEtcd, ALockIsHeldByOneAndOverByTheClockWhenNobodyAnswers) {
    Client first = client(), second = client();
    auto held = first.lock("file").lock_for(long_enough);
    ASSERT_TRUE(held);
    EXPECT_TRUE(held->held());
    EXPECT_GT(held->remaining(), 0s);
    EXPECT_FALSE(second.lock("file").try_lock());
    EXPECT_FALSE(first.lock("file").try_lock()) << "of one client, too";
    auto other = first.lock("another").lock_for(long_enough);
    ASSERT_TRUE(other);
    other->unlock();
    EXPECT_FALSE(other->held());

    Heard<bool> lost;
    const std::stop_callback callback(held->lost(), [&] { lost.add(held->held()); });
    etcd->pause(0);
    EXPECT_TRUE(lost.wait_for_last(false)) << "without a word from anybody";
    EXPECT_EQ(held->remaining(), 0s);
    etcd->resume(0);
    auto next = second.lock("file").lock_for(long_enough);
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), held->token());
    EXPECT_FALSE(held->held()) << "what is lost is lost";
    next->unlock();
    auto again = first.lock("file").lock_for(long_enough);
    ASSERT_TRUE(again);
    EXPECT_GT(again->token(), next->token());
}

TEST_F(LibraryOnEtcd, SomeShareSlotsAreFewAndNothingSticks) {
    Client first = client(), second = client();
    auto reader = first.lock("book", {.shared = true}).lock_for(long_enough);
    auto another = second.lock("book", {.shared = true}).lock_for(long_enough);
    EXPECT_TRUE(reader && another && reader->held() && another->held());
    EXPECT_FALSE(second.lock("book").try_lock()) << "a writer waits for all of them";
    auto slot = first.lock("seats", {.slots = 1}).lock_for(long_enough);
    ASSERT_TRUE(slot);
    EXPECT_FALSE(second.lock("seats", {.slots = 1}).try_lock());
    // Nobody tells the holder that others wait: a lock that it kept would be kept for ever.
    { const auto sticky = first.lock("pen", {.sticky = true}).lock_for(long_enough); }
    EXPECT_TRUE(second.lock("pen").lock_for(long_enough));
}

TEST(LibraryOnAnEngine, WhatIsWrongIsThrown) {
    const auto open = [](std::vector<std::string> endpoints) {
        return Client({.endpoints = std::move(endpoints)});
    };
    EXPECT_THROW(open({"etcd://"}), std::invalid_argument);
    EXPECT_THROW(open({"etcd://a:1", "etcd://b:1"}), std::invalid_argument);
    EXPECT_THROW(open({}), std::invalid_argument);
}

TEST_F(LibraryOnEtcd, OfTwoThatCampaignAtNodesTheNextHasALargerToken) {
    prepare(settings(), "");
    start(0);
    start(1);
    Group here = nodes[0]->join("work"), there = nodes[1]->join("work");
    Heard<std::optional<std::string>> heard;
    const auto watch = there.on_change([&](const Leadership& now) { heard.add(now.leader); });
    Mandate first = here.campaign();
    const std::uint64_t token = first.epoch();
    EXPECT_TRUE(first.held());
    EXPECT_GT(first.remaining(), 0s);
    EXPECT_TRUE(heard.wait_for_last("n1"));
    EXPECT_FALSE(there.campaign_for(200ms).held());
    first.resign();
    Mandate second = there.campaign();
    EXPECT_TRUE(second.held());
    EXPECT_FALSE(first.held());
    EXPECT_GT(second.epoch(), token);
    EXPECT_TRUE(heard.wait_for_last("n2"));
    Heard<bool> lost;
    etcd->pause(0);
    const std::stop_callback callback(second.lost(), [&] { lost.add(second.held()); });
    EXPECT_TRUE(lost.wait_for_last(false));
    etcd->resume(0);
}

}  // namespace
}  // namespace conclave::engine
