// cli/cluster_chaos_test.cc -- five nodes and twenty clients, to whom everything happens at random;
// what they did meanwhile is judged afterwards.
//
// CHAOS_SECONDS: for how long (`make chaos`: ten minutes). CHAOS_SEED: what happens; when each
// process gets to run is up to the machine, so the same seed is the same sort of run, not the same
// run. If it fails all files are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cli/cluster_test.h"
#include "cli/crowd_test.h"
#include "cli/lock_history_test.h"
#include "cli/relay_test.h"
#include "cli/tenures_test.h"
#include "net/clock.h"
#include "sim/dice.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text ? std::stoull(text) : otherwise;
}

class Chaos : public RealCluster {
protected:
    void SetUp() override {
        if (seconds == 0) GTEST_SKIP() << "it takes a minute; CHAOS_SECONDS=60 runs it here, too";
        std::printf("CHAOS_SECONDS=%llu CHAOS_SEED=%llu\n",
                    static_cast<unsigned long long>(seconds),
                    static_cast<unsigned long long>(seed));
        std::fflush(stdout);
        // A node that is stopped cannot obey the SIGTERM that ends the nodes of a test with it.
        Cluster::Plan plan = plan_of("quorum", node_count, "[locks]\nsession_max = \"1s\"\n");
        plan.program = folder / "node";
        write_script(plan.program, "exec setpriv --pdeathsig KILL '" CONCLAVE_BINARY "' \"$@\"\n");
        plan.road = [this](std::uint32_t from, std::uint32_t to, const std::string& listen) {
            return relay.open(from, to, listen);
        };
        prepare(plan);
        restart();
        crowd.emplace(client_count, folder / "clients");
        for (std::size_t at = 0; at < crowd->size(); ++at) start_client(at);
    }
    void TearDown() override {
        crowd.reset();
        RealCluster::TearDown();
        if (!HasFailure()) return;
        const auto kept = folder.parent_path() / ("conclave-chaos-" + std::to_string(seed));
        std::filesystem::remove_all(kept);
        std::filesystem::rename(folder, kept);
        std::printf("CHAOS_SEED=%llu failed; all files are in %s\n",
                    static_cast<unsigned long long>(seed), kept.c_str());
    }

    // --- What happens. ---------------------------------------------------------------------------

    void something_happens() {
        struct Fault {
            std::uint64_t weight;
            void (Chaos::*happens)();
        };
        static constexpr std::array faults{
            Fault{4, &Chaos::a_node_is_killed},     Fault{3, &Chaos::a_node_is_stopped},
            Fault{1, &Chaos::a_node_leaves},        Fault{4, &Chaos::some_are_cut_off},
            Fault{5, &Chaos::a_client_is_killed},   Fault{5, &Chaos::some_clients_are_stopped},
            Fault{1, &Chaos::all_nodes_are_killed},
        };
        std::uint64_t all = 0;
        for (const Fault& fault : faults) all += fault.weight;
        std::uint64_t drawn = dice.below(all);
        for (const Fault& fault : faults) {
            if (drawn < fault.weight) return (this->*fault.happens)();
            drawn -= fault.weight;
        }
    }
    void a_node_is_killed() {
        if (const auto at = some_node()) kill_node(*at);
    }
    void a_node_is_stopped() {
        const auto at = some_node();
        if (!at) return;
        note("stop " + process(*at).name);
        hurt.insert(*at);
        signal_node(*at, SIGSTOP);
        later(dice.between(50ms, 3s), [this, at] {
            note("continue " + process(*at).name);
            hurt.erase(*at);
            signal_node(*at, SIGCONT);
        });
    }
    void a_node_leaves() {
        const auto at = some_node();
        if (!at || !leaving.insert(*at).second) return;
        note("end " + process(*at).name);
        signal_node(*at, SIGTERM);
    }
    void some_are_cut_off() {
        std::set<std::size_t> some;
        const std::uint64_t number = 1 + dice.below(2);
        while (some.size() < number) {
            const auto at = some_node();
            if (!at) break;
            hurt.insert(*at);
            some.insert(*at);
        }
        const Relay::Way said = some_way(), heard = some_way();
        for (const std::size_t at : some) note("cut off " + process(at).name);
        set_links(some, said, heard);
        later(dice.between(50ms, 3s), [this, some] {
            for (const std::size_t at : some) {
                note("heal " + process(at).name);
                hurt.erase(at);
            }
            set_links(some, {}, {});
        });
    }
    void a_client_is_killed() {
        const std::size_t at = dice.below(crowd->size());
        if (!crowd->alive(at)) return;
        note("kill " + crowd->name(at));
        crowd->kill(at);
        later(dice.between(0ms, 2s), [this, at] {
            note("start " + crowd->name(at));
            start_client(at);
        });
    }
    // Several, so that some of them hold a lock, and for longer than it lasts.
    void some_clients_are_stopped() {
        for (std::uint64_t more = 1 + dice.below(4); more > 0; --more) stop_client();
    }
    void stop_client() {
        const std::size_t at = dice.below(crowd->size());
        note("stop " + crowd->name(at));
        crowd->signal(at, SIGSTOP);
        later(dice.between(50ms, 3s), [this, at] {
            note("continue " + crowd->name(at));
            crowd->signal(at, SIGCONT);
        });
    }
    void all_nodes_are_killed() {
        for (const std::size_t at : everybody()) kill_node(at);
    }

