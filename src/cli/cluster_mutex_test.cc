// cli/cluster_mutex_test.cc -- the five classic mutual exclusions between five real processes.
//
// Every node hosts all five. Times are ten times as long as usual: what is looked at is the
// algorithm, not a busy machine's pauses.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/background_test.h"
#include "cli/cluster_test.h"

namespace conclave {
namespace {

using Counts = std::map<std::string, std::uint64_t>;  // by type; those that are 0 are left out

struct Classic {
    std::string name;
    std::string simulated;  // how the simulator is asked for what a node runs

    bool led() const { return simulated.find("-on-") != std::string::npos; }
};
const std::array classics{
    Classic{"central", "central-on-quorum"},
    Classic{"token-ring", "token-ring-on-quorum --set park=true"},
    Classic{"ricart-agrawala", "ricart-agrawala"},
    Classic{"maekawa", "maekawa"},
    Classic{"path-token", "path-token-on-quorum"},
};

// Of a leader that goes on leading, by the clock: how many depends on when one looks.
bool periodic(const std::string& type) { return type == "Renew" || type == "Renewed"; }

Counts operator-(const Counts& after, const Counts& before) {
    Counts difference;
    for (const auto& [type, count] : after) {
        const auto had = before.find(type);
        const std::uint64_t more = count - (had == before.end() ? 0 : had->second);
        if (more > 0) difference[type] = more;
    }
    return difference;
}

class MutexCluster : public RealCluster {
protected:
    static constexpr std::size_t nodes = 5;

    ~MutexCluster() override {
        for (const char* variable : {within, kind}) ::unsetenv(variable);
    }
    void TearDown() override {
        if (cluster) kill_all();
        RealCluster::TearDown();
    }

    // With a detector that says who has failed, unless it is to say nothing.
    void live(const std::string& lease, const char* detector = "ping", bool record = false) {
        ::setenv(within, "5s", 1);
        ::setenv(kind, detector, 1);
        std::string settings = "lease = \"" + lease + "\"\n";
        settings += "[locks]\nserve = false\nsession_max = \"80s\"\n";
        for (const Classic& one : classics) {
            settings += "[mutex." + one.name + "]\nalgorithm = \"" + one.name + "\"\n";
            if (one.led()) settings += "lease = \"" + lease + "\"\n";
        }
        Cluster::Plan plan = plan_of("quorum", nodes, settings);
        plan.record = record;
        ASSERT_NO_FATAL_FAILURE(prepare(plan));
        open_all();
    }
    void open_all() {
        ASSERT_NO_FATAL_FAILURE(restart());
        for (std::size_t node = 0; node < nodes; ++node) {
            ASSERT_TRUE(comes_true([&] { return ask_node(node, "/v1/mutex").good(); })) << logs();
        }
    }

    std::string at(std::size_t node) const { return "--endpoint " + process(node).endpoint(); }
    // As a client of this node, in a command line that `rest` ends.
    std::string lock(std::size_t node, const Classic& mutex, const std::string& rest) const {
        return at(node) + " lock the-" + mutex.name + " --mutex " + mutex.name + " " + rest;
    }
    Ran try_lock(std::size_t node, const Classic& mutex, const std::string& rest) const {
        return run(lock(node, mutex, rest), "timeout 120");
    }
    std::filesystem::path file(const std::string& name) const { return folder / name; }

    // A client of this node enters and leaves, without a process of its own.
    void visit(std::size_t node, const Classic& mutex) const {
        using boost::json::object;
        Endpoint endpoint;
        endpoint.urls = process(node).endpoint();
        endpoint.timeout = "90s";
        const Reply opened = ask(endpoint, "POST", "/v1/sessions", object{{"ttl", "80s"}});
        ASSERT_TRUE(opened.good());
        const object asking{{"session", opened.body.at("session")}, {"wait", "60s"}};
        const std::string there = "/v1/mutex/" + mutex.name;
        ASSERT_TRUE(ask(endpoint, "POST", there + "/enter", asking).good())
            << mutex.name << " at " << process(node).name << "\n"
            << logs();
        ASSERT_TRUE(ask(endpoint, "POST", there + "/leave", asking).good()) << mutex.name;
        ask(endpoint, "DELETE", "/v1/sessions/" + std::string(asking.at("session").as_string()));
    }

