// core/table_test.cc -- Table against a list of pairs searched from the front.
#include "core/table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/print.h"

namespace conclave {
namespace {

using Model = std::vector<std::pair<std::string, int>>;

auto find(Model& model, const std::string& key) {
    return std::find_if(model.begin(), model.end(),
                        [&](auto& entry) { return entry.first == key; });
}

Model list(const Table<std::string, int>& table) {
    Model entries;
    for (const auto& [key, value] : table) entries.emplace_back(key, value);
    return entries;
}

void apply(Table<std::string, int>& table, Model& model, std::uint8_t what, std::uint8_t seed) {
    const std::string key(seed % 32, 'k');
    const auto place = find(model, key);
    const bool known = place != model.end();
    switch (what % 8) {
        case 0:
        case 1:
            RC_ASSERT(table.insert(key, what) == !known);
            if (!known) model.emplace_back(key, what);
            break;
        case 2:
            table[key] = what;
            known ? void(place->second = what) : void(model.emplace_back(key, what));
            break;
        case 3:
        case 4:
        case 5:
            RC_ASSERT(table.erase(key) == known);
            if (known) model.erase(place);
            break;
        case 6: {
            Table<std::string, int> copy(table), taken(std::move(table));
            RC_ASSERT(table.empty() && list(table).empty());
            RC_ASSERT(copy == taken);
            table = std::move(copy);
            break;
        }
        case 7:
            if (seed % 8 != 0) break;
            table.clear();
            model.clear();
            break;
    }
}

TEST(Table, BehavesLikeListOfPairs) {
    EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& steps) {
        Table<std::string, int> table;
        Model model;
        for (const auto& [what, seed] : steps) {
            apply(table, model, what, seed);
            RC_ASSERT(list(table) == model);
            RC_ASSERT(table.size() == model.size());
        }
        for (const auto& [key, value] : model) {
            RC_ASSERT(table.contains(key));
            RC_ASSERT(*table.find(key) == value);
        }
        Table<std::string, int> fresh;
        for (const auto& [key, value] : model) fresh.insert(key, value);
        RC_ASSERT(fresh == table);
        RC_ASSERT(hash_value(fresh) == hash_value(table));
    }));
}

TEST(Table, FindsNeighboursOfTheErased) {  // all keys want the same cell of any index up to 256
    std::vector<std::uint32_t> keys;
    for (std::uint32_t key = 0; keys.size() < 40; ++key)
        if (hash_value(key) % 256 == 255) keys.push_back(key);
    Table<std::uint32_t, int> table;
    for (std::uint32_t key : keys) table[key] = 1;
    for (std::size_t gone = 0; gone < keys.size(); gone += 2) table.erase(keys[gone]);
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(table.contains(keys[i]), i % 2 == 1);
}

TEST(Table, OrderCounts) {
    Table<int, int> forward, backward;
    for (int key : {1, 2}) forward[key] = 0;
    for (int key : {2, 1}) backward[key] = 0;
    EXPECT_NE(forward, backward);
    EXPECT_NE(hash_value(forward), hash_value(backward));
    forward.erase(1);
    forward[1] = 0;
    EXPECT_EQ(forward, backward);
}

TEST(Table, MayShrinkWhileWalked) {
    Table<int, int> table;
    for (int i = 0; i < 100; ++i) table.insert(i, i);
    EXPECT_EQ(erase_if(table, [](int key, int) { return key % 10 != 3; }), 90U);
    int expected = 3;
    for (auto& [key, value] : table) {
        EXPECT_EQ(key, expected);
        value = 0;
        expected += 10;
    }
    EXPECT_EQ(expected, 103);
}

TEST(Table, RewritesKeys) {
    Table<int, int> table;
    for (int i = 0; i < 100; ++i) table.insert(i, i);
    for (int i = 0; i < 100; i += 3) table.erase(i);
    table.rewrite([](int& key, int&) { key += 1000; });
    for (int i = 0; i < 100; ++i) EXPECT_EQ(table.contains(i + 1000), i % 3 != 0);
    EXPECT_FALSE(table.contains(1));
}

TEST(Table, StaysSmallWhenKeysComeAndGo) {
    Table<int, int> table;
    for (int i = 0; i < 100'000; ++i) {
        table.insert(i, i);
        if (i >= 3) table.erase(i - 3);
    }
    EXPECT_EQ(to_text(table), "{99997: 99997, 99998: 99998, 99999: 99999}");
    const auto spread = reinterpret_cast<const char*>(table.find(99'999)) -
                        reinterpret_cast<const char*>(table.find(99'997));
    EXPECT_LT(spread, 1000);
}

TEST(Table, HoldsAHundredThousandLocks) {
    Table<std::string, int> table;
    for (int i = 0; i < 100'000; ++i) table["lock " + std::to_string(i)] = i;
    int expected = 0;
    for (const auto& [name, value] : table) EXPECT_EQ(value, expected++);
    for (int i = 0; i < 100'000; ++i) ASSERT_EQ(*table.find("lock " + std::to_string(i)), i);
    EXPECT_EQ(table.find("lock"), nullptr);
}

}  // namespace
}  // namespace conclave
