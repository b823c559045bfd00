// store/database.cc -- SQLite behind three small classes.
#include "store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "store/log_check.h"

namespace conclave {

namespace {

// Somebody's sqlite3 shell may hold the file for a moment; a node does not give up over it.
constexpr int busy_timeout_ms = 2000;

std::string in_words(int code, const char* message) {
    switch (code & 0xff) {
        case SQLITE_FULL:
            return "the disk is full";
        case SQLITE_READONLY:
            return "it is read-only";
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return "another program holds it";
        case SQLITE_NOTADB:
            return "it is damaged, or no store: " + std::string(message);
        case SQLITE_CORRUPT:
            return "it is damaged: " + std::string(message);
        default:
            return message;
    }
}

int count_log_pages(void* pages, sqlite3*, const char*, int count) {
    *static_cast<std::int64_t*>(pages) = count;
    return SQLITE_OK;
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
void Database::Finish::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(std::filesystem::path file, sqlite3* connection)
    : file_(std::move(file)),
      log_pages_(std::make_unique<std::int64_t>(0)),
      connection_(connection) {}

Result<Database> Database::open(const std::filesystem::path& file, Mode mode) {
    const int create = mode == Mode::make ? SQLITE_OPEN_CREATE : 0;
    sqlite3* connection = nullptr;
    // One thread at a time uses a Store, so SQLite's own locks would only cost.
    const int code = sqlite3_open_v2(file.c_str(), &connection,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | create, nullptr);
    if (connection == nullptr) return Error{file.string() + ": out of memory"};
    Database database(file, connection);
    if (code != SQLITE_OK) return database.error();
    sqlite3_extended_result_codes(connection, 1);
    sqlite3_busy_timeout(connection, busy_timeout_ms);
    // A hook of our own replaces SQLite's, which would checkpoint inside a commit.
    sqlite3_wal_hook(connection, count_log_pages, database.log_pages_.get());
    return database;
}

Error Database::error() const {
    const int code = sqlite3_errcode(connection_.get());
    const bool from_outside = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
    const int cause = from_outside ? sqlite3_system_errno(connection_.get()) : 0;
    if (cause == ENOSPC) return refused(in_words(SQLITE_FULL, ""));
    std::string what = in_words(code, sqlite3_errmsg(connection_.get()));
    if (cause != 0) what += std::string(" (") + std::strerror(cause) + ")";
    return refused(what);
}

Error Database::refused(std::string_view why) const {
    return {file_.string() + ": " + std::string(why)};
}

Error Database::damaged(std::string_view how) const {
    return refused("it is damaged: " + std::string(how));
}

void Database::checkpoint() {
    // A failure loses nothing: what was not moved is as durable in the log. If the disk is really
    // in trouble the next commit says so.
    const int code = sqlite3_wal_checkpoint_v2(connection_.get(), nullptr,
                                               SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    if (code == SQLITE_OK) *log_pages_ = 0;
}

std::optional<Error> Database::empty_log() {
    const int code = sqlite3_wal_checkpoint_v2(connection_.get(), nullptr,
                                               SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    if (code != SQLITE_OK) return error();
    *log_pages_ = 0;
    return std::nullopt;
}

void Database::lengthen_log(std::int64_t pages) const {
    const std::vector<char> zeros(log_size(static_cast<std::size_t>(pages)));
    // Not on a disk that is small or nearly full: what the log takes, the file has to do without.
    std::error_code unknown;
    const auto room = std::filesystem::space(file_.parent_path(), unknown);
    if (unknown || room.available / 16 < zeros.size()) return;
    const int log = ::open((file_.string() + "-wal").c_str(), O_WRONLY | O_CLOEXEC);
    if (log < 0) return;
    // Written, not only reserved: a reserved block changes its state with the first write.
    const ssize_t written = ::write(log, zeros.data(), zeros.size());
    if (written > 0) static_cast<void>(::fsync(log));
    ::close(log);
}

Query::Query(const Database& database, std::string_view sql) : database_(database), sql_(sql) {
    if (const auto found = database.compiled_.find(sql); found != database.compiled_.end()) {
        statement_ = std::move(database.compiled_.extract(found).mapped());
        return;
    }
    sqlite3_stmt* statement = nullptr;
    note(sqlite3_prepare_v2(database.connection_.get(), sql.data(), static_cast<int>(sql.size()),
                            &statement, nullptr));
    statement_.reset(statement);
}

Query::~Query() {
    if (!statement_) return;
    sqlite3_reset(statement_.get());  // repeats a failure that was noted
    sqlite3_clear_bindings(statement_.get());
    database_.compiled_.insert_or_assign(sql_, std::move(statement_));
}

void Query::note(int code) {
    const bool good = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
    if (!good && !failure_) failure_ = database_.error();
}

bool Query::next() {
    if (failure_) return false;
    const int code = sqlite3_step(statement_.get());
    note(code);
    return code == SQLITE_ROW;
}

void Query::bind(int place, std::int64_t number) {
    if (!failure_) note(sqlite3_bind_int64(statement_.get(), place, number));
}

void Query::bind(int place, std::string_view text) {
    if (failure_) return;
    note(sqlite3_bind_text64(statement_.get(), place, text.empty() ? "" : text.data(), text.size(),
                             SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Query::bind(int place, ByteView bytes) {
    static constexpr std::byte nothing{};  // a null pointer would bind NULL, not an empty blob
    const std::byte* data = bytes.empty() ? &nothing : bytes.data();
    if (failure_) return;
    note(sqlite3_bind_blob64(statement_.get(), place, data, bytes.size(), SQLITE_TRANSIENT));
}

void Query::bind(int place, const std::optional<std::uint32_t>& number) {
    if (number) return bind(place, *number);
    if (!failure_) note(sqlite3_bind_null(statement_.get(), place));
}

std::int64_t Query::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

bool Query::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string Query::text(int column) const {
    const auto* data = sqlite3_column_text(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return data == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(data), size);
}

Bytes Query::bytes(int column) const {
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return data == nullptr ? Bytes() : Bytes(data, data + size);
}

std::optional<Error> Transaction::begin() {
    assert(!open_);
    auto trouble = database_.run("BEGIN IMMEDIATE");
    open_ = !trouble;
    return trouble;
}

std::optional<Error> Transaction::commit() {
    assert(open_);
    auto trouble = database_.run("COMMIT");
    if (!trouble) open_ = false;
    return trouble;
}

Transaction::~Transaction() {
    // SQLite may have rolled back by itself already; then this fails, and nothing is left to undo.
    if (open_) static_cast<void>(database_.run("ROLLBACK"));
}

}  // namespace conclave
