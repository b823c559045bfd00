// elect/garcia_molina_options.h -- the repairs of Garcia-Molina's listings, and the times it works
// with.
#pragma once
#include <array>
#include <cstddef>

#include "core/model.h"
#include "elect/definition.h"

namespace conclave::garcia_molina {

enum FixIndex : std::size_t {
    timer_everywhere,
    check_condition,
    conditional_answers,
    eid,
    full_wait,
    reject_lower,
    answer_state,
    higher_starts,
};
inline constexpr std::array fixes{
    Fix{"timer-everywhere", "who waits for a higher node elects if nothing comes (GMT-1)"},
    Fix{"check-condition", "a dead node outside the group is no reason to elect (GMT-2)"},
    Fix{"conditional-answers", "who refuses says so instead of answering (GMT-4)"},
    Fix{"eid", "answers and orders count only in the run they belong to (GMT-5, GMT-9)"},
    Fix{"full-wait", "halting takes all of T: nobody knows who else lives (GMT-5)"},
    Fix{"reject-lower", "whom a higher node has halted no lower one can (GMT-6)"},
    Fix{"answer-state", "an answer counts only if it is still the office's (GMT-7)"},
    Fix{"higher-starts", "asked from below, an idle node looks for itself: anybody may call"},
};

struct Config {
    FixSet fixes{};
    Duration answer{};  // T: by then everybody has answered, or is dead
    Duration wait{};    // by then a higher node is in office, or is dead
    Duration check{};   // between two looks of the coordinator at everybody
    Join join = Join::call;
    PlanBy plan = PlanBy::own;
    bool live_attribute = false;  // who is above whom only the two of them can tell: ask everybody

    // A live coordinator is never silent for so long: a check, its T, and the way here.
    constexpr Duration silence() const { return check + 2 * answer; }
};

constexpr Config configure(const Settings& s) {
    const Duration answer = s.round_trip();
    return {{}, answer, 3 * answer, 20 * answer, s.join, PlanBy::own, s.live_attribute};
}

// Silence may be what shows the last fault; then an election, and another for who came too late.
constexpr Duration settles_within(const Config& config) {
    return config.silence() + 2 * (config.wait + 5 * config.answer);
}

template <class F> void each_option(Config& config, F option) {
    option("answer", config.answer);
    option("wait", config.wait);
    option("check", config.check);
    option("plan", config.plan);
}

}  // namespace conclave::garcia_molina
