// check/budget.h -- how much may go wrong, how far counters may count, how long to search.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace conclave {

// Every kind of fault is a choice of the explorer, as often as its budget says.
enum class Spend : std::uint8_t {
    crash,      // of any node
    restart,    // of one that crashed, with its disk; sooner or later
    amnesia,    // ... without its disk
    torn,       // a crash in the middle of a step, at its Save
    loss,       // of any message in flight
    duplicate,  // of any message in flight
    partition,  // of the group in two, until it heals
    cut,        // of one link in one direction, until it heals
    pause,      // of any node, until it resumes
    suspicion,  // of a node that is well, until the detector takes it back
    change,     // of an attribute, above or below all others
    call,       // of any node: the requests of the plan
};
inline constexpr std::size_t spends = 12;
inline constexpr std::array<std::string_view, spends> spend_names{
    "crashes",    "restarts", "amnesia", "torn",       "losses",  "duplicates",
    "partitions", "cuts",     "pauses",  "suspicions", "changes", "calls"};

struct Budget {
    std::array<std::uint8_t, spends> left{};

    std::uint8_t& operator[](Spend what) { return left[static_cast<std::size_t>(what)]; }
    std::uint8_t operator[](Spend what) const { return left[static_cast<std::size_t>(what)]; }
    bool has(Spend what) const { return (*this)[what] > 0; }
    // Whoever is down stays down.
    bool nobody_returns() const { return !has(Spend::restart) && !has(Spend::amnesia); }
};

// A state in which a counter is beyond its bound is looked at, but not left: without that no
// exploration would ever be complete. Epochs and rounds are compared by all, so they cannot be
// renumbered. Nonces can (check/nonces.h): their bound is on how many are in use at once.
struct Bounds {
    std::uint64_t epochs = 4;   // of any Epoch in a node
    std::uint64_t rounds = 4;   // of any Round
    std::uint64_t nonces = 63;  // of any Nonce, and no more than that
    std::uint32_t flight = 0;   // of the messages in flight at once; 0: as many as there are
    std::uint32_t depth = 0;    // of steps from the start; 0: as many as there are
    std::uint32_t ticks = 0;    // of time, where it is counted; 0: as many as there are
    // Bounded liveness: so many ticks after the last fault, wish or repair what is settled must
    // hold, and there the search ends; 0: whenever it likes. For what could go on for ever with
    // numbers that only grow, which no cycle of states shows.
    std::uint32_t settle = 0;

    bool end_time() const { return ticks > 0 || settle > 0; }
    std::uint32_t time() const { return settle > 0 ? settle : ticks; }
};

struct Limits {
    std::uint64_t bytes = std::uint64_t{4} << 30;
    std::uint64_t states = UINT64_MAX;
    std::uint32_t threads = 1;
    bool hashes_only = false;    // keep 64 bits of each state instead of all of it
    bool depth_first = false;    // a longer counterexample, a shorter memory
    bool single_states = false;  // judge nothing else: endless runs need every edge, and memory
    bool every_way = false;      // take also those that are asleep (check/sleep.h)

    bool judges_endless() const { return !depth_first && !single_states; }
};

}  // namespace conclave
