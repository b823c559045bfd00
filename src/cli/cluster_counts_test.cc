// cli/cluster_counts_test.cc -- in a quiet cluster of five real nodes an election sends what the
// simulator says that it sends, type by type.
//
// The simulator plays the same stack as a node: the election on the detector that the node has,
// with the same times, and keys that only their owners know, as a node's are. It is asked for many
// worlds that differ in phases, clocks and delays, and what the wire shows must be one of them.
// Times are ten times as long as usual: what is counted is the algorithm, not a busy machine's
// pauses. The first election is not compared: processes start one after the other, worlds at once.
#include <algorithm>
#include <boost/json/object.hpp>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>

#include "cli/cluster_test.h"

namespace conclave {
namespace {

using Counts = std::map<std::string, std::uint64_t>;  // by type; those that are 0 are left out

Counts operator-(const Counts& after, const Counts& before) {
    Counts difference;
    for (const auto& [type, count] : after) {
        const auto had = before.find(type);
        const std::uint64_t more = count - (had == before.end() ? 0 : had->second);
        if (more > 0) difference[type] = more;
    }
    return difference;
}

struct Matter {
    std::string algorithm;
    std::string settings, times;  // the same, for the node and for the simulator
    // Questions that are asked for ever, every so often, and their answers: how many there are
    // depends on when one looks.
    std::string question{}, answer{};

    bool periodic(const std::string& type) const { return type == question || type == answer; }
};

Matter synchronous(const std::string& algorithm, const std::string& question = "",
                   const std::string& answer = "") {
    return {algorithm, "tm = \"500ms\"\ntp = \"500ms\"\n", " --tm 500 --tp 500", question, answer};
}

class Counted : public RealCluster {
protected:
    static constexpr std::size_t nodes = 5;

    Counted() { ::setenv(detection, "4500ms", 1); }
    ~Counted() override { ::unsetenv(detection); }

    // --- On the wire. ---

    Counts sent_by(std::size_t at) const {
        Counts sent;
        const Reply reply = ask_node(at, "/v1/groups/main");
        if (!reply.good()) return sent;  // not up yet, or busy: nobody is calm then
        for (const auto& [type, count] : reply.body.at("messages").as_object()) {
            sent[type] = count.at("sent").to_number<std::uint64_t>() +
                         count.at("repair").to_number<std::uint64_t>();
        }
        return sent;
    }
    Counts sent(const Matter& matter) const {  // by those that live, and not only periodically
        Counts sum;
        for (std::size_t at = 0; at < nodes; ++at) {
            if (cluster->processes()[at].pid < 0) continue;
            for (const auto& [type, count] : sent_by(at)) {
                if (!matter.periodic(type)) sum[type] += count;
            }
        }
        return sum;
    }
    // All name one leader, and nothing is sent any more for longer than any timer of theirs takes.
    Counts calm(const Matter& matter, const std::string& leader = "n") {
        using Clock = std::chrono::steady_clock;
        Counts last;
        Clock::time_point since = Clock::now();
        EXPECT_TRUE(comes_true([&] {
            const std::string named = named_by_all();
            const Counts now = sent(matter);
            const bool led = named.starts_with(leader) && named != "nobody";
            if (now != last || !led) since = Clock::now();
            last = now;
            return Clock::now() - since > std::chrono::seconds(6);
        })) << logs();
        return last;
    }
    Counts failover_on_the_wire(const Matter& matter) {
        prepare(matter.algorithm, nodes, matter.settings);
        restart();
        Counts before = calm(matter);
        const std::string leader = named_by_all();
        expect_answered_questions(matter);
        const Counts own = sent_by(place(leader));
        EXPECT_FALSE(own.empty());
        for (const auto& [type, count] : own) {
            if (!matter.periodic(type)) before[type] -= count;
        }
        kill(place(leader));
        EXPECT_TRUE(comes_true([&] { return named_by_all() != leader; }));
        return calm(matter) - before;
    }
    // At rest there is a round of questions now and then, N - 1 of them, and every one is answered.
    void expect_answered_questions(const Matter& matter) const {
        if (matter.question.empty()) return;
        constexpr std::uint64_t round = nodes - 1;
        const auto sum = [&](const std::string& type) {
            std::uint64_t all = 0;
            for (std::size_t at = 0; at < nodes; ++at) all += sent_by(at)[type];
            return all;
        };
        const std::uint64_t answered = sum(matter.answer), asked = sum(matter.question);
        EXPECT_TRUE(comes_true([&] { return sum(matter.question) >= asked + round; }));
        EXPECT_TRUE(comes_true([&] { return sum(matter.answer) >= answered + round; }));
        const std::uint64_t answers = sum(matter.answer) - answered;
        EXPECT_LE(answers, sum(matter.question) - asked + round) << "one that was on its way";
    }

