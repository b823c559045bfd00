// node/time_text_test.cc -- moments to the microsecond, on both sides of 1970.
#include "node/time_text.h"

#include <gtest/gtest.h>

namespace conclave::node {
namespace {

using namespace std::chrono;

TEST(TimeText, IsRfc3339InUtc) {
    const sys_seconds when{sys_days{2024y / 2 / 29} + 23h + 59min + 58s};
    EXPECT_EQ(time_text(when), "2024-02-29T23:59:58Z");
    EXPECT_EQ(time_text(WallTime(when) + 42us), "2024-02-29T23:59:58.000042Z");
    EXPECT_EQ(time_text(WallTime(when) + 999'999'999ns), "2024-02-29T23:59:58.999999Z");
}

TEST(TimeText, TimesBefore1970AreTimesToo) {
    EXPECT_EQ(time_text(WallTime(-1us)), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(time_text(sys_seconds(-1s)), "1969-12-31T23:59:59Z");
}

}  // namespace
}  // namespace conclave::node
