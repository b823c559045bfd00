// store/store_test.cc -- what a store keeps, and whom it refuses.
#include "store/store.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "store/checksum.h"
#include "store/disk_test.h"

namespace conclave {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(const std::filesystem::path& directory, const Identity& who = alpha) {
    const auto store = Store::open(directory, who);
    return store ? "not refused" : store.error().what;
}

auto OneLineAbout(const std::filesystem::path& directory, const std::string& reason) {
    return AllOf(HasSubstr(directory.string()), HasSubstr(reason), Not(HasSubstr("\n")));
}

HistoryEntry entry(std::uint64_t index, std::string group) {
    return {index, std::move(group), Epoch{index}, NodeId{2}, 17, R"({"why":"silence"})"};
}

TEST(Store, TheIncarnationGrowsWithEveryOpen) {
    const Folder folder;
    for (std::uint64_t start = 1; start <= 5; ++start) {
        const auto store = Store::open(folder.path, alpha);
        ASSERT_TRUE(store) << store.error().what;
        EXPECT_EQ(store->incarnation(), Incarnation{start});
        EXPECT_EQ(store->fresh(), start == 1);
    }
}

TEST(Store, TheStoreIdIsMadeOnceAndIsNoOtherStores) {
    const Folder one, other;
    const auto id = Store::open(one.path, alpha)->id();
    EXPECT_EQ(id.text.size(), 32u);
    EXPECT_EQ(Store::open(one.path, alpha)->id(), id);
    EXPECT_NE(Store::open(other.path, alpha)->id(), id);
}

TEST(Store, ARecordIsFoundAgainAfterReopening) {
    const Folder folder;
    {
        auto store = Store::open(folder.path, alpha);
        EXPECT_EQ(*store->load("orders", "quorum"), std::nullopt);
        const std::vector first{record("orders", bytes_of(7)), record("empty", {})};
        const std::vector second{record("orders", bytes_of(8))};
        EXPECT_FALSE(store->commit(first, {}));
        EXPECT_FALSE(store->commit(second, {}));
    }
    const auto store = Store::open(folder.path, alpha);
    EXPECT_EQ(*store->load("orders", "quorum"), bytes_of(8));
    EXPECT_EQ(*store->load("empty", "quorum"), Bytes());
    EXPECT_EQ(*store->load("nobody", "quorum"), std::nullopt);
}

TEST(Store, AnotherAlgorithmDoesNotGetTheRecord) {
    const Folder folder;
    auto store = Store::open(folder.path, alpha);
    const std::vector saved{record("orders", bytes_of(7))};
    EXPECT_FALSE(store->commit(saved, {}));
    const auto loaded = store->load("orders", "bully");
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().what,
                OneLineAbout(folder.path, R"(state of "quorum", not of "bul)"));
}

TEST(Store, AnotherClustersOrNodesDirectoryIsRefused) {
    const Folder folder;
    ASSERT_TRUE(Store::open(folder.path, alpha));
    EXPECT_THAT(refusal(folder.path, {"prod", NodeId{1}, "alpha"}),
                OneLineAbout(folder.path, R"(belongs to cluster "demo", not to "prod")"));
    EXPECT_THAT(refusal(folder.path, {"demo", NodeId{2}, "beta"}),
                OneLineAbout(folder.path, R"(belongs to node 1 "alpha", not to node 2 "beta")"));
    EXPECT_THAT(refusal(folder.path, {"demo", NodeId{1}, "beta"}),
                OneLineAbout(folder.path, R"(not to node 1 "beta")"));
    EXPECT_EQ(Store::open(folder.path, alpha)->incarnation(), Incarnation{2})
        << "a refused open must not count as a start";
}

TEST(Store, ANewerSchemaIsRefused) {
    const Folder folder;
    ASSERT_TRUE(Store::open(folder.path, alpha));
    {
        auto file = Database::open(folder.path / "state.db", Database::Mode::existing);
        ASSERT_FALSE(file->run("PRAGMA user_version = 2"));
    }
    EXPECT_THAT(refusal(folder.path),
                OneLineAbout(folder.path, "newer Conclave: schema version 2"));
}

TEST(Store, ASecondProcessIsRefusedAndToldWhoHoldsTheDirectory) {
    const Folder folder;
    const Tale tale = listen(
        [&](Told told) {
            const auto store = Store::open(folder.path, alpha);
            told.tell(store ? 1 : 0);
            ::pause();
            return 0;
        },
        [&](pid_t holder, std::uint64_t opened) {
            EXPECT_EQ(opened, 1u);
            EXPECT_THAT(refusal(folder.path),
                        OneLineAbout(folder.path, "in use by process " + std::to_string(holder)));
            ::kill(holder, SIGKILL);
        });
    EXPECT_EQ(tale.numbers.size(), 1u);
    EXPECT_TRUE(Store::open(folder.path, alpha)) << "the lock must die with its process";
}

// The superuser may write anywhere, so the child becomes nobody.
int refused_to_nobody(const std::filesystem::path& directory, const std::string& reason) {
    return in_child([&] {
        constexpr uid_t nobody = 65534;
        const bool root = ::geteuid() == 0;
        if (root && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0)) return 2;
        if (root && ::setuid(nobody) != 0) return 3;
        return refusal(directory).find(reason) == std::string::npos ? 1 : 0;
    });
}

