#include "core/nearest.h"

#include <gtest/gtest.h>

namespace conclave {

TEST(Nearest, AMistypedNameIsGuessed) {
    const std::vector<std::string> names{"lease", "plan", "preempt"};
    EXPECT_EQ(nearest("leese", names), "lease");
    EXPECT_EQ(nearest("prempt", names), "preempt");
    EXPECT_EQ(nearest("pln", names), "plan");
}

TEST(Nearest, WhatIsTooFarOffIsNotGuessed) {
    EXPECT_EQ(nearest("colour", {"lease", "plan"}), std::nullopt);
    EXPECT_EQ(nearest("x", {"id"}), std::nullopt);
    EXPECT_EQ(nearest("anything", {}), std::nullopt);
    EXPECT_EQ(nearest(std::string(1000, 'a'), {"a"}), std::nullopt);
}

}  // namespace conclave
