// node/early_letters_test.cc -- two nodes on one loop: what one says at once, the other hears, be
// it ever so busy with its own beginning; and what can wait it hears as of when it came.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/asio/post.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "net/links_test.h"
#include "node/metric_labels.h"
#include "node/node.h"
#include "node/placing.h"

namespace conclave::node {
namespace {

struct Resident {
    Resident(const std::filesystem::path& folder, int id)
        : name("n" + std::to_string(id)), number(id), directory(folder / name) {
        auto opened = Store::open(directory, {"c", NodeId{static_cast<std::uint32_t>(id)}, name});
        EXPECT_TRUE(opened) << opened.error().what;
        store.emplace(std::move(*opened));
    }

    void start(net::TestLoop& loop, int other, std::uint16_t port) {
        const Loaded loaded = parse_config(
            "[cluster]\nname = 'c'\n[node]\nid = " + std::to_string(number) + "\nname = '" + name +
                "'\nstate_dir = '" + directory.string() +
                "'\n[peer]\nlisten = '127.0.0.1:0'\nadvertise = '127.0.0.1:9'\n" +
                "[[peers]]\nid = " + std::to_string(other) + "\nname = 'n" + std::to_string(other) +
                "'\naddress = '127.0.0.1:" + std::to_string(port) +
                "'\n[groups.main]\nalgorithm = 'bully'\n",
            directory / "node.toml", {}, known_algorithms());
        for (const Problem& problem : loaded.errors) ADD_FAILURE() << to_text(problem);
        config = loaded.config.value();
        metrics.emplace(metric_labels(config));
        auto started = Node::start(loop, config, std::move(*store), log, *metrics);
        EXPECT_TRUE(started) << started.error().what;
        node = std::move(*started);
    }
    MessageCount elections() const { return node->group("main")->machine().counts().front(); }
    bool booted() const { return elections().sent > 0; }
    bool led() const { return node->group("main")->leader().has_value(); }
    bool linked() const { return node->peers().front().linked; }

    std::string name;
    int number;
    std::filesystem::path directory;
    std::optional<Store> store;
    net::Memory log;
    Config config;
    std::optional<Metrics> metrics;
    std::unique_ptr<Node> node;
};

// Each boots, and calls an election, as soon as it knows the other: whether the other is as far
// with it or not. False: one did not wait for the other, because this machine was too slow.
bool each_is_heard(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    net::TestLoop loop;
    Resident one(folder, 1), two(folder, 2);
    two.start(loop, 1, 1);
    one.start(loop, 2, two.node->port());
    bool alone = false;
    EXPECT_TRUE(loop.until([&] {
        alone = alone || (one.booted() && !one.linked()) || (two.booted() && !two.linked());
        return one.booted() && two.booted();
    }));
    const bool heard = alone || loop.until([&] {
        return one.elections().received >= two.elections().sent &&
               two.elections().received >= one.elections().sent;
    });
    EXPECT_TRUE(heard) << one.elections().received << " of " << two.elections().sent << ", "
                       << two.elections().received << " of " << one.elections().sent;
    one.node->stop();
    two.node->stop();
    return !alone;
}

std::filesystem::path new_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "conclave-XXXXXX").string();
    return mkdtemp(pattern.data());
}

TEST(Node, ALetterThatComesBeforeTheMachinesHaveBootedIsNotLost) {
    const std::filesystem::path folder = new_folder();
    int heard = 0;
    for (int attempt = 0; attempt < 50 && heard < 5; ++attempt) {
        heard += each_is_heard(folder / std::to_string(attempt));
    }
    std::filesystem::remove_all(folder);
    if (heard == 0) GTEST_SKIP() << "nobody ever waited: this machine is too slow";
}

struct Pair {
    Pair() : one(folder, 1), two(folder, 2) {
        two.start(loop, 1, 1);
        one.start(loop, 2, two.node->port());
        EXPECT_TRUE(loop.until([&] { return one.booted() && two.booted() && two.linked(); }));
    }
    ~Pair() {
        one.node->stop();
        two.node->stop();
        std::filesystem::remove_all(folder);
    }
    std::uint64_t said() const { return one.node->links().traffic(NodeId{2}).writes; }
    std::optional<Instant> heard() const { return two.node->peers().front().last_heard; }

    const std::filesystem::path folder = new_folder();
    net::TestLoop loop;
    Resident one, two;
};

// Else a crash would be noticed later than it should, by as long as nobody was awake.
TEST(Node, AHeartbeatThatIsReadLateWasHeardWhenItCame) {
    using namespace std::chrono_literals;
    Pair pair;
    ASSERT_TRUE(pair.loop.until([&] { return pair.one.led() && pair.two.led(); }));
    pair.loop.run_for(500ms);  // now there is nothing to say but heartbeats
    int late = 0;
    for (int attempt = 0; attempt < 50 && late < 3; ++attempt) {
        const std::uint64_t words = pair.said();
        ASSERT_TRUE(pair.loop.until([&] { return pair.said() > words; }));
        const auto before = pair.heard();
        std::this_thread::sleep_for(250ms);
        const Instant looks = net::now();
        pair.two.node->look();
        if (pair.heard() == before) continue;  // it was awake anyway, and has read it
        ++late;
        EXPECT_LE(*pair.heard(), looks - 100ms);
    }
    EXPECT_GT(late, 0);
}

// Else somebody would be told what the node could know better: a leader that was just elected, that
// those whom it leads are out of its reach.
TEST(Node, WhoAsksWhatItKnowsIsToldOfAllThatHasCome) {
    constexpr std::uint32_t nobodys = 99;
    Pair pair;
    for (int word = 0; word < 40; ++word) {
        pair.one.node->links().send(NodeId{2}, nobodys, {}, net::Hurry::can_wait);
        const std::uint64_t sent = pair.one.node->links().traffic(NodeId{2}).frames_sent;
        bool gone = false;
        boost::asio::post(pair.loop, [&gone] { gone = true; });
        ASSERT_TRUE(pair.loop.until([&gone] { return gone; }));
        pair.two.node->look();
        EXPECT_GE(pair.two.node->links().traffic(NodeId{1}).frames_received, sent);
    }
}

}  // namespace
}  // namespace conclave::node