TEST(Store, AReadOnlyDirectoryIsRefused) {
    using std::filesystem::permissions, std::filesystem::perms;
    const Folder folder;
    const perms readable =
        perms::owner_read | perms::owner_exec | perms::others_read | perms::others_exec;
    const auto empty = folder.path / "empty", used = folder.path / "used";
    std::filesystem::create_directory(empty);
    ASSERT_TRUE(Store::open(used, alpha));
    for (const auto& one : {folder.path, empty, used}) permissions(one, readable);
    permissions(used / "lock", readable);
    EXPECT_EQ(refused_to_nobody(empty, empty.string() + ": cannot be written: Permission"), 0);
    EXPECT_EQ(refused_to_nobody(used, used.string() + ": cannot be written: Permission"), 0);
    EXPECT_EQ(refused_to_nobody(folder.path / "new", "new: cannot be made: Permission"), 0);
    permissions(used / "lock", perms::all);
    EXPECT_EQ(refused_to_nobody(used, used.string() + "/state.db: "), 0);
    for (const auto& one : {folder.path, empty, used}) permissions(one, perms::owner_all);
}

TEST(Store, ALogWithoutItsFileIsRefused) {
    const Folder folder;
    std::ofstream(folder.path / "state.db-wal") << "left behind";
    EXPECT_THAT(refusal(folder.path), OneLineAbout(folder.path, "state.db is missing"));
}

