// library/testing_test.cc -- the cluster that applications test with.
#include "conclave/testing.hpp"

#include <gtest/gtest.h>

#include "library/company_test.h"

namespace conclave {
namespace {

TEST(TestingCluster, ALockIsLostWhenItsNodeIsCutOffAndFreeForOthers) {
    TestCluster cluster({.session = 2s});
    Client first = cluster.client(1), second = cluster.client(2);
    const auto held = first.lock("file").lock_for(long_enough);
    ASSERT_TRUE(held);
    EXPECT_TRUE(held->held());
    Heard<bool> lost;
    const std::stop_callback callback(held->lost(), [&] { lost.add(held->held()); });
    cluster.cut(1);
    const auto next = second.lock("file").lock_for(long_enough);
    ASSERT_TRUE(next);
    EXPECT_FALSE(held->held()) << "two hold it";
    EXPECT_GT(next->token(), held->token());
    EXPECT_TRUE(lost.wait_for_last(false));
    cluster.heal();
    EXPECT_FALSE(held->held()) << "what is lost is lost";
}

TEST(TestingCluster, AMandateIsLostWhileItsNodeIsPausedOrKilledAndTheNextIsLater) {
    TestCluster cluster({.lease = 1s});
    std::uint64_t epoch = 0;
    const auto next_at = [&](std::size_t number) {
        Mandate mandate = cluster.node(number).join("main").campaign();
        EXPECT_GT(mandate.epoch(), epoch);
        epoch = mandate.epoch();
        return mandate;
    };
    const Mandate first = next_at(1);
    cluster.pause(1);
    const Mandate second = next_at(2);
    EXPECT_FALSE(first.held());
    cluster.resume(1);
    cluster.kill(2);
    const Mandate third = next_at(3);
    EXPECT_FALSE(second.held());
    EXPECT_THROW(cluster.node(2), std::invalid_argument);
    cluster.restart(2);
    EXPECT_EQ(cluster.node(2).name(), "n2");
    EXPECT_TRUE(third.held());
}

}  // namespace
}  // namespace conclave
