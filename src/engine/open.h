// engine/open.h -- the engine at a place.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>

#include "engine/engine.h"
#include "engine/place.h"

namespace conclave::engine {

// Nobody is asked yet. Fails for files that cannot be read, and for an engine that was not built.
Result<std::unique_ptr<Engine>> open(boost::asio::io_context& loop, const Place& place);

}  // namespace conclave::engine
