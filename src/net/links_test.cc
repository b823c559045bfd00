// net/links_test.cc -- links between nodes on loopback, in plaintext.
#include "net/links_test.h"

#include <boost/asio/buffer.hpp>

namespace conclave::net {
namespace {

TEST(Links, ComeUpAndCarryLettersBothWaysInOrder) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    EXPECT_EQ(pair.one.story, std::vector<std::string>{"linked 2 incarnation 1"});
    EXPECT_EQ(pair.two.story, std::vector<std::string>{"linked 1 incarnation 1"});
    for (int i = 0; i < 1000; ++i) pair.one.send(2, std::to_string(i), 7);
    pair.two.send(1, "back");
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 1000; }));
    for (int i = 0; i < 1000; ++i)
        ASSERT_EQ(pair.two.letters[static_cast<std::size_t>(i)], "1/7 " + std::to_string(i));
    ASSERT_TRUE(pair.loop.until([&] { return !pair.one.letters.empty(); }));
    EXPECT_EQ(pair.one.letters, std::vector<std::string>{"2/0 back"});
}

TEST(Links, ThreeNodesHaveThreeLinks) {
    TestLoop loop;
    TestNode one(loop, 1), two(loop, 2), three(loop, 3);
    three.knows(one), three.knows(two);
    three.start();
    two.knows(one), two.knows(three);
    two.start();
    one.knows(two), one.knows(three);
    one.start();
    ASSERT_TRUE(loop.until([&] {
        return one.up(2) && one.up(3) && two.up(1) && two.up(3) && three.up(1) && three.up(2);
    }));
    for (auto* node : {&one, &two, &three}) EXPECT_EQ(node->story.size(), 2u);
}

TEST(Links, APeerIsAddedWhileTheyRun) {
    TestLoop loop;
    TestNode one(loop, 1), two(loop, 2);
    one.start();
    two.start();
    ASSERT_FALSE(two.links->add({NodeId{1}, "n1", loopback(one.port)}));
    ASSERT_TRUE(loop.until([&] { return one.log.says("node 2 is not among the peers of n1"); }));
    ASSERT_FALSE(one.links->add({NodeId{2}, "n2", loopback(two.port)}));
    EXPECT_TRUE(loop.until([&] { return one.up(2) && two.up(1); })) << one.log.text();
    EXPECT_TRUE(one.links->add({NodeId{3}, "n3", "nowhere"}));
}

TEST(Links, APeerThatIsForgottenIsToldWhyAndComesBackOnlyWhenAddedAgain) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    pair.two.links->forget(NodeId{1}, "n1 was removed");
    EXPECT_FALSE(pair.two.up(1));
    ASSERT_TRUE(pair.loop.until([&] { return pair.one.log.says("n1 was removed"); }))
        << pair.one.log.text();
    ASSERT_TRUE(pair.loop.until([&] {
        return pair.one.log.says("node 1 is not among the peers of n2");
    })) << pair.one.log.text();
    ASSERT_FALSE(pair.two.links->add({NodeId{1}, "n1", loopback(pair.one.port)}));
    EXPECT_TRUE(pair.loop.until([&] { return pair.one.up(2) && pair.two.up(1); }));
}

TEST(Links, APeerIsFoundByName) {
    TestPair pair;
    pair.two.start();
    pair.one.settings.peers = {{NodeId{2}, "n2", "localhost:" + std::to_string(pair.two.port)}};
    pair.one.start();
    EXPECT_TRUE(pair.loop.until([&] { return pair.one.up(2); })) << pair.one.log.text();
}

TEST(Links, ALetterWithoutALinkIsDroppedAndCounted) {
    TestPair pair;
    pair.two.start();
    pair.two.send(1, "into the void");
    EXPECT_EQ(pair.two.traffic(1).dropped, 1u);
}

