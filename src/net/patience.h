// net/patience.h -- how long one of several endpoints may keep us waiting.
//
// A process that hangs still has its connections accepted, by the kernel: that nobody answers there
// shows only in the silence. While another endpoint may answer at once little of it is suffered;
// after each round in which nobody answered twice as much, for the way may be long.
#pragma once
#include <algorithm>
#include <cstddef>

#include "core/types.h"

namespace conclave::net {

class Patience {
public:
    // `turn` at first, and `most` at last; also at first where there is nobody else to ask.
    Patience(std::size_t endpoints, Duration turn, Duration most)
        : least_(endpoints > 1 ? std::min(turn, most) : most), most_(most), now_(least_) {}

    Duration now() const { return now_; }
    void in_vain() { now_ = std::min(2 * now_, most_); }  // once all have been asked
    void rewarded() { now_ = least_; }

private:
    Duration least_, most_, now_;
};

}  // namespace conclave::net
