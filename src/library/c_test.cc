// library/c_test.cc -- conclave.h; that it is C is shown by examples/project/plain.c.
#include <gtest/gtest.h>

#include "conclave/conclave.h"
#include "conclave/testing.hpp"

namespace conclave {
namespace {

constexpr std::int64_t for_ever = -1;

TEST(CInterface, ALockIsHeldByOneAndHasATokenThatGrows) {
    const TestCluster cluster({.session = std::chrono::seconds(5)});
    char* error = nullptr;
    conclave_client* first = conclave_connect(cluster.endpoint(1).c_str(), &error);
    conclave_client* second = conclave_connect(cluster.endpoint(2).c_str(), &error);
    ASSERT_TRUE(first && second) << error;
    conclave_held* held = conclave_lock(first, "file", for_ever, &error);
    ASSERT_TRUE(held) << error;
    EXPECT_TRUE(conclave_is_held(held));
    EXPECT_GT(conclave_remaining(held), 0);
    EXPECT_EQ(conclave_try_lock(second, "file", &error), nullptr);
    EXPECT_EQ(error, nullptr) << "that it is busy is no error";
    const conclave_token token = conclave_token_of(held);
    conclave_unlock(held);
    held = conclave_lock(second, "file", for_ever, nullptr);
    ASSERT_TRUE(held);
    const conclave_token next = conclave_token_of(held);
    EXPECT_TRUE(next.epoch > token.epoch ||
                (next.epoch == token.epoch && next.number > token.number));
    conclave_disconnect(second);
    EXPECT_FALSE(conclave_is_held(held));
    conclave_unlock(held);
    conclave_disconnect(first);
}

TEST(CInterface, WhatIsWrongIsAText) {
    char* error = nullptr;
    EXPECT_EQ(conclave_connect("gopher:nowhere", &error), nullptr);
    ASSERT_NE(error, nullptr);
    conclave_free(error);
    EXPECT_EQ(conclave_start("/nowhere/conclave.toml", &error), nullptr);
    ASSERT_NE(error, nullptr);
    EXPECT_NE(std::string_view(error).find("/nowhere/conclave.toml"), std::string_view::npos);
    conclave_free(error);
    EXPECT_EQ(conclave_start("/nowhere/conclave.toml", nullptr), nullptr);
}

}  // namespace
}  // namespace conclave
