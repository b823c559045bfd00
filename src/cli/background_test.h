// cli/background_test.h -- for the tests: a command of ours that goes on while the test does.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "cli/cluster_test.h"

namespace conclave {

// A `conclave lock`, say; killed with the test.
class Background {
public:
    Background(const std::string& arguments, std::filesystem::path out) : out_(std::move(out)) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return;
        const std::string line = "exec " CONCLAVE_BINARY " " + arguments + " >" + out_.string() +
                                 " 2>" + out_.string() + ".err";
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(ends[0], STDIN_FILENO);
            ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(ends[0]);
        input_ = ends[1];
    }
    ~Background() {
        if (input_ >= 0) ::close(input_);
        if (child_ <= 0) return;
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    std::string said() const { return slurp(out_) + slurp(out_.string() + ".err"); }
    // Waits for a line of its output: the token, if it has no command.
    std::string first_line() const {
        EXPECT_TRUE(comes_true([this] { return slurp(out_).find('\n') != std::string::npos; }))
            << said();
        const std::string all = slurp(out_);
        return all.substr(0, all.find('\n'));
    }
    void end_input() { ::close(std::exchange(input_, -1)); }
    void signal(int number) const { ::kill(child_, number); }
    int exit_code() {
        int status = 0;
        const bool ended =
            comes_true([&] { return ::waitpid(child_, &status, WNOHANG) == child_; });
        EXPECT_TRUE(ended) << said();
        if (ended) child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    std::filesystem::path out_;
    pid_t child_ = -1;
    int input_ = -1;
};

}  // namespace conclave
