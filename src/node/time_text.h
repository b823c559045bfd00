// node/time_text.h -- moments as people and programs read them: RFC 3339, UTC.
#pragma once
#include <chrono>
#include <string>

namespace conclave::node {

using WallTime = std::chrono::system_clock::time_point;

std::string time_text(WallTime when);                  // 2026-11-15T09:30:00.000001Z
std::string time_text(std::chrono::sys_seconds when);  // 2026-11-15T09:30:00Z

}  // namespace conclave::node