    // --- How. ------------------------------------------------------------------------------------

    // One who is well, while a majority is: a run without any leader would show little.
    std::optional<std::size_t> some_node() {
        Places well;
        for (const std::size_t at : everybody()) {
            if (process(at).pid > 0 && !hurt.contains(at)) well.push_back(at);
        }
        if (well.size() <= node_count / 2 + 1) return std::nullopt;
        return well[dice.below(well.size())];
    }
    void signal_node(std::size_t at, int signal) const {
        if (process(at).pid > 0) ::kill(process(at).pid, signal);
    }
    void kill_node(std::size_t at) {
        if (process(at).pid < 0) return;
        note("kill " + process(at).name);
        signal_node(at, SIGKILL);
        siginfo_t end;
        ::waitid(P_PID, static_cast<id_t>(process(at).pid), &end, WEXITED | WNOWAIT);
    }
    Relay::Way some_way() {
        const std::array ways{Relay::Way{}, Relay::Way{.cut = true}, Relay::Way{.stalled = true},
                              Relay::Way{.delay = dice.between(10ms, 500ms)}};
        return ways[dice.below(ways.size())];
    }
    // Between these and all others.
    void set_links(const std::set<std::size_t>& some, const Relay::Way& said,
                   const Relay::Way& heard) {
        const auto id = [](std::size_t place) { return static_cast<std::uint32_t>(place + 1); };
        for (const std::size_t at : some) {
            for (const std::size_t other : everybody()) {
                if (some.contains(other)) continue;
                relay.set(id(at), id(other), said);
                relay.set(id(other), id(at), heard);
            }
        }
    }
    // Most know all nodes, and prefer another one each; some have only one.
    void start_client(std::size_t at) {
        std::vector<std::string> endpoints;
        for (const Cluster::Process& one : cluster->processes())
            endpoints.push_back(one.endpoint());
        std::rotate(endpoints.begin(), endpoints.begin() + static_cast<int>(at % node_count),
                    endpoints.end());
        if (at % 4 == 0) endpoints.resize(1);
        crowd->start(at, dice.next(), endpoints);
    }
    void later(Duration wait, std::function<void()> what) {
        repairs.emplace(net::now() + wait, std::move(what));
    }
    void repair_what_is_due(Instant until) {
        while (!repairs.empty() && repairs.begin()->first <= until) {
            const auto what = std::move(repairs.begin()->second);
            repairs.erase(repairs.begin());
            what();
        }
    }
    // Nodes that have ended come back after a while, together with those that end meanwhile.
    void look_after_nodes() {
        for (const std::string& words : cluster->ended()) {
            const std::size_t at = place(words.substr(0, words.find(' ')));
            // Who has only just been started does not listen for the signal yet.
            const bool left = leaving.erase(at) > 0 && (words.ends_with("ended with exit code 0") ||
                                                        words.ends_with("killed by signal 15"));
            EXPECT_TRUE(left || words.ends_with("was killed by signal 9")) << words << "\n"
                                                                           << log_of(at);
            if (!back_at) back_at = net::now() + dice.between(100ms, 3s);
        }
        if (!back_at || net::now() < *back_at) return;
        back_at.reset();
        note("start all nodes that have ended");
        restart();
    }
    void note(const std::string& what) {
        ++notes;
        std::ofstream(folder / "faults", std::ios::app)
            << net::now().time_since_epoch().count() << " " << what << "\n";
    }

