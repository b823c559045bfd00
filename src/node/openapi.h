// node/openapi.h -- the HTTP API described for programs: OpenAPI 3.1, served at /openapi.json.
#pragma once
#include <string_view>

namespace conclave::node {

std::string_view openapi();

}  // namespace conclave::node
