// library/node_test.cc -- nodes inside of an application: who leads, for how long, and how it hears
// of that.
#include <csignal>
#include <map>
#include <stdexcept>

#include "library/company_test.h"

namespace conclave {
namespace {

TEST_F(Company, WhoeverCampaignsLeadsAndEverybodyNamesIt) {
    start_all(long_lease);
    Group group = nodes[0]->join("work");
    Heard<std::string> seen;
    const Watch watch = nodes[1]->join("work").on_change(
        [&](const Leadership& now) { seen.add(now.leader.value_or("nobody")); });
    const Mandate mandate = group.campaign();
    EXPECT_TRUE(mandate.held());
    EXPECT_GT(mandate.epoch(), 0u);
    EXPECT_GT(mandate.remaining(), 0ns);
    EXPECT_EQ(mandate.token(), (FencingToken{mandate.epoch(), 0}));
    EXPECT_FALSE(mandate.lost().stop_requested());
    EXPECT_TRUE(seen.wait_for_last("n1"));
    EXPECT_EQ(seen.all().front(), "nobody") << "a watch begins with how it is";
    EXPECT_EQ(group.leader(), "n1");
    EXPECT_TRUE(group.leadership().mine);
}

TEST_F(Company, OfTwoThatCampaignTheNextHasALaterEpoch) {
    start_all(long_lease);
    Mandate first = nodes[0]->join("work").campaign();
    Heard<std::uint64_t> elected;
    std::jthread other([&] { elected.add(nodes[1]->join("work").campaign().epoch()); });
    std::jthread neighbour([&] { elected.add(nodes[0]->join("work").campaign().epoch()); });
    EXPECT_TRUE(first.held());
    const std::uint64_t epoch = first.epoch();
    first.resign();
    EXPECT_FALSE(first.held());
    EXPECT_TRUE(elected.wait_for([](const auto& all) { return all.size() == 2; }));
    EXPECT_GT(elected.all()[0], epoch);
    EXPECT_GT(elected.all()[1], elected.all()[0]);
}

TEST_F(Company, ACampaignEndsWhenItsCallerStops) {
    start_all(long_lease);
    const Mandate first = nodes[0]->join("work").campaign();
    std::stop_source stop;
    std::jthread other([&] { stop.request_stop(); });
    const Mandate second = nodes[1]->join("work").campaign(stop.get_token());
    EXPECT_FALSE(second.held());
    EXPECT_EQ(second.epoch(), 0u);
    EXPECT_TRUE(first.held());
}

TEST_F(Company, AMandateEndsByTheClockWhenNobodyAnswersAnyMore) {
    start_all();
    const Mandate mandate = nodes[0]->join("work").campaign();
    Heard<bool> lost;
    const std::stop_callback callback(mandate.lost(), [&] { lost.add(mandate.held()); });
    nodes[1].reset();
    nodes[2].reset();
    EXPECT_TRUE(lost.wait_for_last(false)) << "it is told to stop, and does not hold by then";
}

TEST_F(Company, StartedAndStoppedComeInPairs) {
    start_all();
    Heard<std::string> heard;
    {
        const Candidacy candidacy = nodes[0]->join("work").campaign(
            Duties{.started =
                       [&](const Mandate& mandate) {
                           heard.add(mandate.epoch() > 0 ? "started" : "started without an epoch");
                           throw std::runtime_error("the application's own trouble");
                       },
                   .stopped = [&] { heard.add("stopped"); }});
        EXPECT_TRUE(heard.wait_for_last("started"));
        EXPECT_TRUE(nodes[0]->drain(long_enough));
        EXPECT_TRUE(heard.wait_for_last("stopped"));
        nodes[0]->undrain();
        EXPECT_TRUE(heard.wait_for_last("started"));
    }
    using Words = std::vector<std::string>;
    EXPECT_EQ(heard.all(), (Words{"started", "stopped", "started", "stopped"}));
}

TEST_F(Company, TheEndOfANodeEndsWhatIsHeldAndTellsEachOnce) {
    start_all("[locks]\n");
    Heard<std::string> heard;
    Group group = nodes[0]->join("work");
    const Candidacy candidacy =
        group.campaign(Duties{.started = [&](const Mandate&) { heard.add("started"); },
                              .stopped = [&] { heard.add("stopped"); }});
    EXPECT_TRUE(heard.wait_for_last("started"));
    const auto held = nodes[0]->lock("file").lock_for(long_enough);
    ASSERT_TRUE(held);
    EXPECT_TRUE(held->held());
    std::jthread waiting([group = nodes[0]->join("work")]() mutable {
        EXPECT_FALSE(group.campaign().held());  // behind the other; and the node goes
    });
    nodes[0].reset();
    EXPECT_FALSE(held->held());
    EXPECT_EQ(heard.all(), (std::vector<std::string>{"started", "stopped"}));
    EXPECT_EQ(group.leader(), std::nullopt) << "who has no node knows nothing";
    EXPECT_FALSE(group.campaign().held());
    start(0);  // its folder is free again
}

TEST_F(Company, AHandOverWaitsForTheWorkButNotLongerThanPromised) {
    start_all(long_lease);
    Mandate mandate = nodes[0]->join("work").campaign();
    EXPECT_FALSE(nodes[0]->drain(0ns)) << "somebody works there";
    EXPECT_TRUE(nodes[0]->join("work").leadership().mine);
    mandate.resign();
    EXPECT_TRUE(nodes[0]->drain(long_enough));
}

TEST_F(Company, TheDetectorIsAskedAndTells) {
    start_all();
    Heard<std::string> suspected;
    const Watch watch = nodes[0]->on_suspicion([&](const Suspicion& one) {
        if (one.suspected) suspected.add(one.node);
    });
    EXPECT_FALSE(nodes[0]->suspects("n1")) << "nobody suspects itself";
    EXPECT_THROW(static_cast<void>(nodes[0]->suspects("n9")), std::invalid_argument);
    nodes[2].reset();
    EXPECT_TRUE(suspected.wait_for_last("n3"));
    EXPECT_TRUE(nodes[0]->suspects("n3"));
}

TEST_F(Company, WhatIsWrongIsThrownAtWhoeverAsked) {
    EXPECT_THROW(Node::start(Options::load("/nowhere/conclave.toml")), std::invalid_argument);
    start_all("", "bully");
    EXPECT_THROW(nodes[0]->join("play"), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(nodes[0]->join("work").campaign()), std::invalid_argument)
        << "the bully has no lease";
    EXPECT_THROW(Node::start(options(0)), std::runtime_error) << "its folder is in use";
}

// Which of these each thread of this process blocks, as the kernel says it.
std::map<std::string, bool> threads_that_block(std::initializer_list<int> signals) {
    std::map<std::string, bool> threads;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        const std::string status = slurp(thread.path() / "status");
        const std::string key = "SigBlk:";
        const std::uint64_t mask =
            std::stoull(status.substr(status.find(key) + key.size()), nullptr, 16);
        threads[thread.path().filename()] =
            std::ranges::all_of(signals, [&](int one) { return (mask >> (one - 1) & 1) != 0; });
    }
    return threads;
}

TEST_F(Company, AHostKeepsItsSignalsAndItsLogIsItsOwn) {
    prepare();
    struct sigaction before[NSIG] {
    }, after[NSIG]{};
    for (int one = 1; one < NSIG; ++one) ::sigaction(one, nullptr, &before[one]);
    const auto own_threads = threads_that_block({SIGTERM, SIGPIPE, SIGCHLD});
    Heard<std::string> lines;
    std::atomic<bool> here = false;
    Options with_log = options(0);
    with_log.log = [&, self = std::this_thread::get_id()](LogLevel, std::string_view line) {
        if (std::this_thread::get_id() == self) here = true;
        lines.add(std::string(line));
    };
    const Node node = Node::start(with_log);
    EXPECT_TRUE(lines.wait_for([](const auto& all) {
        return std::ranges::any_of(
            all, [](const auto& one) { return one.find("node is running") != one.npos; });
    }));
    EXPECT_FALSE(here);
    for (const auto& [thread, blocks] : threads_that_block({SIGTERM, SIGPIPE, SIGCHLD})) {
        EXPECT_TRUE(blocks || own_threads.contains(thread)) << "a thread takes signals";
    }
    for (int one = 1; one < NSIG; ++one) {
        ::sigaction(one, nullptr, &after[one]);
        EXPECT_EQ(before[one].sa_handler, after[one].sa_handler) << "signal " << one;
    }
}

}  // namespace
}  // namespace conclave
