// node/journal.h -- what a group's machine lived through since its last leader was named: why
// leadership changed, and how long each step took.
//
// Every step is noted, of whatever algorithm. What repeats (renewals, checks) is kept as one line
// with a count, so that a year of quiet takes no more room than a second and the last sign of the
// old leader still stands before the first vote for the new one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "node/machine.h"

namespace conclave::node {

struct CauseLine {
    Duration before{};  // how long before the change; of something repeated, the last time
    std::uint64_t times = 1;
    std::string what;
};
struct Cause {
    std::string reason;  // what set it off, in one word or two: "Suspected", "PromiseOver"
    std::vector<CauseLine> lines;
};

class Journal {
public:
    void note(Instant at, Moment moment);
    // The leader is no longer who it was: whatever happened last is the reason.
    void unsettle();
    // The story up to now.
    Cause cause(Instant now) const;
    // A leader is named: the next story begins.
    void settle();

private:
    struct Entry {
        Moment moment;
        std::uint64_t times = 1;
        Instant last{};
    };
    static constexpr std::size_t most = 96;  // entries; of a longer story the end is told

    Entry& fresh_entry();

    std::vector<Entry> entries_;
    std::vector<std::uint8_t> order_;  // of the entries: what happened last is last
    std::string_view trigger_;  // the last thing that happened to the machine, rather than by it
    std::string_view reason_;   // what happened first since things came into motion
    bool settled_ = false;      // a leader is named
};

std::string describe(const Moment& moment);

}  // namespace conclave::node
