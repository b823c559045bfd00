#include "node/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace conclave::node {

namespace {

using boost::system::error_code;
using Descriptor = boost::asio::posix::stream_descriptor;

constexpr std::size_t output_limit = 64 * 1024;

class Child : public std::enable_shared_from_this<Child> {
public:
    Child(boost::asio::io_context& loop, std::string input, std::function<void(ChildEnd)> done)
        : loop_(loop), input_(std::move(input)), done_(std::move(done)) {}

    void start(const std::filesystem::path& program, Duration limit) {
        std::array<int, 2> in{}, out{};
        if (::pipe2(in.data(), O_CLOEXEC) != 0) return fail("pipe");
        if (::pipe2(out.data(), O_CLOEXEC) != 0) return fail("pipe");
        pid_ = ::fork();
        if (pid_ == 0) become(program, in[0], out[1]);
        ::close(in[0]);
        ::close(out[1]);
        to_.assign(in[1]);
        from_.assign(out[0]);
        if (pid_ < 0) return fail("fork");
        ::setpgid(pid_, pid_);  // also here: whoever comes first
        const long descriptor = ::syscall(SYS_pidfd_open, pid_, 0);
        if (descriptor < 0) return fail("pidfd_open");
        end_.assign(static_cast<int>(descriptor));
        write();
        read();
        end_.async_wait(Descriptor::wait_read,
                        [self = shared_from_this()](const error_code&) { self->ended(); });
        timer_.expires_after(limit);
        timer_.async_wait([self = shared_from_this()](const error_code& error) {
            if (error) return;
            self->late_ = true;
            ::kill(-self->pid_, SIGKILL);
        });
    }

private:
    [[noreturn]] static void become(const std::filesystem::path& program, int in, int out) {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::dup2(in, STDIN_FILENO);
        ::dup2(out, STDOUT_FILENO);
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::execl(program.c_str(), program.c_str(), nullptr);
        ::_exit(127);
    }

    void write() {
        boost::asio::async_write(
            to_, boost::asio::buffer(input_),
            [self = shared_from_this()](const error_code&, std::size_t) { self->to_.close(); });
    }
    void read() {
        from_.async_read_some(
            boost::asio::buffer(chunk_),
            [self = shared_from_this()](const error_code& error, std::size_t size) {
                if (error) return self->finished_reading();
                const std::size_t room = output_limit - self->end_state_.output.size();
                self->end_state_.output.append(self->chunk_.data(), std::min(size, room));
                self->read();
            });
    }
    void finished_reading() {
        from_.close();
        read_all_ = true;
        finish();
    }
    // What it left behind in its group is of no use to anybody, and may hold the pipe open.
    void ended() {
        int status = 0;
        if (::waitpid(pid_, &status, 0) != pid_) status = -1;
        ::kill(-pid_, SIGKILL);
        timer_.cancel();
        end_state_.good = !late_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (late_) {
            end_state_.why = "it took too long";
        } else if (WIFEXITED(status)) {
            const int code = WEXITSTATUS(status);
            end_state_.why = code == 127 ? "it cannot be run"
                                         : "it ended with exit code " + std::to_string(code);
        } else {
            end_state_.why = "it was killed by signal " + std::to_string(WTERMSIG(status));
        }
        has_ended_ = true;
        finish();
    }
    void finish() {
        if (!has_ended_ || !read_all_ || !done_) return;
        if (end_state_.good) end_state_.why.clear();
        std::exchange(done_, {})(std::move(end_state_));
    }
    void fail(const char* what) {
        end_state_.why = std::string(what) + ": " + std::strerror(errno);
        boost::asio::post(loop_, [self = shared_from_this()] {
            std::exchange(self->done_, {})(std::move(self->end_state_));
        });
    }

    boost::asio::io_context& loop_;
    std::string input_;
    std::function<void(ChildEnd)> done_;
    Descriptor to_{loop_}, from_{loop_}, end_{loop_};
    boost::asio::steady_timer timer_{loop_};
    std::array<char, 4096> chunk_{};
    pid_t pid_ = -1;
    ChildEnd end_state_;
    bool late_ = false, has_ended_ = false, read_all_ = false;
};

}  // namespace

void block_broken_pipes() {
    sigset_t pipes;
    ::sigemptyset(&pipes);
    ::sigaddset(&pipes, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
}

void run_child(boost::asio::io_context& loop, const std::filesystem::path& program,
               std::string input, Duration limit, std::function<void(ChildEnd)> done) {
    std::make_shared<Child>(loop, std::move(input), std::move(done))->start(program, limit);
}

}  // namespace conclave::node
