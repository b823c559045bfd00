// elect/election_test.cc -- the election problem itself, put to every election of the catalog.
//
// What differs between them is in the table below; the tests know no algorithm by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/simulators.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

using kit::at;
using kit::node;
using Ids = std::vector<std::uint32_t>;
using Options = std::vector<std::pair<std::string, std::string>>;

struct Candidate {
    std::string name;
    Options options{};      // with which its best node leads, whoever calls
    bool majority = false;  // elects nobody where there is none
};
const Candidate candidates[] = {
    {.name = "bully"},
    {.name = "ring"},
    {.name = "ring-list"},
    {.name = "garcia-molina"},
    {.name = "invitation"},
    {.name = "quorum",
     .options = {{"preempt", "graceful"}, {"hysteresis", "0"}},  // else whoever leads stays
     .majority = true},
};
std::ostream& operator<<(std::ostream& out, const Candidate& one) { return out << one.name; }

std::unique_ptr<Simulator> simulator_of(const std::string& name) {
    const auto entry = std::ranges::find(simulators(), name, &SimulatorEntry::name);
    return entry == simulators().end() ? nullptr : entry->make();
}

class Election : public testing::TestWithParam<Candidate> {
protected:
    void SetUp() override {
        simulator_ = simulator_of(GetParam().name);
        ASSERT_TRUE(simulator_) << GetParam().name << " is not in the catalog";
    }
    Report run(Plan plan) const {
        for (const auto& option : GetParam().options) plan.options.push_back(option);
        std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
        const auto wrong = simulator_->refuse(plan);
        EXPECT_FALSE(wrong) << *wrong;
        return simulator_->run(plan);
    }
    // Runs it, expects nothing to be wrong, and all who live to name this node.
    void expect_leader(const Plan& plan, std::uint32_t leader, const std::string& what) const {
        const Report report = run(plan);
        EXPECT_TRUE(report.violations.empty()) << what << "\n" << kit::text(report);
        EXPECT_TRUE(report.agreed) << what;
        for (const auto& [self, named] : report.leaders) {
            EXPECT_EQ(named, node(leader)) << what << ": " << number(self);
        }
    }
    const Candidate& elects() const { return GetParam(); }
    bool enough(std::size_t living, std::size_t all) const {
        return !elects().majority || 2 * living > all;
    }

    std::unique_ptr<Simulator> simulator_;
};

template <class F> void for_each_subset(std::uint32_t n, F visit) {
    for (std::uint32_t bits = 1; bits < 1U << n; ++bits) {
        Ids ids;
        for (std::uint32_t id = 1; id <= n; ++id) {
            if (bits >> (id - 1) & 1U) ids.push_back(id);
        }
        visit(ids);
    }
}
std::string text(const Ids& ids) {
    std::string all;
    for (std::uint32_t id : ids) all += (all.empty() ? "" : ",") + std::to_string(id);
    return all;
}
void cut_between(Plan& plan, double from, double to, const Ids& left, const Ids& right) {
    for (std::uint32_t a : left) {
        for (std::uint32_t b : right) {
            for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
                plan.schedule.push_back({at(from), fault::Cut{node(one), node(other)}});
                plan.schedule.push_back({at(to), fault::Heal{node(one), node(other)}});
            }
        }
    }
}
Ids leading(const Report& report) {
    Ids ids;
    for (const auto& [self, named] : report.leaders) {
        if (named == self) ids.push_back(number(self));
    }
    return ids;
}
// What a node told in a traced run, line by line.
std::vector<std::string> told_by(const Report& report, std::uint32_t id) {
    const std::string start = "\n" + std::to_string(id) + " ";
    std::vector<std::string> lines;
    for (auto from = report.trace.find(start); from != std::string::npos;
         from = report.trace.find(start, from + 1)) {
        lines.push_back(
            report.trace.substr(from + 1, report.trace.find('\n', from + 1) - from - 1));
    }
    return lines;
}

// --- Who calls ----------------------------------------------------------------------------------

