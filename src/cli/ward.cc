#include "cli/ward.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

extern char** environ;

namespace conclave {

namespace {

constexpr std::array passed_on{SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
constexpr Duration kill_takes = std::chrono::milliseconds(10);

int exit_code(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

std::vector<std::string> surroundings(const Ward::Command& command) {
    std::vector<std::string> all;
    for (const auto& [name, value] : command.environment) all.push_back(name + "=" + value);
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string_view text(*one);
        const std::string_view name = text.substr(0, text.find('='));
        const auto same = [&](const auto& ours) { return ours.first == name; };
        if (std::ranges::none_of(command.environment, same)) all.emplace_back(text);
    }
    return all;
}

// In the child: nothing here may allocate, for another thread may have held the allocator's lock.
[[noreturn]] void become(char** words, char** environment, pid_t parent, bool terminal, int tell) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(125);  // it was killed before we could ask
    if (terminal) {
        ::signal(SIGTTOU, SIG_IGN);
        ::tcsetpgrp(STDIN_FILENO, ::getpid());
        ::signal(SIGTTOU, SIG_DFL);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvpe(words[0], words, environment);
    const int error = errno;
    static_cast<void>(!::write(tell, &error, sizeof error));
    ::_exit(127);
}

}  // namespace

bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

Duration Ward::notice() const { return grace_ + kill_takes; }

void Ward::run(const Command& command, Guard guard, std::function<void(End)> done) {
    assert(!running() && !done_);
    guard_ = std::move(guard);
    done_ = std::move(done);
    end_ = {};
    ended_ = stopping_ = told_to_end_ = false;
    if (auto failed = start(command)) {
        end_ = std::move(*failed);
        return finish();
    }
    review();
}

// The exec closes the pipe, or a failure is written to it.
std::optional<Ward::End> Ward::start(const Command& command) {
    const auto failed = [](const std::string& what) {
        return End{125, false, what + ": " + std::strerror(errno)};
    };
    if (!alarm_) {
        auto made = net::Alarm::make(loop_);
        if (!made) return End{125, false, made.error().what};
        alarm_.emplace(std::move(*made));
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // whoever is left of the group is ours to bury
    take_signals();
    std::vector<std::string> words = command.words, environment = surroundings(command);
    auto word_list = pointers(words), environment_list = pointers(environment);
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return failed("pipe");
    has_terminal_ = ::isatty(STDIN_FILENO) == 1 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
    const pid_t parent = ::getpid(), child = ::fork();
    if (child == 0) {
        become(word_list.data(), environment_list.data(), parent, has_terminal_, pipe[1]);
    }
    const auto no_fork = failed("fork");
    ::close(pipe[1]);
    int error = 0;
    if (child > 0) {
        ::setpgid(child, child);  // also here: whoever comes first
        while (::read(pipe[0], &error, sizeof error) < 0 && errno == EINTR) {
        }
    }
    ::close(pipe[0]);
    if (child < 0) return no_fork;
    group_ = child;
    if (error == 0) return std::nullopt;
    ::waitpid(child, nullptr, 0);
    return End{error == ENOENT ? 127 : 126, false, words[0] + ": " + std::strerror(error)};
}

void Ward::take_signals() {
    signals_.add(SIGCHLD);
    for (const int signal : passed_on) {
        if (!is_ignored(signal)) signals_.add(signal);
    }
    await_signal();
}

void Ward::await_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
        if (error) return;
        await_signal();
        if (signal == SIGCHLD) return reap();
        pass_on(signal);
    });
}

// It may take its time, and has its guard meanwhile. Who asks twice does not want to wait.
void Ward::pass_on(int signal) {
    if (!running()) return;
    ::kill(-group_, signal);
    if (signal != SIGTERM && signal != SIGINT) return;
    if (std::exchange(told_to_end_, true) && !stopping_) stop();
}

void Ward::review() {
    if (!running() || stopping_) return;
    const auto until = guard_();
    if (until) until_ = until;
    if (until && net::now() < *until - notice()) {
        return alarm_->at(*until - notice(), [this] { review(); });
    }
    end_.stopped = !ended_;
    stop();
}

void Ward::stop() {
    stopping_ = true;
    ::kill(-group_, SIGTERM);
    ::kill(-group_, SIGCONT);  // one that was stopped could not hear it
    const Instant patience = net::now() + grace_;
    alarm_->at(until_ ? std::min(patience, *until_ - kill_takes) : patience,
               [this] { kill_group(); });
}

// Again, until nobody is left: those whose parent was not ours are only buried once that has died.
void Ward::kill_group() {
    ::kill(-group_, SIGKILL);
    alarm_->at(net::now() + kill_takes, [this] { kill_group(); });
    reap();
}

void Ward::reap() {
    int status = 0;
    for (pid_t one = 0; (one = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (one != group_) continue;
        ended_ = true;
        end_.code = exit_code(status);
    }
    if (!running() || !ended_) return;
    if (group_is_empty()) return finish();
    if (!stopping_) stop();  // what it has left behind has no more leave to run than it had
}

bool Ward::group_is_empty() const { return ::kill(-group_, 0) != 0 && errno == ESRCH; }

void Ward::finish() {
    group_ = -1;
    until_.reset();
    if (alarm_) alarm_->cancel();
    signals_.clear();
    signals_.cancel();
    if (std::exchange(has_terminal_, false)) give_terminal(::getpgrp());
    boost::asio::post(loop_,
                      [done = std::exchange(done_, {}), end = std::move(end_)] { done(end); });
}

void Ward::give_terminal(pid_t group) const {
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;  // for who is in the background, this would be the end
    ::sigaction(SIGTTOU, &ignore, &before);
    ::tcsetpgrp(STDIN_FILENO, group);
    ::sigaction(SIGTTOU, &before, nullptr);
}

}  // namespace conclave
