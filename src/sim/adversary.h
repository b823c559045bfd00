// sim/adversary.h -- everything that can go wrong, in one struct and one list.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/types.h"
#include "sim/unit.h"

namespace conclave {

// What happens to messages and clocks all the time, and how many faults of each kind a random
// schedule draws before `calm`. After `calm` nothing goes wrong any more; without one, messages are
// lost and doubled for ever.
struct Adversary {
    double loss = 0;
    double duplicate = 0;
    Duration delay_least = unit;
    Duration delay_most = unit;
    bool reorder = false;         // else each link delivers in the order sent
    std::int64_t drift_ppm = 0;   // each clock runs wrong by at most this
    bool scatter_clocks = false;  // clocks start at different readings

    std::uint32_t crashes = 0;  // each followed by a restart if `restarts`
    bool restarts = false;
    bool amnesia = false;          // a restart may come without the disk
    std::uint32_t torn_saves = 0;  // a crash in the middle of a step, at its Save
    std::uint32_t pauses = 0;
    std::uint32_t partitions = 0;
    std::uint32_t one_way_cuts = 0;
    std::uint32_t false_suspicions = 0;  // of the oracle detector
    std::uint32_t calls = 0;             // somebody calls an election for no reason
    std::uint32_t attribute_changes = 0;
    Duration calm{};

    bool calm_at(Instant now) const { return calm > Duration{} && now.time_since_epoch() >= calm; }
    bool never_calm() const { return calm == Duration{} && (loss > 0 || duplicate > 0); }
};

// Faults and wishes at known times.
namespace fault {
struct Crash {
    NodeId node{};
    bool torn = false;  // at the next Save instead of at once
};
struct Restart {
    NodeId node{};
    bool amnesia = false;
};
struct Pause {
    NodeId node{};
};
struct Resume {
    NodeId node{};
};
struct Cut {
    NodeId from{}, to{};
};
struct Heal {
    NodeId from{}, to{};
};
struct Call {  // ask this node to campaign
    NodeId node{};
};
struct Suspect {  // the detector tells `observer` that it suspects `subject`
    NodeId observer{}, subject{};
};
struct Trust {
    NodeId observer{}, subject{};
};
struct Fail {
    NodeId observer{}, subject{};
};
struct Restarted {  // ... that it was away and is back
    NodeId observer{}, subject{};
};
struct Attribute {
    NodeId node{};
    conclave::Attribute value = 0;
};
struct Drift {
    NodeId node{};
    std::int64_t ppm = 0;
};
struct Whisper {  // one application tells another, past the algorithm
    NodeId from{}, to{};
};
struct Ask {  // a request by its text, as a script writes it
    NodeId node{};
    std::string request;
};
}  // namespace fault

using Fault =
    std::variant<fault::Crash, fault::Restart, fault::Pause, fault::Resume, fault::Cut, fault::Heal,
                 fault::Call, fault::Suspect, fault::Trust, fault::Fail, fault::Restarted,
                 fault::Attribute, fault::Drift, fault::Whisper, fault::Ask>;
struct Scheduled {
    Instant at;
    Fault fault;
};
using Schedule = std::vector<Scheduled>;  // in order of time

// A random schedule for these nodes; the same seed gives the same one.
Schedule draw_schedule(const Adversary&, const std::vector<NodeId>& nodes, std::uint64_t seed);

}  // namespace conclave
