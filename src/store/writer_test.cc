// store/writer_test.cc -- the store beside a loop: order, sharing, failure, and the end.
#include "store/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>

#include "store/disk_test.h"

namespace conclave {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto generous = 60s;

class Loop {  // what asio::post and io_context::run do for a node
public:
    void post(Writer::Task task) {
        const std::lock_guard guard(mutex_);
        tasks_.push_back(std::move(task));
        posted_.notify_one();
    }
    bool run_until(const std::function<bool()>& reached) {
        const auto deadline = std::chrono::steady_clock::now() + generous;
        while (!reached()) {
            std::unique_lock guard(mutex_);
            if (!posted_.wait_until(guard, deadline, [this] { return !tasks_.empty(); }))
                return false;
            auto task = std::move(tasks_.front());
            tasks_.pop_front();
            guard.unlock();
            task();
        }
        return true;
    }
    void run_what_is_there() {
        while (!tasks_.empty()) {
            tasks_.front()();
            tasks_.pop_front();
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable posted_;
    std::deque<Writer::Task> tasks_;
};

class Writing : public ::testing::Test {
protected:
    std::unique_ptr<Writer> writer(Duration patience = generous, Duration linger = 1ms) {
        auto store = Store::open(folder.path, alpha);
        EXPECT_TRUE(store) << store.error().what;
        return std::make_unique<Writer>(
            std::move(*store),
            Writer::Hooks{[this](Writer::Task task) { loop.post(std::move(task)); },
                          [this](const Error& error) { failures.push_back(error.what); }, patience,
                          linger});
    }
    static HistoryEntry entry(std::uint64_t index) {
        return {index, "orders", {7}, NodeId{3}, 0, "{}"};
    }
    void save(Writer& to, std::uint64_t number) {
        to.save(record("orders", bytes_of(number)), [this, number] { done.push_back(number); });
    }
    bool wait_until_hanging() {
        const auto deadline = std::chrono::steady_clock::now() + generous;
        while (!Disk::hanging() && std::chrono::steady_clock::now() < deadline)
            std::this_thread::yield();
        return Disk::hanging();
    }
    std::optional<Bytes> stored() {
        const auto store = Store::open(folder.path, alpha);
        EXPECT_TRUE(store) << store.error().what;
        return *store->load("orders", "quorum");
    }

    const Folder folder;
    Loop loop;
    std::vector<std::uint64_t> done;
    std::vector<std::string> failures;
};

TEST_F(Writing, SavesAreAcknowledgedInOrder) {
    auto to = writer();
    for (std::uint64_t number = 1; number <= 200; ++number) save(*to, number);
    ASSERT_TRUE(loop.run_until([&] { return done.size() == 200; }));
    for (std::uint64_t number = 1; number <= 200; ++number) EXPECT_EQ(done[number - 1], number);
    to.reset();
    EXPECT_EQ(stored(), bytes_of(200));
}

TEST_F(Writing, NothingIsAcknowledgedBeforeItIsWritten) {
    auto to = writer();
    Disk::fail(Mishap::hang, 1);
    save(*to, 1);
    ASSERT_TRUE(wait_until_hanging());
    loop.run_what_is_there();
    EXPECT_TRUE(done.empty());
    Disk::calm();
    EXPECT_TRUE(loop.run_until([&] { return done.size() == 1; }));
}

TEST_F(Writing, WhatGathersWhileTheDiskIsBusySharesOneSync) {
    auto to = writer();
    Disk::fail(Mishap::hang, 1);
    save(*to, 1);
    ASSERT_TRUE(wait_until_hanging());
    for (std::uint64_t number = 2; number <= 100; ++number) save(*to, number);
    const int before = Disk::syncs();
    Disk::calm();
    ASSERT_TRUE(loop.run_until([&] { return done.size() == 100; }));
    EXPECT_LE(Disk::syncs() - before, 4);  // a header, two commits
}

TEST_F(Writing, AnEntryWaitsForASaveAndSharesItsSync) {
    auto to = writer(generous, generous);
    save(*to, 1);
    ASSERT_TRUE(loop.run_until([&] { return done.size() == 1; }));
    const int before = Disk::syncs();
    to->append(entry(1));
    std::this_thread::sleep_for(20ms);  // in which it would have been written alone
    EXPECT_EQ(Disk::syncs(), before);
    save(*to, 2);
    ASSERT_TRUE(loop.run_until([&] { return done.size() == 2; }));
    EXPECT_EQ(Disk::syncs(), before + 1);
}

TEST_F(Writing, AnEntryThatNobodyJoinsIsWrittenAllTheSame) {
    auto to = writer();
    save(*to, 1);
    ASSERT_TRUE(loop.run_until([&] { return done.size() == 1; }));
    const int before = Disk::syncs();
    to->append(entry(1));
    const auto deadline = std::chrono::steady_clock::now() + generous;
    while (Disk::syncs() == before && std::chrono::steady_clock::now() < deadline)
        std::this_thread::yield();
    EXPECT_EQ(Disk::syncs(), before + 1);
}

TEST_F(Writing, ATaskMaySaveAgain) {
    auto to = writer();
    to->save(record("orders", bytes_of(1)), [&] { save(*to, 2); });
    EXPECT_TRUE(loop.run_until([&] { return done.size() == 1; }));
}

TEST_F(Writing, AFailedCommitIsToldOnceAndNothingIsAcknowledgedAfterIt) {
    auto to = writer();
    save(*to, 1);
    ASSERT_TRUE(loop.run_until([&] { return done.size() == 1; }));
    Disk::fail(Mishap::full, 1);
    save(*to, 2);
    save(*to, 3);
    ASSERT_TRUE(loop.run_until([&] { return !failures.empty(); }));
    Disk::calm();  // there is room again, but it stays the end
    save(*to, 4);
    bool answered = false;
    to->history({"orders", std::nullopt, 1},
                [&](const auto& entries) { answered = bool{entries}; });
    ASSERT_TRUE(loop.run_until([&] { return answered; })) << "reading is still possible";
    EXPECT_EQ(done, std::vector<std::uint64_t>{1});
    ASSERT_EQ(failures.size(), 1u);
    EXPECT_THAT(failures[0], HasSubstr(folder.path.string() + "/state.db: the disk is full"));
    to.reset();
    loop.run_what_is_there();
    EXPECT_EQ(done.size() + failures.size(), 2u);
    EXPECT_EQ(stored(), bytes_of(1));
}

TEST_F(Writing, TheEndWritesWhatIsQueuedAndGivesTheDirectoryBack) {
    auto to = writer();
    for (std::uint64_t number = 1; number <= 50; ++number) save(*to, number);
    to.reset();
    EXPECT_EQ(stored(), bytes_of(50));
    loop.run_what_is_there();
    EXPECT_EQ(done.size(), 50u);
}

TEST_F(Writing, AHangingDiskIsLeftToItself) {
    auto to = writer(50ms);
    Disk::fail(Mishap::hang, 1);
    save(*to, 1);
    ASSERT_TRUE(wait_until_hanging());
    to.reset();
    EXPECT_THAT(Store::open(folder.path, alpha).error().what, HasSubstr("in use by process"));
    Disk::calm();
    const auto deadline = std::chrono::steady_clock::now() + generous;
    bool closed = false;
    while (!closed && std::chrono::steady_clock::now() < deadline) {
        closed = bool{Store::open(folder.path, alpha)};
        std::this_thread::yield();
    }
    EXPECT_TRUE(closed);
    loop.run_what_is_there();
    EXPECT_TRUE(done.empty()) << "after the destructor nothing may be posted";
}

TEST_F(Writing, HistoryAndPeersAreAskedAndAnsweredOnTheLoop) {
    auto to = writer();
    const auto here = std::this_thread::get_id();
    to->append(entry(1));
    std::vector<Acquaintance> met;
    std::size_t entries = 0;
    bool forgotten = false;
    const PeerShown shown{{std::string(32, 'a')}, {1}};
    for (int i = 0; i < 2; ++i) {
        to->meet(NodeId{2}, shown, [&](const auto& known) {
            EXPECT_EQ(std::this_thread::get_id(), here);
            met.push_back(known->how);
        });
    }
    to->history({"orders", std::nullopt, 9}, [&](const auto& found) { entries = found->size(); });
    to->forget(NodeId{2}, [&](const auto& trouble) { forgotten = !trouble; });
    ASSERT_TRUE(loop.run_until([&] { return forgotten; }));
    EXPECT_EQ(met, (std::vector{Acquaintance::first_time, Acquaintance::same}));
    EXPECT_EQ(entries, 1u);
}

TEST_F(Writing, TheLogStaysShort) {
    auto to = writer();
    for (std::uint64_t number = 1; number <= 1'500; ++number) {
        save(*to, number);
        ASSERT_TRUE(loop.run_until([&] { return done.size() == number; }));
    }
    EXPECT_LT(std::filesystem::file_size(folder.path / "state.db-wal"), 3'000'000u);
}

}  // namespace
}  // namespace conclave