    // --- In the simulator. ---

    bool simulator_has(const Matter& matter) const {
        return run("algorithms " + matter.algorithm + "-on-heartbeat").exit == 0;
    }
    Ran simulate(const Matter& matter, const std::string& world) const {
        Ran ran = run("sim " + matter.algorithm + " --nodes 5 --detector heartbeat" +
                      " --set period=1500 --set margin=3000 --set sparing=on --delay 0.1..3" +
                      " --attr 1=x:1,2=x:1,3=x:1,4=x:1,5=x:1" + matter.times + world + " -o json");
        EXPECT_EQ(ran.exit, 0) << ran.err;
        return ran;
    }
    static Counts counts_of(const Matter& matter, const Ran& ran) {
        Counts counts;
        const boost::json::value report = ran.json();
        for (const auto& [type, count] : report.at("messages").at("by_type").as_object()) {
            const bool counted = !matter.periodic(type) && type != "Beat";
            if (counted) counts[type] = count.to_number<std::uint64_t>();
        }
        return counts;
    }
    // A world with clocks of its own; in every other one they do not drift apart.
    static std::string world_of(unsigned seed, std::minstd_rand& dice) {
        std::string world = " --seed " + std::to_string(seed);
        for (std::size_t id = 1; id <= nodes && seed % 2 == 0; ++id) {
            const double rate = 1 + (static_cast<double>(dice() % 1001) - 500) / 1e5;
            world +=
                (id == 1 ? " --drift " : ",") + std::to_string(id) + "=" + std::to_string(rate);
        }
        return world;
    }
    // What comes of `deed` ("crash LEADER@TIME") in many worlds, until so long afterwards.
    std::set<Counts> in_the_simulator(const Matter& matter, const std::string& deed,
                                      const std::string& request = "",
                                      unsigned rest = 20'000) const {
        constexpr unsigned worlds = 60;
        std::set<Counts> seen;
        for (unsigned seed = 1; seed <= worlds; ++seed) {
            std::minstd_rand dice(seed);
            const std::string world = world_of(seed, dice);
            const unsigned when = 30'000 + static_cast<unsigned>(dice() % 10'000);
            const Ran before = simulate(matter, world + " --until " + std::to_string(when - 1));
            const auto leader = before.json().at("leader").at("1").to_number<unsigned>();
            const Ran after =
                simulate(matter, world + " --until " + std::to_string(when + rest) + deed +
                                     std::to_string(leader) + "@" + std::to_string(when) + request);
            seen.insert(counts_of(matter, after) - counts_of(matter, before));
        }
        return seen;
    }

    // --- Side by side. ---

    static void expect_one_of(const Counts& wire, const std::set<Counts>& seen) {
        std::cout << "on the wire " << testing::PrintToString(wire) << "\nin the simulator "
                  << testing::PrintToString(seen) << "\n";
        EXPECT_TRUE(seen.contains(wire));
    }
    // Every type within what the simulator shows of it: where there are more ways than worlds.
    static void expect_within(const Counts& wire, const std::set<Counts>& seen) {
        Counts types = wire;
        for (const Counts& one : seen) types.insert(one.begin(), one.end());
        for (const auto& [name, ignored] : types) {
            const auto of = [type = name](const Counts& counts) {
                const auto found = counts.find(type);
                return found == counts.end() ? 0 : found->second;
            };
            std::uint64_t least = of(*seen.begin()), most = least;
            for (const Counts& one : seen) {
                least = std::min(least, of(one));
                most = std::max(most, of(one));
            }
            std::cout << name << ": " << of(wire) << " on the wire, " << least << " to " << most
                      << " in the simulator\n";
            EXPECT_GE(of(wire), least) << name;
            EXPECT_LE(of(wire), most) << name;
        }
    }

