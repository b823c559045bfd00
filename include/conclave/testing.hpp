// conclave/testing.hpp -- a cluster inside of a test, to see what an application does when its
// leadership or its lock is gone.
//
//     conclave::TestCluster cluster;
//     conclave::Client client = cluster.client(1);
//     auto held = client.lock("file").lock_for(10s);
//     cluster.cut(1);                  // its node hears nobody any more
//     my_application.runs_until(held->lost());
//     ASSERT_FALSE(my_application.wrote_after(held->lost()));
//
// The nodes are real, with groups and clients of the same types as outside of a test; between them
// are sockets of this machine, and what they remember is in a folder that goes with the cluster.
// Time is real as well, and leases are short: what is cut off or paused has lost everything within
// a second, on the application's own clock, and that it was lost is certain, not likely.
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "conclave/api.h"
#include "conclave/conclave.hpp"

namespace conclave {

struct TestClusterOptions {
    std::size_t nodes = 3;                                               // n1, n2, ...
    std::vector<std::string> groups{"main"};                             // with leases, of these:
    std::chrono::milliseconds lease = std::chrono::milliseconds(200);    // of a leader
    std::chrono::milliseconds session = std::chrono::milliseconds(500);  // of a lock
    std::string more{};                                                  // TOML for every node
};

// Nodes are numbered from 1. From one thread at a time.
class CONCLAVE_API TestCluster {
public:
    explicit TestCluster(TestClusterOptions options = {});  // throws
    TestCluster(TestCluster&&) noexcept;
    TestCluster& operator=(TestCluster&&) = delete;
    ~TestCluster();

    Node& node(std::size_t number);
    std::string endpoint(std::size_t number) const;
    Client client(std::size_t number) const { return Client({.endpoints = {endpoint(number)}}); }

    void kill(std::size_t number);  // without a word to the others; ends `node(number)`
    void restart(std::size_t number);
    void cut(std::size_t number);  // off all others
    void heal();                   // nobody is cut off any more
    void pause(std::size_t number);
    void resume(std::size_t number);

    struct CONCLAVE_LOCAL House;  // of the implementation

private:
    std::unique_ptr<House> house_;
};

}  // namespace conclave