TEST(Links, ALetterLargerThanAFrameIsDroppedAndTheLinkStays) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    pair.one.send(2, std::string(wire::frame_limit, 'x'));
    pair.one.send(2, "small");
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.letters.size() == 1; }));
    EXPECT_EQ(pair.one.traffic(2).dropped, 1u);
}

TEST(Links, AStoppedNodeSaysGoodbyeAndAHigherIncarnationComesBack) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    pair.two.links->stop();
    ASSERT_TRUE(pair.loop.until([&] { return !pair.one.up(2); }));
    EXPECT_EQ(pair.one.story.back(), "unlinked 2: it said goodbye: it is shutting down");
    pair.two.settings.hello.incarnation = {2};
    pair.two.settings.listen = loopback(pair.two.port);
    pair.two.start();
    ASSERT_TRUE(pair.loop.until([&] { return pair.one.up(2); }));
    EXPECT_EQ(pair.one.story.back(), "linked 2 incarnation 2");
    EXPECT_EQ(pair.one.traffic(2).links, 2u);
}

TEST(Links, ARestartedPeerReplacesTheLinkOfItsPredecessor) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    TestNode again(pair.loop, 1);  // while the first lives on, as after a cut that nobody noticed
    again.settings.hello.incarnation = {2};
    again.knows(pair.two);
    again.start();
    ASSERT_TRUE(pair.loop.until([&] { return again.up(2); }));
    const std::vector<std::string> expected = {"linked 1 incarnation 1",
                                               "unlinked 1: it has come back on a new link",
                                               "linked 1 incarnation 2"};
    EXPECT_EQ(pair.two.story, expected);
    again.send(2, "new");
    ASSERT_TRUE(pair.loop.until([&] { return !pair.two.letters.empty(); }));
    EXPECT_EQ(pair.two.letters, std::vector<std::string>{"1/0 new"});
    // The old one tries again, and is told.
    const std::string why = "this is incarnation 1 of n1, and incarnation 2 has been here";
    ASSERT_TRUE(pair.loop.until([&] { return pair.one.log.says(why); })) << pair.one.log.text();
    EXPECT_TRUE(again.up(2));
}

TEST(Links, ALostDiskStartsItsIncarnationsAnew) {
    TestPair pair;
    pair.one.settings.hello.incarnation = {5};
    ASSERT_TRUE(pair.come_up());
    pair.one.links->stop();
    pair.one.settings.hello.incarnation = {1};
    pair.one.settings.hello.store = "another disk";
    pair.one.start();
    EXPECT_TRUE(pair.loop.until([&] { return pair.two.heard("linked 1 incarnation 1"); }));
}

TEST(Links, AKnockMakesTheOtherSideDialAtOnce) {
    TestLoop loop;
    tcp::acceptor taken(loop, {boost::asio::ip::address_v4::loopback(), 0});
    const std::uint16_t port = taken.local_endpoint().port();
    taken.close();
    TestNode one(loop, 1), two(loop, 2);
    one.settings.least_pause = one.settings.most_pause = 10min;
    one.knows(2, port);
    one.start();
    ASSERT_TRUE(loop.until([&] { return one.log.says("cannot reach peer"); }));
    two.knows(one);
    two.settings.listen = loopback(port);
    two.start();
    EXPECT_TRUE(loop.until([&] { return one.up(2) && two.up(1); })) << one.log.text();
}

struct Misfit {
    const char* what;
    std::function<void(wire::Hello&)> change;
    const char* reason;
};

