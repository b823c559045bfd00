// net/links_hurry_test.cc -- what can wait wakes nobody, and what cannot is heard at once.
#include "net/links_test.h"

namespace conclave::net {
namespace {

TEST(LinksHurry, WhatCanWaitIsReadByWhoLooksOrWithTheNextThatCannot) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    const auto whisper = [&](std::string_view text) {
        const std::uint64_t writes = pair.one.traffic(2).writes;
        pair.one.links->send(NodeId{2}, 0, bytes_of(text), Hurry::can_wait);
        ASSERT_TRUE(pair.loop.until([&] { return pair.one.traffic(2).writes > writes; }));
    };
    pair.one.send(2, "first");  // behind the hello, which wakes
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 1; }));
    whisper("idle");
    pair.loop.run_for(50ms);
    EXPECT_EQ(pair.two.letters.size(), 1u) << "nobody was woken for it";
    pair.two.links->look(NodeId{1});
    EXPECT_EQ(pair.two.letters.back(), "1/0 idle");
    whisper("idle again");
    pair.one.send(2, "now");
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 4; }));
    EXPECT_EQ(pair.two.letters[2], "1/0 idle again");
    EXPECT_EQ(pair.two.letters[3], "1/0 now");
    EXPECT_EQ(pair.one.traffic(2).frames_sent, pair.two.traffic(1).frames_received);
}

wire::Hello hello_of_node_1(std::uint32_t ring) {
    return {.cluster = "test",
            .node = NodeId{1},
            .name = "n1",
            .incarnation = {1},
            .store = "disk",
            .groups = {},
            .ring = ring};
}

// Whoever carries the stream may cut it anywhere, and the reader may look in between.
TEST(LinksHurry, WhatCannotWaitIsHeardWhereverTheStreamIsCut) {
    TestPair pair;
    pair.two.start();
    Stranger one(pair.loop, pair.two.port);
    one.say(hello_bytes(hello_of_node_1(wire::ring_size)));
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.up(1); }));
    Bytes batch;
    ASSERT_TRUE(wire::append_letter(batch, 0, bytes_of("idle")));
    const std::size_t from = batch.size();
    ASSERT_TRUE(wire::append_letter(batch, 0, bytes_of("now")));
    wire::append_filler(batch, wire::ring_size - (batch.size() - from));
    std::size_t letters = 0;
    for (std::size_t cut = 0; cut <= batch.size(); ++cut) {
        one.say(ByteView(batch).first(cut));
        pair.two.links->look(NodeId{1});
        one.say(ByteView(batch).subspan(cut));
        letters += 2;
        ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == letters; })) << cut;
    }
}

TEST(LinksHurry, OfAPeerThatKnowsOfNoHurryEverythingIsHeard) {
    TestPair pair;
    pair.two.start();
    Stranger one(pair.loop, pair.two.port);
    one.say(hello_bytes(hello_of_node_1(0)));
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.up(1); }));
    Bytes letter;
    ASSERT_TRUE(wire::append_letter(letter, 0, bytes_of("x")));
    for (std::size_t letters = 1; letters <= 3; ++letters) {
        one.say(letter);
        ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == letters; }));
    }
}

}  // namespace
}  // namespace conclave::net
