// store/crash_test.cc -- killed at every write, out of space at every write, with the power gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "store/disk_test.h"
#include "store/store.h"

namespace conclave {
namespace {

using namespace testing;
using ::testing::HasSubstr;

HistoryEntry entry(std::uint64_t index) { return {index, "orders", {index}, NodeId{1}, 0, "{}"}; }

// The number that was saved, larger than a page so that a commit takes several writes.
constexpr std::size_t record_size = 6'000;

std::uint64_t number_in(const Bytes& bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8 && i < bytes.size(); ++i)
        number |= std::to_integer<std::uint64_t>(bytes[i]) << (i * 8);
    return number;
}

// Told: first the incarnation, then every number that was acknowledged.
int save_numbers(const std::filesystem::path& directory, std::uint64_t count, Told told) {
    auto store = Store::open(directory, alpha);
    if (!store) return 2;
    told.tell(store->incarnation().value);
    const auto loaded = store->load("orders", "quorum");
    if (!loaded) return 3;
    std::uint64_t number = *loaded ? number_in(**loaded) : 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::vector records{record("orders", bytes_of(++number, record_size))};
        const std::vector entries{entry(store->last_index() + 1)};
        if (store->commit(records, entries)) return 4;
        told.tell(number);
        if (i == count / 2) store->settle();
    }
    return 0;
}

struct Known {  // of a directory, by somebody who heard all its acknowledgements
    std::uint64_t incarnation = 0, number = 0;

    void hear(const Tale& tale) {
        if (!tale.numbers.empty()) incarnation = tale.numbers[0];
        if (tale.numbers.size() > 1) number = tale.numbers.back();
    }
    void check(const std::filesystem::path& directory) {
        const auto store = Store::open(directory, alpha);
        ASSERT_TRUE(store) << store.error().what;
        EXPECT_GT(store->incarnation().value, incarnation);
        incarnation = store->incarnation().value;
        const auto loaded = store->load("orders", "quorum");
        ASSERT_TRUE(loaded) << loaded.error().what;
        const std::uint64_t found = *loaded ? number_in(**loaded) : 0;
        EXPECT_GE(found, number) << "an acknowledged number is lost";
        EXPECT_LE(found, number + 1) << "a number that nobody saved";
        if (*loaded) {
            EXPECT_EQ(**loaded, bytes_of(found, record_size));
        }
        EXPECT_EQ(store->last_index(), found) << "record and entry are one transaction";
        number = found;
    }
};

void kill_at_every_write(Mishap mishap, int rounds_at_least) {
    constexpr std::uint64_t count = 8;
    for (int at = 1;; ++at) {
        SCOPED_TRACE("killed at write " + std::to_string(at));
        const Folder folder;
        const Tale tale = listen([&](Told told) {
            Disk::fail(mishap, at);
            return save_numbers(folder.path, count, told);
        });
        Known known;
        known.hear(tale);
        known.check(folder.path);
        if (!WIFSIGNALED(tale.status)) {
            EXPECT_EQ(WEXITSTATUS(tale.status), 0);
            EXPECT_EQ(known.number, count);
            EXPECT_GT(at, rounds_at_least) << "the writes are not seen";
            return;
        }
        ASSERT_FALSE(::testing::Test::HasFailure());
    }
}

TEST(Crash, KilledBeforeEveryWriteNothingAcknowledgedIsLost) {
    kill_at_every_write(Mishap::kill, 50);
}

TEST(Crash, KilledInTheMiddleOfEveryWriteNothingAcknowledgedIsLost) {
    kill_at_every_write(Mishap::tear, 50);
}

TEST(Crash, KilledAgainAndAgainTheSameDirectoryKeepsItsWord) {
    const Folder folder;
    Known known;
    std::mt19937 dice(7);
    for (int round = 0; round < 40; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        const int at = static_cast<int>(dice() % 120) + 1;
        const auto mishap = round % 2 == 0 ? Mishap::kill : Mishap::tear;
        known.hear(listen([&](Told told) {
            Disk::fail(mishap, at);
            return save_numbers(folder.path, 30, told);
        }));
        if (round % 3 != 0) continue;  // mostly it is the next child that has to cope
        known.check(folder.path);
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(known.number, 100u);
}

TEST(Crash, KilledFromOutsideAtAnyMomentNothingAcknowledgedIsLost) {
    const Folder folder;
    Known known;
    std::mt19937 dice(11);
    for (int round = 0; round < 40; ++round) {
        std::uint64_t left = dice() % 30 + 1;
        const auto delay = static_cast<useconds_t>(dice() % 300);
        const Tale tale =
            listen([&](Told told) { return save_numbers(folder.path, 1'000'000, told); },
                   [&](pid_t child, std::uint64_t) {
                       if (--left != 0) return;
                       ::usleep(delay);
                       ::kill(child, SIGKILL);
                   });
        EXPECT_TRUE(WIFSIGNALED(tale.status));
        known.hear(tale);
        known.check(folder.path);
        ASSERT_FALSE(HasFailure());
    }
}

// With the power everything is gone that was not synced. So at every sync the files are copied, and
// when a commit returns the last copy must hold it.
TEST(Crash, ACommitIsSyncedBeforeItReturns) {
    const Folder folder, copies;
    const auto original = folder.path / "node", copy = copies.path / "node";
    Disk::on_sync([&] {
        std::filesystem::remove_all(copy);
        std::filesystem::copy(original, copy);
    });
    {
        auto store = Store::open(original, alpha);
        ASSERT_TRUE(store);
        for (std::uint64_t number = 1; number <= 10; ++number) {
            const std::vector records{record("orders", bytes_of(number))};
            ASSERT_FALSE(store->commit(records, {}));
            const auto after = copies.path / ("after" + std::to_string(number));
            std::filesystem::copy(copy, after);
        }
    }
    Disk::on_sync({});
    for (std::uint64_t number = 1; number <= 10; ++number) {
        const auto store = Store::open(copies.path / ("after" + std::to_string(number)), alpha);
        ASSERT_TRUE(store) << store.error().what;
        EXPECT_EQ(*store->load("orders", "quorum"), bytes_of(number));
        EXPECT_EQ(store->incarnation(), Incarnation{2});
    }
}

TEST(Disk, FullAtAnyWriteRefusesAndForgetsNothing) {
    int refused = 0;
    for (int at = 1; at < 1'000; ++at) {
        SCOPED_TRACE("full at write " + std::to_string(at));
        const Folder folder;
        std::uint64_t saved = 0;
        std::optional<Error> trouble;
        Disk::fail(Mishap::full, at);
        {
            auto store = Store::open(folder.path, alpha);
            if (!store) trouble = store.error();
            while (store && !trouble && saved < 5) {
                const std::vector records{record("orders", bytes_of(saved + 1, record_size))};
                trouble = store->commit(records, {});
                if (!trouble) ++saved;
            }
            Disk::calm();
        }
        const auto store = Store::open(folder.path, alpha);
        ASSERT_TRUE(store) << store.error().what;
        const auto loaded = *store->load("orders", "quorum");
        EXPECT_EQ(loaded ? number_in(*loaded) : 0, saved);
        if (!trouble) break;
        ++refused;
        EXPECT_THAT(trouble->what, HasSubstr(folder.path.string()));
        EXPECT_THAT(trouble->what, HasSubstr("disk is full"));
    }
    EXPECT_GT(refused, 20);
    EXPECT_LT(refused, 900);
}

}  // namespace
}  // namespace conclave
