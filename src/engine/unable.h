// engine/unable.h -- a contest that was over before it began: this machine lacks something.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>

#include "core/result.h"
#include "engine/engine.h"

namespace conclave::engine {

std::unique_ptr<Contest> unable(boost::asio::io_context& loop, const Error& error, Events& events);

}  // namespace conclave::engine
