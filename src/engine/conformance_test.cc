// engine/conformance_test.cc -- what every engine must do, whoever keeps the record: the same tests
// on our own nodes, on etcd and on ZooKeeper, each with three real servers.
//
// Everybody who wants something has a loop of its own, so that one of them can stand still or die
// while the others go on. What happens to whom is written down with the time, and judged at the
// end: nobody is granted anything while another may still act on what it was granted before.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/servers_test.h"
#include "net/clock.h"

namespace conclave::engine {
namespace {

using namespace std::chrono_literals;
using Mode = locks::Terms::Mode;

class Applicant final : private Events {
public:
    // `engine` is made on the loop that is handed to it.
    using Connect = std::function<Result<std::unique_ptr<Engine>>(boost::asio::io_context&)>;
    explicit Applicant(const Connect& connect) {
        auto engine = connect(loop_);
        EXPECT_TRUE(engine) << engine.error().what;
        if (engine) engine_ = std::move(*engine);
    }
    ~Applicant() override {
        contest_.reset();
        engine_.reset();
    }

    void want(Claim claim) {
        token.reset();
        is_busy = is_lost = has_left = false;
        contest_ = engine_->contend(std::move(claim), *this);
    }
    void leave() {
        ended_at = net::now();
        contest_->leave();
    }
    void step() {
        if (stands_still) return;
        loop_.restart();
        loop_.poll();
        // As an application does: what it may do it may do until then, whatever happens.
        if (const auto until = contest_ ? contest_->until() : std::nullopt)
            may_act_until = std::max(may_act_until, *until);
    }
    bool holds() const { return contest_ && contest_->until().has_value(); }
    Engine& engine() { return *engine_; }

    std::optional<locks::Token> token;
    Instant granted_at{}, ended_at{}, may_act_until{};
    bool is_busy = false, is_lost = false, has_left = false, was_reached = false;
    bool stands_still = false;  // killed, or paused, or asleep
    std::string trouble;

private:
    void reached(const std::string&) override { was_reached = true; }
    void busy() override { is_busy = true; }
    void granted(const locks::Token& given) override {
        token = given;
        granted_at = net::now();
    }
    void renewed() override {}
    void lost() override {
        is_lost = true;
        ended_at = net::now();
    }
    void left() override { has_left = true; }
    void failed(const net::Failure& failure, bool) override { trouble = failure.what; }

    boost::asio::io_context loop_{1};
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<Contest> contest_;
};

struct Kind {
    const char* name;
    std::unique_ptr<Servers> (*servers)(const std::filesystem::path&);
};

class Conformance : public testing::TestWithParam<Kind> {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "engine-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        servers = GetParam().servers(folder_);
        if (!servers) GTEST_SKIP() << "there is no " << GetParam().name << " here";
        for (std::size_t at = 0; at < Servers::count; ++at) servers->start(at);
        ASSERT_TRUE(comes_true([this] { return servers->ready(); })) << servers->logs();
    }
    void TearDown() override {
        people.clear();
        servers.reset();
        std::filesystem::remove_all(folder_);
    }

    Applicant& somebody(std::optional<std::size_t> only = {}) {
        return people.emplace_back(
            [&](boost::asio::io_context& loop) { return servers->connect(loop, only); });
    }
    Claim lock(const std::string& name, locks::Terms terms = {}) const {
        return {{Thing::Kind::lock, name}, terms, "somebody", servers->session()};
    }
    Claim lead() const {
        return {{Thing::Kind::leadership, servers->group()}, {}, "somebody", servers->session()};
    }

    // Everybody goes on meanwhile; with a limit that no machine is too slow for.
    bool comes_true(const std::function<bool()>& what) {
        const Instant end = net::now() + 90s;
        while (!what()) {
            if (net::now() > end) return false;
            for (Applicant& one : people) one.step();
            ::usleep(2000);
        }
        return true;
    }
    void expect_granted(Applicant& one) {
        ASSERT_TRUE(comes_true([&] { return one.token.has_value(); })) << one.trouble << "\n"
                                                                       << servers->logs();
    }
    void expect_busy(Applicant& one) {
        ASSERT_TRUE(comes_true([&] { return one.is_busy; })) << one.trouble;
        EXPECT_FALSE(one.token);
    }
    void expect_left(Applicant& one) {
        one.leave();
        EXPECT_FALSE(one.holds());
        ASSERT_TRUE(comes_true([&] { return one.has_left; })) << one.trouble;
    }
    // Whoever was granted it later came when the other could not act on it any more.
    static void expect_one_after_the_other(const Applicant& before, const Applicant& after) {
        const Instant end = before.ended_at == Instant{}
                                ? before.may_act_until
                                : std::min(before.ended_at, before.may_act_until);
        EXPECT_GE(after.granted_at, end);
        EXPECT_GT(*after.token, *before.token);
    }

