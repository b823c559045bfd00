// engine/native_loan.h -- a wish for what one of our nodes lends to a session at it: the lead of a
// group, or a stay in a mutex.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>

#include "engine/native.h"

namespace conclave::engine {

std::unique_ptr<Contest> contend_for_loan(boost::asio::io_context& loop,
                                          const NativeSettings& settings, const Claim& claim,
                                          Events& events);

}  // namespace conclave::engine
