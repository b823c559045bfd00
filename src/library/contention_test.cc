// library/contention_test.cc -- many who want locks at once: a server with too much to do, and two
// that stand in each other's way.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "conclave/testing.hpp"
#include "library/company_test.h"

namespace conclave {
namespace {

// Locks of its own, one after the other without a pause, by several threads of one client: it
// always has as many wishes on their way as it has threads.
class Rush {
public:
    Rush(Client client, std::string name) : client_(std::move(client)), name_(std::move(name)) {
        for (int thread = 0; thread < 8; ++thread) {
            threads_.emplace_back(
                [this, lock = name_ + std::to_string(thread)](const std::stop_token& stop) {
                    while (!stop.stop_requested())
                        granted += client_.lock(lock).lock(stop).has_value();
                });
        }
    }
    std::atomic<std::uint64_t> granted = 0;

private:
    Client client_;
    const std::string name_;
    std::vector<std::jthread> threads_;
};

TEST(LocksUnderLoad, NobodyLosesWhatItHoldsWhileOthersKeepTheServerBusy) {  // H23
    constexpr auto session = 2s;
    TestCluster cluster({.nodes = 1, .session = session});
    std::deque<Client> patient;
    std::vector<Held> held;
    for (std::size_t at = 0; at < 20; ++at) {
        patient.push_back(cluster.client(1));
        auto one = patient.back().lock("mine" + std::to_string(at)).lock_for(long_enough);
        ASSERT_TRUE(one);
        held.push_back(std::move(*one));
    }
    std::deque<Rush> rushes;
    for (int at = 0; at < 4; ++at) rushes.emplace_back(cluster.client(1), std::to_string(at) + "-");
    // Without a report that arrives each of them would be over, and nobody holds a lock twice.
    const auto end = std::chrono::steady_clock::now() + session + session / 2;
    std::uint64_t asked = 0;
    while (std::chrono::steady_clock::now() < end) {
        ASSERT_TRUE(patient.front().lock("another").lock_for(long_enough));
        ++asked;
    }
    for (const Held& one : held) {
        EXPECT_TRUE(one.held());
        EXPECT_FALSE(one.lost().stop_requested());
    }
    std::uint64_t granted = 0;
    for (Rush& rush : rushes) {
        EXPECT_GT(rush.granted, 0u);
        granted += rush.granted;
    }
    RecordProperty("grants", std::to_string(granted + asked));
}

// The service does not look for circles: whoever may be part of one waits with a limit.
TEST(LocksInACircle, AWaitWithALimitEndsIt) {  // H24
    TestCluster cluster({.nodes = 1, .session = 2s});
    Client first = cluster.client(1), second = cluster.client(1);
    auto left = first.lock("left").lock_for(long_enough);
    ASSERT_TRUE(left);
    std::optional<Held> right = second.lock("right").lock_for(long_enough), both;
    ASSERT_TRUE(right);
    std::jthread other([&] { both = second.lock("left").lock_for(long_enough); });
    EXPECT_FALSE(first.lock("right").lock_for(100ms)) << "the other has it, and waits for ours";
    EXPECT_TRUE(left->held());
    left->unlock();
    other.join();
    ASSERT_TRUE(both);
    EXPECT_TRUE(right->held());
}

TEST(LocksInACircle, WhoAsksForAllOfThemAtOnceIsInNone) {  // H24
    TestCluster cluster({.nodes = 1, .session = 2s});
    constexpr int turns = 50;
    const auto takes = [&](const std::vector<std::string>& names) {
        return std::jthread([&cluster, names] {
            Client client = cluster.client(1);
            for (int turn = 0; turn < turns; ++turn) {
                const auto held = client.lock_all(names, long_enough);
                ASSERT_TRUE(held);
                EXPECT_EQ(held->size(), 2u);
            }
        });
    };
    const std::jthread one = takes({"left", "right"}), two = takes({"right", "left", "right"});
}

TEST(LocksInACircle, WhoDoesNotGetAllOfThemKeepsNone) {  // H24
    TestCluster cluster({.nodes = 1, .session = 2s});
    Client first = cluster.client(1), second = cluster.client(1);
    const auto right = first.lock("right").lock_for(long_enough);
    ASSERT_TRUE(right);
    EXPECT_FALSE(second.lock_all({"right", "left"}, 100ms));
    EXPECT_TRUE(first.lock("left").lock_for(long_enough));
}

}  // namespace
}  // namespace conclave
