// cli/siege_test.h -- a cluster that must stand whatever strangers do at its doors, for tests.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <regex>
#include <string>
#include <vector>

#include "cli/cluster_test.h"
#include "net/http_kit_test.h"

namespace conclave {

// Three nodes with TLS between them, and an API on a port beside the local socket. Leases are long:
// what a busy machine does to short ones is not the question here.
class Siege : public RealCluster {
protected:
    struct Standing {  // what must not change
        std::string leader;
        std::uint64_t epoch = 0, index = 0;
        friend bool operator==(const Standing&, const Standing&) = default;
        friend void PrintTo(const Standing& one, std::ostream* to) {
            *to << one.leader << " in epoch " << one.epoch << ", index " << one.index;
        }
    };

    Siege() { ::setenv(patience, "10s", 1); }
    ~Siege() override { ::unsetenv(patience); }

    void SetUp() override {
        prepare("quorum", 3, "lease = \"5s\"\n");
        for (const std::size_t at : everybody()) open_port(at);
        restart();
        ASSERT_NE(agreed_leader(), "");
        for (std::size_t at = 0; at < 3; ++at) {
            before_.push_back(standing(at));
            memory_.push_back(resident(at));
        }
    }

    std::string before_leader() const { return before_.front().leader; }
    std::uint16_t peer_port(std::size_t at) const {
        const std::string& listen = process(at).listen;
        return static_cast<std::uint16_t>(std::stoul(listen.substr(listen.find(':') + 1)));
    }
    // Lines of the log that say so.
    std::size_t complaints(std::size_t at, const std::string& why) const {
        const std::string log = log_of(at);
        std::size_t lines = 0;
        for (std::size_t found = log.find(why); found != log.npos;
             found = log.find(why, log.find('\n', found))) {
            ++lines;
        }
        return lines;
    }

    // Somebody who asks a decent question is answered on both doors, how long it may take.
    void expect_answers(std::size_t at) const {
        for (const std::string& door :
             {cluster->processes()[at].endpoint(), "http://" + api_address(at)}) {
            Endpoint endpoint;
            endpoint.urls = door;
            endpoint.timeout = "60s";
            EXPECT_EQ(ask(endpoint, "GET", "/v1/groups/main").status, 200u) << door;
        }
    }
    // And goes on being answered while the attack lasts.
    void expect_answers_during(std::size_t at, const std::function<void()>& attack) const {
        auto under_way = std::async(std::launch::async, attack);
        do {
            expect_answers(at);
        } while (under_way.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready);
        under_way.get();
        expect_answers(at);
    }
    // The same leader in the same epoch all the time, and not much more memory than before.
    void expect_unmoved() const {
        for (std::size_t at = 0; at < 3; ++at) {
            EXPECT_EQ(standing(at), before_[at]) << logs();
            EXPECT_LT(resident(at), memory_[at] + memory_bound) << "kB of node " << at + 1;
        }
    }

    // Half of what this process may have open, which is made as much as the system allows: the rest
    // is for the test itself.
    static std::size_t descriptors() {
        rlimit files{};
        ::getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = files.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &files);
        return files.rlim_cur / 2;
    }
    // Comes with `number` connections that each say `words` and wait. As many as possible are open
    // at once; where the system allows fewer, those who have waited longest make way.
    static void crowd(const std::string& address, std::size_t number, const std::string& words) {
        const std::size_t at_once = std::min(number, descriptors());
        std::deque<net::RawClient> all;
        for (std::size_t come = 0; come < number; ++come) {
            if (all.size() == at_once) all.pop_front();
            all.emplace_back(address).send(words);
        }
    }

private:
    static constexpr const char* patience = "CONCLAVE_DETECTOR_DETECT_WITHIN";  // of our children

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static constexpr std::size_t memory_bound = 1024 * 1024;  // kB; they keep what was freed
#else
    static constexpr std::size_t memory_bound = 64 * 1024;
#endif

    Standing standing(std::size_t at) const {
        Endpoint endpoint;
        endpoint.urls = cluster->processes()[at].endpoint();
        endpoint.timeout = "60s";
        const Reply reply = ask(endpoint, "GET", "/v1/groups/main");
        if (!reply.good() || !reply.body.at("leader").is_string()) return {};
        return {std::string(reply.body.at("leader").as_string()),
                reply.body.at("epoch").to_number<std::uint64_t>(),
                reply.body.at("index").to_number<std::uint64_t>()};
    }
    std::size_t resident(std::size_t at) const {  // kB
        const std::string pid = std::to_string(cluster->processes()[at].pid);
        const std::string status = slurp("/proc/" + pid + "/status");
        std::smatch found;
        const bool there = std::regex_search(status, found, std::regex("VmRSS:\\s+(\\d+)"));
        return there ? std::stoul(found[1]) : 0;
    }

    std::vector<Standing> before_;  // by node
    std::vector<std::size_t> memory_;
};

}  // namespace conclave
