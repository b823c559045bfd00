// cli/cluster_failover_test.cc -- a real leader dies or falls silent, and the next one takes office
// as soon as --check-config promises.
//
// The promise is about a machine that is never late. This one may be, so it is asked how late: what
// it does to a thread that sleeps and writes all the time, it may have done to each step of the
// election.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <regex>
#include <string>
#include <thread>

#include "cli/cluster_test.h"
#include "cli/tenures_test.h"
#include "core/print.h"
#include "net/clock.h"

namespace conclave {
namespace {

class Lateness {
public:
    explicit Lateness(const std::filesystem::path& file)
        : file_(::open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), thread_([this] {
              while (!over_) measure();
          }) {}
    ~Lateness() {
        end();
        ::close(file_);
    }
    Lateness(const Lateness&) = delete;
    Lateness& operator=(const Lateness&) = delete;

    Duration worst() {  // until now, and no further
        end();
        return worst_;
    }

private:
    void measure() {
        constexpr Duration nap = std::chrono::milliseconds(1);
        const Instant began = net::now();
        std::this_thread::sleep_for(nap);
        const std::array<char, 4096> page{};
        EXPECT_EQ(::pwrite(file_, page.data(), page.size(), 0), ssize_t{page.size()});
        EXPECT_EQ(::fdatasync(file_), 0);
        worst_ = std::max(worst_, net::now() - began - nap);
    }
    void end() {
        over_ = true;
        if (thread_.joinable()) thread_.join();
    }

    const int file_;
    Duration worst_{};
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

std::string in_milliseconds(Duration length) {
    return to_text(Duration(std::chrono::ceil<std::chrono::milliseconds>(length)));
}

class Failover : public RealCluster {
protected:
    void SetUp() override {
        prepare("quorum", 3, "lease = \"1s\"\n");
        restart();
    }
    Duration promised() const {
        const std::string config = (process(0).folder / "node.toml").string();
        const Ran ran = run("node --config " + config + " --check-config");
        std::smatch found;
        const bool told =
            std::regex_search(ran.out, found, std::regex("a leader again within (\\S+)"));
        EXPECT_TRUE(told) << ran.out << ran.err;
        return read_duration(told ? found[1].str() : "").value_or(Duration{});
    }
    void keeps_its_promise(int signal) {
        const std::string first = agreed_leader();
        const std::size_t leader = place(first);
        ASSERT_NE(first, "");
        TenureWatch watch(*cluster);
        Lateness lateness(folder / "lateness");
        const Instant gone = net::now();
        kill(leader, signal);
        Places others = everybody();
        std::erase(others, leader);
        leader_among(others);
        if (signal == SIGSTOP) kill(leader, SIGCONT);  // the watch asks it, too
        const auto next = watch.next_office_after(gone);
        ASSERT_TRUE(next);
        // The promise and the turn to stand run out, four messages, two votes on disk.
        constexpr int steps = 8;
        const Duration took = *next - gone, bound = promised(), late = lateness.worst();
        EXPECT_GT(bound, Duration{});
        EXPECT_LE(took, bound + steps * late)
            << "each step up to " << in_milliseconds(late) << " late\n"
            << logs();
        std::cout << "a leader again after " << in_milliseconds(took) << ", promised "
                  << in_milliseconds(bound) << ", the machine up to " << in_milliseconds(late)
                  << " late\n";
    }
};

TEST_F(Failover, IsAsFastAsPromisedWhenTheLeaderDies) { keeps_its_promise(SIGKILL); }
TEST_F(Failover, IsAsFastAsPromisedWhenTheLeaderFallsSilent) { keeps_its_promise(SIGSTOP); }

}  // namespace
}  // namespace conclave
