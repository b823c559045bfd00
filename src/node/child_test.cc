#include "node/child.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>

namespace conclave::node {
namespace {

using namespace std::chrono_literals;

class Children : public testing::Test {
protected:
    Children() {
        block_broken_pipes();
        std::string pattern = (std::filesystem::temp_directory_path() / "child-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
    }
    ~Children() override { std::filesystem::remove_all(folder); }

    ChildEnd run(const std::string& script, const std::string& input = "",
                 Duration limit = 60s) const {
        const auto program = folder / "program";
        std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        return run_program(program, input, limit);
    }
    static ChildEnd run_program(const std::filesystem::path& program, const std::string& input,
                                Duration limit) {
        boost::asio::io_context loop;
        ChildEnd result;
        int calls = 0;
        run_child(loop, program, input, limit, [&](ChildEnd end) {
            result = std::move(end);
            ++calls;
        });
        EXPECT_EQ(calls, 0);
        loop.run();
        EXPECT_EQ(calls, 1);
        return result;
    }

    std::filesystem::path folder;
};

TEST_F(Children, GetsItsInputAndIsHeard) {
    const ChildEnd end = run("cat; echo done", "n1\nn2\n");
    EXPECT_TRUE(end.good) << end.why;
    EXPECT_EQ(end.output, "n1\nn2\ndone\n");
}

TEST_F(Children, ThatDoNotReadTheirInputAreFine) {
    EXPECT_TRUE(run("exit 0", std::string(1 << 20, 'x')).good);
}

TEST_F(Children, ThatFailSayHow) {
    EXPECT_EQ(run("exit 3").why, "it ended with exit code 3");
    EXPECT_EQ(run("kill -9 $$").why, "it was killed by signal 9");
    EXPECT_EQ(run_program(folder / "missing", "", 60s).why, "it cannot be run");
}

TEST_F(Children, ThatTakeTooLongAreKilledWithAllTheyStarted) {
    const ChildEnd end = run("sleep 600 & sleep 600", "", 100ms);
    EXPECT_FALSE(end.good);
    EXPECT_EQ(end.why, "it took too long");
}

TEST_F(Children, ThatLeaveSomethingRunningDoNotHoldUsUp) {
    EXPECT_TRUE(run("sleep 600 & exit 0").good);
}

TEST_F(Children, ThatPrintForEverAreCutOff) {
    const ChildEnd end = run("yes | head -c 1000000");
    EXPECT_TRUE(end.good) << end.why;
    EXPECT_EQ(end.output.size(), 64U * 1024);
}

}  // namespace
}  // namespace conclave::node
