// core/hash.h -- deep comparison and a fixed hash of any value, from its fields.
//
// Equal values have equal hashes, and both look at everything: the order of a Table's entries
// counts, because a protocol that walks the table can tell. A double is compared by its bits, so
// that NaN equals itself.
#pragma once
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/fields.h"

namespace conclave {

namespace detail {

// One round and the finish of XXH64. The round is a bijection in the word as well as in the hash:
// values that differ in one word only never collide.
constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t prime3 = 0x165667B19E3779F9, prime4 = 0x85EBCA77C2B2AE63;

constexpr void absorb_word(std::uint64_t& hash, std::uint64_t word) {
    hash = std::rotl(hash ^ (std::rotl(word * prime2, 31) * prime1), 27) * prime1 + prime4;
}

constexpr std::uint64_t finish(std::uint64_t hash) {
    hash = (hash ^ (hash >> 33)) * prime2;
    hash = (hash ^ (hash >> 29)) * prime3;
    return hash ^ (hash >> 32);
}

inline void absorb_text(std::uint64_t& hash, const std::string& text) {
    absorb_word(hash, text.size());
    for (std::size_t at = 0; at < text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min<std::size_t>(8, text.size() - at));
        absorb_word(hash, word);
    }
}

template <Leaf T> void absorb_leaf(std::uint64_t& hash, const T& leaf) {
    constexpr Shape shape = shape_of<T>;
    if constexpr (shape == Shape::real) {
        absorb_word(hash, bits_of(leaf));
    } else if constexpr (shape == Shape::duration) {
        absorb_word(hash, static_cast<std::uint64_t>(leaf.count()));
    } else if constexpr (shape == Shape::instant) {
        absorb_word(hash, static_cast<std::uint64_t>(leaf.time_since_epoch().count()));
    } else if constexpr (shape == Shape::counter) {
        absorb_word(hash, leaf.value);
    } else if constexpr (shape == Shape::text) {
        absorb_text(hash, leaf);
    } else if constexpr (shape == Shape::nodes) {
        absorb_word(hash, leaf.words().size());
        for (std::uint64_t word : leaf.words()) absorb_word(hash, word);
    } else {
        absorb_word(hash, static_cast<std::uint64_t>(leaf));
    }
}

template <class T> void absorb(std::uint64_t& hash, const T& value) {
    constexpr Shape shape = shape_of<T>;
    static_assert(shape != Shape::none, "not a value: neither a known type nor an aggregate");
    if constexpr (Leaf<T>) {
        absorb_leaf(hash, value);
    } else if constexpr (shape == Shape::optional) {
        absorb_word(hash, value.has_value());
        if (value) absorb(hash, *value);
    } else if constexpr (shape == Shape::variant) {
        absorb_word(hash, value.index());
        std::visit([&](const auto& alternative) { absorb(hash, alternative); }, value);
    } else if constexpr (shape == Shape::array) {
        for (const auto& element : value) absorb(hash, element);
    } else if constexpr (shape == Shape::sequence) {
        absorb_word(hash, value.size());
        for (const auto& element : value) absorb(hash, element);
    } else if constexpr (shape == Shape::table) {
        absorb_word(hash, value.size());
        for (const auto& [key, mapped] : value) {
            absorb(hash, key);
            absorb(hash, mapped);
        }
    } else if constexpr (shape == Shape::aggregate || shape == Shape::pair) {
        for_each_field(value, [&](const auto& field) { absorb(hash, field); });
    }
}

}  // namespace detail

// The same on every machine of the same endianness, for ever. Another seed gives an independent
// hash.
template <class T> std::uint64_t hash_value(const T& value, std::uint64_t seed = detail::prime3) {
    detail::absorb(seed, value);
    return detail::finish(seed);
}

template <class T> bool equal(const T& a, const T& b);

namespace detail {

template <class T> bool equal_ranges(const T& a, const T& b) {
    if (a.size() != b.size()) return false;
    auto other = b.begin();
    for (const auto& element : a) {
        if (!equal(element, *other)) return false;
        ++other;
    }
    return true;
}

template <class T> bool equal_tables(const T& a, const T& b) {
    if (a.size() != b.size()) return false;
    auto other = b.begin();
    for (const auto& [key, mapped] : a) {
        const auto& [other_key, other_mapped] = *other;
        if (!equal(key, other_key) || !equal(mapped, other_mapped)) return false;
        ++other;
    }
    return true;
}

template <class T> bool equal_variants(const T& a, const T& b) {
    if (a.index() != b.index()) return false;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return ((a.index() == I && equal(*std::get_if<I>(&a), *std::get_if<I>(&b))) || ...);
    }
    (std::make_index_sequence<std::variant_size_v<T>>());
}

}  // namespace detail

template <class T> bool equal(const T& a, const T& b) {
    constexpr Shape shape = shape_of<T>;
    static_assert(shape != Shape::none, "not a value: neither a known type nor an aggregate");
    if constexpr (shape == Shape::real) {
        return detail::bits_of(a) == detail::bits_of(b);
    } else if constexpr (Leaf<T> || shape == Shape::nothing) {
        return a == b;
    } else if constexpr (shape == Shape::optional) {
        return a && b ? equal(*a, *b) : a.has_value() == b.has_value();
    } else if constexpr (shape == Shape::variant) {
        return detail::equal_variants(a, b);
    } else if constexpr (shape == Shape::array || shape == Shape::sequence) {
        return detail::equal_ranges(a, b);
    } else if constexpr (shape == Shape::table) {
        return detail::equal_tables(a, b);
    } else {
        const auto theirs = fields(b);
        return std::apply(
            [&](const auto&... mine) {
                return std::apply([&](const auto&... other) { return (equal(mine, other) && ...); },
                                  theirs);
            },
            fields(a));
    }
}

}  // namespace conclave
