// cli/cluster_faults_test.cc -- what happens to the machine of one real process: its wall clock
// steps, its disk fills up, it is told to reload, to leave, and to leave at once.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/json/object.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/cluster_test.h"
#include "net/address.h"
#include "net/pem_files.h"
#include "net/tls.h"

namespace conclave {
namespace {

// --- The wall clock. -----------------------------------------------------------------------------

#ifdef CONCLAVE_WALL_CLOCK

class WallClock : public RealCluster {
protected:
    void SetUp() override {
        Cluster::Plan plan = plan_of("quorum", 3, "lease = \"2s\"\n");
        plan.program = folder / "with_clock";
        write_script(plan.program,
                     "export WALL_CLOCK_OFFSET=\"$(dirname \"$3\")/wall_clock\"\n"
                     "export LD_PRELOAD='" CONCLAVE_WALL_CLOCK
                     "'\n"
                     "exec '" CONCLAVE_BINARY "' \"$@\"\n");
        prepare(plan);
        for (const Cluster::Process& one : cluster->processes()) {
            std::ofstream(one.folder / "wall_clock") << std::string(sizeof(std::int64_t), '\0');
        }
        restart();
    }
    // In place: the node has the file mapped.
    void step(std::size_t at, std::chrono::seconds offset) const {
        const std::int64_t seconds = offset.count();
        std::fstream(process(at).folder / "wall_clock", std::ios::in | std::ios::out)
            .write(reinterpret_cast<const char*>(&seconds), sizeof seconds);
    }
    // By its own account, in the line that a reload writes to its log.
    std::string hour_at(std::size_t at) {
        kill(at, SIGHUP);
        EXPECT_TRUE(logs_at(at, "reloaded"));
        const std::string log = log_of(at);
        const std::size_t line = log.rfind('\n', log.find("reloaded")) + 1;
        return log.substr(log.find('T', line) + 1, 2);
    }
};

TEST_F(WallClock, StepsOfItChangeNothing) {
    const std::string first = agreed_leader();
    const std::size_t leader = place(first), follower = (leader + 1) % 3;
    const std::uint64_t epoch = epoch_at(leader);
    const std::uint64_t changes = changes_at(leader), followed = changes_at(follower);
    step(leader, std::chrono::hours(1));
    step(follower, -std::chrono::hours(1));
    const std::uint64_t answers = received_at(leader, "Renewed");
    constexpr std::uint64_t enough = 8;  // of two followers, four in a lease
    ASSERT_TRUE(comes_true([&] { return received_at(leader, "Renewed") >= answers + enough; }));
    EXPECT_NE(hour_at(leader), hour_at(follower));
    step(leader, -std::chrono::hours(1));
    step(follower, std::chrono::hours(1));
    ASSERT_TRUE(comes_true([&] { return received_at(leader, "Renewed") >= answers + 2 * enough; }));
    expect_leader(first);
    EXPECT_EQ(epoch_at(leader), epoch);
    EXPECT_EQ(changes_at(leader), changes) << logs();
    EXPECT_EQ(changes_at(follower), followed) << logs();
    kill_all();
}

#endif

// --- The disk. -----------------------------------------------------------------------------------

class FullDisk : public RealCluster {
protected:
    // Seen by this process and those it starts, and gone with them.
    void SetUp() override {
        prepare("quorum", 3);
        disk = process(0).folder / "state";
        std::filesystem::create_directory(disk);
        const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                             ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                             ::mount("none", disk.c_str(), "tmpfs", 0, "size=1m,mode=700") == 0;
        if (!mounted) GTEST_SKIP() << "no file system of a test's own: " << std::strerror(errno);
    }
    void TearDown() override {
        RealCluster::TearDown();
        ::umount2(disk.c_str(), MNT_DETACH);
    }
    void resign(const std::string& leader) const {
        static_cast<void>(
            ask_node(place(leader), "/v1/groups/main/resign", "POST", boost::json::object{}));
    }
    void fill() const {
        std::ofstream file(disk / "filler");
        const std::string page(4096, 'x');
        while (file.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {
        }
    }

    std::filesystem::path disk;
};

TEST_F(FullDisk, EndsTheNodeAndNobodyElse) {
    restart();
    agreed_leader();
    fill();
    const std::uint64_t epoch = epoch_at(1);
    std::string end;
    ASSERT_TRUE(comes_true([&] {  // elections, until it has to remember one
        for (const std::string& words : cluster->ended()) end = words;
        if (end.empty()) resign(named_by(1));
        return !end.empty();
    }));
    EXPECT_EQ(end, "n1 ended with exit code 74");
    const std::string log = log_of(0);
    const std::size_t failed = log.find("the disk has failed");
    ASSERT_NE(failed, std::string::npos) << log;
    EXPECT_NE(log.find("disk is full", failed), std::string::npos) << log;
    EXPECT_EQ(log.find("event=leader", failed), std::string::npos) << "it went on\n" << log;
    leader_among({1, 2});
    EXPECT_GT(epoch_at(1), epoch);

    std::filesystem::remove(disk / "filler");
    restart();
    agreed_leader();
}

// --- Signals. ------------------------------------------------------------------------------------

class Signals : public RealCluster {
protected:
    // What it shows to whoever dials it now.
    net::Certificate certificate_at(std::size_t at) const {
        namespace asio = boost::asio;
        const std::string certs = (folder / "certs").string();
        auto tls = net::Tls::load({certs + "/ca.crt", certs + "/n2.crt", certs + "/n2.key"});
        const auto address = net::parse_address(process(at).listen);
        if (!tls || !address) return {};
        const auto& place = std::get<net::HostPort>(*address);
        asio::io_context loop;
        asio::ssl::stream<asio::ip::tcp::socket> stream(loop, tls->context());
        stream.next_layer().connect({asio::ip::make_address(place.host), place.port});
        stream.handshake(asio::ssl::stream_base::client);
        return net::peer_certificate(stream.native_handle());
    }
    void set_log_level(std::size_t at, const std::string& level) const {
        std::ofstream file(process(at).folder / "node.toml", std::ios::app);
        file << "\n[log]\nlevel = \"" << level << "\"\n";
    }
};

TEST_F(Signals, AHangUpReloadsCertificateAndLogLevel) {
    prepare("quorum", 3);
    const std::string configuration = slurp(process(0).folder / "node.toml");
    set_log_level(0, "error");
    restart();
    const std::string leader = agreed_leader();
    EXPECT_EQ(log_of(0).find("node is running"), std::string::npos) << log_of(0);
    const auto before = certificate_at(0);
    ASSERT_TRUE(before.is_for("n1"));

    const auto ca = net::load(net::pem_files(folder / "certs", "ca"));
    ASSERT_TRUE(ca) << ca.error().what;
    const auto renewed =
        net::issue(*ca, {.name = "n1", .validity = net::lasting(std::chrono::days(30))});
    ASSERT_TRUE(renewed) << renewed.error().what;
    const auto files = net::pem_files(folder / "certs", "n1");
    ASSERT_FALSE(net::save(*renewed, files, net::Existing::replace));
    EXPECT_EQ(certificate_at(0).expires, before.expires);
    std::ofstream(process(0).folder / "node.toml") << configuration;
    kill(0, SIGHUP);

    ASSERT_TRUE(logs_at(0, "reloaded: certificates, token and log level")) << log_of(0);
    EXPECT_TRUE(certificate_at(0).is_for("n1"));
    EXPECT_LT(certificate_at(0).expires, before.expires);
    kill(1);  // who comes back needs a new link, and believes the new certificate
    restart();
    agreed_leader();
}

TEST_F(Signals, ASecondTermEndsANodeThatStillKeepsItsWord) {
    prepare("quorum", 3, "lease = \"10s\"\n");
    restart();
    const std::size_t follower = agreed_leader() == "n1" ? 1 : 0;
    kill(follower, SIGTERM);
    ASSERT_TRUE(logs_at(follower, "leaving")) << log_of(follower);
    kill(follower, SIGTERM);
    EXPECT_EQ(end_of(follower), process(follower).name + " ended with exit code 0");
    EXPECT_NE(log_of(follower).find("told again to leave"), std::string::npos) << log_of(follower);
    kill_all();
}

}  // namespace
}  // namespace conclave
