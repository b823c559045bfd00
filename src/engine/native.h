// engine/native.h -- leadership and locks kept by our own nodes.
//
// A lock is held under a session of the lock service, at whichever node answers. Leadership is lent
// by one node to a session at it: when that node does not answer any more it is over, and another
// node is asked.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>

#include "engine/engine.h"
#include "net/http_client.h"

namespace conclave::engine {

struct NativeSettings {
    net::ClientOptions way{};
    Duration timeout = std::chrono::seconds(5);  // of an answer
};
std::unique_ptr<Engine> native(boost::asio::io_context& loop, NativeSettings settings);

}  // namespace conclave::engine
