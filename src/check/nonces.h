// check/nonces.h -- nonces renumbered: the smallest numbers in the same order.
//
// A node that asks again and again takes a new nonce each time, and no state would ever come again.
// But nonces are only ever compared with each other, and a node only compares those that it made
// itself: so wherever some number below the largest is in use nowhere, in no node and no message,
// the larger ones can move down. Zero, the nonce of no question, stays.
//
// A nonce may have the life of its node in its upper half; the lower half counts.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/fields.h"

namespace conclave {

using NonceSet = std::uint64_t;  // a bit for each number
inline constexpr std::uint64_t most_nonces = 63;

template <class T> NonceSet nonces_in(const T& value) {
    NonceSet used = 1;
    const auto note = [&](const Nonce& nonce) {
        used |= NonceSet{1} << std::min(nonce.value & UINT32_MAX, most_nonces);
    };
    for_each_leaf(value, note);
    return used;
}

constexpr bool has_gaps(NonceSet used) { return (used & (used + 1)) != 0; }

template <class T> void close_gaps(T& value, NonceSet used) {
    const auto move = [&](Nonce& nonce) {
        const std::uint64_t life = nonce.value >> 32, number = nonce.value & UINT32_MAX;
        const NonceSet below = (NonceSet{1} << std::min(number, most_nonces)) - 1;
        nonce.value = life << 32 | static_cast<std::uint64_t>(std::popcount(used & below));
    };
    for_each_leaf(value, move);
}

// The value without its nonces: what is left to tell two apart whose nonces were renumbered.
template <class T> T without_nonces(T value) {
    const auto clear = [](Nonce& nonce) { nonce.value = 0; };
    for_each_leaf(value, clear);
    return value;
}

}  // namespace conclave
