// check/outside.h -- what belongs to no node: cut links, what may still go wrong, time left.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "check/budget.h"
#include "core/property.h"

namespace conclave {

struct Outside {
    Cuts cuts{};  // in order
    Budget budget{};
    std::uint32_t ticks = 0;   // of time left, where that is bounded
    std::uint32_t booted = 0;  // everybody boots at once: in order, and nothing else meanwhile
    Cuts coming{};             // as soon as all have booted
};

// What can happen to it, as a number that a memo can keep.
namespace outside {

inline constexpr std::uint32_t tick = 0x100, boot = 0x101, heal = 0x102, disturb = 0x103;
inline constexpr std::uint32_t cut_link = 1U << 24, split = 1U << 25;

constexpr std::uint32_t pay(Spend what) { return static_cast<std::uint32_t>(what); }
constexpr std::uint32_t cut(std::uint32_t from, std::uint32_t to) {
    return cut_link | from << 8 | to;
}
// One part by the places of its nodes.
constexpr std::uint32_t partition(std::uint32_t part) { return split | part; }

// Calls `visit(from, to)` for each link that this change cuts.
template <class F> void each_cut(std::uint32_t change, std::size_t nodes, F visit) {
    if (change & cut_link) visit(change >> 8 & 0xFF, change & 0xFF);
    if (!(change & split)) return;
    for (std::uint32_t a = 0; a < nodes; ++a) {
        for (std::uint32_t b = 0; b < nodes; ++b) {
            if ((change >> a & 1U) != (change >> b & 1U)) visit(a, b);
        }
    }
}

}  // namespace outside

// Whatever is not the passing of time begins the time to settle anew.
inline Outside changed(Outside now, std::uint32_t change, const MemberList& members,
                       const Bounds& bounds) {
    if (bounds.settle > 0 && change != outside::tick) now.ticks = bounds.settle;
    if (change < spends) {
        --now.budget.left[change];
    } else if (change == outside::tick) {
        if (now.ticks > 0) --now.ticks;
    } else if (change == outside::boot) {
        if (++now.booted == members.size()) now.cuts = std::exchange(now.coming, {});
    } else if (change == outside::heal) {
        now.cuts.links.clear();
    } else if (change != outside::disturb) {
        --now.budget[change & outside::split ? Spend::partition : Spend::cut];
        outside::each_cut(change, members.size(), [&](std::uint32_t from, std::uint32_t to) {
            now.cuts.cut(members[from].node, members[to].node);
        });
        std::ranges::sort(now.cuts.links);
    }
    return now;
}

}  // namespace conclave
