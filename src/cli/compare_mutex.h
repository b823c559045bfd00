// cli/compare_mutex.h -- `conclave compare --mutex`: the price of an entry, measured.
#pragma once
#include "cli/compare.h"

namespace conclave {

Exit run_compare_mutex(const Terminal& terminal, const CompareOptions& options);

}  // namespace conclave
