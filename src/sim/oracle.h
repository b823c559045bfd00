// sim/oracle.h -- the simulator's own failure detector: it knows, and tells after a while.
//
// Its verdicts obey the time model: the dead node's last messages come first. Under a synchronous
// model it says Failed within T; else it says Suspected, also of nodes that are merely cut off or
// paused, and takes it back. Lies are scheduled as faults.
#pragma once
#include <cstdint>
#include <vector>

#include "core/table.h"
#include "core/types.h"
#include "sim/calendar.h"
#include "sim/dice.h"

namespace conclave {

struct Opinion {
    enum class What : std::uint8_t { gone, back, restarted };
    Instant due;
    What what{};
    std::uint32_t observer = 0, subject = 0;  // places in the member list
};

struct OracleSettings {
    bool present = true;
    bool reliable = true;  // says Failed, and is right
    Duration least{}, most{};
};

class Oracle {
public:
    Oracle(OracleSettings settings, std::size_t nodes, std::uint64_t seed);

    bool reliable() const { return settings_.reliable; }

    // Everybody will hear of the subject; the caller says later whether it is still true.
    void spread(Instant now, Opinion::What what, std::uint32_t subject);
    void inform(Instant now, Opinion::What what, std::uint32_t observer, std::uint32_t subject);
    Instant next_due() const { return queue_.next_due(); }
    Opinion take();

    void forget(std::uint32_t observer);
    // `life`: the subject's latest that the observer knows of. A newer one than it was suspected in
    // has spoken for itself.
    bool suspects(std::uint32_t observer, NodeId subject, Incarnation life) const;
    bool suspects(std::uint32_t observer, NodeId subject) const;  // in whatever life
    void suspect(std::uint32_t observer, NodeId subject, Incarnation life);
    void trust(std::uint32_t observer, NodeId subject);

private:
    OracleSettings settings_;
    Dice dice_;
    Calendar<Opinion> queue_;
    std::vector<Table<NodeId, Incarnation>> suspects_;  // whom each observer was told of
};

}  // namespace conclave