    std::unique_ptr<Servers> servers;
    std::deque<Applicant> people;

private:
    std::filesystem::path folder_;
};

TEST_P(Conformance, OneHoldsTheOthersWaitInTheirOrderAndTokensGrow) {
    Applicant &first = somebody(), &second = somebody(), &third = somebody();
    first.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_granted(first));
    EXPECT_TRUE(first.holds());
    second.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(second));
    third.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(third));
    Applicant& elsewhere = somebody();
    elsewhere.want(lock("press/small"));  // another thing, though its name begins alike
    ASSERT_NO_FATAL_FAILURE(expect_granted(elsewhere));
    ASSERT_NO_FATAL_FAILURE(expect_left(first));
    ASSERT_NO_FATAL_FAILURE(expect_granted(second));
    EXPECT_FALSE(third.token);
    expect_one_after_the_other(first, second);
    ASSERT_NO_FATAL_FAILURE(expect_left(second));
    ASSERT_NO_FATAL_FAILURE(expect_granted(third));
    expect_one_after_the_other(second, third);
    // Somebody who gives up while waiting stands in nobody's way.
    Applicant &fourth = somebody(), &fifth = somebody();
    fourth.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(fourth));
    fifth.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(fifth));
    ASSERT_NO_FATAL_FAILURE(expect_left(fourth));
    ASSERT_NO_FATAL_FAILURE(expect_left(third));
    ASSERT_NO_FATAL_FAILURE(expect_granted(fifth));
}

TEST_P(Conformance, SomeShareAndSlotsAreFew) {
    const locks::Terms shared{Mode::shared, 1}, slot{Mode::slot, 2};
    Applicant &reader = somebody(), &another = somebody(), &writer = somebody(), &late = somebody();
    reader.want(lock("book", shared));
    ASSERT_NO_FATAL_FAILURE(expect_granted(reader));
    another.want(lock("book", shared));
    ASSERT_NO_FATAL_FAILURE(expect_granted(another));
    writer.want(lock("book"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(writer));
    late.want(lock("book", shared));
    ASSERT_NO_FATAL_FAILURE(expect_busy(late));  // a reader does not overtake a writer that waits
    ASSERT_NO_FATAL_FAILURE(expect_left(another));
    EXPECT_FALSE(writer.token);
    ASSERT_NO_FATAL_FAILURE(expect_left(reader));
    ASSERT_NO_FATAL_FAILURE(expect_granted(writer));
    EXPECT_FALSE(late.token);
    ASSERT_NO_FATAL_FAILURE(expect_left(writer));
    ASSERT_NO_FATAL_FAILURE(expect_granted(late));

    std::vector<Applicant*> guests;
    for (int seat = 0; seat < 4; ++seat) {
        guests.push_back(&somebody());
        guests.back()->want(lock("desk", slot));
        ASSERT_NO_FATAL_FAILURE(seat < 2 ? expect_granted(*guests.back())
                                         : expect_busy(*guests.back()));
    }
    ASSERT_NO_FATAL_FAILURE(expect_left(*guests[0]));
    ASSERT_NO_FATAL_FAILURE(expect_granted(*guests[2]));
    EXPECT_FALSE(guests[3]->token);
    ASSERT_NO_FATAL_FAILURE(expect_left(*guests[1]));
    ASSERT_NO_FATAL_FAILURE(expect_granted(*guests[3]));
}

// It is not renewed for the dead, and what the dead wanted is nobody's either (users' traps 1, 2,
// 5, 12): who is killed holding, who is killed waiting, and who wakes up much too late.
TEST_P(Conformance, TheDeadHoldNothingAndWhoWakesUpLateKnowsIt) {
    Applicant &holder = somebody(), &dead = somebody(), &next = somebody();
    holder.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_granted(holder));
    dead.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(dead));
    next.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(next));
    holder.stands_still = dead.stands_still = true;
    ASSERT_NO_FATAL_FAILURE(expect_granted(next));
    EXPECT_FALSE(holder.holds()) << "by the clock, before anything has told it";
    expect_one_after_the_other(holder, next);
    holder.stands_still = dead.stands_still = false;
    ASSERT_TRUE(comes_true([&] { return holder.is_lost; }));
    // Who was dead while its turn came and went has to wait for another one.
    const Instant end = net::now() + 1s;
    ASSERT_TRUE(comes_true([&] { return net::now() > end; }));
    EXPECT_FALSE(dead.token);
    ASSERT_NO_FATAL_FAILURE(expect_left(next));
    ASSERT_NO_FATAL_FAILURE(expect_granted(dead));
    expect_one_after_the_other(next, dead);
}

