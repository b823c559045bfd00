// core/value_test.cc -- what a struct gets from its fields: comparison, hash, text, leaves.
#include "core/value.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <set>

#include "core/samples_test.h"

namespace conclave {
namespace {

using namespace samples;
using namespace std::chrono_literals;

struct Local {
    enum class Colour { red, green };
    Colour colour{};
};
enum Loose { loose };
struct NoValue {
    int* pointer = nullptr;
};
struct NoValueInside {
    std::vector<std::optional<NoValue>> inside;
};

static_assert(Value<Everything>);
static_assert(Value<Message> && Value<Table<Key, Message>> && Value<std::pair<int, bool>>);
static_assert(!Value<int*> && !Value<NoValueInside> && !Value<Loose> && !Value<float>);
static_assert(!Value<std::pair<int, NoValue>> && !Value<std::variant<int, NoValue>>);

static_assert(name_of<Vote>() == "Vote");
static_assert(name_of<const Everything::Nested>() == "Nested");
static_assert(name_of<Box<Box<Vote>>>() == "Box");
static_assert(name_of<Box<Vote>::Lid>() == "Lid");
static_assert(name_of<Local>() == "Local");
static_assert(name_of_value(Phase::held) == "held");
static_assert(name_of_value(Phase{3}).empty() && name_of_value(Phase{200}).empty());
static_assert(name_of_value(Local::Colour::green) == "green");
static_assert(name_of_value(NodeId{1}).empty());

NodeId node(std::uint32_t id) { return static_cast<NodeId>(id); }

TEST(Print, Leaves) {
    EXPECT_EQ(to_text(true), "true");
    EXPECT_EQ(to_text(-7), "-7");
    EXPECT_EQ(to_text('a'), "97");
    EXPECT_EQ(to_text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(to_text(node(3)), "3");
    EXPECT_EQ(to_text(Phase::waiting), "waiting");
    EXPECT_EQ(to_text(Phase{3}), "3");
    EXPECT_EQ(to_text(Phase{200}), "200");
    EXPECT_EQ(to_text(std::byte{7}), "7");
    EXPECT_EQ(to_text(Epoch{4}), "4");
    EXPECT_EQ(to_text(0.1 + 0.2), "0.3");
    EXPECT_EQ(to_text(1e100), "1e+100");
    EXPECT_EQ(to_text(-0.0), "0");
    EXPECT_EQ(to_text(std::string("a \"b\"\\\n\t\x7fü")), "\"a \\\"b\\\"\\\\\\n\\x09\\x7fü\"");
}

TEST(Print, Times) {
    EXPECT_EQ(to_text(Duration(0)), "0");
    EXPECT_EQ(to_text(Duration(5ms)), "5ms");
    EXPECT_EQ(to_text(Duration(1500us)), "1500us");
    EXPECT_EQ(to_text(Duration(3s)), "3s");
    EXPECT_EQ(to_text(Duration(-1001)), "-1001ns");
    EXPECT_EQ(to_text(Duration::min()), "-9223372036854775808ns");
    EXPECT_EQ(to_text(Instant(90s)), "90s");
    EXPECT_EQ(to_text(Wait{150ms, 300ms}), "Wait(150ms, 300ms)");
}

TEST(Print, Wholes) {
    EXPECT_EQ(to_text(std::optional<int>()), "none");
    EXPECT_EQ(to_text(std::optional<Vote>(Vote{node(2), {7}})), "Vote(2, 7)");
    EXPECT_EQ(to_text(Message(Ping{})), "Ping");
    EXPECT_EQ(to_text(std::pair(1, Ping{})), "1:Ping");
    EXPECT_EQ(to_text(Key{0, node(3)}), "3");
    EXPECT_EQ(to_text(Key{-5, node(3)}), "-5:3");
    EXPECT_EQ(to_text(std::vector<bool>{true, false}), "[true false]");
    EXPECT_EQ(to_text(std::array<int, 0>{}), "[]");
    EXPECT_EQ(to_text(NodeSet{node(130), node(2)}), "[2 130]");
    EXPECT_EQ(to_text(Small<Message>{Ping{}, Vote{}}), "[Ping Vote(0, 0)]");
    EXPECT_EQ(to_text(Grant{node(1), {4, node(2)}, {}}), "Grant(1, 4:2, Wait(0, 0))");
    Table<std::string, Box<int>> table;
    table["b"].content = 1;
    table["a"].content = 2;
    EXPECT_EQ(to_text(table), "{\"b\": Box(1, shut), \"a\": Box(2, shut)}");
}

TEST(Equal, LooksAtEveryField) {
    EXPECT_TRUE(rc::check([] {
        const Everything it = any_everything();
        Everything other = it;
        RC_ASSERT(equal(it, other));
        RC_ASSERT(hash_value(it) == hash_value(other));
        RC_ASSERT(to_text(it) == to_text(other));
        int count = 0;  // change one leaf, any of them
        for_each_leaf(it, [&](const auto&) { ++count; });
        int target = *rc::gen::inRange(0, count);
        for_each_leaf(other, [&]<class T>(T& leaf) {
            if (target-- != 0) return;
            constexpr Shape shape = shape_of<T>;
            if constexpr (shape == Shape::boolean)
                leaf = !leaf;
            else if constexpr (shape == Shape::integer)
                leaf = static_cast<T>(leaf ^ 1);
            else if constexpr (shape == Shape::enumeration)
                leaf = static_cast<T>(static_cast<int>(leaf) ^ 1);
            else if constexpr (shape == Shape::real)
                leaf = leaf == 1 ? 2 : 1;
            else if constexpr (shape == Shape::counter)
                leaf.value ^= std::uint64_t{1} << 63;
            else if constexpr (shape == Shape::text)
                leaf += '\0';
            else if constexpr (shape == Shape::nodes)
                leaf.insert(node(1000));
            else
                leaf = T(Duration(std::is_same_v<T, Duration> ? 12345 : 54321));
        });
        RC_PRE(to_text(it) != to_text(other));
        RC_ASSERT(!equal(it, other));
        RC_ASSERT(hash_value(it) != hash_value(other));
    }));
}

TEST(Equal, TellsAlternativesApart) {
    using Twice = std::variant<int, int, std::monostate>;
    EXPECT_FALSE(equal(Twice(std::in_place_index<0>, 1), Twice(std::in_place_index<1>, 1)));
    EXPECT_TRUE(equal(Twice(std::in_place_index<1>, 1), Twice(std::in_place_index<1>, 1)));
    EXPECT_FALSE(equal(std::optional<int>(), std::optional<int>(0)));
    EXPECT_FALSE(equal(std::vector<int>{1}, std::vector<int>{1, 1}));
}

TEST(Equal, TakesNegativeZeroForZeroAndNanForItself) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(equal(0.0, -0.0));
    EXPECT_EQ(hash_value(0.0), hash_value(-0.0));
    EXPECT_TRUE(equal(nan, nan));
}

TEST(Hash, NeverChanges) {
    EXPECT_EQ(hash_value(1), 13582533842715097387U);
    EXPECT_EQ(hash_value(std::string("a longer lock name")), 8032319156511264448U);
    EXPECT_EQ(hash_value(Message(Vote{node(2), {7}})), 2382847932953974379U);
    EXPECT_NE(hash_value(1), hash_value(1, 2));
}

TEST(Hash, Spreads) {
    std::set<std::uint64_t> low, high;
    for (std::uint32_t a = 0; a < 256; ++a)
        for (std::uint64_t b = 0; b < 256; ++b) {
            const std::uint64_t hash = hash_value(Vote{node(a), {b}});
            low.insert(hash & 0xffff'ffff);
            high.insert(hash >> 32);
        }
    EXPECT_GE(low.size(), 65'530U);  // 65,536 without the one expected collision in two runs
    EXPECT_GE(high.size(), 65'530U);
}

TEST(Leaves, AreReachedEverywhere) {
    Everything it;
    it.next.emplace(Vote{});
    it.leader = node(1);
    it.queue = {Vote{}, Ping{}, Grant{}};
    it.asked.insert({1}, {});
    it.asked.insert({2}, {});
    it.nested.votes.resize(1);
    for_each_leaf(it, [](Epoch& epoch) { epoch.value = 9; });
    EXPECT_EQ(std::get<Vote>(*it.next).epoch, Epoch{9});
    EXPECT_EQ(std::get<Vote>(it.queue[0]).epoch, Epoch{9});
    EXPECT_EQ(it.round.second.epoch, Epoch{9});
    EXPECT_EQ(it.nested.votes[0].epoch, Epoch{9});
    EXPECT_EQ(it.nonce, Nonce{0});

    for_each_leaf(it, [](Nonce& nonce) { nonce.value += 100; });
    EXPECT_TRUE(it.asked.contains({102}));
    EXPECT_FALSE(it.asked.contains({2}));

    int nodes = 0, instants = 0;
    for_each_leaf(std::as_const(it), [&](const NodeId&) { ++nodes; });
    for_each_leaf(it, [&](Instant& at) { ++instants, at += 5ms; });
    EXPECT_EQ(nodes, 6);  // leader, next, round, queue twice, nested
    EXPECT_EQ(instants, 1);
    EXPECT_EQ(it.end, Instant(5ms));
}

}  // namespace
}  // namespace conclave
