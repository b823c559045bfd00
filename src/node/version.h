// node/version.h -- which Conclave this is.
#pragma once
#include <string_view>

namespace conclave::node {

inline constexpr std::string_view version = CONCLAVE_VERSION;

}  // namespace conclave::node
