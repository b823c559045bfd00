// node/history.h -- changes of leadership as they are stored and shown: JSON, and back.
#pragma once
#include <cstdint>
#include <string>

#include "node/hosted_group.h"
#include "store/store.h"

namespace conclave::node {

HistoryEntry to_entry(std::uint64_t number, const Change& change);
std::string cause_text(const Cause& cause);  // JSON: {"reason", "steps": [{"before_us", ...}]}

}  // namespace conclave::node
