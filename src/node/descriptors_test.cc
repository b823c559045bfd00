#include "node/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace conclave::node {
namespace {

TEST(Descriptors, AreRaisedAsFarAsTheSystemLetsUsAndNeverLowered) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit small{64, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &small), 0);
    EXPECT_EQ(allow_descriptors(32), 64u);
    EXPECT_EQ(allow_descriptors(100), 100u);
    rlimit now{};
    ::getrlimit(RLIMIT_NOFILE, &now);
    EXPECT_EQ(now.rlim_cur, 100u);
    EXPECT_EQ(now.rlim_max, before.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Descriptors, LeaveRoomForEverythingElse) {
    EXPECT_EQ(places_within(100'000, 500, 1000), 1000u);
    EXPECT_EQ(places_within(1024, 500, 1000), 131u);
    EXPECT_EQ(places_within(256, 500, 1000), 8u) << "somebody must be able to ask what is wrong";
    EXPECT_EQ(places_within(256, 500, 2), 2u);
}

}  // namespace
}  // namespace conclave::node
