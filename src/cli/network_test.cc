// cli/network_test.cc -- the network of the tests; see network_test.h.
#include "cli/network_test.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

namespace conclave {

namespace {

const std::string router_address = "10.0.0.254";

// A thread that goes into a namespace of its own and comes back with a descriptor of it. The
// namespace forwards: of a node's, that means nothing.
int new_namespace() {
    int descriptor = -1;
    int reason = 0;
    std::thread([&] {
        if (::unshare(CLONE_NEWNET) == 0) {
            descriptor = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
            std::ofstream("/proc/sys/net/ipv4/ip_forward") << "1\n";
        }
        reason = errno;
    }).join();
    errno = reason;
    return descriptor;
}

}  // namespace

Result<std::unique_ptr<Network>> Network::make(std::uint32_t nodes) {
    std::unique_ptr<Network> network(new Network);
    for (std::uint32_t node = 0; node <= nodes; ++node) {
        if (auto error = network->add_namespace()) return *error;
    }
    if (auto error = network->configure(0, "link set lo up\n")) return *error;
    if (auto error = network->configure(0, "addr add " + router_address + "/32 dev lo\n"))
        return *error;
    for (std::uint32_t node = 1; node <= nodes; ++node) {
        if (auto error = network->join(node)) return *error;
    }
    return network;
}

Network::~Network() {
    for (const int descriptor : namespaces_) ::close(descriptor);
}

std::optional<Error> Network::add_namespace() {
    const int descriptor = new_namespace();
    if (descriptor < 0) return Error{std::string("no network namespace: ") + std::strerror(errno)};
    namespaces_.push_back(descriptor);
    return std::nullopt;
}

std::optional<Error> Network::join(std::uint32_t node) {
    const std::string port = "port" + std::to_string(node);
    if (auto error = configure(0, "link add " + port + " type veth peer name eth0 netns " +
                                      namespace_of(node) + "\nlink set " + port +
                                      " up\nroute add " + address(node) + " dev " + port + "\n")) {
        return error;
    }
    return configure(node, "addr add " + address(node) +
                               "/32 dev eth0\nlink set lo up\nlink set eth0 up\nroute add " +
                               router_address + " dev eth0\nroute add default via " +
                               router_address + "\n");
}

// By the programs that an administrator would use, with many commands at once.
std::optional<Error> Network::configure(std::uint32_t node, const std::string& commands) const {
    const std::string line = "nsenter --net=" + namespace_of(node) + " ip -batch -";
    std::FILE* const input = ::popen(line.c_str(), "we");
    if (!input) return Error{line + ": " + std::strerror(errno)};
    std::fputs(commands.c_str(), input);
    if (::pclose(input) == 0) return std::nullopt;
    return Error{line + " has failed, given these commands:\n" + commands};
}

std::string Network::address(std::uint32_t node) const { return "10.0.0." + std::to_string(node); }

std::string Network::namespace_of(std::uint32_t node) const {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(namespaces_[node]);
}

std::string Network::rules(const char* verb, const Cuts& cuts) const {
    std::string commands;
    for (const Cut& one : cuts) {
        commands += std::string("rule ") + verb + " from " + address(one.from) + " to " +
                    address(one.to) + " blackhole\n";
    }
    return commands;
}

std::optional<Error> Network::cut(const Cuts& cuts) {
    cuts_.insert(cuts_.end(), cuts.begin(), cuts.end());
    return configure(0, rules("add", cuts));
}

std::optional<Error> Network::heal() {
    return configure(0, rules("del", std::exchange(cuts_, {})));
}

Network::Cuts between(const std::vector<std::uint32_t>& one,
                      const std::vector<std::uint32_t>& other) {
    Network::Cuts cuts;
    for (const std::uint32_t a : one) {
        for (const std::uint32_t b : other) {
            cuts.push_back({a, b});
            cuts.push_back({b, a});
        }
    }
    return cuts;
}

}  // namespace conclave
