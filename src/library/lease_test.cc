#include "library/lease.h"

#include <gtest/gtest.h>

namespace conclave {
namespace {

using namespace std::chrono_literals;

TEST(TimedLease, IsHeldForLongerOnlyWhileItIsHeld) {
    TimedLease lease;
    lease.begin(net::now() + 1h);
    lease.extend(net::now() + 2h);
    EXPECT_TRUE(lease.held());
    EXPECT_GT(lease.remaining(), 1h);
}

TEST(TimedLease, OnceOverItStaysSoAlthoughARenewalIsReadLater) {
    TimedLease lease;
    lease.begin(net::now() - 1ns);
    ASSERT_FALSE(lease.held());
    lease.extend(net::now() + 1h);
    EXPECT_FALSE(lease.held());
}

TEST(TimedLease, WhatWasLetGoOfIsNotRenewed) {
    TimedLease lease;
    lease.begin(net::now() + 1h);
    lease.until = 0;
    lease.extend(net::now() + 1h);
    EXPECT_FALSE(lease.held());
}

}  // namespace
}  // namespace conclave
