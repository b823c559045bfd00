// core/leaf_bytes.h -- integers, times, texts and sets of nodes as bytes; see bytes.h.
#pragma once
#include <bit>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/fields.h"

namespace conclave {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

namespace detail {

inline void write_varint(Bytes& out, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) out.push_back(static_cast<std::byte>(number | 0x80));
    out.push_back(static_cast<std::byte>(number));
}

[[nodiscard]] inline bool read_byte(ByteView& in, std::uint64_t& byte) {
    if (in.empty()) return false;
    byte = std::to_integer<std::uint64_t>(in.front());
    in = in.subspan(1);
    return true;
}

[[nodiscard]] inline bool read_varint(ByteView& in, std::uint64_t& number) {
    number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        std::uint64_t byte = 0;
        if (!read_byte(in, byte)) return false;
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80) return (byte != 0 || shift == 0) && (byte <= 1 || shift < 63);
    }
    return false;
}

constexpr std::uint64_t zigzag(std::int64_t number) {
    return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t word) {
    return static_cast<std::int64_t>((word >> 1) ^ (~(word & 1) + 1));
}

template <std::integral T> void write_integer(Bytes& out, T number) {
    if constexpr (std::is_signed_v<T>)
        write_varint(out, zigzag(number));
    else
        write_varint(out, number);
}

template <std::integral T> [[nodiscard]] bool read_integer(ByteView& in, T& number) {
    std::uint64_t word = 0;
    if (!read_varint(in, word)) return false;
    if constexpr (std::is_signed_v<T>) {
        const std::int64_t wide = unzigzag(word);
        number = static_cast<T>(wide);
        return number == wide;
    } else {
        number = static_cast<T>(word);
        return number == word;
    }
}

inline void write_double(Bytes& out, double value) {
    const std::uint64_t bits = bits_of(value);
    for (unsigned shift = 0; shift < 64; shift += 8)
        out.push_back(static_cast<std::byte>(bits >> shift));
}

[[nodiscard]] inline bool read_double(ByteView& in, double& value) {
    std::uint64_t bits = 0, byte = 0;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!read_byte(in, byte)) return false;
        bits |= byte << shift;
    }
    value = std::bit_cast<double>(bits);
    return bits == bits_of(value);
}

inline void write_nodes(Bytes& out, const NodeSet& nodes) {
    const std::size_t size = nodes.empty() ? 0 : number(nodes.back()) / 8 + 1;
    write_varint(out, size);
    for (std::size_t i = 0; i < size; ++i)
        out.push_back(static_cast<std::byte>(nodes.words()[i / 8] >> (i % 8 * 8)));
}

[[nodiscard]] inline bool read_nodes(ByteView& in, NodeSet& nodes) {
    constexpr std::uint64_t most =
        (std::uint64_t{std::numeric_limits<std::uint32_t>::max()} + 1) / 8;
    std::uint64_t size = 0, byte = 0;
    if (!read_varint(in, size) || size > in.size() || size > most) return false;
    NodeSet::Words words;
    words.resize((size + 7) / 8);
    for (std::size_t i = 0; i < size; ++i) {
        if (!read_byte(in, byte)) return false;
        words[i / 8] |= byte << (i % 8 * 8);
    }
    nodes.set_words(std::move(words));
    return size == 0 || byte != 0;
}

[[nodiscard]] inline bool read_text(ByteView& in, std::string& text) {
    std::uint64_t size = 0;
    if (!read_varint(in, size) || size > in.size()) return false;
    text.assign(reinterpret_cast<const char*>(in.data()), size);
    in = in.subspan(size);
    return true;
}

inline void write_text(Bytes& out, const std::string& text) {
    write_varint(out, text.size());
    const auto bytes = std::as_bytes(std::span(text));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

template <Leaf T> void write_leaf(Bytes& out, const T& leaf) {
    constexpr Shape shape = shape_of<T>;
    if constexpr (std::is_same_v<T, std::byte>)
        out.push_back(leaf);
    else if constexpr (shape == Shape::integer || shape == Shape::boolean)
        write_integer(out, leaf);
    else if constexpr (shape == Shape::enumeration)
        write_integer(out, static_cast<std::underlying_type_t<T>>(leaf));
    else if constexpr (shape == Shape::real)
        write_double(out, leaf);
    else if constexpr (shape == Shape::duration)
        write_integer(out, leaf.count());
    else if constexpr (shape == Shape::instant)
        write_integer(out, leaf.time_since_epoch().count());
    else if constexpr (shape == Shape::counter)
        write_varint(out, leaf.value);
    else if constexpr (shape == Shape::text)
        write_text(out, leaf);
    else
        write_nodes(out, leaf);
}

template <class Integer, class T> [[nodiscard]] bool read_as(ByteView& in, T& leaf, auto convert) {
    Integer integer{};
    if (!read_integer(in, integer)) return false;
    leaf = convert(integer);
    return true;
}

template <Leaf T> [[nodiscard]] bool read_leaf(ByteView& in, T& leaf) {
    constexpr Shape shape = shape_of<T>;
    if constexpr (std::is_same_v<T, std::byte>) {
        std::uint64_t byte = 0;
        const bool good = read_byte(in, byte);
        leaf = static_cast<std::byte>(byte);
        return good;
    } else if constexpr (shape == Shape::integer || shape == Shape::boolean) {
        return read_integer(in, leaf);
    } else if constexpr (shape == Shape::enumeration) {
        const auto convert = [](auto integer) { return static_cast<T>(integer); };
        return read_as<std::underlying_type_t<T>>(in, leaf, convert);
    } else if constexpr (shape == Shape::real) {
        return read_double(in, leaf);
    } else if constexpr (shape == Shape::duration || shape == Shape::instant) {
        return read_as<Duration::rep>(in, leaf, [](auto count) { return T(Duration(count)); });
    } else if constexpr (shape == Shape::counter) {
        return read_varint(in, leaf.value);
    } else if constexpr (shape == Shape::text) {
        return read_text(in, leaf);
    } else {
        return read_nodes(in, leaf);
    }
}

}  // namespace detail

}  // namespace conclave
