#include "node/clean_pages.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace conclave::node {
namespace {

// Resident kilobytes that are a file's.
long file_pages() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        long kilobytes = 0;
        if (word == "RssFile:" && status >> kilobytes) return kilobytes;
    }
    return 0;
}

TEST(CleanPages, AreGoneAndComeBackWhenTheyAreNeeded) {
    const long before = file_pages();
    EXPECT_GT(let_go_of_clean_pages(), 1'000'000u);  // the C++ library alone is larger
    EXPECT_LT(file_pages(), before);
    EXPECT_THROW(throw std::string("the tables of the unwinder are among them"), std::string);
}

TEST(CleanPages, StayIfSomebodyHasWrittenToOneOfThem) {
    std::string pattern = (std::filesystem::temp_directory_path() / "conclave-XXXXXX").string();
    const int file = ::mkstemp(pattern.data());
    ASSERT_GE(file, 0);
    std::filesystem::remove(pattern);
    const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    ASSERT_EQ(::ftruncate(file, static_cast<off_t>(size)), 0);
    void* const page = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    ::close(file);
    ASSERT_NE(page, MAP_FAILED);
    *static_cast<volatile char*>(page) = 'x';
    ASSERT_EQ(::mprotect(page, size, PROT_READ), 0);
    EXPECT_GT(let_go_of_clean_pages(), 0u);
    EXPECT_EQ(*static_cast<volatile char*>(page), 'x');
    ::munmap(page, size);
}

}  // namespace
}  // namespace conclave::node
