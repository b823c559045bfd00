// sim/oracle.h -- the simulator's own failure detector: it knows, and tells after a while.
//
// Its verdicts obey the time model: the dead node's last messages come first. Under a synchronous
// model it says Failed within T; else it says Suspected, also of nodes that are merely cut off or
// paused, and takes it back. Lies are scheduled as faults.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "core/node_set.h"
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
    Oracle(OracleSettings settings, std::size_t nodes, std::uint64_t seed)
        : settings_(settings), dice_(seed), suspects_(settings.present ? nodes : 0) {}

    bool reliable() const { return settings_.reliable; }

    // Everybody will hear of the subject; the caller says later whether it is still true.
    void spread(Instant now, Opinion::What what, std::uint32_t subject) {
        for (std::uint32_t observer = 0; observer < suspects_.size(); ++observer) {
            inform(now, what, observer, subject);
        }
    }
    void inform(Instant now, Opinion::What what, std::uint32_t observer, std::uint32_t subject) {
        if (!settings_.present || observer == subject) return;
        const Instant due = now + dice_.between(settings_.least, settings_.most);
        queue_.push({due, what, observer, subject});
    }
    Instant next_due() const { return queue_.next_due(); }
    Opinion take() { return queue_.pop(); }

    void forget(std::uint32_t observer) {
        if (settings_.present) suspects_[observer].clear();
    }
    bool suspects(std::uint32_t observer, NodeId subject) const {
        return settings_.present && suspects_[observer].contains(subject);
    }
    void suspect(std::uint32_t observer, NodeId subject) {
        if (settings_.present) suspects_[observer].insert(subject);
    }
    void trust(std::uint32_t observer, NodeId subject) {
        if (settings_.present) suspects_[observer].erase(subject);
    }

private:
    OracleSettings settings_;
    Dice dice_;
    Calendar<Opinion> queue_;
    std::vector<NodeSet> suspects_;  // whom each observer was told of
};

}  // namespace conclave
