// core/bytes.h -- any value as bytes and back, from its fields.
//
// Integers, enumerations, counters and times are varints (signed ones zigzag); std::byte is itself;
// a double is 8 bytes, lowest first; an optional is 0, or 1 and its value; a variant is its index
// and the alternative; a sequence or table is its count and its elements; a NodeSet is its bits, in
// as many bytes as they need. An aggregate is its fields in order; what stands around them is up to
// the Layout. Each value has exactly one encoding, and decode takes no other.
#pragma once
#include <algorithm>

#include "core/leaf_bytes.h"

namespace conclave {

// The default Layout: an aggregate is nothing but its fields. Another Layout may put a length
// before the fields, to skip what a newer sender has added and to leave alone what an older one
// lacks.
struct Bare {
    static void write(Bytes&, auto write_fields) { write_fields(); }
    static bool read(ByteView& in, auto read_fields) { return read_fields(in); }
    static bool has_field(ByteView) { return true; }  // asked before each field is read
    static constexpr std::size_t least_size(std::size_t fields) { return fields; }
};

template <class Layout = Bare, class T> void encode(Bytes& out, const T& value);

// Takes the value's bytes from the front of `in`. False on malformed input, with `value` in any
// state.
template <class Layout = Bare, class T> [[nodiscard]] bool decode(ByteView& in, T& value);

namespace detail {

template <class Layout, class T> constexpr std::size_t find_least_size();

// The fewest bytes any T takes: bounds how many of them the input can hold. A type that contains
// itself does not compile here, and must not: input could nest it until the stack is gone.
template <class Layout, class T> constexpr std::size_t least_size = find_least_size<Layout, T>();

template <class Layout, class... T> constexpr std::size_t least_sum(const std::tuple<T&...>*) {
    return (least_size<Layout, std::remove_const_t<T>> + ... + 0);
}

template <class Layout, class T> struct LeastEntry {  // of a sequence's elements
    static constexpr std::size_t size = least_size<Layout, typename T::value_type>;
};
template <class Layout, class K, class V> struct LeastEntry<Layout, Table<K, V>> {
    static constexpr std::size_t size = least_size<Layout, K> + least_size<Layout, V>;
};

template <class Layout, class T> constexpr std::size_t find_least_size() {
    constexpr Shape shape = shape_of<T>;
    static_assert(shape != Shape::none, "not a value: neither a known type nor an aggregate");
    if constexpr (shape == Shape::real) {
        return 8;
    } else if constexpr (shape == Shape::nothing) {
        return 0;
    } else if constexpr (shape == Shape::array) {
        return std::tuple_size_v<T> * least_size<Layout, typename T::value_type>;
    } else if constexpr (shape == Shape::sequence || shape == Shape::table) {
        return 1 + 0 * LeastEntry<Layout, T>::size;
    } else if constexpr (shape == Shape::pair || shape == Shape::aggregate) {
        using Fields = decltype(fields(std::declval<T&>()));
        constexpr std::size_t sum = least_sum<Layout>(static_cast<Fields*>(nullptr));
        return shape == Shape::pair ? sum : Layout::least_size(sum);
    } else {
        return 1;
    }
}

template <class Layout, class T> [[nodiscard]] bool read_count(ByteView& in, std::uint64_t& count) {
    constexpr std::size_t entry = std::max<std::size_t>(1, LeastEntry<Layout, T>::size);
    return read_varint(in, count) && count <= in.size() / entry;
}

// An element that takes no bytes gets a zero byte, so that no count is larger than its input.
template <class Layout, class T> constexpr bool padded = LeastEntry<Layout, T>::size == 0;

template <class Layout, class T> void write_sequence(Bytes& out, const T& sequence) {
    write_varint(out, sequence.size());
    for (const auto& element : sequence) {
        if constexpr (padded<Layout, T>) out.push_back(std::byte{0});
        encode<Layout, typename T::value_type>(out, element);
    }
}

template <class Layout, class T> [[nodiscard]] bool read_sequence(ByteView& in, T& sequence) {
    std::uint64_t count = 0, pad = 0;
    sequence.clear();
    if (!read_count<Layout, T>(in, count)) return false;
    for (; count > 0; --count) {
        if constexpr (padded<Layout, T>)
            if (!read_byte(in, pad) || pad != 0) return false;
        typename T::value_type element{};
        if (!decode<Layout>(in, element)) return false;
        sequence.push_back(std::move(element));
    }
    return true;
}

template <class Layout, class K, class V> void write_table(Bytes& out, const Table<K, V>& table) {
    write_varint(out, table.size());
    for (const auto& [key, value] : table) {
        if constexpr (padded<Layout, Table<K, V>>) out.push_back(std::byte{0});
        encode<Layout>(out, key);
        encode<Layout>(out, value);
    }
}

template <class Layout, class K, class V>
[[nodiscard]] bool read_table(ByteView& in, Table<K, V>& table) {
    std::uint64_t count = 0, pad = 0;
    table.clear();
    if (!read_count<Layout, Table<K, V>>(in, count)) return false;
    for (; count > 0; --count) {
        if constexpr (padded<Layout, Table<K, V>>)
            if (!read_byte(in, pad) || pad != 0) return false;
        K key{};
        V value{};
        if (!decode<Layout>(in, key) || !decode<Layout>(in, value)) return false;
        if (!table.insert(std::move(key), std::move(value))) return false;
    }
    return true;
}

template <class Layout, class T> [[nodiscard]] bool read_optional(ByteView& in, T& optional) {
    bool present = false;
    optional.reset();
    if (!read_integer(in, present)) return false;
    if (!present) return true;
    // Not emplace(): to clang a struct with defaults inside the struct that has it optionally
    // cannot be made of nothing.
    typename T::value_type value{};
    if (!decode<Layout>(in, value)) return false;
    optional = std::move(value);
    return true;
}

template <class Layout, class T> [[nodiscard]] bool read_variant(ByteView& in, T& variant) {
    std::uint64_t index = 0;
    if (!read_varint(in, index)) return false;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {  // no I is equal: malformed
        return ((index == I && decode<Layout>(in, variant.template emplace<I>())) || ...);
    }
    (std::make_index_sequence<std::variant_size_v<T>>());
}

template <class Layout, class T> [[nodiscard]] bool read_fields(ByteView& in, T& value) {
    return std::apply(
        [&](auto&... field) {
            return ((!Layout::has_field(in) || decode<Layout>(in, field)) && ...);
        },
        fields(value));
}

}  // namespace detail

template <class Layout, class T> void encode(Bytes& out, const T& value) {
    constexpr Shape shape = shape_of<T>;
    static_assert(shape != Shape::none, "not a value: neither a known type nor an aggregate");
    const auto write = [&](const auto& part) { encode<Layout>(out, part); };
    if constexpr (Leaf<T>) {
        detail::write_leaf(out, value);
    } else if constexpr (shape == Shape::optional) {
        write(value.has_value());
        if (value) write(*value);
    } else if constexpr (shape == Shape::variant) {
        detail::write_varint(out, value.index());
        std::visit(write, value);
    } else if constexpr (shape == Shape::array) {
        for (const auto& element : value) write(element);
    } else if constexpr (shape == Shape::sequence) {
        detail::write_sequence<Layout>(out, value);
    } else if constexpr (shape == Shape::table) {
        detail::write_table<Layout>(out, value);
    } else if constexpr (shape == Shape::pair) {
        for_each_field(value, write);
    } else if constexpr (shape == Shape::aggregate) {
        Layout::write(out, [&] { for_each_field(value, write); });
    }
}

template <class Layout, class T> bool decode(ByteView& in, T& value) {
    constexpr Shape shape = shape_of<T>;
    static_assert(shape != Shape::none, "not a value: neither a known type nor an aggregate");
    if constexpr (Leaf<T>) {
        return detail::read_leaf(in, value);
    } else if constexpr (shape == Shape::nothing) {
        return true;
    } else if constexpr (shape == Shape::optional) {
        return detail::read_optional<Layout>(in, value);
    } else if constexpr (shape == Shape::variant) {
        return detail::read_variant<Layout>(in, value);
    } else if constexpr (shape == Shape::array) {
        for (auto& element : value)
            if (!decode<Layout>(in, element)) return false;
        return true;
    } else if constexpr (shape == Shape::sequence) {
        return detail::read_sequence<Layout>(in, value);
    } else if constexpr (shape == Shape::table) {
        return detail::read_table<Layout>(in, value);
    } else if constexpr (shape == Shape::pair) {
        return decode<Layout>(in, value.first) && decode<Layout>(in, value.second);
    } else {
        return Layout::read(
            in, [&](ByteView& inside) { return detail::read_fields<Layout>(inside, value); });
    }
}

}  // namespace conclave
