// store/store.h -- what a node must not forget: who it is, how often it started, what its machines
// saved, whom it met, and (for people) who led.
//
// One SQLite file, `state.db`, and a `lock` in the node's state directory. It is in WAL mode with
// synchronous=FULL: a commit that returned is on the disk. Every row carries a checksum of its
// fields. A directory that is not ours, damaged, in use, or cannot be written is refused in one
// line; nothing is ever repaired, replaced or begun anew by itself, because a voter that forgot its
// vote may vote twice.
//
// Restart and loss (algorithms.md, 10.2):
// - The incarnation grows by one at every open, durable before `open` returns: no message can leave
//   with an incarnation that was used before. The machines' own records say whether a promise may
//   be outstanding; quiet time after a restart is their business.
// - `fresh()`: this is the first start of this store. Either the node is new, or it lost its disk
// and
//   cannot know. Its store id is new then, and its peers remember the old one. So a fresh node
//   should say hello and hear what its peers think of it before it votes or campaigns.
// - Store ids and incarnations travel in the hello; `meet` compares with what was shown before.
//
// Not for two threads at once; see writer.h for one that runs it beside the loop.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/leaf_bytes.h"
#include "core/result.h"
#include "core/types.h"
#include "store/database.h"
#include "store/directory_lock.h"

namespace conclave {

struct Identity {
    std::string cluster;
    NodeId node{};
    std::string name;
};

struct StoreId {
    std::string text;  // 128 random bits in 32 hexadecimal digits, made once with the store
    friend bool operator==(const StoreId&, const StoreId&) = default;
};

struct Pending {
    std::string group, algorithm;
    Bytes bytes;
};

struct HistoryEntry {
    std::uint64_t index = 0;  // grows with every entry of this node, whatever the group
    std::string group;
    Epoch epoch{};
    std::optional<NodeId> leader;
    std::int64_t at = 0;  // wall clock, ns since 1970: for people, never for a decision
    std::string cause;    // JSON
};

struct HistoryQuery {
    std::string group;
    std::optional<std::uint64_t> since;  // the first entries behind this index; else the newest
    std::size_t limit = 100;
};

struct PeerShown {  // by a peer, in its hello
    StoreId store;
    Incarnation incarnation{};
};

// What to do about each:
enum class Acquaintance : std::uint8_t {
    first_time,  // go on; it is remembered from now on
    same,        // go on; a higher incarnation than before is a restart
    // Its directory is an older copy of itself, a backup: votes are forgotten. Its word must not
    // count: keep the link down, tell people. Only an operator may take it back (`forget`), who
    // knows that no lease it promised is running.
    went_back,
    // It lost its disk, or another machine uses its id. As above; 10.2 has it re-added as a new
    // member, since an id must never be reused with an empty store.
    another_store,
};

struct PeerKnown {
    Acquaintance how{};
    std::optional<PeerShown> before;
};

class Store {
public:
    static constexpr std::uint64_t history_kept = 10'000;  // per group
    static constexpr std::size_t history_page_max = 1'000;

    static Result<Store> open(const std::filesystem::path& directory, const Identity& who);

    const StoreId& id() const { return id_; }
    Incarnation incarnation() const { return incarnation_; }
    bool fresh() const { return incarnation_ == Incarnation{1}; }
    // Of the history: go on behind it, with a gap. What was appended just before a crash may be
    // lost, and somebody may have seen its index.
    std::uint64_t last_index() const { return last_index_; }

    // Nothing, if the group never saved. The state of another algorithm is an error: whoever
    // changes the algorithm of a group gives the group a new name.
    [[nodiscard]] Result<std::optional<Bytes>> load(const std::string& group,
                                                    const std::string& algorithm) const;
    // All or nothing, durable on return. After a failure nothing of it is stored.
    [[nodiscard]] std::optional<Error> commit(std::span<const Pending> records,
                                              std::span<const HistoryEntry> entries);
    // Oldest first, at most history_page_max.
    [[nodiscard]] Result<std::vector<HistoryEntry>> history(const HistoryQuery& query) const;

    // Remembers what was shown if it is good news; a peer that went back or came with another
    // store is told so at every hello, until it is forgotten.
    [[nodiscard]] Result<PeerKnown> meet(NodeId peer, const PeerShown& shown);
    [[nodiscard]] std::optional<Error> forget(NodeId peer);

    // Moves a long log into the file. SQLite would do it inside a commit (wal_autocheckpoint, every
    // 1000 pages), and that commit's Save would wait for two more syncs. It is off; call this when
    // nobody is waiting.
    void settle();

private:
    Store(DirectoryLock lock, Database database)
        : lock_(std::move(lock)), database_(std::move(database)) {}

    std::optional<Error> check_file() const;
    std::optional<Error> check_rows() const;
    std::optional<Error> prepare();
    std::optional<Error> recognise(const Identity& who);
    std::optional<Error> start();
    std::optional<Error> put(const Pending& record);
    std::optional<Error> put(const HistoryEntry& entry);
    Result<std::optional<PeerShown>> remembered(NodeId peer) const;

    DirectoryLock lock_;  // released last
    Database database_;
    Identity who_;
    StoreId id_;
    Incarnation incarnation_{};
    std::uint64_t last_index_ = 0;
    std::map<std::string, std::uint64_t, std::less<>>
        entries_;  // of the groups met since the start
};

}  // namespace conclave
