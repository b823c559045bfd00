// core/section.h -- where a node stands towards the critical section, for whoever watches it.
#pragma once
#include <concepts>
#include <cstdint>

#include "core/types.h"

namespace conclave {

enum class Section : std::uint8_t { outside, waiting, inside };

// Takes turns in a critical section: every mutual exclusion does.
template <class P>
concept TakesTurns = requires(const P& state) {
    { state.section(Instant{}) } -> std::same_as<Section>;  // as of this time on its own clock
};

}  // namespace conclave
