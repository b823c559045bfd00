// node/config_rules.h -- what has to fit together for a configuration to make sense.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "node/config.h"

namespace conclave::node {

struct Findings {
    std::vector<Problem> errors, warnings;
};

// Errors stop a node from starting; warnings are said and lived with.
void check_rules(const Config& config, const Known& known, Findings& findings);

// Why nobody can be called that, or be found there; nothing: somebody can.
std::optional<std::string> wrong_name(const std::string& name);
std::optional<std::string> wrong_place(const net::Address& address);

}  // namespace conclave::node
