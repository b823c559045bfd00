// check/visited_test.cc -- the table of states, with all of each state or only its hash.
#include "check/visited.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace conclave {
namespace {

std::array<std::uint8_t, 12> state_of(std::uint32_t number) {
    std::array<std::uint8_t, 12> bytes{};
    std::memcpy(bytes.data() + 4, &number, 4);
    return bytes;
}

// Of every length, from no bit to all of them.
Sleep asleep_of(std::uint32_t number) {
    return number % 65 == 0 ? 0 : (~Sleep{0} >> (64 - number % 65)) ^ number;
}

void expect_numbered(bool hashes_only) {
    constexpr std::uint32_t many = 200'000;
    Visited visited(hashes_only, true);
    for (std::uint32_t number = 0; number < many; ++number) {
        const auto state = state_of(number);
        const auto [given, is_new] = visited.insert(state, hash_bytes(state));
        ASSERT_EQ(given, number);
        ASSERT_TRUE(is_new);
    }
    for (std::uint32_t number = 0; number < many; ++number) {
        const auto state = state_of(number);
        const auto [given, is_new] = visited.insert(state, hash_bytes(state));
        ASSERT_EQ(given, number);
        ASSERT_FALSE(is_new);
    }
    EXPECT_EQ(visited.size(), many);
}

TEST(Visited, KnowsEveryStateByItsNumber) { expect_numbered(false); }
TEST(Visited, KnowsEveryStateByItsHash) { expect_numbered(true); }

TEST(Visited, TellsStatesWithTheSameHashApartIfItKeepsThem) {
    Visited whole(false, true), hashes(true, true);
    const auto one = state_of(1), other = state_of(2);
    for (Visited* visited : {&whole, &hashes}) EXPECT_TRUE(visited->insert(one, 7).is_new);
    EXPECT_TRUE(whole.insert(other, 7).is_new);
    EXPECT_FALSE(hashes.insert(other, 7).is_new);
}

TEST(Visited, TakesAtMostSixteenBytesForAHash) {
    Visited visited(true, false);
    for (std::uint32_t number = 0; number < 1'000'000; ++number) {
        const auto state = state_of(number);
        visited.insert(state, hash_bytes(state));
        if (number > 10'000) {
            ASSERT_LE(visited.table_bytes(), 16 * std::size_t{visited.size()});
        }
    }
}

TEST(Archive, IsReadInTheOrderWritten) {
    Archive archive;
    constexpr std::uint32_t many = 300'000;  // several blocks
    for (std::uint32_t number = 0; number < many; ++number)
        archive.append(number, state_of(number), asleep_of(number));
    std::uint64_t at = 0;
    for (std::uint32_t number = 0; number < many; ++number) {
        const Archive::Record record = archive.at(at);
        ASSERT_EQ(record.number, number);
        ASSERT_EQ(record.asleep, asleep_of(number));
        ASSERT_TRUE(std::ranges::equal(record.state, state_of(number)));
        at = record.next;
    }
    EXPECT_EQ(at, archive.end());
    const std::size_t before = archive.bytes();
    archive.forget_before(at);
    EXPECT_LT(archive.bytes(), before);
}

}  // namespace
}  // namespace conclave
