// cli/network_test.h -- for the tests: a network namespace for every node, and a router in one
// more.
//
// The router forwards from everybody to everybody, except where a rule of its own says that it
// shall swallow what comes from one and goes to another: a cut, in one direction, of which nobody
// is told. No namespace has a name. They stay as long as this process has them open or a node runs
// in one, so nothing is left behind however a test ends.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace conclave {

class Network {
public:
    // An error says why there can be none here: it takes root, iproute2 and util-linux.
    static Result<std::unique_ptr<Network>> make(std::uint32_t nodes);
    ~Network();
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    std::string address(std::uint32_t node) const;       // without a port
    std::string namespace_of(std::uint32_t node) const;  // a path, for nsenter; 0: the router's

    struct Cut {
        std::uint32_t from = 0, to = 0;
    };
    using Cuts = std::vector<Cut>;
    [[nodiscard]] std::optional<Error> cut(const Cuts& cuts);
    [[nodiscard]] std::optional<Error> heal();  // all of them

private:
    Network() = default;
    std::optional<Error> add_namespace();
    std::optional<Error> join(std::uint32_t node);
    std::optional<Error> configure(std::uint32_t node, const std::string& commands) const;
    std::string rules(const char* verb, const Cuts& cuts) const;

    std::vector<int> namespaces_;  // the router's first
    Cuts cuts_;
};

// Every way between the two sides of a partition.
Network::Cuts between(const std::vector<std::uint32_t>& one,
                      const std::vector<std::uint32_t>& other);

}  // namespace conclave
