#include "conclave/fence.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace conclave {
namespace {

using Verdict = FenceFile::Answer::Verdict;

struct FenceFileTest : testing::Test {
    FenceFileTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "fence-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        path = folder + "/fence";
    }
    ~FenceFileTest() override { std::filesystem::remove_all(folder); }

    std::string content() const {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    Verdict admits(FencingToken token) const { return FenceFile(path).admit(token).verdict; }

    std::string folder, path;
};

TEST(FencingToken, IsReadAndWritten) {
    EXPECT_EQ(parse_token("42.7"), (FencingToken{42, 7}));
    EXPECT_EQ(parse_token("42"), (FencingToken{42, 0}));
    for (const char* bad : {"", ".", "42.", ".7", "4x", "42.7 ", "-1", "42.7.1", "0x2"})
        EXPECT_EQ(parse_token(bad), std::nullopt) << bad;
    EXPECT_EQ(parse_token("18446744073709551616"), std::nullopt);
    EXPECT_EQ(to_string(FencingToken{42, 7}), "42.7");
    EXPECT_EQ(to_string(FencingToken{42, 0}), "42");
}

TEST(FenceGate, AdmitsNothingSmallerThanTheLargest) {
    FenceGate gate;
    EXPECT_TRUE(gate.admit({42, 7}));
    EXPECT_TRUE(gate.admit({42, 7})) << "its holder may have more to say";
    EXPECT_FALSE(gate.admit({42, 6}));
    EXPECT_FALSE(gate.admit({41, 900}));
    EXPECT_TRUE(gate.admit({43, 0}));
    EXPECT_EQ(gate.largest(), (FencingToken{43, 0}));
}

// A writer whose lease ran out while it slept: with a gate its write does not get through.
TEST(FenceGate, AStaleWriterIsRefused) {
    FenceGate gate;
    std::string store;
    const auto write = [&](FencingToken token, const std::string& text) {
        if (!gate.admit(token)) return false;
        store = text;
        return true;
    };
    EXPECT_TRUE(write({1, 1}, "first"));
    EXPECT_TRUE(write({1, 2}, "second"));
    EXPECT_FALSE(write({1, 1}, "first again, from a long sleep"));
    EXPECT_EQ(store, "second");
}

TEST_F(FenceFileTest, RemembersAcrossProcesses) {
    EXPECT_EQ(admits({42, 7}), Verdict::admitted);
    EXPECT_EQ(content(), "42.7\n");
    EXPECT_EQ(admits({42, 6}), Verdict::stale);
    EXPECT_EQ(FenceFile(path).admit({1, 0}).largest, (FencingToken{42, 7}));
    EXPECT_EQ(admits({42, 7}), Verdict::admitted);
    EXPECT_EQ(admits({43, 0}), Verdict::admitted);
    EXPECT_EQ(content(), "43\n");
}

TEST_F(FenceFileTest, WhatHoldsNoTokenIsLeftAsItIs) {
    for (const char* text : {"garbage\n", "42.7", "\n", "42.7\n43\n"}) {
        std::ofstream(path) << text;
        const auto answer = FenceFile(path).admit({99, 0});
        EXPECT_EQ(answer.verdict, Verdict::broken) << text;
        EXPECT_EQ(answer.trouble, path + ": holds no token, and is left as it is");
        EXPECT_EQ(content(), text);
    }
}

TEST_F(FenceFileTest, NamesTheFileThatCannotBeOpened) {
    const std::string nowhere = folder + "/no/such/folder";
    const auto answer = FenceFile(nowhere).admit({1, 0});
    EXPECT_EQ(answer.verdict, Verdict::broken);
    EXPECT_EQ(answer.trouble, nowhere + ": cannot be opened: No such file or directory");
}

// Four processes at once, each with growing tokens of its own: none is admitted that is smaller
// than one that was admitted before it, by whomever.
TEST_F(FenceFileTest, IsOneGateForManyProcesses) {
    constexpr std::uint64_t each = 100;
    std::vector<pid_t> children;
    for (std::uint64_t child = 0; child < 4; ++child) {
        const pid_t pid = ::fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            int good = 0;
            for (std::uint64_t at = 1; at <= each; ++at)
                good += FenceFile(path).admit({at, child}).verdict != Verdict::broken;
            ::_exit(good == each ? 0 : 1);
        }
        children.push_back(pid);
    }
    FencingToken last;
    for (bool running = true; running;) {
        const std::string text = content();
        const auto seen = parse_token(text.substr(0, text.find('\n')));
        if (seen) {
            EXPECT_GE(*seen, last);
            last = *seen;
        }
        running = false;
        for (pid_t& pid : children) {
            int status = 0;
            if (pid == 0) continue;
            if (::waitpid(pid, &status, WNOHANG) == 0) {
                running = true;
                continue;
            }
            EXPECT_EQ(status, 0);
            pid = 0;
        }
    }
    EXPECT_EQ(content(), "100.3\n");
}

}  // namespace
}  // namespace conclave
