// check/choice.h -- one thing that the explorer lets happen, as the retelling needs it.
#pragma once
#include <cstdint>

#include "check/occurrence.h"

namespace conclave {

struct Choice {
    enum class Kind : std::uint8_t {
        boot,       // of the next node: everybody boots before anything else happens
        happen,     // `what`, to the node at `at`
        lose,       // the packet `packet`
        duplicate,  // likewise
        outside,    // the change `packet` of the outside: cut, partition, heal
        tick,
    };
    Kind kind = Kind::boot;
    std::uint32_t at = 0;
    Occurrence what = Occurrence::of(Happening::tick);
    std::uint32_t packet = 0;
};

}  // namespace conclave
