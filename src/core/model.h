// core/model.h -- what an algorithm assumes, claims and repairs, as data beside it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/types.h"

namespace conclave {

enum class Links : std::uint8_t {
    fifo,      // every message arrives, in the order sent
    reliable,  // every message arrives, in any order
    hostile,   // lost, doubled, reordered, cut one way
};
enum class Timing : std::uint8_t {
    synchronous,   // a message takes at most Tm, handling it at most Tp, both known
    asynchronous,  // a message may arrive, and a timer fire, at any moment
    drifting,      // as asynchronous, but clocks run at a rate with a known error bound
};
enum class Faults : std::uint8_t {
    none,
    crash,      // and never back
    restart,    // crash and come back with what was durable
    partition,  // restart, and the network falls apart and heals
};
struct Model {
    Links links = Links::reliable;
    Timing timing = Timing::asynchronous;
    Faults faults = Faults::none;
};

enum class Kind : std::uint8_t { detector, election, mutex, service };

// What the catalog prints. `messages` and `time` are the failure-free formulas of the source.
struct Claim {
    Kind kind;
    std::string_view source, ensures, breaks, messages, time;
};

// A repair of the source that can be switched off by name, to show what it is for.
struct Fix {
    std::string_view name, what;
};

// Which of an algorithm's fixes are off. The index is the place in its `fixes` list.
class FixSet {
public:
    constexpr bool has(std::size_t fix) const { return (off >> fix & 1U) == 0; }
    constexpr void drop(std::size_t fix) { off |= std::uint32_t{1} << fix; }
    constexpr bool complete() const { return off == 0; }

    std::uint32_t off = 0;  // public: a set is a value, and values are made of their fields
};

enum class Direction : std::int8_t { next = 1, previous = -1 };  // both are printed in the sources
enum class Join : std::uint8_t {
    call,  // a node that starts calls an election
    stay,  // it remains a participant until something happens
};

// What every algorithm is tuned from, on a network or in a simulator.
struct Settings {
    Duration tm{};  // longest message time
    Duration tp{};  // longest handling time
    std::size_t nodes = 0;
    Direction direction = Direction::next;
    Join join = Join::call;
    bool live_attribute = false;  // nodes are compared by what only they know, not by priority

    constexpr Duration round_trip() const { return 2 * tm + tp; }  // the sources' T
};

}  // namespace conclave
