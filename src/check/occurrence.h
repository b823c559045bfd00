// check/occurrence.h -- what can happen to one node, as a number that a memo can keep.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/members.h"
#include "sim/adversary.h"

namespace conclave {

enum class Happening : std::uint8_t {
    expire,  // argument: which of its timers
    crash,
    restart,
    amnesia,
    pause,
    resume,
    fail,  // argument: about whom; likewise suspect and trust
    suspect,
    trust,
    restarted,  // argument: whom, and its life
    rise,       // its attribute: above all others
    sink,       // ... below all others
    ask,        // argument: which request of the plan
    begin,      // its own request, of which it has so many left: Enter, or Campaign
    leave,      // the critical section
    tick,       // time passes
    closed,     // argument: whose request was granted or is gone
    renumber,   // nonces; argument: the number of the set of those in use
};

// A packet that arrives, or a happening with its argument; perhaps with the Save torn.
class Occurrence {
public:
    static Occurrence arrival(std::uint32_t packet) { return Occurrence(packet); }
    static Occurrence of(Happening what, std::uint32_t argument = 0) {
        return Occurrence(other | static_cast<std::uint32_t>(what) << 24 | argument);
    }
    static Occurrence of_life(std::uint32_t peer, std::uint64_t life) {
        return of(Happening::restarted, static_cast<std::uint32_t>(life) << 8 | peer);
    }
    static Occurrence from(std::uint32_t code) { return Occurrence(code); }

    Occurrence with_torn_save() const { return Occurrence(code_ | tear); }
    std::uint32_t code() const { return code_; }
    bool torn() const { return (code_ & tear) != 0; }
    bool is_arrival() const { return (code_ & other) == 0; }
    std::uint32_t packet() const { return code_ & ~tear; }
    Happening what() const { return static_cast<Happening>(code_ >> 24 & 0x3F); }
    std::uint32_t argument() const { return code_ & 0xFFFFFF; }
    std::uint32_t peer() const {
        return what() == Happening::restarted ? code_ & 0xFF : argument();
    }
    Incarnation life() const { return {argument() >> 8}; }

private:
    explicit Occurrence(std::uint32_t code) : code_(code) {}
    static constexpr std::uint32_t other = 1U << 31, tear = 1U << 30;

    std::uint32_t code_;
};

// What applications may ask for in this exploration.
struct Wishes {
    std::vector<std::string> requests{};  // of anybody, as a script writes them
    std::string own{};                    // what a node asks for itself: Enter, Campaign
};

// As the world knows it. Not for timers and time.
Fault fault_of(Occurrence what, std::uint32_t at, const MemberList& members, const Wishes& wishes);

}  // namespace conclave
