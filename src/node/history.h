// node/history.h -- changes of leadership as they are stored and shown: JSON, and back.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>

#include "node/hosted_group.h"
#include "store/store.h"

namespace conclave::node {

HistoryEntry to_entry(std::uint64_t number, const Change& change);
// JSON: {"reason", "steps": [{"before_us", ...}]}, and what the node itself held until then.
std::string cause_text(const Change& change);
// Nanoseconds of CLOCK_BOOTTIME, so that what happened on one machine can be put in order.
boost::json::object tenure_value(const Tenure& tenure);

}  // namespace conclave::node
