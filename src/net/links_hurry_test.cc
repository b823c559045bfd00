// net/links_hurry_test.cc -- what can wait wakes nobody, and what cannot is heard at once.
#include "net/clock.h"
#include "net/links_test.h"

namespace conclave::net {
namespace {

TEST(LinksHurry, WhatCanWaitIsReadByWhoLooksOrWithTheNextThatCannot) {
    TestPair pair;
    expect_that_murmurs_wait(pair);
}

// The kernel counts in ticks, of which there are a hundred a second at least, and where it is not
// given its processor they are late.
constexpr Duration lag = 60ms;

TEST(LinksHurry, WhatHasWaitedSaysForHowLong) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    pair.one.send(2, "first");
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 1; }));
    const Instant before = now();
    murmur(pair, pair.one, 2, "idle");
    const Instant sent = now();
    pair.loop.run_for(4 * lag);
    const Instant looks = now();
    pair.two.links->look();
    ASSERT_EQ(pair.two.letters.size(), 2u);
    EXPECT_EQ(pair.two.waits[0], Duration{});
    EXPECT_GE(pair.two.waits[1], looks - sent - lag);
    EXPECT_LE(pair.two.waits[1], now() - before + lag);
}

// Whoever hears it takes it as of when it came, and its time does not go back.
TEST(LinksHurry, WhatHasWaitedLongerIsHeardFirst) {
    TestPair pair;
    TestNode three(pair.loop, 3);
    ASSERT_TRUE(pair.come_up());
    three.knows(pair.two);
    three.start();
    ASSERT_FALSE(pair.two.links->add({NodeId{3}, name_of(3), loopback(three.port)}));
    ASSERT_TRUE(pair.loop.until([&] { return three.up(2) && pair.two.up(3); }));
    pair.one.send(2, "first");
    three.send(2, "first");
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 2; }));
    for (TestNode* const from : {&three, &pair.one, &three, &pair.one}) {
        pair.two.letters.clear();
        TestNode* const then = from == &three ? &pair.one : &three;
        murmur(pair, *from, 2, "earlier");
        pair.loop.run_for(3 * lag);
        murmur(pair, *then, 2, "later");
        pair.loop.run_for(3 * lag);
        EXPECT_TRUE(pair.two.letters.empty());
        pair.two.links->look();
        const std::string id = std::to_string(number(from->settings.hello.node));
        ASSERT_EQ(pair.two.letters.size(), 2u);
        EXPECT_EQ(pair.two.letters[0], id + "/0 earlier");
    }
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
    ASSERT_TRUE(wire::append_murmur(batch, 0, bytes_of("idle")));
    const std::size_t from = batch.size();
    ASSERT_TRUE(wire::append_letter(batch, 0, bytes_of("now")));
    wire::append_filler(batch, wire::ring_size - (batch.size() - from));
    std::size_t letters = 0;
    for (std::size_t cut = 0; cut <= batch.size(); ++cut) {
        one.say(ByteView(batch).first(cut));
        pair.loop.run_for(6ms);  // who has just looked does not look again
        pair.two.links->look();
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
