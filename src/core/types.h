// core/types.h -- the words every room shares: who, when, how long, and numbers that only grow.
#pragma once
#include <chrono>
#include <compare>
#include <cstdint>

namespace conclave {

enum class NodeId : std::uint32_t {};  // the order all nodes share; fixed for life

constexpr std::uint32_t number(NodeId node) { return static_cast<std::uint32_t>(node); }

using Duration = std::chrono::nanoseconds;

// A clock nobody can read: time reaches a protocol only as the `now` of its turn. The driver owns
// the origin, so instants of two nodes must never be compared.
struct DriverClock {
    using rep = Duration::rep;
    using period = Duration::period;
    using duration = Duration;
    using time_point = std::chrono::time_point<DriverClock>;
    static constexpr bool is_steady = true;
};
using Instant = DriverClock::time_point;

struct Wait {  // the driver draws from it; protocols own no dice
    Duration least{}, most{};
};
constexpr Wait exactly(Duration length) { return {length, length}; }

// Numbers that only grow, each of its own type: a checker may bound epochs and renumber nonces,
// and nobody can hand one in for the other.
template <class Tag> struct Counter {
    std::uint64_t value = 0;
    constexpr Counter next() const { return {value + 1}; }
    friend constexpr auto operator<=>(const Counter&, const Counter&) = default;
};
using Epoch = Counter<struct EpochTag>;              // number of a leadership: its fencing token
using Round = Counter<struct RoundTag>;              // number of a run of an algorithm
using Nonce = Counter<struct NonceTag>;              // matches an answer to its question
using Incarnation = Counter<struct IncarnationTag>;  // of a node: +1 per start, durable

using Attribute = std::int64_t;  // priority, free disk, -load, ...: larger is better

// What decides who is best. Ties go to the higher id.
struct Key {
    Attribute attribute = 0;
    NodeId node{};
    friend constexpr auto operator<=>(const Key&, const Key&) = default;
};

}  // namespace conclave
