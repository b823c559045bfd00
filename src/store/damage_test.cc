// store/damage_test.cc -- bytes that rot: refused, or right; never a wrong value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>

#include "store/disk_test.h"
#include "store/store.h"

namespace conclave {
namespace {

using namespace testing;
using ::testing::HasSubstr;

std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

const StoreId peer_store{std::string(32, 'c')};

std::vector<Pending> all_records() {
    std::vector<Pending> all;
    for (std::uint64_t i = 1; i <= 9; ++i)
        all.push_back(record("group-" + std::to_string(i), bytes_of(i * 1'000'003, i * 150)));
    return all;
}

std::vector<HistoryEntry> all_entries() {
    std::vector<HistoryEntry> all;
    for (std::uint64_t i = 1; i <= 40; ++i)
        all.push_back({i, "group-1", {i}, NodeId{2}, 1'700'000'000'000'000'000, R"({"by":"n2"})"});
    return all;
}

// Empty if all that can be read is right, whatever is refused.
std::string wrong_in(Store& store) {
    for (const auto& one : all_records()) {
        const auto loaded = store.load(one.group, one.algorithm);
        if (loaded && *loaded != one.bytes) return "the record of " + one.group;
    }
    const auto known = store.meet(NodeId{2}, {peer_store, {5}});
    if (known && known->how != Acquaintance::same) return "the peer";
    const auto entries = store.history({"group-1", 0, 100});
    if (entries) {
        for (const auto& one : *entries)
            if (one.epoch.value != one.index || one.cause != R"({"by":"n2"})") return "history";
    }
    return "";
}

// How far a log has been written: zeros stand behind.
std::size_t written(const std::filesystem::path& log) {
    return read(log).find_last_not_of('\0') + 1;
}

struct Verdicts {
    int refused = 0, right = 0;
    std::set<std::string> reasons;
};

struct Files {
    std::string base, log;
};

void try_damaged(const Files& files, const StoreId& id, std::uint64_t starts, Verdicts& verdicts) {
    const Folder folder;
    write(folder.path / "state.db", files.base);
    if (!files.log.empty()) write(folder.path / "state.db-wal", files.log);
    auto store = Store::open(folder.path, alpha);
    if (!store) {
        ++verdicts.refused;
        EXPECT_THAT(store.error().what, HasSubstr(folder.path.string()));
        EXPECT_EQ(store.error().what.find('\n'), std::string::npos) << store.error().what;
        verdicts.reasons.insert(store.error().what.substr(folder.path.string().size()));
        return;
    }
    ++verdicts.right;
    EXPECT_EQ(store->id(), id);
    EXPECT_EQ(store->incarnation(), Incarnation{starts + 1});
    EXPECT_EQ(wrong_in(*store), "");
}

struct Filled {  // and closed, so that nothing is left in the log
    StoreId id;
    std::string file;
};

Filled filled() {
    const Folder folder;
    Filled result;
    {
        auto store = Store::open(folder.path, alpha);
        result.id = store->id();
        EXPECT_FALSE(store->commit(all_records(), all_entries()));
        EXPECT_TRUE(store->meet(NodeId{2}, {peer_store, {5}}));
    }
    result.file = read(folder.path / "state.db");
    return result;
}

TEST(Damage, AFlippedByteInTheFileIsRefusedOrHarmless) {
    const Filled good = filled();
    ASSERT_GT(good.file.size(), 20'000u);
    Verdicts verdicts;
    for (std::size_t at = 0; at < good.file.size(); at += at % 4096 < 64 ? 1 : 61) {
        SCOPED_TRACE("byte " + std::to_string(at));
        Files files{good.file, ""};
        files.base[at] = static_cast<char>(files.base[at] ^ (at % 2 == 0 ? 0xff : 1 << at % 8));
        try_damaged(files, good.id, 1, verdicts);
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(verdicts.refused, 200);
    EXPECT_GT(verdicts.right, 100) << "unused space";
    EXPECT_GT(verdicts.reasons.size(), 10u);
}

TEST(Damage, ACutFileIsRefused) {
    const Filled good = filled();
    const std::size_t last_page = good.file.size() - 4096;  // its end may be unused
    Verdicts verdicts;
    for (std::size_t size = 0; size < good.file.size(); size += 1'000) {
        SCOPED_TRACE("cut to " + std::to_string(size));
        try_damaged({good.file.substr(0, size), ""}, good.id, 1, verdicts);
        if (size <= last_page) {
            EXPECT_EQ(verdicts.right, 0);
        }
    }
    EXPECT_GT(verdicts.refused, 20);
}

TEST(Damage, AFlippedByteInTheLogIsRefusedUnlessItIsAtTheEnd) {
    const Folder folder;
    const auto log = folder.path / "state.db-wal";
    // Two transactions at the end are not looked at: see log_check.h for what cannot be told.
    const Tale tale = listen([&](Told told) {
        auto store = Store::open(folder.path, alpha);
        for (const auto& one : all_records())
            if (store->commit(std::vector{record(one.group, {})}, {})) return 2;
        if (!store->meet(NodeId{2}, {peer_store, {5}})) return 2;
        if (store->commit(all_records(), all_entries())) return 2;
        told.tell(written(log));
        for (const char* group : {"x", "y"})
            if (store->commit(std::vector{record(group, {})}, {})) return 2;
        ::kill(::getpid(), SIGKILL);
        return 2;
    });
    ASSERT_TRUE(WIFSIGNALED(tale.status));
    const Files good{read(folder.path / "state.db"), read(log)};
    const StoreId id = Store::open(folder.path, alpha)->id();
    Verdicts verdicts;
    try_damaged(good, id, 1, verdicts);
    ASSERT_EQ(verdicts.right, 1) << "as it was left";
    for (std::size_t at = 0; at < tale.numbers.at(0); at += at < 32 ? 1 : 97) {
        SCOPED_TRACE("byte " + std::to_string(at));
        Files files = good;
        files.log[at] = static_cast<char>(files.log[at] ^ 0x40);
        try_damaged(files, id, 1, verdicts);
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_EQ(verdicts.right, 1) << "every byte of a frame is summed";
    EXPECT_GT(verdicts.refused, 200);
}

TEST(Damage, AHeaderOfZerosBeforeFramesIsRefusedAndALogOfZerosIsNone) {
    const Folder folder;
    const auto log = folder.path / "state.db-wal";
    const Filled good = filled();
    const Tale tale = listen([&](Told) {
        auto store = Store::open(folder.path, alpha);
        ::kill(::getpid(), SIGKILL);
        return 2;
    });
    ASSERT_TRUE(WIFSIGNALED(tale.status));
    std::string left = read(log);
    Verdicts verdicts;
    try_damaged({good.file, std::string(left.size(), '\0')}, good.id, 1, verdicts);
    EXPECT_EQ(verdicts.right, 1);
    left.replace(0, 32, 32, '\0');
    try_damaged({good.file, left}, good.id, 1, verdicts);
    EXPECT_THAT(verdicts.reasons, ::testing::ElementsAre(HasSubstr("bad header")));
}

TEST(Damage, ALogHasItsLengthFromTheStart) {
    const Folder folder;
    const auto log = folder.path / "state.db-wal";
    auto store = Store::open(folder.path, alpha);
    ASSERT_TRUE(store) << store.error().what;
    const auto length = std::filesystem::file_size(log);
    for (std::uint64_t i = 0; i < 2'000; ++i) {
        ASSERT_FALSE(store->commit(std::vector{record("orders", bytes_of(i))}, {}));
        store->settle();
    }
    EXPECT_EQ(std::filesystem::file_size(log), length) << "a sync that changes a length is slow";
}

}  // namespace
}  // namespace conclave
