// sim/simulator.h -- the narrow door between the command line and an algorithm's own simulation.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/members.h"
#include "core/model.h"
#include "core/result.h"
#include "sim/adversary.h"
#include "sim/diagram.h"
#include "sim/ledger.h"
#include "sim/oracle.h"
#include "sim/recorded.h"
#include "sim/workload.h"

namespace conclave {

// A node that does not start like the others.
struct Start {
    NodeId node{};
    std::optional<Attribute> attribute{};  // a live one, known only to itself
    std::int64_t ppm = 0;                  // how much too fast its clock runs
    Duration offset{};                     // what its clock shows at time 0
};

// One run, complete: everything that decides what happens. The same plan gives the same run.
struct Plan {
    std::vector<Member> members;  // in ring order
    Settings settings;
    Adversary adversary;
    Schedule schedule;
    OracleSettings oracle;
    Workload workload{};  // for those who take turns in a critical section
    std::vector<std::pair<std::string, std::string>> options;  // of the algorithm, by name
    std::vector<std::string> without;                          // fixes switched off
    std::vector<NodeId> down;                                  // never booted
    std::vector<Start> starts;                                 // at most one for each node
    std::uint64_t seed = 1;
    Duration until{};   // the end; zero: once everything has settled
    Duration linger{};  // what has settled must stay so for this long
    bool trace = false;
    bool diagram = false;
    // Settings as they were written (sim/plan_text.h), until all of them are known.
    std::vector<std::pair<std::string, std::string>> written{};
};

struct MessageCount {
    std::string type;
    Kind kind{};
    std::uint64_t sent = 0;    // of the source's own, or the detector's
    std::uint64_t repair = 0;  // that our fixes add
};

struct Violation {
    std::string property, what;
    double at = 0;  // in units
};

// What a detector told its node; in true time.
struct Told {
    Instant at;
    NodeId observer{}, subject{};
    bool suspected = false;
};

struct Report {
    Kind kind = Kind::election;  // of the algorithm
    std::vector<MessageCount> messages{};
    std::vector<std::pair<NodeId, std::optional<NodeId>>> leaders{};  // of nodes that are up
    std::vector<Violation> violations{};
    bool agreed = false;                 // all who are up name the same node, and it is up
    double time = 0;                     // when the last message of the algorithm's own arrived
    std::optional<double> elected_at{};  // when the first node took office
    std::optional<double> agreed_at{};   // when all had come to agree
    std::uint64_t changes = 0;           // how often anybody took office
    std::uint64_t events = 0;
    double end = 0;
    std::vector<Told> verdicts{};  // of a detector that runs alone
    std::optional<Turns> turns{};  // where there is a critical section
    std::string trace{};           // a script that replays it
    Diagram diagram{};

    std::uint64_t total(Kind of) const {
        std::uint64_t sum = 0;
        for (const auto& one : messages) sum += one.kind == of ? one.sent : 0;
        return sum;
    }
    std::uint64_t total() const { return total(kind); }  // the algorithm's own
    std::uint64_t repairs() const {
        std::uint64_t sum = 0;
        for (const auto& one : messages) sum += one.repair;
        return sum;
    }
};

struct Option {
    std::string name, value;
};

// The algorithm as the catalog shows it.
struct Description {
    std::string name;
    Model assumes;
    Claim claim;
    std::vector<Fix> fixes{};
    std::vector<std::string> messages{}, timers{}, requests{}, notices{}, properties{};
    std::vector<Option> options{};  // with the values they would have under the given settings
    std::size_t bytes_per_node = 0;
};

// The recordings of real nodes, lived through again.
struct Replayed {
    Report report{};
    std::vector<Difference> differences{};  // the first of each node's life
    std::string story{};                    // every event of the window and what it did
};

// A world in which a script picks what happens, command by command (sim/command.h). The answers are
// lines that tell what happened; what cannot be done is told as `error: ...`.
class Theatre {
public:
    virtual ~Theatre() = default;
    virtual std::string open() = 0;  // everybody boots
    virtual std::string perform(std::string_view command) = 0;
};

class Simulator {
public:
    virtual ~Simulator() = default;
    virtual Description describe(const Settings&) const = 0;
    // What is wrong with the plan (an unknown fix or option), or nothing.
    virtual std::optional<std::string> refuse(const Plan&) const = 0;
    virtual Report run(const Plan&) const = 0;
    // How long after the last fault everything must have settled.
    virtual Duration settles_within(const Plan&) const = 0;
    // For a plan that is not refused.
    virtual std::unique_ptr<Theatre> theatre(const Plan&) const = 0;
    // An error names the place in a file that cannot be read.
    virtual Result<Replayed> replay(const RecordedGroup&, const Window&) const = 0;
};

// The simulator of an algorithm. Its body is in sim/simulate.h; those of the catalog have been
// compiled by one generated file each, and whoever only wants to run one need not see it.
template <class P> std::unique_ptr<Simulator> make_simulator(std::string_view name);

}  // namespace conclave
