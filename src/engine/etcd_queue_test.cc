// engine/etcd_queue_test.cc -- whose turn it is, by the keys alone.
#include "engine/etcd_queue.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace conclave::engine::etcd {
namespace {

using Mode = locks::Terms::Mode;

Entry entry(std::uint64_t created, const locks::Terms& terms) {
    const Keys keys = Keys::of("", "press");
    const auto lease = static_cast<std::int64_t>(created);
    const Claim claim{{Thing::Kind::lock, "press"}, terms, std::to_string(created), {}};
    return {keys.key(lease), value_of(claim), created, lease};
}
constexpr locks::Terms exclusive{}, shared{Mode::shared, 1}, slot{Mode::slot, 2};

// Whom the last of these waits for: "" nobody, "any", or a key.
std::string before_the_last(const std::vector<locks::Terms>& all) {
    Queue queue;
    for (const auto& terms : all) queue.push_back(entry(queue.size() + 1, terms));
    const auto turn = turn_of(queue, queue.back().key);
    if (!turn) return "?";
    return turn->mine ? "" : turn->every_key ? "any" : turn->before;
}

TEST(EtcdQueue, EachWaitsForAsFewAsPossible) {
    EXPECT_EQ(before_the_last({exclusive}), "");
    EXPECT_EQ(before_the_last({exclusive, exclusive, exclusive}), "press/2");
    EXPECT_EQ(before_the_last({shared, shared}), "");
    EXPECT_EQ(before_the_last({shared, shared, exclusive}), "press/2");
    EXPECT_EQ(before_the_last({exclusive, shared, shared}), "press/1");
    EXPECT_EQ(before_the_last({slot, slot}), "");
    EXPECT_EQ(before_the_last({slot, slot, slot}), "any");
    EXPECT_EQ(before_the_last({exclusive, slot}), "press/1");
    EXPECT_EQ(turn_of({}, "press/1"), std::nullopt);
}

TEST(EtcdQueue, AKeyFurtherBelowIsAnothersThing) {
    const Keys keys = Keys::of("/apps", "press");
    EXPECT_EQ(keys.first, "/apps/press/");
    EXPECT_EQ(keys.end, "/apps/press0");
    EXPECT_TRUE(keys.directly_below("/apps/press/694d"));
    EXPECT_FALSE(keys.directly_below("/apps/press/small/694d"));
    EXPECT_FALSE(keys.directly_below("/apps/press/"));
    EXPECT_EQ(name_of("/apps", {"/apps/press/small/1f", "", 7, 31}), "press/small");
    EXPECT_EQ(name_of("/apps", {"/apps/press/1f", "", 7, 30}), std::nullopt) << "not its lease";
    EXPECT_EQ(name_of("", {"setting", "", 7, 0}), std::nullopt);
}

TEST(EtcdQueue, WhatEtcdctlLeavesThereIsUnderstood) {
    const Queue lock{{"press/1f", "", 7, 31}}, election{{"press/1f", "node-a", 7, 31}};
    EXPECT_EQ(kind_of(lock), Thing::Kind::lock);
    EXPECT_EQ(kind_of(election), Thing::Kind::leadership);
    const Standing standing = standing_of({Thing::Kind::leadership, "press"}, election);
    ASSERT_EQ(standing.holders.size(), 1u);
    EXPECT_EQ(standing.holders[0].name, "node-a");
    EXPECT_EQ(standing.holders[0].token, (locks::Token{Epoch{7}, 0}));
}

TEST(EtcdQueue, AnAnswerThatIsNoneIsNoQueue) {
    const auto reads = [](const char* text) {
        return read_queue(boost::json::parse(text)).has_value();
    };
    EXPECT_TRUE(reads("{}"));
    EXPECT_TRUE(reads(R"({"kvs":[{"key":"YS8x","create_revision":"2"}]})"));
    EXPECT_FALSE(reads("[]"));
    EXPECT_FALSE(reads(R"({"kvs":7})"));
    EXPECT_FALSE(reads(R"({"kvs":[7]})"));
    EXPECT_FALSE(reads(R"({"kvs":[{"key":"YS8x"}]})"));
    EXPECT_FALSE(reads(R"({"kvs":[{"key":"%%%%","create_revision":"2"}]})"));
    EXPECT_FALSE(reads(R"({"kvs":[{"key":"YS8x","create_revision":"-2"}]})"));
    EXPECT_FALSE(reads(R"({"kvs":[{"key":"YS8x","create_revision":"2x"}]})"));
    EXPECT_FALSE(reads(R"({"kvs":[{"key":"YS8x","create_revision":"99999999999999999999"}]})"));
}

TEST(EtcdQueue, BytesGoThereAndBackInBase64) {
    for (const std::string& bytes : {std::string(), std::string("a"), std::string("ab"),
                                     std::string("abc"), std::string("\0\xff\n=", 4)}) {
        boost::json::object pair{{"key", base64("k")}, {"create_revision", "1"}};
        pair["value"] = base64(bytes);
        const auto queue = read_queue(boost::json::object{{"kvs", boost::json::array{pair}}});
        ASSERT_TRUE(queue);
        EXPECT_EQ(queue->front().value, bytes);
    }
}

}  // namespace
}  // namespace conclave::engine::etcd