TEST(Links, AHelloThatDoesNotFitIsRefusedAndBothSidesSayWhy) {
    const Misfit misfits[] = {
        {"cluster", [](wire::Hello& hello) { hello.cluster = "other"; },
         "n1 belongs to cluster \"other\", n2 to \"test\""},
        {"version", [](wire::Hello& hello) { hello.version = 99; },
         "n1 speaks version 99, n2 speaks version 1"},
        {"id", [](wire::Hello& hello) { hello.node = NodeId{0}; },
         "node 0 is not among the peers of n2"},
        {"name", [](wire::Hello& hello) { hello.name = "nemo"; },
         "node 1 is called nemo, but n2 knows it as n1"},
    };
    for (const Misfit& misfit : misfits) {
        SCOPED_TRACE(misfit.what);
        TestPair pair;
        misfit.change(pair.one.settings.hello);
        pair.start();
        ASSERT_TRUE(pair.loop.until([&] {
            return pair.one.log.says(misfit.reason) && pair.two.log.says(misfit.reason);
        })) << pair.one.log.text()
            << pair.two.log.text();
        EXPECT_TRUE(pair.one.story.empty());
        EXPECT_TRUE(pair.two.story.empty());
    }
}

TEST(Links, ARefusalIsLoggedOncePerReasonAndNotPerTry) {
    TestPair pair;
    pair.one.settings.hello.cluster = "other";
    pair.start();
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.links->strangers_seen() >= 5; }));
    EXPECT_EQ(pair.one.log.count("belongs to cluster"), 1);
    EXPECT_EQ(pair.two.log.count("belongs to cluster"), 1);
}

TEST(Links, WhoAnswersInAnotherNodesPlaceIsRefused) {
    TestLoop loop;
    TestNode one(loop, 1), three(loop, 3);
    three.knows(one);
    three.start();
    one.knows(2, three.port);  // the address of 3, under the name of 2
    one.knows(3, 1);
    one.start();
    const char* why = "node 2 was dialled, this is node 3";
    ASSERT_TRUE(loop.until([&] { return one.log.says(why); }));
    EXPECT_FALSE(one.up(2));
    EXPECT_TRUE(loop.until(
        [&] { return three.heard(std::string("unlinked 1: it said goodbye: ") + why); }));
}

TEST(Links, GarbageShutsOutTheStrangerAndNobodyElse) {
    TestPair pair;
    ASSERT_TRUE(pair.come_up());
    const std::string letter_first("\x03\x02\x00x", 4), empty_frame(1, '\0');
    for (const std::string& garbage : {"GET /" + std::string(100, 'x') + " HTTP/1.1\r\n\r\n",
                                       letter_first, empty_frame, std::string(100, '\xff')}) {
        Stranger stranger(pair.loop, pair.two.port);
        stranger.say(garbage);
        EXPECT_TRUE(stranger.shut_out());
    }
    pair.one.send(2, "still here");
    EXPECT_TRUE(pair.loop.until([&] { return !pair.two.letters.empty(); }));
    EXPECT_EQ(pair.two.links->strangers_seen(), 4u);
}

TEST(Links, AnOversizeFrameClosesTheLinkWithAReason) {
    TestPair pair;
    pair.two.settings.limits.frame = 100;
    ASSERT_TRUE(pair.come_up());
    pair.one.send(2, std::string(200, 'x'));
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.story.size() > 1; }));
    EXPECT_NE(pair.two.story[1].find("the limit is 100"), std::string::npos) << pair.two.story[1];
    ASSERT_TRUE(pair.loop.until([&] { return pair.one.story.size() > 1; }));
    EXPECT_NE(pair.one.story[1].find("the limit is 100"), std::string::npos) << pair.one.story[1];
    EXPECT_TRUE(pair.loop.until([&] { return pair.one.up(2) && pair.two.up(1); }));
}

TEST(Links, WhoSaysNoHelloInTimeIsShutOut) {
    TestPair pair;
    pair.two.settings.limits.hello_within = 50ms;
    pair.two.start();
    Stranger silent(pair.loop, pair.two.port), slow(pair.loop, pair.two.port);
    slow.say(std::string_view("\x20\x01", 2));
    EXPECT_TRUE(silent.shut_out());
    EXPECT_TRUE(slow.shut_out());
    EXPECT_TRUE(pair.two.log.says("no hello within 50 ms"));
}

