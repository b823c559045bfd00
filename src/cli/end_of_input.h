// cli/end_of_input.h -- what is held without a command is held until whoever writes to us has gone.
#pragma once
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

namespace conclave {

class EndOfInput {
public:
    explicit EndOfInput(boost::asio::io_context& loop) : input_(loop) {}

    void await(std::function<void()> then);  // what is read is ignored
    void cancel();

private:
    void read_on();

    boost::asio::posix::stream_descriptor input_;
    std::function<void()> then_;
    std::array<char, 4096> ignored_{};
};

}  // namespace conclave
