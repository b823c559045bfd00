// sim/dice_test.cc -- a seed means the same run everywhere and for ever.
#include "sim/dice.h"

#include <gtest/gtest.h>

#include "sim/unit.h"

namespace conclave {
namespace {

// Computed apart from this code, from the published algorithms. If they change, every seed that
// anybody wrote down means something else.
TEST(Dice, FirstValuesAreFixed) {
    Dice zero(0), one(1), other(42);
    for (const std::uint64_t value :
         {0x99ec5f36cb75f2b4U, 0xbf6e1f784956452aU, 0x1a5f849d4933e6e0U, 0x6aa594f1262d2d2cU}) {
        EXPECT_EQ(zero.next(), value);
    }
    EXPECT_EQ(one.next(), 0xb3f2af6d0fc710c5U);
    EXPECT_EQ(one.next(), 0x853b559647364ceaU);
    EXPECT_EQ(other.next(), 0x15780b2e0c2ec716U);
}

TEST(Dice, StayWithinTheirBounds) {
    Dice dice(3);
    Duration least = 10 * unit, most = unit;
    for (int i = 0; i < 10'000; ++i) {
        EXPECT_LT(dice.below(7), 7U);
        const Duration drawn = dice.between(unit, 2 * unit);
        least = std::min(least, drawn);
        most = std::max(most, drawn);
    }
    EXPECT_GE(least, unit);
    EXPECT_LE(most, 2 * unit);
    EXPECT_LT(least, unit + unit / 100);
    EXPECT_GT(most, 2 * unit - unit / 100);
    EXPECT_EQ(dice.between(5 * unit, 5 * unit), 5 * unit);
}

TEST(Dice, ChancesAreWhatTheySay) {
    Dice dice(4);
    int hits = 0;
    for (int i = 0; i < 100'000; ++i) hits += dice.chance(0.2);
    EXPECT_NEAR(hits, 20'000, 600);
    EXPECT_FALSE(dice.chance(0));
    EXPECT_TRUE(dice.chance(1));
}

}  // namespace
}  // namespace conclave