    static constexpr const char* detection = "CONCLAVE_DETECTOR_DETECT_WITHIN";  // of our children
};

class CountedElection : public Counted, public testing::WithParamInterface<Matter> {};

TEST_P(CountedElection, AFailoverCostsWhatTheSimulatorSays) {
    const Matter& matter = GetParam();
    if (!simulator_has(matter)) GTEST_SKIP() << "this build has no stack of it";
    expect_one_of(failover_on_the_wire(matter), in_the_simulator(matter, " --crash "));
}

INSTANTIATE_TEST_SUITE_P(
    Catalog, CountedElection,
    testing::Values(synchronous("bully"), synchronous("ring"), synchronous("ring-list"),
                    Matter{"quorum", "lease = \"2s\"\n", " --tm 90 --tp 20", "Renew", "Renewed"}),
    [](const auto& of) {
        std::string name = of.param.algorithm;
        std::erase(name, '-');
        return name;
    });

// How often somebody looks around before one of them has found all depends on every phase, and who
// leads goes on looking now and then for the one that is missing: at rest is between two moments.
class CountedReorganisation : public CountedElection {};

TEST_P(CountedReorganisation, AFailoverCostsWhatTheSimulatorSays) {
    const Matter& matter = GetParam();
    if (!simulator_has(matter)) GTEST_SKIP() << "this build has no stack of it";
    const Counts wire = failover_on_the_wire(matter);
    std::set<Counts> seen = in_the_simulator(matter, " --crash ");
    seen.merge(in_the_simulator(matter, " --crash ", "", 40'000));
    expect_within(wire, seen);
}

INSTANTIATE_TEST_SUITE_P(Catalog, CountedReorganisation,
                         testing::Values(synchronous("garcia-molina", "AreYouNormal",
                                                     "NormalAnswer"),
                                         synchronous("invitation", "AreYouThere", "ThereAnswer")),
                         [](const auto& of) {
                             std::string name = of.param.algorithm;
                             std::erase(name, '-');
                             return name;
                         });

TEST_F(Counted, AResignationCostsWhatTheSimulatorSays) {
    const Matter quorum{"quorum", "lease = \"2s\"\n", " --tm 90 --tp 20", "Renew", "Renewed"};
    if (!simulator_has(quorum)) GTEST_SKIP() << "this build has no stack of it";
    prepare(quorum.algorithm, nodes, quorum.settings);
    restart();
    const Counts before = calm(quorum);
    const std::string leader = named_by_all();
    ASSERT_TRUE(
        ask_node(place(leader), "/v1/groups/main/resign", "POST", boost::json::object{}).good());
    ASSERT_TRUE(comes_true([&] { return named_by_all() != leader; }));
    expect_one_of(calm(quorum) - before, in_the_simulator(quorum, " --ask ", ":Resign"));
}

TEST_F(Counted, AnAppointmentCostsWhatTheSimulatorSays) {
    const Matter appointed = synchronous("appointed", "Enquire", "Enquire");
    if (!simulator_has(appointed)) GTEST_SKIP() << "this build has no stack of it";
    prepare(appointed.algorithm, nodes, appointed.settings);
    restart();
    const auto appoint = [&](const char* whom) {
        return ask_node(0, "/v1/groups/main/appoint", "POST", boost::json::object{{"node", whom}})
            .good();
    };
    ASSERT_TRUE(comes_true([&] { return appoint("n5"); }));
    const Counts before = calm(appointed, "n5");
    ASSERT_TRUE(appoint("n4"));
    const Counts wire = calm(appointed, "n4") - before;
    const std::string first = " --ask 1@1000:'Appoint 5'", second = " --ask 1@9000:'Appoint 4'";
    const Ran once = simulate(appointed, " --until 20000" + first);
    const Ran twice = simulate(appointed, " --until 20000" + first + second);
    expect_one_of(wire, {counts_of(appointed, twice) - counts_of(appointed, once)});
}

}  // namespace
}  // namespace conclave
