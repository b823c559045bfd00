// detect/arrivals.h -- one peer's heartbeats as they arrive: which are fresh, and what they teach.
//
// Every estimator is misled in the same four ways, so the answers stand here, once:
//   loss       a jump in the numbers; `lost` lets the estimator take the missing periods out again
//   an outage  the gap of a suspected period says nothing about the usual delay: not learnt
//   own stall  what waited in our socket while we slept arrived earlier than we think: not learnt
//   a burst    behind an outage or a stall the delayed ones come all at once: not learnt either
#pragma once
#include <cstdint>

#include "core/types.h"

namespace conclave {

struct Arrivals {
    enum class Mood : std::uint8_t {
        silent,  // nothing heard yet
        fresh,   // one heartbeat, perhaps the first of a backlog
        steady,
        blind,  // we slept: the next arrival is older than it looks
        burst,  // the last one taught nothing; its followers may be right behind it
    };
    enum class Lesson : std::uint8_t {
        nothing,
        arrival,  // the moment is good, the gap before it is not
        sample,   // both are
        renew,    // late twice at the usual distance: that is the new habit, take it as the first
        forget,   // nothing before this heartbeat is comparable with it
    };
    struct Beat {
        Lesson lesson = Lesson::nothing;
        Duration gap{};         // since the heartbeat before
        std::int64_t lost = 0;  // how many numbers are missing between the two
        Duration pardoned{};    // the pardon that ends with this heartbeat
    };

    // Each mistake widens the margin by a quarter of a period, so a delay that stays bounded causes
    // finitely many (eventual accuracy). It ends at 16 periods: a link that fails every night must
    // not make us blind to a crash next year.
    static constexpr std::uint16_t mistakes_most = 64;
    static constexpr std::uint64_t leap_most = 1U << 12;  // beyond it: no loss, another sequence
    static constexpr std::int64_t explained_most = 8;     // more periods taken out are a guess

    Instant at{};         // the newest heartbeat; before the first one, the start of the watch
    Duration period{};    // T, as the sender announced it
    Duration pardon{};    // own stalls since then
    std::uint64_t seq{};  // of the newest heartbeat
    std::uint16_t mistakes = 0;
    Mood mood = Mood::silent;

    Duration grace() const { return period * mistakes / 4; }
    bool stale(std::uint64_t number) const { return mood != Mood::silent && number <= seq; }

    void watch(Instant now, Duration announced) {
        *this = {.at = now, .period = announced, .mistakes = mistakes};
    }
    void mistaken() {
        if (mistakes < mistakes_most) ++mistakes;
    }
    void shift(Duration stall) {
        pardon += stall;
        if (mood != Mood::silent) mood = Mood::blind;
    }

    // The heartbeat is fresh, and silence was to be suspicious from `deadline` on.
    Beat take(Instant now, std::uint64_t number, Duration announced, Instant deadline) {
        Beat beat{.gap = now - at, .pardoned = pardon};
        const bool comparable =
            mood != Mood::silent && number - seq <= leap_most && announced == period;
        if (comparable) {
            beat.lost = static_cast<std::int64_t>(number - seq) - 1;
            const bool explained = beat.lost <= explained_most;  // by the numbers that are missing
            beat.lesson =
                lesson_of(beat.gap, now > deadline + (explained ? period * beat.lost : Duration{}));
        } else {
            beat.lesson = Lesson::forget;
            mood = Mood::fresh;
        }
        at = now;
        seq = number;
        period = announced;
        pardon = {};
        return beat;
    }

    friend bool operator==(const Arrivals&, const Arrivals&) = default;

private:
    Lesson lesson_of(Duration gap, bool late) {
        const bool close = gap < period / 2;
        const bool burst = mood == Mood::burst;
        if (mood == Mood::blind || (late && !burst) || (close && mood != Mood::steady)) {
            mood = Mood::burst;
            return Lesson::nothing;
        }
        mood = Mood::steady;
        if (late) return Lesson::renew;
        return burst ? Lesson::arrival : Lesson::sample;
    }
};

}  // namespace conclave
