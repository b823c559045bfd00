// engine/zookeeper/layout.h -- which nodes stand for what, as in Apache Curator's recipes.
//
//     leadership  PATH/_c_<uuid>-latch-0000000007         LeaderLatch
//     exclusive   PATH/_c_<uuid>-lock-0000000007          InterProcessMutex
//     shared      PATH/_c_<uuid>-__READ__0000000007       InterProcessReadWriteLock
//     slots       PATH/locks/_c_<uuid>-lock-..., then     InterProcessSemaphoreV2
//                 PATH/leases/_c_<uuid>-lease-...
//
// The uuid tells its owner which node is its own when the answer to a create was lost. ZooKeeper
// adds the number, in the order of its transactions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace conclave::engine::zookeeper {

// A node of a queue.
struct Ticket {
    enum class Kind : std::uint8_t { latch, lock, read, write, lease };
    Kind kind = Kind::lock;
    std::int64_t number = 0;
    std::string name{};
};
std::optional<Ticket> read_ticket(std::string_view name);

// What of these belongs to one queue with `kind`, the oldest first.
std::vector<Ticket> queue_of(const std::vector<std::string>& names, Ticket::Kind kind);

// All but the number of a name that is nobody else's.
std::string draw_name(Ticket::Kind kind);

// A claim takes one ticket after the other, and is granted the thing when the last is in front.
struct Step {
    std::string folder;
    Ticket::Kind kind = Ticket::Kind::lock;
    std::size_t room = 1;  // how many leases there are
};
std::vector<Step> steps_of(const Claim& claim, const std::string& root);

struct Position {
    enum class Where : std::uint8_t { gone, front, behind };
    Where where = Where::gone;
    std::string ahead{};  // the last one that must go first; of leases it may be any
};
Position position_of(const std::string& own, const std::vector<std::string>& names,
                     const Step& step);

std::string folder_of(const Thing& thing, const std::string& root);
std::string folder_of(Thing::Kind kind, const std::string& root);  // of all that have a name
std::optional<std::string> name_in_folder(std::string_view node);
std::string parent_of(std::string_view path);

inline constexpr std::string_view slot_queue = "locks";
inline constexpr std::string_view slot_leases = "leases";

// What was read about a thing.
struct Entry {
    Ticket ticket;
    std::string holder;
    std::int64_t czxid = 0;
};
struct Picture {
    std::vector<Entry> queue{}, slots{}, leases{};  // the oldest first
};
Standing standing_of(const Thing& thing, const Picture& picture);

}  // namespace conclave::engine::zookeeper
