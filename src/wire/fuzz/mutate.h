// wire/fuzz/mutate.h -- small damage to an input, the same on every machine for the same dice.
#pragma once
#include <algorithm>
#include <array>

#include "core/leaf_bytes.h"
#include "sim/dice.h"

namespace conclave::wire::fuzz {

namespace detail {

struct Piece {
    std::ptrdiff_t begin = 0, end = 0;
};
inline Piece some_piece(Dice& dice, const Bytes& bytes) {
    const auto begin = dice.below(bytes.size() + 1);
    const auto size = dice.below(std::min<std::uint64_t>(bytes.size() - begin, 32) + 1);
    return {static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(begin + size)};
}

inline void cut(Dice& dice, Bytes& bytes) {
    const Piece piece = some_piece(dice, bytes);
    bytes.erase(bytes.begin() + piece.begin, bytes.begin() + piece.end);
}

// A piece of the other input, which may be a copy of this one, in the middle of this one.
inline void graft(Dice& dice, Bytes& bytes, const Bytes& other) {
    const Piece piece = some_piece(dice, other);
    const auto at = static_cast<std::ptrdiff_t>(dice.below(bytes.size() + 1));
    bytes.insert(bytes.begin() + at, other.begin() + piece.begin, other.begin() + piece.end);
}

inline void change_byte(Dice& dice, Bytes& bytes) {
    // Where varints, lengths and variants have their edges.
    constexpr std::array<unsigned, 7> edges{0x00, 0x01, 0x02, 0x7f, 0x80, 0x81, 0xff};
    if (bytes.empty()) return bytes.push_back(static_cast<std::byte>(dice.below(256)));
    std::byte& byte = bytes[dice.below(bytes.size())];
    const auto number = std::to_integer<unsigned>(byte);
    switch (dice.below(4)) {
        case 0:
            byte ^= std::byte{1} << dice.below(8);
            break;
        case 1:
            byte = static_cast<std::byte>(edges[dice.below(edges.size())]);
            break;
        case 2:
            byte = static_cast<std::byte>(number + 1 + dice.below(4));
            break;  // a length lies
        default:
            byte = static_cast<std::byte>(number - 1 - dice.below(4));
            break;
    }
}

}  // namespace detail

inline void mutate(Dice& dice, Bytes& bytes, const Bytes& other) {
    constexpr std::size_t largest = 4 * 1024;
    for (auto times = 1 + dice.below(4); times > 0; --times) {
        switch (dice.below(5)) {
            case 0:
                detail::cut(dice, bytes);
                break;
            case 1:
                detail::graft(dice, bytes, other);
                break;
            case 2:
                detail::graft(dice, bytes, Bytes(bytes));
                break;
            default:
                detail::change_byte(dice, bytes);
                break;
        }
    }
    if (bytes.size() > largest) bytes.resize(largest);
}

}  // namespace conclave::wire::fuzz
