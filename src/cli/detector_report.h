// cli/detector_report.h -- the quality of detectors as text, as JSON, as a picture.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "cli/detector_trial.h"
#include "cli/terminal.h"
#include "sim/plot.h"

namespace conclave {

struct Tried {
    Trial trial;
    Outcome outcome;
};

std::string tried_text(const Terminal& terminal, const Tried& one);
std::string tried_table(const Terminal& terminal, const std::vector<Tried>& all);
boost::json::object tried_json(const Tried& one);

// Detection time against mistakes: one curve for each kind and each setting that is swept.
Plot trade_off(const std::vector<Tried>& all);

}  // namespace conclave
