// engine/conformance_test.h -- for the tests: somebody who wants something of an engine, and a test
// that is run on each of them.
//
// Everybody who wants something has a loop of its own, so that one of them can stand still or die
// while the others go on. What happens to whom is written down with the time, and judged at the
// end: nobody is granted anything while another may still act on what it was granted before.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/servers_test.h"
#include "net/clock.h"

namespace conclave::engine {
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
        folder = ::mkdtemp(pattern.data());
        servers = GetParam().servers(folder);
        if (!servers) GTEST_SKIP() << "there is no " << GetParam().name << " here";
        for (std::size_t at = 0; at < Servers::count; ++at) servers->start(at);
        ASSERT_TRUE(comes_true([this] { return servers->ready(); })) << servers->logs();
    }
    void TearDown() override {
        people.clear();
        servers.reset();
        std::filesystem::remove_all(folder);
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
        const Instant end = net::now() + std::chrono::seconds(90);
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
    std::filesystem::path folder;  // of this test, gone with it
};

}  // namespace conclave::engine
