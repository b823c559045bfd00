// engine/native_servers_test.cc -- three nodes of our own, as servers of an engine.
#include <signal.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <iterator>
#include <thread>

#include "cli/cluster.h"
#include "engine/native.h"
#include "engine/servers_test.h"
#include "net/json_members.h"

namespace conclave::engine {

namespace {

using namespace std::chrono_literals;

class NativeServers final : public Servers {
public:
    explicit NativeServers(Cluster cluster) : cluster_(std::move(cluster)) {}
    ~NativeServers() override {
        for (std::size_t at = 0; at < count; ++at) kill(at);  // politely it would take a lease
    }

    void start(std::size_t) override { static_cast<void>(cluster_.start()); }
    void kill(std::size_t at) override {
        if (pid(at) <= 0) return;
        ::kill(pid(at), SIGKILL);
        while (pid(at) > 0) {
            static_cast<void>(cluster_.ended());
            std::this_thread::sleep_for(1ms);
        }
    }
    void pause(std::size_t at) override { ::kill(pid(at), SIGSTOP); }
    void resume(std::size_t at) override { ::kill(pid(at), SIGCONT); }
    bool ready() override { return leader().has_value(); }

    // Of the lock service.
    std::optional<std::size_t> leader() override {
        for (std::size_t at = 0; at < count; ++at) {
            if (pid(at) <= 0) continue;
            const auto outcome = net::ask(way(at), {.target = "/v1/groups/locks"}, 500ms);
            const auto* answer = std::get_if<net::Answer>(&outcome);
            boost::system::error_code error;
            const auto group =
                answer ? boost::json::parse(answer->body, error) : boost::json::value();
            const auto* mine = member(group, "mine");
            if (mine && mine->is_bool() && mine->get_bool()) return at;
        }
        return std::nullopt;
    }
    Result<std::unique_ptr<Engine>> connect(boost::asio::io_context& loop,
                                            std::optional<std::size_t> only) override {
        return native(loop, {way(only), 2s});
    }
    std::string endpoint(std::optional<std::size_t> only) const override {
        std::string list;
        for (std::size_t at = 0; at < count; ++at) {
            if (only && *only != at) continue;
            list += (list.empty() ? "" : ",") + cluster_.processes()[at].endpoint();
        }
        return list;
    }
    Duration session() const override { return {}; }
    std::string logs() const override {
        std::string all;
        for (const auto& process : cluster_.processes()) {
            std::ifstream file(process.folder / "log");
            all += "--- " + process.name + "\n" +
                   std::string(std::istreambuf_iterator<char>(file), {});
        }
        return all;
    }

private:
    pid_t pid(std::size_t at) const { return cluster_.processes()[at].pid; }
    net::ClientOptions way(std::optional<std::size_t> only) const {
        net::ClientOptions options;
        for (std::size_t at = 0; at < count; ++at) {
            if (only && *only != at) continue;
            options.endpoints.push_back(
                *net::parse_http_endpoint(cluster_.processes()[at].endpoint()));
        }
        return options;
    }

    Cluster cluster_;
};

}  // namespace

std::unique_ptr<Servers> native_servers(const std::filesystem::path& folder) {
    Cluster::Plan plan{.folder = folder, .nodes = Servers::count};
    plan.program = CONCLAVE_BINARY;
    plan.settings = "lease = \"1s\"\n[locks]\nlease = \"1s\"\n";
    plan.candidate = false;
    auto cluster = Cluster::prepare(plan);
    if (!cluster) return nullptr;
    return std::make_unique<NativeServers>(std::move(*cluster));
}

}  // namespace conclave::engine
