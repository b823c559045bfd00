// cli/catalogue.h -- algorithms by name, with a hint for those who mistype.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulator.h"

namespace conclave {

// Nothing if there is none of that name.
std::unique_ptr<Simulator> find_simulator(std::string_view name);

// "unknown algorithm 'buly', did you mean 'bully'? ..."
std::string unknown_algorithm(std::string_view name);

std::vector<std::string> algorithm_names();

// The name of the catalog's entry for this algorithm over this detector: `bully` over `accrual` is
// bully-on-heartbeat. The kind of a heartbeat detector is an option of its own.
struct Detector {
    std::string suffix;     // empty: none, or the simulator's own oracle
    std::string estimator;  // of the heartbeat detector
};
bool read_detector(std::string_view word, Detector& into);

}  // namespace conclave
