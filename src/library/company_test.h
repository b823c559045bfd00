// library/company_test.h -- for the tests: three nodes inside of this process, between which
// everything is real.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/cluster.h"
#include "cli/run_test.h"
#include "conclave/conclave.hpp"

namespace conclave {

using namespace std::chrono_literals;

constexpr auto long_enough = 60s;  // for any machine
// For what must not be lost while a test looks at it, however busy the machine is.
const std::string long_lease = "lease = \"2s\"\n";

// What callbacks leave for the test, in their order.
template <class T> class Heard {
public:
    void add(T one) {
        const std::lock_guard guard(mutex_);
        all_.push_back(std::move(one));
        changed_.notify_all();
    }
    [[nodiscard]] bool wait_for(const std::function<bool(const std::vector<T>&)>& what) {
        std::unique_lock guard(mutex_);
        return changed_.wait_for(guard, long_enough, [&] { return what(all_); });
    }
    [[nodiscard]] bool wait_for_last(const T& one) {
        return wait_for([&](const auto& all) { return !all.empty() && all.back() == one; });
    }
    std::vector<T> all() {
        const std::lock_guard guard(mutex_);
        return all_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<T> all_;
};

class Company : public Command {
protected:
    void prepare(const std::string& settings = "", const std::string& algorithm = "quorum") {
        Cluster::Plan plan{.folder = folder, .algorithm = algorithm, .group = "work"};
        plan.settings = settings;
        plan.candidate = false;
        auto made = Cluster::prepare(plan);
        ASSERT_TRUE(made) << made.error().what;
        cluster.emplace(std::move(*made));
    }
    Options options(std::size_t at) const {
        Options options = Options::load((cluster->processes()[at].folder / "node.toml").string());
        options.log = [](LogLevel, std::string_view) {};
        options.leave_within = 200ms;  // others need not wait for a long lease of its
        return options;
    }
    void start(std::size_t at) { nodes[at].emplace(Node::start(options(at))); }
    void start_all(const std::string& settings = "", const std::string& algorithm = "quorum") {
        prepare(settings, algorithm);
        if (HasFatalFailure()) return;
        for (std::size_t at = 0; at < nodes.size(); ++at) start(at);
    }

    std::optional<Cluster> cluster;
    std::array<std::optional<Node>, 3> nodes;
};

}  // namespace conclave
