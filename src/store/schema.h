// store/schema.h -- the tables of state.db, and how a new one is made.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/result.h"
#include "core/types.h"
#include "store/checksum.h"
#include "store/store.h"

namespace conclave {

constexpr std::int64_t application_id = 0x436f6e63;  // "Conc": no other program's file
constexpr std::int64_t schema_version = 1;

// If the directory has no store, makes one of incarnation 0 under another name and renames it: a
// `state.db` is whole from its first moment, and a missing table is damage, never a new store.
[[nodiscard]] std::optional<Error> make_if_absent(const std::filesystem::path& directory,
                                                  const Identity& who);

inline std::int64_t identity_checksum(const Identity& who, const StoreId& id,
                                      Incarnation incarnation) {
    return Checksum::of(std::string_view("identity"), who.cluster, number(who.node), who.name,
                        id.text, incarnation.value);
}
inline std::int64_t record_checksum(const Pending& record) {
    return Checksum::of(std::string_view("record"), record.group, record.algorithm, record.bytes);
}
inline std::int64_t peer_checksum(std::uint32_t peer, const PeerShown& shown) {
    return Checksum::of(std::string_view("peer"), peer, shown.store.text, shown.incarnation.value);
}
inline std::int64_t entry_checksum(const HistoryEntry& entry) {
    const bool known = entry.leader.has_value();
    return Checksum::of(std::string_view("entry"), entry.index, entry.group, entry.epoch.value,
                        std::uint64_t{known}, number(entry.leader.value_or(NodeId{})),
                        static_cast<std::uint64_t>(entry.at), entry.cause);
}

}  // namespace conclave
