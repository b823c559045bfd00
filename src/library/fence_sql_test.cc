// library/fence_sql_test.cc -- the statements of docs/fencing.md, as they stand there.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>
#include <string>

namespace conclave {
namespace {

std::string statements() {
    std::ostringstream text;
    text << std::ifstream(CONCLAVE_SOURCE_DIR "/docs/fencing.md").rdbuf();
    const std::string page = text.str(), open = "```sql\n";
    const std::size_t begin = page.find(open) + open.size();
    return page.substr(begin, page.find("```", begin) - begin);
}

class Fence {
public:
    Fence() {
        EXPECT_EQ(sqlite3_open(":memory:", &database_), SQLITE_OK);
        const std::size_t cut = sql_.find("UPDATE");
        const std::string setup = sql_.substr(0, cut);
        EXPECT_EQ(sqlite3_exec(database_, setup.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
        sql_ = sql_.substr(cut);
    }
    ~Fence() { sqlite3_close(database_); }

    bool admits(int epoch, int number) {
        sqlite3_stmt* update = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(database_, sql_.c_str(), -1, &update, nullptr), SQLITE_OK);
        sqlite3_bind_int(update, sqlite3_bind_parameter_index(update, ":epoch"), epoch);
        sqlite3_bind_int(update, sqlite3_bind_parameter_index(update, ":number"), number);
        EXPECT_EQ(sqlite3_step(update), SQLITE_DONE);
        sqlite3_finalize(update);
        return sqlite3_changes(database_) == 1;
    }

private:
    sqlite3* database_ = nullptr;
    std::string sql_ = statements();
};

TEST(FenceInSql, RefusesWhoComesLate) {
    Fence fence;
    EXPECT_TRUE(fence.admits(42, 7));
    EXPECT_TRUE(fence.admits(42, 7));
    EXPECT_FALSE(fence.admits(42, 6));
    EXPECT_FALSE(fence.admits(41, 900));
    EXPECT_TRUE(fence.admits(43, 0));
    EXPECT_FALSE(fence.admits(42, 7));
}

}  // namespace
}  // namespace conclave
