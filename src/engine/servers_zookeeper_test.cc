#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <fstream>

#include "engine/servers_test.h"
#include "engine/zookeeper.h"

namespace conclave::engine {

#ifndef CONCLAVE_ZOOKEEPER

std::unique_ptr<Servers> zookeeper_servers(const std::filesystem::path&) { return nullptr; }

#else

namespace {

namespace fs = std::filesystem;
using boost::asio::ip::tcp;

const fs::path jar = "/usr/share/java/zookeeper.jar";  // names all others that it needs
const fs::path java = "/usr/bin/java";

// A tick of 200 ms: sessions from 400 ms on, and 4 s until a leader that hangs is given up.
constexpr const char* settings =
    "tickTime=200\n"
    "initLimit=100\n"
    "syncLimit=20\n"
    "maxSessionTimeout=60000\n"
    "maxClientCnxns=0\n"
    "4lw.commands.whitelist=srvr\n"
    "admin.enableServer=false\n";

class ZooKeepers final : public Servers {
public:
    explicit ZooKeepers(const fs::path& folder) : ports_(free_ports(3 * count)) {
        for (std::size_t at = 0; at < count; ++at) {
            const fs::path home = folder / ("zookeeper" + std::to_string(at + 1));
            fs::create_directories(home / "data");
            std::ofstream(home / "data" / "myid") << at + 1 << "\n";
            std::ofstream(home / "zoo.cfg") << config(home, at);
            servers_.emplace_back(words(home), home / "log");
        }
    }

    void start(std::size_t at) override { servers_[at].start(); }
    void kill(std::size_t at) override { servers_[at].kill(); }
    void pause(std::size_t at) override { servers_[at].signal(SIGSTOP); }
    void resume(std::size_t at) override { servers_[at].signal(SIGCONT); }

    bool ready() override {
        std::size_t running = 0, serving = 0;
        for (std::size_t at = 0; at < count; ++at) {
            if (!servers_[at].runs()) continue;
            ++running;
            const std::string mode = mode_of(at);
            if (mode == "leader" || mode == "follower") ++serving;
        }
        return 2 * serving > count && serving == running;
    }
    std::optional<std::size_t> leader() override {
        for (std::size_t at = 0; at < count; ++at) {
            if (mode_of(at) == "leader") return at;
        }
        return std::nullopt;
    }
    Result<std::unique_ptr<Engine> > connect(boost::asio::io_context& loop,
                                             std::optional<std::size_t> only) override {
        const auto place = read_place(endpoint(only));
        if (!place) return place.error();
        return open_zookeeper(loop, *place);
    }
    std::string endpoint(std::optional<std::size_t> only) const override {
        std::string text = "zookeeper://";
        for (std::size_t at = only.value_or(0); at <= only.value_or(count - 1); ++at) {
            if (!text.ends_with('/')) text += ',';
            text.append("127.0.0.1:").append(std::to_string(port(at)));
        }
        return text;
    }
    Duration session() const override { return std::chrono::seconds(4); }
    std::string logs() const override {
        std::string all;
        for (std::size_t at = 0; at < count; ++at) {
            all.append("\n--- zookeeper ").append(std::to_string(at + 1)).append("\n");
            all.append(servers_[at].log());
        }
        return all;
    }

private:
    std::uint16_t port(std::size_t at) const { return ports_[3 * at]; }

    std::string config(const fs::path& home, std::size_t at) const {
        std::string text = settings;
        text.append("dataDir=").append((home / "data").string());
        text.append("\nclientPortAddress=127.0.0.1\nclientPort=").append(std::to_string(port(at)));
        for (std::size_t i = 0; i < count; ++i) {
            text.append("\nserver.").append(std::to_string(i + 1)).append("=127.0.0.1:");
            text.append(std::to_string(ports_[3 * i + 1])).append(":");
            text.append(std::to_string(ports_[3 * i + 2]));
        }
        return text + "\n";
    }
    // Small, soon there, and without a disk to wait for: what survives a power cut is not tested.
    static std::vector<std::string> words(const fs::path& home) {
        return {java,
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-Dzookeeper.forceSync=no",
                "-Dzookeeper.jmx.log4j.disable=true",
                "-cp",
                jar,
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                home / "zoo.cfg"};
    }

    // "leader", "follower", or nothing: it does not serve, or does not answer.
    std::string mode_of(std::size_t at) const {
        boost::asio::io_context loop;
        tcp::socket socket(loop);
        boost::system::error_code error;
        socket.connect({boost::asio::ip::address_v4::loopback(), port(at)}, error);
        if (error) return "";
        const timeval limit{1, 0};
        ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        boost::asio::write(socket, boost::asio::buffer("srvr", 4), error);
        std::array<char, 4096> answer;
        std::string said;
        for (ssize_t size = 0;
             (size = ::recv(socket.native_handle(), answer.data(), answer.size(), 0)) > 0;) {
            said.append(answer.data(), static_cast<std::size_t>(size));
        }
        const std::string_view word = "Mode: ";
        const auto found = said.find(word);
        if (found == said.npos) return "";
        const auto begin = found + word.size();
        return said.substr(begin, said.find('\n', begin) - begin);
    }

    const std::vector<std::uint16_t> ports_;
    std::vector<Server> servers_;
};

}  // namespace

std::unique_ptr<Servers> zookeeper_servers(const std::filesystem::path& folder) {
    if (!fs::exists(jar) || !fs::exists(java)) return nullptr;
    return std::make_unique<ZooKeepers>(folder);
}

#endif

}  // namespace conclave::engine
