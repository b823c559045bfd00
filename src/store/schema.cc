// store/schema.cc -- a new state.db.
#include "store/schema.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "store/database.h"

namespace conclave {

namespace {

namespace fs = std::filesystem;

// WITHOUT ROWID where a text is the key: a separate index would be a second copy of the key, which
// no checksum of ours covers, and a flipped byte in it would hide a record.
constexpr std::array tables = {
    "CREATE TABLE identity (one INTEGER PRIMARY KEY CHECK (one = 1), cluster TEXT NOT NULL,"
    " node INTEGER NOT NULL, name TEXT NOT NULL, store TEXT NOT NULL,"
    " incarnation INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT",
    "CREATE TABLE records (group_name TEXT PRIMARY KEY, algorithm TEXT NOT NULL,"
    " bytes BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE known_stores (node INTEGER PRIMARY KEY, store TEXT NOT NULL,"
    " incarnation INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT",
    "CREATE TABLE history (entry INTEGER PRIMARY KEY, group_name TEXT NOT NULL,"
    " epoch INTEGER NOT NULL, leader INTEGER, at_ns INTEGER NOT NULL, cause TEXT NOT NULL,"
    " checksum INTEGER NOT NULL) STRICT",
    "CREATE INDEX history_of_group ON history (group_name)",
};

Error refused(const fs::path& directory, const std::string& why) {
    return {"state directory " + directory.string() + ": " + why};
}

Result<StoreId> draw_id() {
    std::array<unsigned char, 16> bits{};
    if (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size()))
        return Error{std::string("no random bits for a store id: ") + std::strerror(errno)};
    StoreId id;
    for (const unsigned char byte : bits) {
        id.text += "0123456789abcdef"[byte >> 4];
        id.text += "0123456789abcdef"[byte & 15];
    }
    return id;
}

std::optional<Error> fill(Database& database, const Identity& who, const StoreId& id) {
    if (auto trouble = database.run("PRAGMA synchronous = FULL")) return trouble;
    Transaction transaction(database);
    if (auto trouble = transaction.begin()) return trouble;
    for (const char* table : tables)
        if (auto trouble = database.run(table)) return trouble;
    const std::string marks[] = {"PRAGMA application_id = " + std::to_string(application_id),
                                 "PRAGMA user_version = " + std::to_string(schema_version)};
    for (const auto& mark : marks)
        if (auto trouble = database.run(mark.c_str())) return trouble;
    if (auto trouble = database.run("INSERT INTO identity VALUES (1, ?, ?, ?, ?, 0, ?)",
                                    std::string_view(who.cluster), number(who.node),
                                    std::string_view(who.name), std::string_view(id.text),
                                    identity_checksum(who, id, Incarnation{0})))
        return trouble;
    return transaction.commit();
}

// A new name in a directory is durable only when the directory is synced.
std::optional<Error> sync_directory(const fs::path& directory) {
    const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool good = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int cause = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (good) return std::nullopt;
    return refused(directory, std::string("cannot be synced: ") + std::strerror(cause));
}

std::optional<Error> make(const fs::path& directory, const Identity& who) {
    const fs::path draft = directory / "state.db.new";
    std::error_code ignored;  // what cannot be removed makes the next lines fail
    fs::remove(draft, ignored);
    fs::remove(directory / "state.db.new-journal", ignored);
    const auto id = draw_id();
    if (!id) return refused(directory, id.error().what);
    {
        auto database = Database::open(draft, Database::Mode::make);
        if (!database) return database.error();
        if (auto trouble = fill(*database, who, *id)) return trouble;
    }
    std::error_code trouble;
    fs::rename(draft, directory / "state.db", trouble);
    if (trouble) return refused(directory, "cannot be written: " + trouble.message());
    // The directory may be as new as the file. Its parent is often not ours to open.
    static_cast<void>(sync_directory(fs::absolute(directory).parent_path()));
    return sync_directory(directory);
}

}  // namespace

std::optional<Error> make_if_absent(const fs::path& directory, const Identity& who) {
    std::error_code trouble;
    const bool there = fs::exists(directory / "state.db", trouble);
    if (trouble) return refused(directory, "cannot be read: " + trouble.message());
    if (there) return std::nullopt;
    // The log of a lost file would be replayed into the new one.
    if (fs::exists(directory / "state.db-wal", trouble) || trouble)
        return refused(directory, "state.db is missing, but its log state.db-wal is there");
    return make(directory, who);
}

}  // namespace conclave