// EL-14, EL-15: anybody may call, several may, and on whatever ring they stand.
TEST_P(Election, SameNodeLeadsWhoeverCalls) {
    for (std::uint32_t n = 2; n <= 5; ++n) {
        Ids ring(n);
        for (std::uint32_t at = 0; at < n; ++at) ring[at] = at + 1;
        do {
            for_each_subset(n, [&](const Ids& callers) {
                Plan plan = kit::started(default_plan(n), callers);
                for (std::uint32_t at = 0; at < n; ++at) plan.members[at].node = node(ring[at]);
                expect_leader(plan, n, "ring " + text(ring) + " called by " + text(callers));
            });
        } while (std::next_permutation(ring.begin() + 1, ring.end()));
    }
}

TEST_P(Election, SameNodeLeadsWhoeverCallsOverADeadOne) {
    for (std::uint32_t n = 3; n <= 5; ++n) {
        for_each_subset(n - 1, [&](const Ids& callers) {
            Plan plan = kit::started(default_plan(n), callers);
            plan.down = {node(n)};
            plan.oracle.present = true;
            expect_leader(plan, n - 1, "called by " + text(callers));
        });
    }
}

// EL-14: at most one election at a time per node. (The best node's may be over at once.)
TEST_P(Election, CallingTwiceIsCallingOnce) {
    for (std::uint32_t caller = 1; caller < 4; ++caller) {
        const Report once = run(kit::started(default_plan(4), {caller}));
        const Report twice = run(kit::started(default_plan(4), {caller, caller}));
        EXPECT_EQ(once.total(), twice.total()) << caller;
        EXPECT_EQ(once.time, twice.time) << caller;
        EXPECT_EQ(once.changes, twice.changes) << caller;
    }
}

// EL-02: at boot, and when the leader is suspected to have failed; nobody has to call.
TEST_P(Election, StartsAtBootAndWhenTheLeaderHasFailed) {
    for (std::uint32_t n = 3; n <= 7; ++n) {
        Plan plan = default_plan(n);
        plan.linger = 100 * unit;
        expect_leader(plan, n, "booted");
        plan.schedule.push_back({at(60), fault::Crash{node(n)}});
        expect_leader(plan, n - 1, "the leader has crashed");
        plan.schedule.push_back({at(200), fault::Restart{node(n)}});
        expect_leader(plan, n, "and is back");
    }
}

// --- Who leads ----------------------------------------------------------------------------------

// EL-06, EL-07, EL-08, EL-12: the best of those who live, and nobody stays without a leader.
TEST_P(Election, BestOfTheLivingLeads) {
    for (std::uint32_t n = 2; n <= 5; ++n) {
        for_each_subset(n, [&](const Ids& living) {
            if (!enough(living.size(), n)) return;
            Plan plan = default_plan(n);
            for (std::uint32_t id = 1; id <= n; ++id) {
                if (std::ranges::count(living, id) == 0) plan.down.push_back(node(id));
            }
            expect_leader(plan, living.back(), "living: " + text(living));
        });
    }
}

// EL-13: failures may occur during the run, to anybody and at any moment.
TEST_P(Election, WhoeverCrashesDuringTheRun) {
    constexpr std::uint32_t n = 4;
    for (std::uint32_t victim = 1; victim <= n; ++victim) {
        for (double when = 0.25; when < 12; when += 0.5) {
            Plan plan = default_plan(n);
            plan.schedule.push_back({at(when), fault::Crash{node(victim)}});
            expect_leader(plan, victim == n ? n - 1 : n,
                          std::to_string(victim) + " crashed at " + std::to_string(when));
        }
    }
}

// EL-09: by priority, which all know; ties go to the higher id.
TEST_P(Election, HighestPriorityLeadsAndTiesGoToTheHigherId) {
    std::vector<Attribute> priorities{0, 1, 2, 2};
    do {
        Plan plan = default_plan(4);
        Key best{-1, {}};
        for (std::size_t at = 0; at < 4; ++at) {
            plan.members[at].priority = priorities[at];
            best = std::max(best, Key{priorities[at], plan.members[at].node});
        }
        expect_leader(plan, number(best.node), "priorities");
    } while (std::ranges::next_permutation(priorities).found);
}

