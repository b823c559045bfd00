// cli/report.h -- a run as text for people and as JSON for programs.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/terminal.h"
#include "sim/simulator.h"

namespace conclave {

// Who leads, what was sent, what was violated.
std::string outcome_text(const Terminal& terminal, const Report& report);
std::string report_text(const Terminal& terminal, std::string_view algorithm, const Plan& plan,
                        const Report& report);
// Whole numbers without an exponent: Boost.JSON would write 4 as 4E0.
boost::json::value json_number(double value);
boost::json::value json_number(const std::optional<double>& value);  // null: there is none
std::optional<double> messages_per_entry(const Report& report);

boost::json::object report_json(std::string_view algorithm, const Plan& plan, const Report& report);

}  // namespace conclave