TEST_P(Conformance, WhatIsHeldOutlivesTheServersLeader) {
    Applicant &holder = somebody(), &next = somebody();
    holder.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_granted(holder));
    next.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(next));
    const auto leader = servers->leader();
    ASSERT_TRUE(leader);
    servers->kill(*leader);
    ASSERT_TRUE(comes_true([&] { return servers->ready() || holder.is_lost; }));
    // A slow machine may lose it by the clock; then it is lost, and not held twice.
    const Instant later = net::now() + 3s;
    ASSERT_TRUE(comes_true([&] { return net::now() > later || next.token; }));
    if (!holder.is_lost) {
        EXPECT_FALSE(next.token);
        ASSERT_NO_FATAL_FAILURE(expect_left(holder));
    }
    ASSERT_NO_FATAL_FAILURE(expect_granted(next));
    expect_one_after_the_other(holder, next);
}

// The server that it talks to hangs: nothing breaks off, nothing is answered.
TEST_P(Conformance, ItIsOverByTheClockWhenTheServerHangs) {
    const auto leader = servers->leader();
    ASSERT_TRUE(leader);
    const std::size_t hung = (*leader + 1) % Servers::count, other = (*leader + 2) % Servers::count;
    Applicant &holder = somebody(hung), &next = somebody(other);
    holder.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_granted(holder));
    next.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(next));
    servers->pause(hung);
    ASSERT_NO_FATAL_FAILURE(expect_granted(next));
    servers->resume(hung);
    ASSERT_TRUE(comes_true([&] { return holder.is_lost; }));
    expect_one_after_the_other(holder, next);
}

TEST_P(Conformance, AllAreServedAfterTheServersWereRestarted) {
    constexpr std::size_t crowd = 20;
    for (std::size_t one = 0; one < crowd; ++one) {
        somebody().want(lock("press"));
    }
    ASSERT_TRUE(comes_true([&] {
        return std::ranges::all_of(people,
                                   [](const Applicant& one) { return one.token || one.is_busy; });
    })) << servers->logs();
    for (std::size_t at = 0; at < Servers::count; ++at) servers->kill(at);
    for (std::size_t at = 0; at < Servers::count; ++at) servers->start(at);
    std::vector<Applicant*> served;
    for (std::size_t turn = 0; turn < crowd; ++turn) {
        Applicant* now = nullptr;
        ASSERT_TRUE(comes_true([&] {
            for (Applicant& one : people) {
                const bool done = std::ranges::find(served, &one) != served.end();
                if (!done && one.is_lost) one.want(lock("press"));
                if (!done && one.holds()) now = &one;
            }
            return now != nullptr;
        })) << turn
            << " were served\n"
            << servers->logs();
        const auto holders =
            std::ranges::count_if(people, [](const Applicant& one) { return one.holds(); });
        EXPECT_EQ(holders, 1);
        const locks::Token last = served.empty() ? locks::Token{} : *served.back()->token;
        EXPECT_GT(*now->token, last);
        served.push_back(now);
        now->leave();
    }
}

TEST_P(Conformance, OneLeadsAtATimeAndItIsSeen) {
    Applicant &first = somebody(0), &second = somebody(1), &witness = somebody();
    std::vector<Standing> seen;
    const auto watch =
        witness.engine().watch({Thing::Kind::leadership, servers->group()}, [&](const auto& found) {
            if (const auto* standing = std::get_if<Standing>(&found)) seen.push_back(*standing);
        });
    const auto sees = [&](std::optional<Epoch> epoch) {
        return comes_true([&] {
            if (seen.empty()) return false;
            const auto& holders = seen.back().holders;
            return epoch ? !holders.empty() && holders.front().token.epoch == *epoch
                         : holders.empty();
        });
    };
    EXPECT_TRUE(sees(std::nullopt)) << "nobody is there, and that is said";
    first.want(lead());
    ASSERT_NO_FATAL_FAILURE(expect_granted(first));
    EXPECT_TRUE(sees(first.token->epoch));
    second.want(lead());
    ASSERT_NO_FATAL_FAILURE(expect_busy(second));
    first.stands_still = true;  // and dies
    ASSERT_NO_FATAL_FAILURE(expect_granted(second));
    expect_one_after_the_other(first, second);
    EXPECT_TRUE(sees(second.token->epoch));
}

std::vector<Kind> kinds() {
    std::vector<Kind> all{{"native", native_servers}, {"etcd", etcd_servers}};
#ifdef CONCLAVE_ZOOKEEPER
    all.push_back({"zookeeper", zookeeper_servers});
#endif
    return all;
}

INSTANTIATE_TEST_SUITE_P(Engines, Conformance, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace conclave::engine
