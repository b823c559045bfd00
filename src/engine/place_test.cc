// engine/place_test.cc -- what may be typed for an engine.
#include "engine/place.h"

#include <gtest/gtest.h>

namespace conclave::engine {
namespace {

TEST(Place, SaysWhoWhereAndBelowWhat) {
    const auto place = read_place("etcds://me:p%40ss%3A@a,b:7,[::1]/apps/");
    ASSERT_TRUE(place) << place.error().what;
    EXPECT_EQ(place->servers, (std::vector<std::string>{"a:2379", "b:7", "[::1]:2379"}));
    EXPECT_EQ(place->user, "me");
    EXPECT_EQ(place->password, "p@ss:");
    EXPECT_EQ(place->root, "/apps");
    EXPECT_TRUE(place->secure);
    const auto keeper = read_place("zookeeper://a");
    ASSERT_TRUE(keeper);
    EXPECT_EQ(keeper->kind, Place::Kind::zookeeper);
    EXPECT_EQ(keeper->servers.front(), "a:2181");
}

TEST(Place, IsRefusedWithoutRepeatingThePassword) {
    for (const char* text : {"etcd://", "etcd:///apps", "etcd://me:secret%zz@a", "etcd://:secret@a",
                             "etcd://me:secret@a:port", "http://a"}) {
        const auto place = read_place(text);
        ASSERT_FALSE(place) << text;
        EXPECT_EQ(place.error().what.find("secret"), std::string::npos) << place.error().what;
    }
    EXPECT_FALSE(is_place("unix:/run/conclave/api.sock"));
    EXPECT_TRUE(is_place("etcd://"));
}

}  // namespace
}  // namespace conclave::engine
