// engine/etcd_servers_test.cc -- three real etcd servers; see etcd_servers_test.h.
#include "engine/etcd_servers_test.h"

#include <signal.h>

#include <boost/json/parse.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "engine/open.h"
#include "net/http_client.h"
#include "net/json_members.h"
#include "net/pem_files.h"

namespace conclave::engine {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

void make_certificates(const fs::path& folder) {
    fs::create_directories(folder);
    const net::Validity validity = net::lasting(std::chrono::days(1));
    const auto ca = net::make_ca("test", validity);
    if (!ca || net::save(*ca, net::pem_files(folder, "ca"), net::Existing::keep)) return;
    const auto issued =
        net::issue(*ca, {.name = "etcd", .hosts = {"127.0.0.1"}, .validity = validity});
    if (issued)
        static_cast<void>(net::save(*issued, net::pem_files(folder, "etcd"), net::Existing::keep));
}

}  // namespace

bool EtcdServers::installed() {
    return std::system("command -v etcd etcdctl >/dev/null 2>&1") == 0;
}

std::string EtcdServers::url(std::uint16_t port) const {
    return (options_.tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port);
}

EtcdServers::EtcdServers(const fs::path& folder, Options options)
    : folder_(folder),
      options_(options),
      clients_(free_ports(2 * options.size)),
      peers_(clients_.begin() + static_cast<std::ptrdiff_t>(options.size), clients_.end()) {
    clients_.resize(options.size);
    const std::string certs = (folder / "certs").string();
    if (options.tls) make_certificates(certs);
    std::string cluster;
    for (std::size_t at = 0; at < options.size; ++at)
        cluster += (at ? "," : "") + ("e" + std::to_string(at)) +
                   "=http://127.0.0.1:" + std::to_string(peers_[at]);
    for (std::size_t at = 0; at < options.size; ++at) {
        const std::string name = "e" + std::to_string(at);
        const std::string peer = "http://127.0.0.1:" + std::to_string(peers_[at]);
        std::vector<std::string> words{"etcd",
                                       "--name",
                                       name,
                                       "--data-dir",
                                       (folder / name).string(),
                                       "--listen-client-urls",
                                       url(clients_[at]),
                                       "--advertise-client-urls",
                                       url(clients_[at]),
                                       "--listen-peer-urls",
                                       peer,
                                       "--initial-advertise-peer-urls",
                                       peer,
                                       "--initial-cluster",
                                       cluster,
                                       "--initial-cluster-token",
                                       "conclave-test",
                                       "--heartbeat-interval",
                                       "100",
                                       "--election-timeout",
                                       "600",
                                       "--log-level",
                                       "error"};
        if (options.tls) {
            for (const std::string& word :
                 {std::string("--cert-file"), certs + "/etcd.crt", std::string("--key-file"),
                  certs + "/etcd.key", std::string("--trusted-ca-file"), certs + "/ca.crt"})
                words.push_back(word);
        }
        words.insert(words.end(), options.words.begin(), options.words.end());
        servers_.emplace_back(std::move(words), folder / (name + ".log"));
    }
}

void EtcdServers::pause(std::size_t at) { servers_[at].signal(SIGSTOP); }
void EtcdServers::resume(std::size_t at) { servers_[at].signal(SIGCONT); }

// By what one says of itself: its own number, and the leader's.
std::optional<std::size_t> EtcdServers::leader() {
    for (std::size_t at = 0; at < servers_.size(); ++at) {
        if (!servers_[at].runs()) continue;
        net::ClientOptions options;
        options.endpoints = {*net::parse_http_endpoint(url(clients_[at]))};
        const auto outcome = net::ask(
            options, {.method = "POST", .target = "/v3/maintenance/status", .body = "{}"}, 500ms);
        const auto* answer = std::get_if<net::Answer>(&outcome);
        boost::system::error_code error;
        const auto body = answer ? boost::json::parse(answer->body, error) : boost::json::value();
        const auto* header = member(body, "header");
        const std::string own = header ? text_member(*header, "member_id") : "";
        if (!own.empty() && own == text_member(body, "leader")) return at;
    }
    return std::nullopt;
}

Result<std::unique_ptr<Engine>> EtcdServers::connect(boost::asio::io_context& loop,
                                                     std::optional<std::size_t> only) {
    auto place = read_place(endpoint(only));
    if (!place) return place.error();
    place->timeout = 3s;
    return open(loop, *place);
}

std::string EtcdServers::endpoint(std::optional<std::size_t> only) const {
    std::string hosts;
    for (std::size_t at = 0; at < clients_.size(); ++at) {
        if (only && *only != at) continue;
        hosts += (hosts.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(clients_[at]);
    }
    return (options_.tls ? "etcds://" : "etcd://") + hosts;
}

std::string EtcdServers::logs() const {
    std::string all;
    for (const Server& server : servers_) all += "---\n" + server.log();
    return all;
}

bool EtcdServers::come_up() {
    for (Server& server : servers_) server.start();
    return options_.tls || comes_true([this] { return ready(); });
}

std::string EtcdServers::control(const std::string& words) const {
    const auto out = folder_ / "control.out";
    std::string line = "ETCDCTL_API=3 timeout 60 etcdctl --endpoints ";
    for (const std::uint16_t port : clients_) line.append(url(port)).append(",");
    line.back() = ' ';
    line.append(words);
    line.append(" >").append(out.string()).append(" 2>&1");
    static_cast<void>(!std::system(line.c_str()));
    std::ifstream file(out);
    return {std::istreambuf_iterator<char>(file), {}};
}

void EtcdServers::ask_for_password(const std::string& password, const std::string& known_by) const {
    for (const std::string& words :
         {"user add root:" + password, std::string("user grant-role root root"),
          std::string("auth enable")}) {
        control(known_by + words);
    }
}

std::unique_ptr<Servers> etcd_servers(const fs::path& folder) {
    if (!EtcdServers::installed()) return nullptr;
    return std::make_unique<EtcdServers>(folder, EtcdServers::Options{});
}

}  // namespace conclave::engine
