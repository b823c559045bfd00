// store/store.cc -- opening, and what is written and read afterwards.
#include "store/store.h"

#include <algorithm>
#include <cassert>

#include "store/log_check.h"
#include "store/schema.h"

namespace conclave {

namespace {

// A megabyte: short enough to be moved in milliseconds, long enough that a page which changes with
// every Save is moved once and not a hundred times.
constexpr std::int64_t log_pages_long = 256;

std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

std::string in_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

std::string described(NodeId node, const std::string& name) {
    return "node " + std::to_string(number(node)) + " " + in_quotes(name);
}

bool well_formed(const StoreId& id) {
    const auto digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return id.text.size() == 32 && std::ranges::all_of(id.text, digit);
}

template <class... Values>
Result<std::int64_t> ask_number(const Database& database, const char* sql,
                                const Values&... values) {
    Query query(database, sql, values...);
    const std::int64_t answer = query.next() ? query.integer(0) : 0;
    if (query.failure()) return *query.failure();
    return answer;
}

Result<std::string> ask_text(const Database& database, const char* sql) {
    Query query(database, sql);
    std::string answer = query.next() ? query.text(0) : "";
    if (query.failure()) return *query.failure();
    return answer;
}

constexpr const char* all_records = "SELECT group_name, algorithm, bytes, checksum FROM records";
constexpr const char* one_record =
    "SELECT group_name, algorithm, bytes, checksum FROM records WHERE group_name = ?";

Result<Pending> read_record(const Database& database, const Query& row) {
    Pending record{row.text(0), row.text(1), row.bytes(2)};
    if (record_checksum(record) == row.integer(3)) return record;
    return database.damaged("the record of group " + in_quotes(record.group) +
                            " is not what was saved");
}

constexpr const char* all_peers = "SELECT node, store, incarnation, checksum FROM known_stores";
constexpr const char* one_peer =
    "SELECT node, store, incarnation, checksum FROM known_stores WHERE node = ?";

Result<PeerShown> read_peer(const Database& database, const Query& row) {
    const auto peer = static_cast<std::uint32_t>(row.integer(0));
    PeerShown shown{{row.text(1)}, {row.natural(2)}};
    if (peer == row.integer(0) && peer_checksum(peer, shown) == row.integer(3)) return shown;
    return database.damaged("what is known of a peer is not what was saved");
}

constexpr const char* newest_entries =
    "SELECT entry, group_name, epoch, leader, at_ns, cause, checksum FROM history"
    " WHERE group_name = ? AND entry > ? ORDER BY entry DESC LIMIT ?";
constexpr const char* next_entries =
    "SELECT entry, group_name, epoch, leader, at_ns, cause, checksum FROM history"
    " WHERE group_name = ? AND entry > ? ORDER BY entry LIMIT ?";

Result<HistoryEntry> read_entry(const Database& database, const Query& row) {
    HistoryEntry entry{row.natural(0), row.text(1),    {row.natural(2)},
                       std::nullopt,   row.integer(4), row.text(5)};
    if (!row.is_null(3)) entry.leader = static_cast<NodeId>(row.integer(3));
    if (entry_checksum(entry) == row.integer(6)) return entry;
    return database.damaged("entry " + std::to_string(entry.index) + " of the history");
}

}  // namespace

Result<Store> Store::open(const std::filesystem::path& directory, const Identity& who) {
    auto lock = DirectoryLock::take(directory);
    if (!lock) return lock.error();
    if (auto trouble = make_if_absent(directory, who)) return *trouble;
    if (auto trouble = check_log(directory / "state.db-wal")) return *trouble;
    auto database = Database::open(directory / "state.db", Database::Mode::existing);
    if (!database) return database.error();

    Store store(std::move(*lock), std::move(*database));
    if (auto trouble = store.check_file()) return *trouble;
    if (auto trouble = store.recognise(who)) return *trouble;
    if (auto trouble = store.check_rows()) return *trouble;
    if (auto trouble = store.prepare()) return *trouble;
    if (auto trouble = store.start()) return *trouble;
    return store;
}

// Structure first, because everything else trusts it; nothing is changed yet.
std::optional<Error> Store::check_file() const {
    const auto verdict = ask_text(database_, "PRAGMA quick_check(1)");
    if (!verdict) return verdict.error();
    if (*verdict != "ok") return database_.damaged(in_one_line(*verdict));

    const auto application = ask_number(database_, "PRAGMA application_id");
    if (!application) return application.error();
    if (*application != application_id) return database_.damaged("it is no state file of Conclave");
    const auto version = ask_number(database_, "PRAGMA user_version");
    if (!version) return version.error();
    if (*version == schema_version) return std::nullopt;
    const std::string versions = "schema version " + std::to_string(*version) + " where " +
                                 std::to_string(schema_version) + " is known";
    if (*version < schema_version) return database_.damaged(versions);
    return database_.refused("written by a newer Conclave: " + versions);
}

std::optional<Error> Store::recognise(const Identity& who) {
    Query row(database_, "SELECT cluster, node, name, store, incarnation, checksum FROM identity");
    if (!row.next()) return row.failure() ? row.failure() : database_.damaged("it has no identity");
    who_ = {row.text(0), static_cast<NodeId>(row.integer(1)), row.text(2)};
    id_ = {row.text(3)};
    incarnation_ = {row.natural(4)};
    if (identity_checksum(who_, id_, incarnation_) != row.integer(5))
        return database_.damaged("its identity is not what was saved");
    if (who_.cluster != who.cluster)
        return database_.refused("it belongs to cluster " + in_quotes(who_.cluster) + ", not to " +
                                 in_quotes(who.cluster));
    if (who_.node != who.node || who_.name != who.name)
        return database_.refused("it belongs to " + described(who_.node, who_.name) + ", not to " +
                                 described(who.node, who.name));
    return std::nullopt;
}

// A record whose key has rotted would otherwise be missing, and its machine begin anew. The history
// decides nothing and may be long: its rows are checked when somebody reads them.
std::optional<Error> Store::check_rows() const {
    Query records(database_, all_records);
    while (records.next())
        if (const auto record = read_record(database_, records); !record) return record.error();
    if (records.failure()) return records.failure();
    Query peers(database_, all_peers);
    while (peers.next())
        if (const auto peer = read_peer(database_, peers); !peer) return peer.error();
    return peers.failure();
}

std::optional<Error> Store::prepare() {
    const auto mode = ask_text(database_, "PRAGMA journal_mode = WAL");
    if (!mode) return mode.error();
    if (*mode != "wal") return database_.refused("it cannot have a write-ahead log: " + *mode);
    // No spilling, and an empty log to begin with: see log_check.h. The cache is small because all
    // we ever look at is a few rows, and a node should be light.
    for (const char* setting :
         {"PRAGMA synchronous = FULL", "PRAGMA cache_spill = OFF", "PRAGMA cache_size = -256"})
        if (auto trouble = database_.run(setting)) return trouble;
    if (auto trouble = database_.empty_log()) return trouble;
    database_.lengthen_log(log_pages_long + log_pages_long / 4);  // the last commit goes past it
    return std::nullopt;
}

std::optional<Error> Store::start() {
    const auto last = ask_number(database_, "SELECT max(entry) FROM history");
    if (!last) return last.error();
    last_index_ = static_cast<std::uint64_t>(*last);
    const Incarnation next = incarnation_.next();
    if (auto trouble = database_.run("UPDATE identity SET incarnation = ?, checksum = ?",
                                     next.value, identity_checksum(who_, id_, next)))
        return trouble;
    incarnation_ = next;
    return std::nullopt;
}

Result<std::optional<Bytes>> Store::load(const std::string& group,
                                         const std::string& algorithm) const {
    Query row(database_, one_record, std::string_view(group));
    if (!row.next()) {
        if (row.failure()) return *row.failure();
        return std::optional<Bytes>();
    }
    auto record = read_record(database_, row);
    if (!record) return record.error();
    if (record->algorithm != algorithm)
        return database_.refused("group " + in_quotes(group) + " holds the state of " +
                                 in_quotes(record->algorithm) + ", not of " + in_quotes(algorithm));
    return std::optional(std::move(record->bytes));
}

std::optional<Error> Store::commit(std::span<const Pending> records,
                                   std::span<const HistoryEntry> entries) {
    Transaction transaction(database_);
    std::optional<Error> trouble = transaction.begin();
    std::uint64_t last = last_index_;
    for (const auto& record : records)
        if (!trouble) trouble = put(record);
    for (const auto& entry : entries) {
        assert(entry.index > last);
        last = entry.index;
        if (!trouble) trouble = put(entry);
    }
    if (!trouble) trouble = transaction.commit();
    if (trouble)
        entries_.clear();  // counted entries that are no more
    else
        last_index_ = last;
    return trouble;
}

std::optional<Error> Store::put(const Pending& record) {
    return database_.run("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)",
                         std::string_view(record.group), std::string_view(record.algorithm),
                         ByteView(record.bytes), record_checksum(record));
}

std::optional<Error> Store::put(const HistoryEntry& entry) {
    const auto found = entries_.find(entry.group);
    if (found == entries_.end()) {
        const auto count =
            ask_number(database_, "SELECT count(*) FROM history WHERE group_name = ?",
                       std::string_view(entry.group));
        if (!count) return count.error();
        entries_[entry.group] = static_cast<std::uint64_t>(*count);
    }
    std::optional<std::uint32_t> leader;
    if (entry.leader) leader = number(*entry.leader);
    if (auto trouble =
            database_.run("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)", entry.index,
                          std::string_view(entry.group), entry.epoch.value, leader, entry.at,
                          std::string_view(entry.cause), entry_checksum(entry)))
        return trouble;
    if (++entries_[entry.group] <= history_kept) return std::nullopt;
    --entries_[entry.group];
    return database_.run(
        "DELETE FROM history WHERE entry ="
        " (SELECT min(entry) FROM history WHERE group_name = ?)",
        std::string_view(entry.group));
}

Result<std::vector<HistoryEntry>> Store::history(const HistoryQuery& query) const {
    Query rows(database_, query.since ? next_entries : newest_entries,
               std::string_view(query.group), query.since.value_or(0),
               std::uint64_t{std::min(query.limit, history_page_max)});
    std::vector<HistoryEntry> entries;
    while (rows.next()) {
        auto entry = read_entry(database_, rows);
        if (!entry) return entry.error();
        entries.push_back(std::move(*entry));
    }
    if (rows.failure()) return *rows.failure();
    if (!query.since) std::ranges::reverse(entries);
    return entries;
}

Result<std::optional<PeerShown>> Store::remembered(NodeId peer) const {
    Query row(database_, one_peer, number(peer));
    if (!row.next()) {
        if (row.failure()) return *row.failure();
        return std::optional<PeerShown>();
    }
    const auto shown = read_peer(database_, row);
    if (!shown) return shown.error();
    return std::optional(*shown);
}

Result<PeerKnown> Store::meet(NodeId peer, const PeerShown& shown) {
    if (!well_formed(shown.store))
        return Error{"node " + std::to_string(number(peer)) + " shows a malformed store id"};
    const auto before = remembered(peer);
    if (!before) return before.error();
    if (const auto& known = *before) {
        if (known->store != shown.store) return PeerKnown{Acquaintance::another_store, known};
        if (known->incarnation > shown.incarnation)
            return PeerKnown{Acquaintance::went_back, known};
        if (known->incarnation == shown.incarnation) return PeerKnown{Acquaintance::same, known};
    }
    if (auto trouble = database_.run("INSERT OR REPLACE INTO known_stores VALUES (?, ?, ?, ?)",
                                     number(peer), std::string_view(shown.store.text),
                                     shown.incarnation.value, peer_checksum(number(peer), shown)))
        return *trouble;
    return PeerKnown{*before ? Acquaintance::same : Acquaintance::first_time, *before};
}

std::optional<Error> Store::forget(NodeId peer) {
    return database_.run("DELETE FROM known_stores WHERE node = ?", number(peer));
}

void Store::settle() {
    if (database_.log_pages() >= log_pages_long) database_.checkpoint();
}

}  // namespace conclave
