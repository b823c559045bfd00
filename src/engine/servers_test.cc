// engine/servers_test.cc -- real servers for the tests; see servers_test.h.
#include "engine/servers_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "net/free_ports.h"

namespace conclave::engine {

Server::Server(Server&& other) noexcept
    : words_(std::move(other.words_)),
      log_(std::move(other.log_)),
      pid_(std::exchange(other.pid_, -1)) {}

void Server::start() {
    if (pid_ > 0) return;
    std::vector<char*> words;
    for (std::string& word : words_) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setpgid(0, 0);  // what it starts ends with it
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(125);
    const int output = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execvp(words[0], words.data());
    ::_exit(127);
}

void Server::kill() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // it may not lead its group yet
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

void Server::signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
}

std::string Server::log() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::uint16_t> free_ports(std::size_t count) {
    auto ports = net::free_ports(count);
    if (!ports) throw std::runtime_error(ports.error().what);
    return std::move(*ports);
}

}  // namespace conclave::engine
