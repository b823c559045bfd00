#include "cli/cluster.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "net/free_ports.h"
#include "net/pem_files.h"

namespace conclave {

namespace {

namespace fs = std::filesystem;

Error failed(const std::string& what) { return {what + ": " + std::strerror(errno)}; }

std::string name_of(std::uint32_t id) { return "n" + std::to_string(id); }

bool write_text(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::trunc);
    file << text;
    return static_cast<bool>(file.flush());
}

}  // namespace

Result<Cluster> Cluster::prepare(const Plan& plan) {
    Cluster cluster(plan);
    std::error_code error;
    for (std::uint32_t id = 1; id <= plan.nodes; ++id) {
        Process process{.name = name_of(id), .folder = plan.folder / name_of(id)};
        fs::create_directories(process.folder, error);
        if (error) return Error{process.folder.string() + ": " + error.message()};
        cluster.processes_.push_back(std::move(process));
    }
    fs::create_directories(plan.folder / "certs", error);
    if (auto wrong = cluster.find_places()) return *wrong;
    if (auto wrong = cluster.make_certificates()) return *wrong;
    if (auto wrong = cluster.write_configurations()) return *wrong;
    return cluster;
}

Cluster::Cluster(Cluster&& other) noexcept
    : plan_(std::move(other.plan_)), processes_(std::exchange(other.processes_, {})) {}

Cluster::~Cluster() { stop(); }

std::optional<Error> Cluster::find_places() {
    assert(plan_.listen.empty() || plan_.listen.size() == processes_.size());
    if (plan_.listen.empty()) {
        const auto ports = net::free_ports(plan_.nodes);
        if (!ports) return ports.error();
        for (const auto port : *ports) plan_.listen.push_back("127.0.0.1:" + std::to_string(port));
    }
    for (std::size_t at = 0; at < processes_.size(); ++at) processes_[at].listen = plan_.listen[at];
    return std::nullopt;
}

std::optional<Error> Cluster::make_certificates() {
    const fs::path folder = plan_.folder / "certs";
    const net::PemFiles ca_files = net::pem_files(folder, "ca");
    const net::Validity validity = net::lasting(std::chrono::days(365));
    if (!fs::exists(ca_files.certificate)) {
        const auto made = net::make_ca("conclave up", validity);
        if (!made) return made.error();
        if (auto error = net::save(*made, ca_files, net::Existing::keep)) return error;
    }
    const auto ca = net::load(ca_files);
    if (!ca) return ca.error();
    for (const Process& process : processes_) {
        const net::PemFiles files = net::pem_files(folder, process.name);
        if (fs::exists(files.certificate)) continue;
        const auto issued = net::issue(*ca, {.name = process.name, .validity = validity});
        if (!issued) return issued.error();
        if (auto error = net::save(*issued, files, net::Existing::keep)) return error;
    }
    return std::nullopt;
}

std::optional<Error> Cluster::write_configurations() {
    const auto address = [&](std::size_t from, std::size_t to) {
        const std::string& listen = processes_[to].listen;
        if (from == to || !plan_.road) return "\"" + listen + "\"\n";
        const auto id = [](std::size_t at) { return static_cast<std::uint32_t>(at + 1); };
        return "\"" + plan_.road(id(from), id(to), listen) + "\"\n";
    };
    for (std::size_t at = 0; at < processes_.size(); ++at) {
        const Process& self = processes_[at];
        std::string text = "[cluster]\nname = \"up\"\n\n[node]\nid = " + std::to_string(at + 1) +
                           "\nname = \"" + self.name + "\"\nstate_dir = \"state\"\n";
        text += "\n[peer]\nlisten = " + address(at, at) +
                "tls = { ca = \"../certs/ca.crt\", cert = " + "\"../certs/" + self.name +
                ".crt\", key = \"../certs/" + self.name + ".key\" }\n";
        text += "\n[api]\nlisten = [\"unix:" + (self.folder / "api.sock").string() + "\"]\n";
        text += "\n[groups." + plan_.group + "]\n";
        if (!plan_.algorithm.empty()) text += "algorithm = \"" + plan_.algorithm + "\"\n";
        text += std::string("candidate = ") + (plan_.candidate ? "true" : "false") + "\n" +
                plan_.settings;
        if (plan_.record) text += "\n[record]\ndir = \"record\"\n";
        for (std::size_t peer = 0; peer < processes_.size(); ++peer) {
            if (peer == at) continue;
            text += "\n[[peers]]\nid = " + std::to_string(peer + 1) + "\nname = \"" +
                    processes_[peer].name + "\"\naddress = " + address(at, peer);
        }
        const fs::path path = self.folder / "node.toml";
        if (!write_text(path, text)) return failed(path.string());
    }
    return std::nullopt;
}

std::optional<Error> Cluster::start() {
    for (Process& process : processes_) {
        if (process.pid >= 0) continue;
        if (auto error = start(process)) return error;
    }
    return std::nullopt;
}

std::optional<Error> Cluster::start(Process& process) {
    const std::string config = (process.folder / "node.toml").string();
    const std::string log = (process.folder / "log").string();
    const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (output < 0) return failed(log);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
        ::setpgid(0, 0);  // Ctrl-C is for us: we stop the nodes one by one, and politely
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != parent) ::_exit(125);
        ::dup2(output, STDOUT_FILENO);
        ::dup2(output, STDERR_FILENO);
        // A connection of this process would not end for its peer as long as a node has it, too.
        ::close_range(STDERR_FILENO + 1, ~0U, 0);
        ::execl(plan_.program.c_str(), "conclave", "node", "--config", config.c_str(), nullptr);
        ::_exit(127);
    }
    const Error error = failed("fork");
    ::close(output);
    if (child < 0) return error;
    process.pid = child;
    if (!write_text(process.folder / "pid", std::to_string(child) + "\n")) {
        return failed((process.folder / "pid").string());
    }
    return std::nullopt;
}

std::string Cluster::endpoints() const {
    std::string list;
    for (const Process& process : processes_) {
        if (process.pid >= 0) list += (list.empty() ? "" : ",") + process.endpoint();
    }
    return list;
}

std::vector<std::string> Cluster::ended() {
    std::vector<std::string> words;
    for (Process& process : processes_) {
        int status = 0;
        if (process.pid < 0 || ::waitpid(process.pid, &status, WNOHANG) != process.pid) continue;
        process.pid = -1;
        words.push_back(process.name +
                        (WIFSIGNALED(status)
                             ? " was killed by signal " + std::to_string(WTERMSIG(status))
                             : " ended with exit code " + std::to_string(WEXITSTATUS(status))));
    }
    return words;
}

bool Cluster::running() const {
    return std::ranges::any_of(processes_, [](const Process& one) { return one.pid >= 0; });
}

void Cluster::stop() {
    using Clock = std::chrono::steady_clock;
    const auto tell = [this](int signal) {
        for (const Process& process : processes_) {
            if (process.pid < 0) continue;
            ::kill(process.pid, signal);
            ::kill(process.pid, SIGCONT);  // one that was stopped could not hear it
        }
    };
    const auto wait_until = [this](Clock::time_point end) {
        while (running() && Clock::now() < end) {
            static_cast<void>(ended());
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    };
    tell(SIGTERM);
    wait_until(Clock::now() + std::chrono::seconds(6));
    tell(SIGKILL);
    wait_until(Clock::now() + std::chrono::seconds(6));
}

}  // namespace conclave