TEST(Links, ManyStrangersDoNotKeepAPeerOut) {
    TestPair pair;
    pair.two.settings.strangers = 16;
    pair.two.start();
    std::vector<std::unique_ptr<Stranger>> crowd;
    for (int i = 0; i < 300; ++i) {
        crowd.push_back(std::make_unique<Stranger>(pair.loop, pair.two.port));
        pair.loop.poll();
    }
    pair.one.knows(pair.two);
    pair.one.start();
    EXPECT_TRUE(pair.loop.until([&] { return pair.one.up(2); }));
    EXPECT_TRUE(crowd.front()->shut_out());
    EXPECT_GE(pair.two.links->strangers_seen(), 300u - 16u);
}

TEST(Links, APeerThatDoesNotReadIsCutOff) {
    TestPair pair;
    pair.two.settings.limits.backlog = 1024 * 1024;
    pair.two.start();
    pair.one.settings.hello.groups = {};
    Stranger lazy(pair.loop, pair.two.port);  // says hello as node 1, and reads nothing
    lazy.say(hello_bytes(pair.one.settings.hello));
    ASSERT_TRUE(pair.loop.until([&] { return pair.two.up(1); }));
    const std::string letter(64 * 1024, 'x');
    ASSERT_TRUE(pair.loop.until([&] {
        if (pair.two.up(1)) pair.two.send(1, letter);
        return !pair.two.up(1);
    }));
    EXPECT_NE(pair.two.story.back().find("it does not read"), std::string::npos);
    EXPECT_GE(pair.two.traffic(1).dropped, 1u);
}

TEST(Links, StoppingInsideAnEventIsAllowed) {
    struct Hasty : TestNode {
        using TestNode::TestNode;
        void arrived(NodeId, std::uint32_t, ByteView, Duration) override {
            ++arrivals;
            links->stop();
        }
        int arrivals = 0;
    };
    TestLoop loop;
    Hasty two(loop, 2);
    two.knows(1, 1);
    two.start();
    TestNode one(loop, 1);
    one.knows(two);
    one.start();
    ASSERT_TRUE(loop.until([&] { return one.up(2); }));
    for (int i = 0; i < 10; ++i) one.send(2, "x");
    ASSERT_TRUE(loop.until([&] { return !one.up(2); }));
    EXPECT_EQ(two.arrivals, 1);
}

TEST(Links, SettingsThatCannotWorkAreRefusedByName) {
    const auto start = [](auto change) {
        TestLoop loop;
        TestNode node(loop, 1);
        node.knows(2, 7000);
        change(node.settings);
        Links links(loop, node.settings, node, node.log);
        const auto started = links.start();
        return started ? std::string("started") : started.error().what;
    };
    using Settings = Links::Settings;
    EXPECT_EQ(start([](Settings& s) { s.listen = "0.0.0.0:0"; }),
              "address \"0.0.0.0:0\" is not loopback: links to it need TLS");
    EXPECT_EQ(start([](Settings& s) { s.peers[0].address = "n2.example.net:7420"; }),
              "peer \"n2\": address \"n2.example.net:7420\" is not loopback: links to it need TLS");
    EXPECT_EQ(start([](Settings& s) { s.listen = "unix:/run/x"; }),
              "address \"unix:/run/x\": links between nodes need host:port");
    EXPECT_EQ(start([](Settings& s) { s.peers[0].id = NodeId{1}; }),
              "peer \"n2\" has the id of this node");
    EXPECT_EQ(start([](Settings& s) { s.hello.cluster = ""; }), "hello: cluster is empty");
    TestLoop loop;
    tcp::acceptor taken(loop, {boost::asio::ip::address_v4::loopback(), 0});
    const std::string there = loopback(taken.local_endpoint().port());
    EXPECT_EQ(start([&](Settings& s) { s.listen = there; }),
              "cannot listen on " + there + ": Address already in use");
}

}  // namespace
}  // namespace conclave::net