// EL-11: network address and process number make one number, compared as a number, not as text.
TEST_P(Election, AddressAndProcessNumberMakeAKey) {
    const auto key = [](Attribute address, Attribute process) { return address << 32 | process; };
    Plan plan = default_plan(3);
    plan.members[0].priority = key(10 << 24 | 1, 7);   // 10.0.0.1
    plan.members[1].priority = key(10 << 24 | 1, 12);  // another process there
    plan.members[2].priority = key(9 << 24 | 255, 99);
    expect_leader(plan, 2, "addresses");
}

// EL-08, EL-10: by what only a node itself knows, such as 1/load: here the less load, the better,
// so that no load at all is no problem.
TEST_P(Election, BestLiveAttributeLeads) {
    for (std::uint32_t best = 1; best <= 4; ++best) {
        Plan plan = default_plan(4);
        std::string loads;
        for (std::uint32_t id = 1; id <= 4; ++id) {
            loads += std::to_string(id) + (id == best ? "=load:0," : "=load:0.5,");
        }
        loads.pop_back();
        EXPECT_FALSE(take_setting(plan, "attr", loads));
        EXPECT_FALSE(complete(plan));
        expect_leader(plan, best, "loads " + loads);
        // Between two elections it may change.
        plan.schedule.push_back({at(100), fault::Attribute{node(5 - best), 7}});
        for (std::uint32_t id = 1; id <= 4; ++id) {
            plan.schedule.push_back({at(100), fault::Call{node(id)}});
        }
        plan.linger = 100 * unit;
        expect_leader(plan, 5 - best, "better at 100 than " + loads);
    }
}
TEST_P(Election, EqualLoadsGoToTheHigherId) {
    Plan plan = default_plan(4);
    EXPECT_FALSE(take_setting(plan, "attr", "1=load:0.25,2=load:0.1,3=load:0.1,4=load:0.9"));
    EXPECT_FALSE(complete(plan));
    expect_leader(plan, 3, "loads");
}

// --- What is told -------------------------------------------------------------------------------

// EL-03, EL-21: all are told, the leader itself included.
TEST_P(Election, EverybodyIsToldTheResult) {
    for (std::uint32_t n = 2; n <= 7; ++n) {
        Plan plan = default_plan(n);
        plan.trace = true;
        const Report report = run(plan);
        for (std::uint32_t id = 1; id <= n; ++id) {
            const auto lines = told_by(report, id);
            const auto names = [&](const std::string& line) {
                return line.find("LeaderIs(" + std::to_string(n) + ",") != line.npos;
            };
            EXPECT_TRUE(std::ranges::any_of(lines, names)) << id << " of " << n;
        }
    }
}

// EL-05: who takes office has had no leader just before, or was told to stop working for it.
TEST_P(Election, NobodyLeadsWhileAnElectionIsInProgress) {
    for (std::uint32_t n = 3; n <= 6; ++n) {
        Plan plan = default_plan(n);
        plan.trace = true;
        plan.schedule = {{at(60), fault::Crash{node(n)}}, {at(200), fault::Restart{node(n)}}};
        const Report report = run(plan);
        for (std::uint32_t id = 1; id <= n; ++id) {
            const std::string me = "LeaderIs(" + std::to_string(id) + ",";
            bool free = true;
            for (const std::string& line : told_by(report, id)) {
                for (auto word = line.find_first_of("LS"); word != line.npos;
                     word = line.find_first_of("LS", word + 1)) {
                    const std::string_view rest = std::string_view(line).substr(word);
                    if (rest.starts_with("LeaderIs(none") || rest.starts_with("StopProcessing")) {
                        free = true;
                    } else if (rest.starts_with(me)) {
                        EXPECT_TRUE(free) << n << " nodes: " << line;
                    } else if (rest.starts_with("LeaderIs(")) {
                        free = false;
                    }
                }
            }
        }
    }
}

