// engine/etcd_access_test.cc -- an etcd that wants to know who we are, and forgets it again: its
// tokens run out after a while, and a server that was restarted knows none of them.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/conformance_test.h"
#include "engine/etcd_servers_test.h"
#include "engine/open.h"

namespace conclave::engine {
namespace {

using namespace std::chrono_literals;

class EtcdThatForgets : public testing::Test {
protected:
    void SetUp() override {
        if (!EtcdServers::installed()) GTEST_SKIP() << "there is no etcd here";
        std::string pattern = (std::filesystem::temp_directory_path() / "engine-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        servers.emplace(folder,
                        EtcdServers::Options{.size = 1, .words = {"--auth-token-ttl", "1"}});
        ASSERT_TRUE(servers->come_up()) << servers->logs();
        servers->ask_for_password("secret");
    }
    void TearDown() override {
        people.clear();
        servers.reset();
        if (!folder.empty()) std::filesystem::remove_all(folder);
    }
    Applicant& somebody() {
        return people.emplace_back(
            [&](boost::asio::io_context& loop) -> Result<std::unique_ptr<Engine>> {
                auto place = read_place(servers->endpoint());
                place->user = "root";
                place->password = "secret";
                return open(loop, *place);
            });
    }
    bool comes_true(const std::function<bool()>& what) {
        return conclave::comes_true([&] {
            for (Applicant& one : people) one.step();
            return what();
        });
    }
    static Claim lock() { return {{Thing::Kind::lock, "press"}, {}, "somebody", lease}; }

    static constexpr Duration lease = 10s;  // renewed in quarters: by then a token has gone
    std::filesystem::path folder;
    std::optional<EtcdServers> servers;
    std::deque<Applicant> people;
};

TEST_F(EtcdThatForgets, WhoHoldsAndWhoWaitsSignInAgain) {
    Applicant &holder = somebody(), &next = somebody();
    holder.want(lock());
    ASSERT_TRUE(comes_true([&] { return holder.token.has_value(); })) << holder.trouble;
    next.want(lock());
    ASSERT_TRUE(comes_true([&] { return next.is_busy; })) << next.trouble;
    const auto is_renewed = [&] {
        const Instant before = holder.may_act_until;
        EXPECT_TRUE(comes_true([&] { return holder.is_lost || holder.may_act_until > before; }));
        return !holder.is_lost;
    };
    EXPECT_TRUE(is_renewed()) << holder.trouble;
    servers->kill(0);
    servers->start(0);
    EXPECT_TRUE(is_renewed()) << holder.trouble;
    holder.leave();
    ASSERT_TRUE(comes_true([&] { return next.token.has_value(); })) << next.trouble;
    EXPECT_GT(*next.token, *holder.token);
}

}  // namespace
}  // namespace conclave::engine
