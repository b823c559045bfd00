// cli/ward_test.cc -- a child under guard: how it starts, what it hears, and that nobody is left.
#include "cli/ward.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_test.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;

class Warded : public Command {
protected:
    Ward::End run(const std::vector<std::string>& words, Duration grace = 1h) {
        Ward ward(loop, grace);
        std::optional<Ward::End> end;
        ward.run({words, {{"WARD_FOLDER", folder.string()}}}, guard, [&](const Ward::End& how) {
            end = how;
            loop.stop();
        });
        EXPECT_FALSE(end) << "not before it returned";
        if (when_ready) await(ward);
        loop.run();
        EXPECT_TRUE(end);
        return end.value_or(Ward::End{});
    }
    Ward::End shell(const std::string& script, Duration grace = 1h) {
        return run({"sh", "-c", "cd \"$WARD_FOLDER\"\n" + script}, grace);
    }
    // Once the child has written its file `ready`.
    void await(Ward& ward) {
        timer.expires_after(5ms);
        timer.async_wait([this, &ward](const auto& error) {
            if (error) return;
            if (!std::filesystem::exists(folder / "ready")) return await(ward);
            when_ready(ward);
        });
    }
    // The time is over, at the moment.
    void revoke(Ward& ward) {
        until.reset();
        ward.review();
    }
    bool lives(const char* file) const {
        const int pid = std::stoi(slurp(folder / file));
        return ::kill(pid, 0) == 0 || errno != ESRCH;
    }

    boost::asio::io_context loop;
    boost::asio::steady_timer timer{loop};
    std::optional<Instant> until = net::now() + 24h;
    Ward::Guard guard = [this] { return until; };
    std::function<void(Ward&)> when_ready;
};

TEST_F(Warded, KeepsTheChildsOwnExitCode) {
    EXPECT_EQ(shell("exit 0").code, 0);
    loop.restart();
    EXPECT_EQ(shell("exit 7").code, 7);
    loop.restart();
    EXPECT_EQ(shell("kill -9 $$").code, 128 + SIGKILL);
}

TEST_F(Warded, SaysWhyAChildNeverRan) {
    const Ward::End nowhere = run({"/nowhere/at/all"});
    EXPECT_EQ(nowhere.code, 127);
    EXPECT_NE(nowhere.why.find("/nowhere/at/all"), std::string::npos) << nowhere.why;
    loop.restart();
    std::ofstream(folder / "text") << "no program\n";
    EXPECT_EQ(run({(folder / "text").string()}).code, 126);
}

TEST_F(Warded, RunsTheChildInAGroupOfItsOwnWithWhatItIsTold) {
    shell("cut -d' ' -f5 /proc/$$/stat >group; echo $$ >pid; echo $WARD_FOLDER >said");
    EXPECT_EQ(slurp(folder / "group"), slurp(folder / "pid"));
    EXPECT_NE(std::stoi(slurp(folder / "group")), ::getpgrp());
    EXPECT_EQ(slurp(folder / "said"), folder.string() + "\n");
}

TEST_F(Warded, IsToldToEndWhenItsTimeIsOver) {
    when_ready = [this](Ward& ward) { revoke(ward); };
    const Ward::End end =
        shell("trap 'echo bye >last; exit 5' TERM; >ready; while :; do sleep 0.01; done");
    EXPECT_TRUE(end.stopped);
    EXPECT_EQ(end.code, 5);
    EXPECT_EQ(slurp(folder / "last"), "bye\n");
}

// Deaf ones, of two generations, and one of them stopped.
TEST_F(Warded, IsKilledWithItsWholeGroupWhenTheGraceIsOver) {
    when_ready = [this](Ward& ward) { revoke(ward); };
    const Ward::End end = shell(
        "trap '' TERM\n"
        "sh -c 'echo $$ >grandchild; kill -STOP $$' &\n"
        "while ! test -s grandchild; do sleep 0.01; done\n"
        ">ready\n"
        "while :; do sleep 0.01; done",
        50ms);
    EXPECT_TRUE(end.stopped);
    EXPECT_EQ(end.code, 128 + SIGKILL);
    EXPECT_FALSE(lives("grandchild"));
}

TEST_F(Warded, IsStoppedByTheClockWhenNobodyProlongsIt) {
    until = net::now() + 100ms;
    const Ward::End end = shell("trap '' TERM; while :; do sleep 0.01; done", 20ms);
    EXPECT_TRUE(end.stopped);
    EXPECT_EQ(end.code, 128 + SIGKILL);
    EXPECT_GE(net::now(), *until - 50ms) << "too early";
}

// The ward asks before it acts.
TEST_F(Warded, IsLeftAloneWhileItsTimeIsProlonged) {
    int asked = 0;
    guard = [&]() -> std::optional<Instant> {
        if (++asked == 1) return net::now() + 600ms;
        std::ofstream(folder / "prolonged") << "yes";
        return net::now() + 24h;
    };
    const Ward::End end = shell("while ! test -e prolonged; do sleep 0.01; done; exit 3", 500ms);
    EXPECT_FALSE(end.stopped);
    EXPECT_EQ(end.code, 3);
    EXPECT_EQ(asked, 2);
}

TEST_F(Warded, LeavesNobodyBehindWhenTheChildEndsByItself) {
    const Ward::End end = shell("sleep 1000 & echo $! >left; exit 3");
    EXPECT_FALSE(end.stopped);
    EXPECT_EQ(end.code, 3);
    EXPECT_FALSE(lives("left"));
}

TEST_F(Warded, HearsTheSignalsThatAreMeantForIt) {
    when_ready = [](Ward&) { ::kill(::getpid(), SIGUSR1); };
    EXPECT_EQ(shell("trap 'exit 11' USR1; >ready; while :; do sleep 0.01; done").code, 11);
    std::filesystem::remove(folder / "ready");
    loop.restart();
    when_ready = [](Ward&) { ::kill(::getpid(), SIGTERM); };
    const Ward::End end = shell("trap 'exit 15' TERM; >ready; while :; do sleep 0.01; done");
    EXPECT_EQ(end.code, 15);
    EXPECT_FALSE(end.stopped) << "its time was not over";
}

TEST_F(Warded, IsKilledWhenItIsToldToEndTwiceAndDoesNot) {
    when_ready = [](Ward&) {
        ::kill(::getpid(), SIGTERM);
        ::kill(::getpid(), SIGINT);
    };
    const Ward::End end = shell("trap '' TERM INT; >ready; while :; do sleep 0.01; done", 50ms);
    EXPECT_EQ(end.code, 128 + SIGKILL);
}

// In a session of its own, whose terminal is the test's.
TEST_F(Warded, HasTheTerminalWhileItRunsAndGivesItBack) {
    int terminal = -1;
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    ASSERT_GE(pid, 0);
    if (pid == 0) {
        loop.notify_fork(boost::asio::execution_context::fork_child);
        const Ward::End end =
            shell("cut -d' ' -f5,8 /proc/$$/stat >groups");  // its, the terminal's
        ::_exit(end.code == 0 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp() ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    ::close(terminal);
    EXPECT_EQ(status, 0);
    std::istringstream groups(slurp(folder / "groups"));
    int own = 0, foreground = -1;
    groups >> own >> foreground;
    EXPECT_EQ(own, foreground);
}

}  // namespace
}  // namespace conclave