// EL-16: the two measures, and what they leave out.
TEST_P(Election, ReportsMessagesByTypeAndTime) {
    const Report quiet = run(kit::started(default_plan(5), {}));
    EXPECT_EQ(quiet.total(), 0U);
    const Report report = run(kit::started(default_plan(5), {5}));
    std::uint64_t sent = 0;
    for (const MessageCount& one : report.messages) {
        EXPECT_EQ(one.kind, Kind::election) << one.type;
        sent += one.sent;
    }
    EXPECT_EQ(report.total(), sent);
    EXPECT_GE(report.total(), 4U);  // at least everybody else has to be told
    EXPECT_GT(report.time, 0);
    ASSERT_TRUE(report.elected_at && report.agreed_at);
    EXPECT_LE(*report.elected_at, *report.agreed_at);
}

// EL-17: what it tolerates, what it needs, and what breaks it are data beside each of them.
TEST_P(Election, SaysWhatItAssumesAndWhatBreaksIt) {
    const Description about = simulator_->describe({.tm = unit, .nodes = 5});
    EXPECT_EQ(about.claim.kind, Kind::election);
    EXPECT_NE(about.assumes.faults, Faults::none);
    EXPECT_FALSE(about.claim.source.empty());
    EXPECT_FALSE(about.claim.ensures.empty());
    EXPECT_FALSE(about.claim.breaks.empty());
    EXPECT_FALSE(about.fixes.empty());
    EXPECT_NE(std::ranges::count(about.properties, "somebody leads"), 0);
}

// --- Where there can be two ---------------------------------------------------------------------

// EL-18, EL-25: two halves of a network. Only where a majority rules is there never a second
// leader; and in the end there is one, whatever was.
TEST_P(Election, PartitionMakesTwoLeadersUnlessAMajorityRules) {
    const Ids left{1, 2}, right{3, 4, 5};
    Plan plan = default_plan(5);
    plan.oracle.reliable = false;  // it cannot know more than what it hears
    cut_between(plan, 60, 260, left, right);
    Plan parted = plan;
    parted.until = 250 * unit;
    const Ids both{2, 5}, one{5};
    EXPECT_EQ(leading(run(parted)), elects().majority ? one : both);
    plan.linger = 100 * unit;
    const Report whole = run(plan);
    EXPECT_EQ(leading(whole), one);
    EXPECT_TRUE(whole.agreed);
}

INSTANTIATE_TEST_SUITE_P(Catalog, Election, testing::ValuesIn(candidates), [](const auto& one) {
    std::string name = one.param.name;
    std::erase(name, '-');
    return name;
});

// EL-24: a person's choice is the exception that the others are measured against. Whoever is named
// leads, nobody is better, and nobody takes over.
TEST(ElectionByAPerson, WhoeverIsNamedLeadsUntilAPersonNamesAnother) {
    const auto simulator = simulator_of("appointed");
    ASSERT_TRUE(simulator);
    for (std::uint32_t named = 1; named <= 4; ++named) {
        Plan plan = kit::started(default_plan(4), {named});
        for (const auto& [self, leader] : simulator->run(plan).leaders) {
            EXPECT_EQ(leader, node(named)) << number(self);
        }
        plan.oracle.present = true;
        plan.schedule.push_back({at(20), fault::Crash{node(named)}});
        plan.until = 500 * unit;
        const Report headless = simulator->run(plan);
        EXPECT_FALSE(headless.agreed) << "they go on naming a dead one";
        for (const auto& [self, leader] : headless.leaders) EXPECT_EQ(leader, node(named));
        const std::uint32_t other = named % 4 + 1;
        plan.schedule.push_back({at(100), fault::Call{node(other)}});
        for (const auto& [self, leader] : simulator->run(plan).leaders) {
            EXPECT_EQ(leader, node(other)) << number(self);
        }
    }
}

}  // namespace
}  // namespace conclave
