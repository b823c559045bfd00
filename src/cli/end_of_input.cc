#include "cli/end_of_input.h"

#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <utility>

namespace conclave {

using boost::system::error_code;

void EndOfInput::await(std::function<void()> then) {
    then_ = std::move(then);
    error_code error;
    input_.assign(::dup(STDIN_FILENO), error);
    if (!error) read_on();
}

void EndOfInput::cancel() {
    error_code ignored;
    input_.close(ignored);
}

void EndOfInput::read_on() {
    input_.async_read_some(boost::asio::buffer(ignored_),
                           [this](const error_code& error, std::size_t) {
                               if (error == boost::asio::error::eof) return then_();
                               if (!error) read_on();
                           });
}

}  // namespace conclave