    static constexpr const char* within = "CONCLAVE_DETECTOR_DETECT_WITHIN";  // of our children
    static constexpr const char* kind = "CONCLAVE_DETECTOR_KIND";
};

// --- How many messages. ---

class CountedMutex : public MutexCluster {
protected:
    // Who enters after a first one that shows that all are ready; by places.
    static constexpr std::size_t first = 4;
    static constexpr std::array<std::size_t, 7> visitors{0, 1, 2, 3, 4, 2, 0};

    Counts sent(const Classic& mutex) const {  // by all
        Counts sum;
        for (std::size_t node = 0; node < nodes; ++node) {
            const Reply reply = ask_node(node, "/v1/groups/mutex." + mutex.name);
            if (!reply.good()) continue;
            for (const auto& [type, count] : reply.body.at("messages").as_object()) {
                if (periodic(type)) continue;
                sum[type] += count.at("sent").to_number<std::uint64_t>() +
                             count.at("repair").to_number<std::uint64_t>();
            }
        }
        return sum;
    }
    // The last messages of a stay may still be answered.
    Counts settled(const Classic& mutex) const {
        using Clock = std::chrono::steady_clock;
        Counts last;
        Clock::time_point since = Clock::now();
        EXPECT_TRUE(comes_true([&] {
            const Counts now = sent(mutex);
            if (now != last) since = Clock::now();
            last = now;
            return Clock::now() - since > std::chrono::milliseconds(400);
        }));
        return last;
    }
    Counts on_the_wire(const Classic& mutex) const {
        visit(first, mutex);
        const Counts before = settled(mutex);
        for (const std::size_t node : visitors) visit(node, mutex);
        return settled(mutex) - before;
    }

