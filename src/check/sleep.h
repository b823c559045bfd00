// check/sleep.h -- ways that need not be taken, because another leads to the same state.
//
// Steps of two nodes commute, unless one history remembers both: in either order they lead to the
// same state, and it is enough to come there once. So what was taken earlier in a state, or was
// asleep in it, is asleep after a step that commutes with it; and a way that is asleep is not taken
// (the sleep sets of Godefroid, 1990).
//
// Every state is still found, in the same order and by the same path. For breadth first finds a
// state by the first of its shortest paths, if of two paths that one is first that takes the
// earlier way where they part. Say that path takes a way while it is asleep. Then the same way was
// there in an earlier state of the path, before the one taken, and commutes with all that was taken
// since: taken there at once it makes a path to the same state, as short, but before the first.
//
// So no property of single states can tell the difference, whatever it looks at. Endless runs are
// made of the edges that are left out, and depth first has no such first path: there nothing
// sleeps.
#pragma once
#include <cstdint>
#include <vector>

#include "check/landscape.h"

namespace conclave {

// A way that may sleep: a node begins, leaves, or has a packet arrive.
struct Sleeper {
    static constexpr std::uint32_t no_packet = UINT32_MAX;

    std::size_t bit = 0;  // in the state's set
    std::uint32_t at = 0;
    std::uint32_t packet = no_packet;
    bool tells = false;
};

class Sleepers {
public:
    explicit Sleepers(std::uint32_t nodes) : nodes_(nodes) {}

    std::size_t begin_bit(std::uint32_t at) const { return at; }
    std::size_t leave_bit(std::uint32_t at) const { return nodes_ + at; }
    std::size_t arrival_bit(std::size_t index) const { return 2 * nodes_ + index; }

    void enter(Sleep asleep) {
        asleep_ = asleep;
        earlier_.clear();
    }
    bool is_asleep(const Sleeper& one) const {
        return one.bit < bits && (asleep_ >> one.bit & 1U) != 0;
    }
    // It is asleep, or was taken: whatever comes next need not be followed by it.
    void pass(const Sleeper& one) { earlier_.push_back(one); }

    // In the state that this one leads to, where these packets are in flight.
    Sleep after(const Sleeper& taken, const std::vector<std::uint32_t>& packets) const {
        Sleep asleep = 0;
        std::size_t index = 0;
        for (const Sleeper& one : earlier_) {
            if (one.at == taken.at || (one.tells && taken.tells)) continue;
            std::size_t bit = one.bit;
            if (one.packet != Sleeper::no_packet) {  // still in flight, and in the same order
                while (packets[index] != one.packet) ++index;
                bit = arrival_bit(index);
            }
            if (bit < bits) asleep |= Sleep{1} << bit;
        }
        return asleep;
    }

private:
    static constexpr std::size_t bits = 64;  // who is beyond them does not sleep

    const std::size_t nodes_;
    Sleep asleep_ = 0;
    std::vector<Sleeper> earlier_;
};

}  // namespace conclave
