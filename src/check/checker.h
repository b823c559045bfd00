// check/checker.h -- the narrow door between the command line and an algorithm's own exploration.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/explorer.h"
#include "sim/simulator.h"

namespace conclave {

// A small world to explore, complete.
struct CheckPlan {
    Plan world;  // members, settings, options, fixes off, clocks, the oracle
    Model model;
    Budget budget;
    Bounds bounds;
    Limits limits;
    Duration tick{};  // zero: the longest message time
    // Time does not count, but timers fire and the oracle speaks only when nothing is in flight:
    // they take longer than any exchange of messages. Much smaller than counting ticks.
    bool patient = false;
    // Beside the algorithm's own properties: at no time two leaders. Few claim so much.
    bool one_leader = false;
    std::vector<std::string> judged{};    // these properties only; empty: all
    std::vector<std::string> requests{};  // that `calls` may make, of any node
    // How often each of these nodes may ask on its own: to enter, or for an election.
    std::uint32_t own_calls = 0;
    std::vector<NodeId> callers{};  // empty: all
    Cuts cuts{};                    // of links, as soon as all have booted, until they heal
    Explorer::Progress progress{};

    bool judges(std::string_view property) const {
        return judged.empty() || std::ranges::find(judged, property) != judged.end();
    }
    bool counts_time() const { return !patient && model.timing != Timing::asynchronous; }
};

struct CheckReport {
    struct Verdict {
        std::string name;
        Demand demand{};
        std::optional<bool> holds{};  // nothing: the search ended before there was an answer
        std::string what{};           // is wrong
    };
    std::vector<Verdict> verdicts{};
    Findings findings{};
    std::size_t local_states = 0;                 // of single nodes, all together
    std::size_t packets = 0;                      // different ones
    std::optional<std::string> counterexample{};  // a script
    Diagram diagram{};

    bool violated() const {
        for (const Verdict& one : verdicts) {
            if (one.holds == false) return true;
        }
        return false;
    }
};

class Checker {
public:
    virtual ~Checker() = default;
    // A world of this size with the faults that the algorithm claims to survive.
    virtual CheckPlan claimed(std::size_t nodes) const = 0;
    virtual std::optional<std::string> refuse(const CheckPlan&) const = 0;
    virtual CheckReport check(const CheckPlan&) const = 0;
};

// From what an algorithm assumes to a world that keeps to it.
CheckPlan claimed_check(const Model& model, Kind kind, std::size_t nodes);

// How far everything was allowed to go, by name: what a complete search is complete within.
std::vector<std::pair<std::string, std::uint64_t>> bounds_of(const CheckPlan& plan);

std::string_view demand_text(Demand demand);

}  // namespace conclave
