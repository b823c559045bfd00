// engine/etcd.h -- leadership and locks kept by etcd, through its JSON gateway.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>

#include "engine/engine.h"
#include "engine/place.h"

namespace conclave::engine {

Result<std::unique_ptr<Engine>> open_etcd(boost::asio::io_context& loop, const Place& place);

}  // namespace conclave::engine
