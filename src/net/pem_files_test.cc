// net/pem_files_test.cc -- keys that nobody else can read, and files that are not lost.
#include "net/pem_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace conclave::net {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PemFilesTest : public testing::Test {
protected:
    PemFilesTest() {
        std::string pattern = (fs::temp_directory_path() / "conclave-XXXXXX").string();
        folder = mkdtemp(pattern.data());
    }
    ~PemFilesTest() override { fs::remove_all(folder); }

    std::size_t count() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
    }

    fs::path folder;
};

mode_t mode_of(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
}

TEST_F(PemFilesTest, AKeyIsItsOwnersAlone) {
    const PemFiles files = pem_files(folder, "n1");
    const mode_t before = ::umask(0);
    EXPECT_FALSE(save({"certificate", "key"}, files, Existing::keep));
    ::umask(before);
    EXPECT_EQ(mode_of(folder / "n1.key"), 0600u);
    EXPECT_EQ(mode_of(folder / "n1.crt"), 0644u);
    EXPECT_EQ(count(), 2u) << "nothing half written stays behind";
    const auto loaded = load(files);
    EXPECT_EQ(loaded->certificate, "certificate");
    EXPECT_EQ(loaded->key, "key");
}

TEST_F(PemFilesTest, WhatIsThereIsKeptUnlessToldOtherwise) {
    const PemFiles files = pem_files(folder, "n1");
    ASSERT_FALSE(save({"old", "old"}, files, Existing::keep));
    const auto refused = save({"new", "new"}, files, Existing::keep);
    ASSERT_TRUE(refused);
    EXPECT_THAT(refused->what, HasSubstr("n1.key is already there"));
    EXPECT_EQ(load(files)->certificate, "old");
    EXPECT_FALSE(save({"new", "new"}, files, Existing::replace));
    EXPECT_EQ(load(files)->certificate, "new");
    EXPECT_EQ(load(files)->key, "new");
    EXPECT_EQ(mode_of(files.key), 0600u);
    EXPECT_EQ(count(), 2u);
}

TEST_F(PemFilesTest, OneOfAPairIsEnoughToRefuse) {
    const PemFiles files = pem_files(folder, "n1");
    std::ofstream(files.certificate) << "mine";
    EXPECT_TRUE(save({"new", "new"}, files, Existing::keep));
    EXPECT_EQ(count(), 1u) << "no key without its certificate";
    fs::remove(files.certificate);
    fs::create_symlink("nowhere", files.key);
    EXPECT_TRUE(save({"new", "new"}, files, Existing::keep)) << "not even through a dangling link";
    EXPECT_EQ(count(), 1u);
}

TEST_F(PemFilesTest, AFailureNamesTheFileAndLeavesNothing) {
    const auto refused = save({"c", "k"}, pem_files(folder / "missing", "n1"), Existing::keep);
    ASSERT_TRUE(refused);
    EXPECT_THAT(refused->what, HasSubstr("missing/n1.key: No such file"));
    const PemFiles apart{folder / "missing" / "n1.crt", folder / "n1.key"};
    EXPECT_TRUE(save({"c", "k"}, apart, Existing::keep));
    EXPECT_EQ(count(), 0u);
    EXPECT_THAT(load(apart).error().what, HasSubstr("missing/n1.crt: No such file"));
}

TEST_F(PemFilesTest, AFileOfAnySizeIsNotReadWhole) {
    const auto refused = read_pem("/dev/zero");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("too large"));
    EXPECT_THAT(read_pem(folder).error().what, HasSubstr("directory"));
}

}  // namespace
}  // namespace conclave::net
