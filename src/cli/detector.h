// cli/detector.h -- `conclave sim detector`: the quality of a failure detector's service.
#pragma once
#include <string>
#include <vector>

#include "cli/exit.h"
#include "cli/sim.h"
#include "cli/terminal.h"

namespace conclave {

struct DetectorOptions {
    std::string kind;  // heartbeat, adaptive, chen, bertier, accrual, ping
    std::vector<std::string> sweep;
    SimOptions sim;  // the world it watches
};
Exit run_detector(const Terminal& terminal, const DetectorOptions& options);

}  // namespace conclave
