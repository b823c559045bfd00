// node/child.h -- a command of the operator's (health, attribute, plan, on_stop), run beside the
// loop.
//
// In a process group of its own that is killed as a whole when its time is up, and that dies with
// the node. It gets `input` on standard input; what it prints is kept up to a limit. One that does
// not read its input makes a SIGPIPE: see block_broken_pipes.
#pragma once
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "core/types.h"

namespace conclave::node {

struct ChildEnd {
    bool good = false;  // it ended by itself, in time, with 0
    std::string output;
    std::string why;  // if it is not good: in one line
};

// `done` is called once, from the loop, never before this returns.
void run_child(boost::asio::io_context& loop, const std::filesystem::path& program,
               std::string input, Duration limit, std::function<void(ChildEnd)> done);

// For the thread of the loop, and those it starts: writing to who is gone is an error, not the end.
void block_broken_pipes();

}  // namespace conclave::node
