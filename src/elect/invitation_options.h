// elect/invitation_options.h -- what can be chosen about the invitation algorithm: the repairs of
// its listings, the options its sources name, and its times.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "core/model.h"
#include "elect/definition.h"

namespace conclave::invitation {

enum FixIndex : std::size_t {
    recovery_else,
    ready_implies_accept,
    collect_time,
    tentative,
    match_replies,
    keep_responders,
    member_pings,
    durable_counter,
    rank_slots,
    consent,
    ready_timeout,
    patience,
};
inline constexpr std::array fixes{
    Fix{"recovery-else", "who is refused recovers and does not go on to reorganize (IVT-1)"},
    Fix{"ready-implies-accept", "Ready may overtake the answer to Accept (IVT-2)"},
    Fix{"collect-time", "Accepts are awaited for as long as forwarded invitations take (IVT-3)"},
    Fix{"tentative", "the old group is left only once the new one has answered (IVT-4)"},
    Fix{"match-replies", "an answer counts only for the question it echoes (IVT-5)"},
    Fix{"keep-responders", "those who answered Ready form a group without the others (IVT-6)"},
    Fix{"member-pings", "Check also asks the group's own participants (IVT-7)"},
    Fix{"durable-counter", "the counter is on disk before a group has its number (IVT-8)"},
    Fix{"rank-slots", "coordinators merge one after the other, by rank (IVT-9)"},
    Fix{"consent", "a participant is invited only through its coordinator (IVT-10)"},
    Fix{"ready-timeout", "who waits for Ready looks after its coordinator, too (IVT-11)"},
    Fix{"patience", "waits grow to what messages have been seen to take (IV-22)"},
};

enum class Acceptance : std::uint8_t { tentative, leave_first };
enum class Coordinates : std::uint8_t {
    highest,    // nobody follows a lower node
    initiator,  // whoever invites first
};

struct Config {
    FixSet fixes{};
    Join join = Join::call;
    bool live_attribute = false;
    Duration answer{};   // T: a question and its answer
    Duration collect{};  // an invitation, passed on once, and its acceptance
    Duration ready{};    // after being accepted: the rest of the collecting, and Ready
    Duration plan_wait{};
    Duration slot{};          // a merge from beginning to end
    Duration jitter{};        // between coordinators of the same rank; doubled after a collision
    Duration check{};         // how often a coordinator looks for others
    Duration watch{};         // how often a participant looks after its coordinator
    std::int64_t slower = 6;  // how much longer to wait once an answer was late
    Acceptance accept = Acceptance::tentative;
    Coordinates coordinates = Coordinates::highest;
    bool answer_with_coordinator = true;  // a participant names its coordinator
    bool only_lower = true;               // merge only lower coordinators
    bool note_lower = true;               // a query from below: check at once
    bool ignore_lower_queries = false;    // ... and leave it unanswered
    bool quick_regroup = false;           // without a coordinator, invite its participants
    PlanBy plan = PlanBy::own;
};

constexpr Config configure(const Settings& s) {
    Config config;
    config.join = s.join;
    config.live_attribute = s.live_attribute;
    config.answer = s.round_trip();
    config.collect = 3 * s.tm + 2 * s.tp;
    config.ready = config.collect + config.answer;
    config.plan_wait = 10 * config.answer;
    config.slot = config.collect + config.answer + 2 * s.tm;
    config.jitter = s.tm;
    config.check = 4 * config.slot;
    config.watch = 2 * config.slot;
    return config;
}

template <class F> void each_option(Config& config, F option) {
    option("accept", config.accept);
    option("coordinates", config.coordinates);
    option("answer_with_coordinator", config.answer_with_coordinator);
    option("only_lower", config.only_lower);
    option("note_lower", config.note_lower);
    option("ignore_lower_queries", config.ignore_lower_queries);
    option("quick_regroup", config.quick_regroup);
    option("plan", config.plan);
    option("answer", config.answer);
    option("collect", config.collect);
    option("ready", config.ready);
    option("plan_wait", config.plan_wait);
    option("slot", config.slot);
    option("jitter", config.jitter);
    option("check", config.check);
    option("watch", config.watch);
    option("slower", config.slower);
}

// What is wrong after the last fault shows when participants next look after their coordinators.
// The best node finds the pieces in its next Check, or in the one after that if they were busy or
// shunned; each waits at most for its turn, and everybody may have learnt to be slow.
constexpr Duration settles_within(const Config& config, std::size_t nodes) {
    const auto merges = static_cast<std::int64_t>(nodes);
    const Duration merge = config.slower * (config.slot + config.collect + config.answer);
    const Duration planning = config.plan == PlanBy::application ? config.plan_wait : Duration{};
    return config.watch + 2 * config.check + merges * (merge + planning);
}

// Whether the best node of a group is bound to coordinate it. Who merges only lower coordinators is
// better than all its participants, by induction over merges, as long as no attribute changes; who
// also accepts only better ones, and leaves a coordinator that has become worse, always.
constexpr bool best_coordinates(const Config& config) {
    return config.coordinates == Coordinates::highest ||
           (config.only_lower && !config.live_attribute);
}

}  // namespace conclave::invitation
