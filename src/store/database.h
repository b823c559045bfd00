// store/database.h -- the little we ask of SQLite, its failures in one line of words.
//
// A Query is bound when it is made and remembers its first failure, so that a caller reads its rows
// in a plain loop and asks once, at the end, whether all went well.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/leaf_bytes.h"
#include "core/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace conclave {

class Database {
public:
    enum class Mode { make, existing };  // a file that should be there is never made anew
    static Result<Database> open(const std::filesystem::path& file, Mode mode);

    template <class... Values>
    [[nodiscard]] std::optional<Error> run(const char* sql, const Values&... values);
    [[nodiscard]] Error error() const;  // of the last call
    [[nodiscard]] Error refused(std::string_view why) const;
    [[nodiscard]] Error damaged(std::string_view how) const;

    std::int64_t log_pages() const { return *log_pages_; }  // of the write-ahead log, committed
    void checkpoint();  // moves the log into the file, as far as readers permit
    [[nodiscard]] std::optional<Error> empty_log();  // all of it, and cuts the log to nothing
    // Gives an empty log the length it will have: what is then written into it changes no length,
    // so that a sync is of the data alone, and takes half as long. Only that is lost on failure,
    // or where the disk has no room to spare.
    void lengthen_log(std::int64_t pages) const;

private:
    friend class Query;
    struct Close {
        void operator()(sqlite3* connection) const;
    };
    struct Finish {
        void operator()(sqlite3_stmt* statement) const;
    };
    using Statement = std::unique_ptr<sqlite3_stmt, Finish>;
    Database(std::filesystem::path file, sqlite3* connection);

    std::filesystem::path file_;
    std::unique_ptr<std::int64_t> log_pages_;  // SQLite's hook keeps the address
    std::unique_ptr<sqlite3, Close> connection_;
    // Compiled and not in use: to compile them again for every commit would take longer than to
    // write it.
    mutable std::map<std::string, Statement, std::less<>> compiled_;
};

class Query {
public:
    template <class... Values>
    Query(const Database& database, const char* sql, const Values&... values)
        : Query(database, std::string_view(sql)) {
        int place = 0;
        (bind(++place, values), ...);
    }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query();

    bool next();  // false: no further row, or a failure
    const std::optional<Error>& failure() const { return failure_; }

    std::int64_t integer(int column) const;
    std::uint64_t natural(int column) const { return static_cast<std::uint64_t>(integer(column)); }
    bool is_null(int column) const;
    std::string text(int column) const;
    Bytes bytes(int column) const;

private:
    Query(const Database& database, std::string_view sql);

    void bind(int place, std::int64_t number);
    void bind(int place, std::uint64_t number) { bind(place, static_cast<std::int64_t>(number)); }
    void bind(int place, std::uint32_t number) { bind(place, std::int64_t{number}); }
    void bind(int place, std::string_view text);
    void bind(int place, ByteView bytes);
    void bind(int place, const std::optional<std::uint32_t>& number);
    void note(int code);

    const Database& database_;
    const std::string sql_;
    Database::Statement statement_;
    std::optional<Error> failure_;
};

template <class... Values>
std::optional<Error> Database::run(const char* sql, const Values&... values) {
    Query query(*this, sql, values...);
    while (query.next()) continue;
    return query.failure();
}

// What is not committed when this goes away never happened.
class Transaction {
public:
    explicit Transaction(Database& database) : database_(database) {}
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    [[nodiscard]] std::optional<Error> begin();
    [[nodiscard]] std::optional<Error> commit();

private:
    Database& database_;
    bool open_ = false;
};

}  // namespace conclave
