// conclave/fence.hpp -- the resource's side of a fencing token: who comes late is refused.
//
// A lease protects only as long as its holder looks at the clock. A holder that was paused between
// looking and writing finds out too late; what it writes to does not have to: every grant of a lock
// and every leadership has a token, tokens only grow, and a gate admits none that is smaller than
// the largest it has seen. The same token again is admitted: its holder may have more to say.
#pragma once
#include <compare>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "conclave/api.h"

namespace conclave {

struct FencingToken {
    std::uint64_t epoch = 0;   // of the leadership
    std::uint64_t number = 0;  // of the grant under it; 0: the leadership itself
    friend auto operator<=>(const FencingToken&, const FencingToken&) = default;
};

// "42.7", or "42" for a leadership.
CONCLAVE_API std::optional<FencingToken> parse_token(std::string_view text);
CONCLAVE_API std::string to_string(FencingToken token);

// Within one process. May be used from several threads.
class CONCLAVE_API FenceGate {
public:
    explicit FenceGate(FencingToken largest = {}) : largest_(largest) {}

    [[nodiscard]] bool admit(FencingToken token);
    FencingToken largest() const;

private:
    mutable std::mutex mutex_;
    FencingToken largest_;
};

// Across processes and restarts: the largest token is in a file. What was admitted is on disk
// before admit() returns. May be used from several threads and processes at once.
class CONCLAVE_API FenceFile {
public:
    explicit FenceFile(std::string path) : path_(std::move(path)) {}

    struct Answer {
        enum class Verdict { admitted, stale, broken };
        Verdict verdict = Verdict::broken;
        FencingToken largest;  // seen before
        std::string trouble;   // broken: what is wrong with the file; nothing was changed
    };
    [[nodiscard]] Answer admit(FencingToken token);

private:
    std::string path_;
};

}  // namespace conclave
