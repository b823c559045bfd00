// check/landscape.h -- a graph of states as the explorer sees it: bytes, and where they lead.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/property.h"

namespace conclave {

// Only a search that keeps the whole graph can judge it.
constexpr bool of_endless_runs(Demand demand) {
    return demand != Demand::always && demand != Demand::sometimes;
}

// A state, written as compactly as it goes.
using Code = std::span<const std::uint8_t>;

// The ways of a state that need not be taken (check/sleep.h), one bit each.
using Sleep = std::uint64_t;

// Everything that leads on from one state, in an order that is the same every time.
struct Fan {
    struct Way {
        std::uint64_t hash = 0;
        Sleep asleep = 0;      // where it leads
        std::uint32_t at = 0;  // in `bytes`
        std::uint16_t length = 0;
        std::uint16_t number = 0;  // counting those that are asleep
        std::uint8_t actor = 0;    // who does it, where it is not a fault
        bool fault = false;        // or a wish: nobody may rely on it
    };
    std::vector<std::uint8_t> bytes{};
    std::size_t used = 0;  // of the bytes
    std::vector<Way> ways{};
    std::uint32_t possible = 0;  // ways, with those that are asleep
    std::uint64_t broken = 0;    // the properties that say here what is wrong, by place in the list
    bool judged = false;         // else nobody has asked them: the world is still booting
    bool cut = false;            // beyond a bound: not followed
    bool late = false;           // time is up: all should be settled

    Code state(const Way& way) const { return Code(bytes).subspan(way.at, way.length); }
    void clear() {
        used = 0;
        ways.clear();
        possible = 0;
        broken = 0;
        judged = cut = late = false;
    }
};

std::uint64_t hash_bytes(Code bytes);

// One for each thread.
class Scout {
public:
    virtual ~Scout() = default;
    virtual void expand(Code state, Sleep asleep, Fan& into) = 0;
};

class Landscape {
public:
    virtual ~Landscape() = default;
    virtual std::vector<std::uint8_t> start() = 0;
    // `reduce`: ways may sleep. Then all must be taken in order, breadth first.
    virtual std::unique_ptr<Scout> scout(bool reduce) = 0;
    virtual std::vector<Demand> demands() const = 0;
    virtual bool timed() const = 0;         // time passes by itself: what has settled must stay so
    virtual std::size_t bytes() const = 0;  // of memory
};

}  // namespace conclave