    // --- The run. --------------------------------------------------------------------------------

    void make_chaos() {
        const Instant end = net::now() + std::chrono::seconds(seconds);
        for (Instant next = net::now(); net::now() < end && !HasFailure();) {
            repair_what_is_due(net::now());
            look_after_nodes();
            crowd->expect_all_alive();
            if (net::now() >= next) {
                something_happens();
                next = net::now() + dice.between(100ms, 1200ms);
            }
            std::this_thread::sleep_for(10ms);
        }
    }
    void expect_all_are_well_in_the_end() {
        repair_what_is_due(Instant::max());
        ASSERT_TRUE(comes_true([this] {
            look_after_nodes();
            return leaving.empty() && !back_at;
        }));
        calm_since = net::now();
        note("calm");
        EXPECT_NE(agreed_leader(), "");
        std::set<std::size_t> waiting;
        for (std::size_t at = 0; at < crowd->size(); ++at) waiting.insert(at);
        const bool all_served = comes_true([&] {
            std::erase_if(waiting, [this](auto at) { return has_held_since(at, calm_since); });
            return waiting.empty();
        });
        EXPECT_TRUE(all_served) << waiting.size() << " clients get no lock any more, the first is "
                                << crowd->name(*waiting.begin());
        crowd->expect_all_alive();
        crowd->expect_all_end();
    }
    bool has_held_since(std::size_t at, Instant moment) const {
        const LockHistory history = crowd->history_of(at);
        return std::ranges::any_of(
            history.grants, [&](const LockGrant& one) { return one.from > moment && one.until; });
    }
    void expect_locks_kept() const {
        const LockHistory history = crowd->history();
        std::map<std::string, int> held;  // by lock
        Duration longest{};
        for (const LockGrant& one : history.grants) held[one.lock] += one.until.has_value();
        for (const LockWait& one : history.waits)
            longest = std::max(longest, one.answered.value_or(one.asked) - one.asked);
        for (const auto& [lock, times] : held) {
            EXPECT_GT(times, 0) << lock;
            std::printf("%s was held %d times\n", lock.c_str(), times);
        }
        std::printf("%d faults and repairs; the longest wait took %lld ms\n", notes,
                    static_cast<long long>(
                        std::chrono::duration_cast<std::chrono::milliseconds>(longest).count()));
        EXPECT_THAT(broken_by(history, {calm_since, 60s}), testing::IsEmpty());
    }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static constexpr std::uint64_t usual_seconds = 0;
#else
    static constexpr std::uint64_t usual_seconds = 60;
#endif
    static constexpr std::uint32_t node_count = 5;
    static constexpr std::size_t client_count = 20;

    const std::uint64_t seconds = number_from("CHAOS_SECONDS", usual_seconds);
    const std::uint64_t seed = number_from("CHAOS_SEED", std::random_device()());
    Dice dice{seed};
    Relay relay;
    std::optional<Crowd> crowd;
    std::multimap<Instant, std::function<void()>> repairs;
    std::set<std::size_t> hurt;     // nodes that are stopped or cut off
    std::set<std::size_t> leaving;  // and those that were told to end
    std::optional<Instant> back_at;
    Instant calm_since{};
    int notes = 0;
};

TEST_F(Chaos, NoLockHasTwoHoldersNoTokenComesTwiceAndNobodyWaitsForEver) {
    ASSERT_NE(agreed_leader(), "");
    TenureWatch watch(*cluster, 50ms);
    make_chaos();
    expect_all_are_well_in_the_end();
    expect_locks_kept();
    watch.expect_one_after_the_other();
}

}  // namespace
}  // namespace conclave
