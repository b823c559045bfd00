// node/duration_text.h -- lengths of time, by the names that the node's files use.
#pragma once
#include "core/duration_text.h"

namespace conclave::node {

using conclave::duration_text;
using conclave::parse_duration;

}  // namespace conclave::node
