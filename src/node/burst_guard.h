// node/burst_guard.h -- the same thing said a thousand times a second is said a few times, counted.
//
// Time is an argument. The memory is a table of fixed size where a newcomer takes the place of
// whoever has the same slot: two that share one are never silenced wrongly, they only start anew.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/time_text.h"

namespace conclave::node {

struct Repeated {  // what was kept back
    std::string what;
    std::uint64_t count = 0;
};

class BurstGuard {
public:
    explicit BurstGuard(std::uint32_t most_per_second) : most_(most_per_second) {}

    struct Answer {
        bool say = false;
        std::optional<Repeated> first;  // to be said before: a window of this slot that is over
    };
    Answer heard(std::string_view what, WallTime now) {
        Slot& slot = slots_[std::hash<std::string_view>{}(what) % slots_.size()];
        Answer answer;
        if (slot.what != what || over(slot, now)) {
            answer.first = close(slot);
            slot = {std::string(what), now, 0, 0};
        }
        answer.say = slot.said < most_;
        ++(answer.say ? slot.said : slot.kept_back);
        return answer;
    }

    // Of all windows that are over; otherwise the end of a burst would be told with the next one.
    std::vector<Repeated> over_by(WallTime now) {
        return take([&](const Slot& slot) { return over(slot, now); });
    }
    std::vector<Repeated> all() {
        return take([](const Slot&) { return true; });
    }

private:
    struct Slot {
        std::string what;
        WallTime since;
        std::uint64_t said = 0, kept_back = 0;
    };

    // A wall clock that was set back ends a window as well: it must not be silent until it catches
    // up.
    static bool over(const Slot& slot, WallTime now) {
        return now < slot.since || now - slot.since >= std::chrono::seconds(1);
    }
    static std::optional<Repeated> close(Slot& slot) {
        if (slot.kept_back == 0) return std::nullopt;
        Repeated told{std::move(slot.what), slot.kept_back};
        slot = {};
        return told;
    }
    template <class Wanted> std::vector<Repeated> take(Wanted wanted) {
        std::vector<Repeated> told;
        for (Slot& slot : slots_) {
            if (slot.kept_back > 0 && wanted(slot)) told.push_back(*close(slot));
        }
        return told;
    }

    std::uint64_t most_;
    std::array<Slot, 64> slots_;
};

}  // namespace conclave::node
