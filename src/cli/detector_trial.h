// cli/detector_trial.h -- one detector under one setting: what it is tried on, what came of it.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/qos.h"
#include "sim/simulator.h"

namespace conclave {

struct DetectorKind {
    std::string_view name;                   // as it is typed
    std::string_view algorithm;              // in the catalog
    std::string_view estimator;              // of the heartbeat detector
    std::vector<std::string_view> settings;  // that make a difference to it
};
std::span<const DetectorKind> detector_kinds();

struct Trial {
    const DetectorKind* kind = nullptr;
    std::string setting, value;  // what is swept, and where we are; empty: nothing is
    Plan plan;
    bool crash_wanted = false;  // nobody said who crashes: the last node does, at another phase of
                                // the period in each run
};

// All times in units. What cannot be foretold is left out.
struct Foretold {
    double detection_most = 0;
    std::optional<double> rate{}, duration{}, recurrence{}, accuracy{};
};

struct Outcome {
    std::vector<Duration> detection;                  // T_D of each pair
    std::vector<Duration> recurrence, mistake, good;  // T_MR, T_M, T_G of all pairs
    std::uint64_t crashes = 0;                        // that somebody could have noticed
    double mistakes = 0;
    double life = 0, wrong = 0;       // units: watched while alive, suspected meanwhile
    double messages = 0, time = 0;    // units in all runs
    std::optional<double> elections;  // false ones in 1000 units, with a bully on it
    std::optional<Foretold> foretold;

    double per_thousand() const { return life > 0 ? 1000 * mistakes / life : 0; }
    double accuracy() const { return life > 0 ? 1 - wrong / life : 1; }
};

// Says what is wrong with the trial, or nothing.
std::optional<std::string> refuse(const Trial& trial);

// Seeds from the plan's on. `done` hears of every run.
Outcome try_out(const Trial& trial, std::uint64_t runs, const std::function<void()>& done);

double mean_in_units(const std::vector<Duration>& samples);  // 0 if there are none

}  // namespace conclave
