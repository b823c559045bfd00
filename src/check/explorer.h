// check/explorer.h -- walks through every state of a landscape and says what is wrong with it.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "check/budget.h"
#include "check/graph.h"
#include "check/landscape.h"
#include "check/visited.h"

namespace conclave {

// From the start, which way to take at each state.
using Path = std::vector<std::uint16_t>;

struct Findings {
    struct Broken {
        std::size_t property = 0;
        Path path{};
    };
    std::uint64_t states = 0, transitions = 0;
    std::uint64_t asleep = 0;  // of the transitions, those not taken: others lead to the same state
    std::uint32_t depth = 0;
    bool complete = false;         // everything within the bounds was seen
    bool bounded = false;          // some states were not followed because of a bound
    std::uint64_t seen = 0;        // properties that were found to hold somewhere
    std::vector<Broken> broken{};  // at most one state for each property
    double seconds = 0;
    std::uint64_t bytes = 0;        // of memory, in all
    std::uint64_t table_bytes = 0;  // of that, the table of what was visited
};

class Explorer {
public:
    using Progress = std::function<void(const Findings&)>;

    // Breadth first, no state is left that is `most_depth` steps from the start (0: any number).
    Explorer(Landscape& landscape, const Limits& limits, std::uint32_t most_depth = 0,
             Progress progress = {});
    ~Explorer();
    Explorer(const Explorer&) = delete;
    Explorer& operator=(const Explorer&) = delete;

    // Breadth first, so that a counterexample is as short as can be; or depth first.
    Findings run();

private:
    struct Batch;
    class Crew;

    void breadth_first();
    void depth_first();
    bool gather(Batch& batch, std::size_t most);
    void absorb(Batch& batch);
    bool begin_level();
    void absorb_state(std::uint32_t number, const Fan& fan);
    void lead_to(std::uint32_t from, std::size_t way, const Fan& fan);
    void look(const Fan& fan, const std::function<Path()>& path);
    void judge_endless();
    bool within_limits();
    Path path_to(std::uint32_t state) const;

    Landscape& landscape_;
    const Limits limits_;
    const std::uint32_t most_depth_;
    const Progress progress_;
    const std::vector<Demand> demands_;
    const bool endless_;                      // there are properties of endless runs
    const bool reduce_;                       // ways may sleep
    std::uint64_t always_ = 0, settled_ = 0;  // the properties of which that is demanded
    Visited visited_;
    Graph graph_;
    // How each state was found: it is enough to know which way was taken, for they come in the
    // same order every time.
    Steady<std::uint32_t> parents_;
    Steady<std::uint16_t> ways_;
    std::uint64_t cursor_ = 0;     // in the archive: what to expand next
    std::uint32_t gathered_ = 0;   // states before it
    std::uint32_t level_end_ = 0;  // the number of the first state of the next level
    bool stopped_ = false;         // something was found, or a limit reached
    bool ended_ = false;           // as deep as may be
    Findings found_;
    std::chrono::steady_clock::time_point began_;
};

}  // namespace conclave
