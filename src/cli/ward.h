// cli/ward.h -- a child process that may run only as long as somebody says so.
//
// The child leads a process group of its own, with our standard input and, if we have it, the
// terminal. Signals that are meant for it are passed on to the whole group. When its time is over
// the group is told to end, and killed once the grace is over: nobody of it is left at the instant
// that the guard names.
//
// Breaks   if this process itself does not run in time; and for those who leave the group (setsid).
//          If this process is killed, the kernel kills the child with it, but nobody else.
#pragma once
#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/types.h"
#include "net/clock.h"

namespace conclave {

// By whoever started us (nohup): it stays so, for the child as well.
bool is_ignored(int signal);

class Ward {
public:
    struct Command {
        std::vector<std::string> words;                                // found as a shell finds it
        std::vector<std::pair<std::string, std::string>> environment;  // on top of ours
    };
    struct End {
        int code = 0;          // its own, 128 + N after signal N; 125, 126, 127: it never ran
        bool stopped = false;  // because its time was over
        std::string why;       // it never ran
    };
    // By when nobody of the group may be left. Nothing: it must stop now.
    using Guard = std::function<std::optional<Instant>()>;

    Ward(boost::asio::io_context& loop, Duration grace) : loop_(loop), grace_(grace) {}

    // `done` is called once, from the loop, never before this returns. One child after the other.
    void run(const Command& command, Guard guard, std::function<void(End)> done);
    bool running() const { return group_ > 0; }
    void review();  // the guard says something else than before

    // Before the guard's instant it is this long: the grace, and what a kill may take.
    Duration notice() const;

private:
    std::optional<End> start(const Command& command);
    void take_signals();
    void await_signal();
    void pass_on(int signal);
    void reap();
    void stop();
    void kill_group();
    void finish();
    bool group_is_empty() const;
    void give_terminal(pid_t group) const;

    boost::asio::io_context& loop_;
    const Duration grace_;
    boost::asio::signal_set signals_{loop_};
    std::optional<net::Alarm> alarm_;
    Guard guard_;
    std::function<void(End)> done_;
    pid_t group_ = -1;  // the child's id as well
    End end_;
    std::optional<Instant> until_;  // as the guard said last
    bool ended_ = false;            // the child itself; its group may live on
    bool stopping_ = false;
    bool told_to_end_ = false;  // by a signal that was passed on
    bool has_terminal_ = false;
};

}  // namespace conclave
