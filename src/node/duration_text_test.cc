#include "node/duration_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace conclave::node {

using namespace std::chrono_literals;

TEST(DurationText, EveryUnitIsRead) {
    EXPECT_EQ(*parse_duration("7ns"), 7ns);
    EXPECT_EQ(*parse_duration("7us"), 7us);
    EXPECT_EQ(*parse_duration("200ms"), 200ms);
    EXPECT_EQ(*parse_duration("2s"), 2s);
    EXPECT_EQ(*parse_duration("1m"), 1min);
    EXPECT_EQ(*parse_duration("36h"), 36h);
    EXPECT_EQ(*parse_duration("0s"), 0s);
}

TEST(DurationText, AnythingElseIsRefused) {
    for (const char* text :
         {"", "s", "5", "-5s", "+5s", " 5s", "5 s", "5s ", "1.5s", "5sec", "5S", "1m30s",
          "9223372036854775808ns", "9223372036854775807us", "2562048h"}) {
        EXPECT_FALSE(parse_duration(text)) << text;
    }
    EXPECT_EQ(parse_duration("5").error().what,
              "duration \"5\": the unit is missing; one of ns us ms s m h");
}

TEST(DurationText, TheLargestExactUnitIsWrittenAndReadBack) {
    EXPECT_EQ(duration_text(90s), "90s");
    EXPECT_EQ(duration_text(120s), "2m");
    EXPECT_EQ(duration_text(1500us), "1500us");
    EXPECT_EQ(duration_text(0s), "0s");
    for (const Duration length : {Duration(1), Duration(999), Duration(1000), Duration(3600s),
                                  Duration(std::numeric_limits<std::int64_t>::max())}) {
        EXPECT_EQ(*parse_duration(duration_text(length)), length);
    }
}

}  // namespace conclave::node