    Counts simulate(const Classic& mutex, unsigned seed, std::size_t visits) const {
        constexpr unsigned begin = 20'000, apart = 400, inside = 200;
        std::string command = "sim " + mutex.simulated + " --nodes 5 --requests 0 --detector none" +
                              " --delay 0.1..3 --tm 135 --tp 30 --seed " + std::to_string(seed) +
                              " --until 24000";
        const auto add = [&](std::size_t place, unsigned when) {
            const auto ask = [&](unsigned time, const char* what) {
                command.append(" --ask ").append(std::to_string(place + 1)).append("@");
                command.append(std::to_string(time)).append(":").append(what);
            };
            ask(when, "Enter");
            ask(when + inside, "Leave");
        };
        add(first, begin);
        for (std::size_t i = 0; i < visits; ++i) {
            add(visitors[i], begin + apart * static_cast<unsigned>(i + 1));
        }
        const Ran ran = run(command + " -o json");
        EXPECT_EQ(ran.exit, 0) << ran.err;
        const boost::json::value report = ran.json();
        EXPECT_EQ(report.at("entries").to_number<std::size_t>(), visits + 1);
        Counts counts;
        for (const auto& [type, count] : report.at("messages").at("by_type").as_object()) {
            if (!periodic(type)) counts[type] = count.to_number<std::uint64_t>();
        }
        return counts;
    }
    // Who leads, and so where the token is made, depends on the world: what the wire shows must be
    // one of them.
    void expect_simulated(const Classic& mutex, const Counts& wire) const {
        constexpr unsigned worlds = 60;
        Counts simulated;
        for (unsigned seed = 1; seed <= worlds; ++seed) {
            simulated = simulate(mutex, seed, visitors.size()) - simulate(mutex, seed, 0);
            if (simulated == wire) break;
        }
        std::cout << mutex.name << ": " << testing::PrintToString(wire) << "\n";
        EXPECT_EQ(wire, simulated) << mutex.name << ", in the last of all worlds";
    }
};

TEST_F(CountedMutex, EachSendsWhatTheSimulatorSays) {
    ASSERT_NO_FATAL_FAILURE(live("3s", "accrual"));
    for (const Classic& mutex : classics) {
        if (run("algorithms " + mutex.simulated.substr(0, mutex.simulated.find(' '))).exit != 0) {
            GTEST_SKIP() << "this build has no " << mutex.simulated;
        }
        const Counts wire = on_the_wire(mutex);
        ASSERT_FALSE(HasFatalFailure());
        expect_simulated(mutex, wire);
    }
}

// --- One at a time. ---

// Clients at all nodes, two after the other at each, all at once, each of which says when it is in
// and when it is out; and the recordings of the nodes, in which the algorithm's own properties are
// looked for.
TEST_F(MutexCluster, OneIsInsideAtATime) {
    ASSERT_NO_FATAL_FAILURE(live("3s", "accrual", true));
    std::string script;
    for (const Classic& mutex : classics) {
        const std::string diary = file(mutex.name).string();
        for (std::size_t node = 0; node < nodes; ++node) {
            script += "(for i in 1 2; do timeout 120 " CONCLAVE_BINARY " " +
                      lock(node, mutex,
                           "-- sh -c 'echo in $$ $CONCLAVE_LOCK $CONCLAVE_MUTEX >>" + diary +
                               "; echo out $$ >>" + diary + "'") +
                      " 2>>" + diary + ".err || echo failed $? >>" + diary + "; done) &\n";
        }
    }
    write_script(file("rush"), script + "wait\n");
    ASSERT_EQ(std::system(file("rush").c_str()), 0);
    for (const Classic& mutex : classics) {
        std::istringstream diary(slurp(file(mutex.name)));
        std::size_t stays = 0;
        std::string in, out;
        while (std::getline(diary, in) && std::getline(diary, out)) {
            const std::string who = in.substr(3, in.find(' ', 3) - 3);
            const std::string label = "the-" + mutex.name + " " + mutex.name;
            EXPECT_EQ(in, "in " + who + " " + label) << slurp(file(mutex.name + ".err"));
            EXPECT_EQ(out, "out " + who);
            ++stays;
        }
        EXPECT_EQ(stays, 2 * nodes) << mutex.name << "\n" << slurp(file(mutex.name + ".err"));
    }
    cluster->stop();
    std::string folders;
    for (const auto& one : cluster->processes()) folders += " " + (one.folder / "record").string();
    for (const Classic& mutex : classics) {
        const Ran replayed = run("replay --group mutex." + mutex.name + folders);
        EXPECT_EQ(replayed.exit, 0) << replayed.err;
        EXPECT_NE(replayed.out.find("every property holds"), std::string::npos) << mutex.name;
        EXPECT_NE(replayed.out.find("tells Entered"), std::string::npos) << mutex.name;
    }
}

TEST_F(MutexCluster, WhoIsInsideKeepsOthersOutUntilItIsKilled) {
    ASSERT_NO_FATAL_FAILURE(live("3s", "accrual"));
    std::vector<std::unique_ptr<Background>> holders;
    for (const Classic& mutex : classics) {
        holders.push_back(
            std::make_unique<Background>(lock(1, mutex, ""), file("holder-" + mutex.name)));
        EXPECT_EQ(holders.back()->first_line(), "the-" + mutex.name);
        EXPECT_EQ(try_lock(1, mutex, "-n -E 9 -- true").exit, 9) << "another client of the node";
        EXPECT_EQ(try_lock(3, mutex, "-w 100ms -- true").exit, 75);
        const auto view = said_at(process(1).endpoint(), "/v1/mutex/" + mutex.name);
        EXPECT_EQ(view.at("section").as_string(), "inside");
    }
    for (const auto& holder : holders) holder->signal(SIGKILL);
    for (const Classic& mutex : classics) {
        EXPECT_EQ(try_lock(3, mutex, "-- sh -c 'exit 7'").exit, 7) << mutex.name << logs();
        Background next(lock(0, mutex, ""), file("next-" + mutex.name));
        EXPECT_EQ(next.first_line(), "the-" + mutex.name);
        next.end_input();
        EXPECT_EQ(next.exit_code(), 0);
    }
}

// --- A member ends, or dies. ---

// Here nobody is ever said to have failed: the next one is let in because the node has left.
TEST_F(MutexCluster, ANodeThatIsToldToEndLeavesFirst) {
    ASSERT_NO_FATAL_FAILURE(live("2s", "accrual"));
    const Classic& mutex = classics[2];
    Background holder(lock(1, mutex, "-- sh -c 'echo up; sleep 1000'"), file("holder"));
    EXPECT_EQ(holder.first_line(), "up") << logs();
    Background heir(lock(3, mutex, "-- true"), file("heir"));
    ASSERT_TRUE(comes_true([&] {
        const auto view = said_at(process(3).endpoint(), "/v1/mutex/" + mutex.name);
        return view.is_object() && view.at("section") == "waiting";
    }));
    kill(1, SIGTERM);
    EXPECT_EQ(heir.exit_code(), 0) << heir.said() << logs();
    EXPECT_EQ(holder.exit_code(), 79) << holder.said();
    EXPECT_EQ(end_of(1), "n2 ended with exit code 0");
}

// With a client of its inside all of them: that one's command is gone before anybody else's runs.
TEST_F(MutexCluster, WhenAMemberDiesTheOthersGoOn) {
    ASSERT_NO_FATAL_FAILURE(live("2s"));
    constexpr std::size_t killed = 2;
    std::vector<std::unique_ptr<Background>> holders, heirs;
    for (const Classic& mutex : classics) {
        holders.push_back(std::make_unique<Background>(
            lock(killed, mutex,
                 "-- sh -c 'trap \"cat /proc/uptime; exit\" TERM; echo up; "
                 "while :; do sleep 0.02; done'"),
            file("holder-" + mutex.name)));
        EXPECT_EQ(holders.back()->first_line(), "up") << logs();
    }
    for (const Classic& mutex : classics) {
        heirs.push_back(std::make_unique<Background>(lock(4, mutex, "-- cat /proc/uptime"),
                                                     file("heir-" + mutex.name)));
    }
    kill(killed);
    for (std::size_t i = 0; i < classics.size(); ++i) {
        const double begun = std::stod(heirs[i]->first_line());
        EXPECT_EQ(heirs[i]->exit_code(), 0);
        EXPECT_EQ(holders[i]->exit_code(), 79) << holders[i]->said();
        const std::string said = slurp(file("holder-" + classics[i].name));
        EXPECT_LT(std::stod(said.substr(said.find('\n') + 1)), begun) << classics[i].name;
        EXPECT_EQ(try_lock(0, classics[i], "-- true").exit, 0) << classics[i].name;
    }
    ASSERT_NO_FATAL_FAILURE(open_all());
    for (const Classic& mutex : classics) {
        EXPECT_EQ(try_lock(killed, mutex, "-- true").exit, 0) << mutex.name << logs();
    }
}

// --- What is asked badly. ---

TEST_F(RealCluster, AMutexThatIsNotConfiguredIsNamed) {
    start("quorum", 1);
    expect_leader("n1");
    const std::string lock = "--endpoint " + process(0).endpoint() + " lock press ";
    const Ran ran = run(lock + "--mutex press -- true");
    EXPECT_NE(ran.exit, 0);
    EXPECT_NE(ran.err.find("no [mutex.press]"), std::string::npos) << ran.err;
    EXPECT_EQ(run(lock + "--mutex press -s -- true").exit, 64);
    EXPECT_EQ(run(lock + "--mutex press --slots 2 -- true").exit, 64);
}

}  // namespace
}  // namespace conclave
