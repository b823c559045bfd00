// node/config_rules.h -- what has to fit together for a configuration to make sense.
#pragma once
#include <vector>

#include "node/config.h"

namespace conclave::node {

struct Findings {
    std::vector<Problem> errors, warnings;
};

// Errors stop a node from starting; warnings are said and lived with.
void check_rules(const Config& config, const Known& known, Findings& findings);

}  // namespace conclave::node