TEST(Store, AFileLimitIsAFullDisk) {
    const Folder folder;
    const Tale tale = listen([&](Told told) {
        ::signal(SIGXFSZ, SIG_IGN);
        auto store = Store::open(folder.path, alpha);
        const rlimit limit{200'000, 200'000};
        if (!store || ::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
        for (std::uint64_t value = 1; value <= 1'000; ++value) {
            const std::vector saved{record("orders", bytes_of(value, 5'000))};
            const auto trouble = store->commit(saved, {});
            if (trouble) return trouble->what.find("disk I/O error") == std::string::npos ? 3 : 0;
            told.tell(value);
        }
        return 4;  // never full
    });
    EXPECT_EQ(tale.status, 0);
    ASSERT_FALSE(tale.numbers.empty());
    const auto store = Store::open(folder.path, alpha);
    ASSERT_TRUE(store) << store.error().what;
    EXPECT_EQ(*store->load("orders", "quorum"), bytes_of(tale.numbers.back(), 5'000));
}

TEST(Peers, AreRememberedAcrossStarts) {
    const Folder folder;
    const StoreId one{std::string(32, 'a')}, other{std::string(32, 'b')};
    const auto meet = [&](const StoreId& id, std::uint64_t incarnation) {
        return Store::open(folder.path, alpha)->meet(NodeId{2}, {id, {incarnation}})->how;
    };
    EXPECT_EQ(meet(one, 5), Acquaintance::first_time);
    EXPECT_EQ(meet(one, 5), Acquaintance::same);
    EXPECT_EQ(meet(one, 7), Acquaintance::same);
    EXPECT_EQ(meet(one, 6), Acquaintance::went_back);
    EXPECT_EQ(meet(other, 9), Acquaintance::another_store);
    EXPECT_EQ(meet(one, 7), Acquaintance::same) << "bad news must not replace what is known";
    EXPECT_FALSE(Store::open(folder.path, alpha)->forget(NodeId{2}));
    EXPECT_EQ(meet(other, 1), Acquaintance::first_time);
}

TEST(Peers, ShowWhatTheyShowedBefore) {
    const Folder folder;
    auto store = Store::open(folder.path, alpha);
    const StoreId one{std::string(32, 'a')}, other{std::string(32, 'b')};
    EXPECT_EQ(store->meet(NodeId{2}, {one, {5}})->before, std::nullopt);
    const auto known = store->meet(NodeId{2}, {other, {1}});
    ASSERT_TRUE(known && known->before);
    EXPECT_EQ(known->before->store, one);
    EXPECT_EQ(known->before->incarnation, Incarnation{5});
}

TEST(Peers, AMalformedStoreIdIsRefused) {
    const Folder folder;
    auto store = Store::open(folder.path, alpha);
    for (const auto& text : {std::string(), std::string(31, 'a'), std::string(32, '\'')})
        EXPECT_FALSE(store->meet(NodeId{2}, {{text}, {1}})) << text;
}

TEST(History, IsReadByGroupOldestFirst) {
    const Folder folder;
    auto store = Store::open(folder.path, alpha);
    std::vector entries{entry(1, "a"), entry(2, "b"), entry(3, "a"), entry(7, "a"), entry(9, "a")};
    entries[2].leader = std::nullopt;
    EXPECT_FALSE(store->commit({}, entries));
    const auto indices = [&](const HistoryQuery& query) {
        std::vector<std::uint64_t> found;
        const auto rows = store->history(query);
        for (const auto& one : *rows) found.push_back(one.index);
        return found;
    };
    EXPECT_EQ(indices({"a", std::nullopt, 3}), (std::vector<std::uint64_t>{3, 7, 9}));
    EXPECT_EQ(indices({"a", 1, 2}), (std::vector<std::uint64_t>{3, 7}));
    EXPECT_EQ(indices({"a", 9, 2}), std::vector<std::uint64_t>());
    EXPECT_EQ(indices({"c", std::nullopt, 2}), std::vector<std::uint64_t>());
    const auto third = store->history({"a", 2, 1})->at(0);
    EXPECT_EQ(third.leader, std::nullopt);
    EXPECT_EQ(third.cause, entries[2].cause);
    EXPECT_EQ(third.epoch, Epoch{3});
    EXPECT_EQ(third.at, 17);
}

TEST(History, GoesOnBehindTheLastIndexAfterARestart) {
    const Folder folder;
    const std::vector entries{entry(41, "a"), entry(42, "b")};
    EXPECT_FALSE(Store::open(folder.path, alpha)->commit({}, entries));
    EXPECT_EQ(Store::open(folder.path, alpha)->last_index(), 42u);
}

TEST(History, KeepsTheNewestOfEachGroup) {
    const Folder folder;
    std::vector<HistoryEntry> entries{entry(1, "quiet")};
    for (std::uint64_t index = 2; index < 2 + Store::history_kept; ++index)
        entries.push_back(entry(index, "busy"));
    EXPECT_FALSE(Store::open(folder.path, alpha)->commit({}, entries));
    auto store = Store::open(folder.path, alpha);  // it has to count again
    EXPECT_EQ(store->history({"busy", 0, 1})->at(0).index, 2u);
    const std::vector more{entry(20'000, "busy"), entry(20'001, "busy")};
    EXPECT_FALSE(store->commit({}, more));
    EXPECT_EQ(store->history({"busy", 0, 1})->at(0).index, 4u);
    EXPECT_EQ(store->history({"quiet", 0, 9})->size(), 1u);
    EXPECT_EQ(store->history({"busy", 0, 99'999})->size(), Store::history_page_max);
}

TEST(Checksum, IsCrc64OverFieldsWithTheirLengths) {
    EXPECT_EQ(static_cast<std::uint64_t>(Checksum::of(std::uint64_t{0x3837363534333231})),
              0x5c8b80482bac7809u);
    EXPECT_NE(Checksum::of(std::string_view("ab"), std::string_view("c")),
              Checksum::of(std::string_view("a"), std::string_view("bc")));
}

}  // namespace
}  // namespace conclave
