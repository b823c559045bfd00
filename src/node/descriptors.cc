#include "node/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace conclave::node {

std::size_t allowed_descriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return RLIM_INFINITY;  // nobody counts them
    return limit.rlim_cur;
}

std::size_t allow_descriptors(std::size_t wanted) {
    rlimit limit{};
    if (allowed_descriptors() >= wanted || ::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return allowed_descriptors();
    const rlimit raised{std::min<rlim_t>(wanted, limit.rlim_max), limit.rlim_max};
    return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

std::size_t places_within(std::size_t descriptors, std::size_t reserved, std::size_t wanted) {
    constexpr std::size_t least = 8;  // even if it may go wrong: a node that nobody can ask is none
    const std::size_t left = descriptors > reserved ? descriptors - reserved : 0;
    return std::clamp(left / descriptors_per_place, std::min(least, wanted), wanted);
}

}  // namespace conclave::node
