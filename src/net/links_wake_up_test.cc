// net/links_wake_up_test.cc -- what leaves in one write, and what the loop need not be told.
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>

#include "net/links_test.h"

namespace conclave::net {
namespace {

TEST(LinksWakeUp, TheLettersOfOneWakeUpAreOneWrite) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    const Traffic before = pair.one.traffic(2);
    for (int i = 0; i < 100; ++i) pair.one.send(2, "small");
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 100; }));
    const Traffic after = pair.one.traffic(2);
    EXPECT_EQ(after.writes - before.writes, 1u);
    EXPECT_EQ(after.frames_sent - before.frames_sent, 100u);
    EXPECT_EQ(after.bytes_sent, pair.two.traffic(1).bytes_received);
    EXPECT_EQ(after.frames_sent, pair.two.traffic(1).frames_received);
}

TEST(LinksWakeUp, WhatIsGatheredLeavesWithTheFlush) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    const std::uint64_t before = pair.one.traffic(2).writes;
    pair.one.links->gather();
    pair.one.send(2, "first");
    pair.one.send(2, "second");
    EXPECT_EQ(pair.one.traffic(2).writes, before);
    pair.one.links->flush();
    EXPECT_EQ(pair.one.traffic(2).writes, before + 1);
    pair.one.send(2, "third");
    EXPECT_EQ(pair.one.traffic(2).writes, before + 1) << "not from inside the call";
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 3; }));
    EXPECT_EQ(pair.one.traffic(2).writes, before + 2);
}

// Nothing is left for the loop to do: what it would look for meanwhile is another wake-up.
TEST(LinksWakeUp, ForWhatIsGatheredTheLoopHasNothingToDo) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    pair.one.send(2, "first");  // behind the hello, which wakes
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 1; }));
    while (pair.loop.poll() > 0) continue;
    pair.one.links->gather();
    pair.one.links->send(NodeId{2}, 0, bytes_of("idle"), Hurry::can_wait);
    pair.one.links->flush();
    EXPECT_EQ(pair.loop.poll(), 0u);
    pair.one.links->send(NodeId{2}, 0, bytes_of("idle"), Hurry::can_wait);
    EXPECT_EQ(pair.loop.poll(), 1u) << "the write";
}

class Obliging : public TestNode {
public:
    using TestNode::TestNode;
    void arrived(NodeId peer, std::uint32_t group, ByteView message, Duration waited) override {
        TestNode::arrived(peer, group, message, waited);
        send(number(peer), "answer to " + text_of(message));
    }
};

TEST(LinksWakeUp, AfterARestTheAnswerLeavesBeforeTheLoopGoesOn) {
    TestLoop loop;
    TestNode one(loop, 1);
    Obliging two(loop, 2);
    two.knows(one);
    two.start();
    one.knows(two);
    one.start();
    ASSERT_TRUE(loop.until([&] { return one.up(2) && two.up(1); }));
    loop.run_for(20ms);
    const std::uint64_t before = two.traffic(1).writes;
    one.send(2, "a");
    ASSERT_TRUE(loop.until([&] { return two.letters.size() == 1; }));
    EXPECT_EQ(two.traffic(1).writes, before + 1);
}

TEST(LinksWakeUp, WhatCameTogetherIsAnsweredTogetherAfterARestAndInTheBustle) {
    TestLoop loop;
    TestNode one(loop, 1);
    Obliging two(loop, 2);
    two.knows(one);
    two.start();
    one.knows(two);
    one.start();
    ASSERT_TRUE(loop.until([&] { return one.up(2) && two.up(1); }));
    for (const Duration rest : {20ms, 0ms, 0ms, 20ms}) {
        loop.run_for(rest);
        const std::uint64_t before = two.traffic(1).writes;
        one.letters.clear();
        for (const char* letter : {"a", "b", "c"}) one.send(2, letter);
        ASSERT_TRUE(loop.until([&] { return one.letters.size() == 3; }));
        EXPECT_EQ(one.letters.back(), "2/0 answer to c");
        EXPECT_EQ(two.traffic(1).writes, before + 1);
    }
}

// Which is nearly always: the loop would be told at each wake-up.
TEST(LinksWakeUp, NobodyIsToldThatALinkCouldBeWrittenTo) {
    constexpr unsigned writable = 4;  // EPOLLOUT
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    int watched = 0;
    for (const auto& descriptor : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
        std::ifstream info(descriptor.path());
        for (std::string word; info >> word;) {
            if (word != "tfd:") continue;
            int socket = 0;
            unsigned events = 0;
            std::string label;
            info >> socket >> label >> std::hex >> events >> std::dec;
            sockaddr_in peer{};
            socklen_t size = sizeof peer;
            if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
            ++watched;
            EXPECT_EQ(events & writable, 0u) << "socket " << socket;
        }
    }
    EXPECT_EQ(watched, 2) << "both ends of the link";
}

}  // namespace
}  // namespace conclave::net
