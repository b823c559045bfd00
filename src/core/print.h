// core/print.h -- any value as text, from its fields: for people, and for traces compared as text.
//
//     Vote(3, true) Ping       Name(field, field), or just Name when there are no fields
//     [1 2 3]                  sequences and sets
//     {"orders": Held(2)}      tables, in their order
//     5ms 1500us 3s 0          times, in the largest unit that is exact
//     none true 7 "text"       an empty optional; the rest as expected; a Counter is its number
//     10:3                     pairs; a Key is its attribute and node, or just the node without one
#pragma once
#include <bit>
#include <charconv>
#include <string>
#include <string_view>

#include "core/fields.h"
#include "core/names.h"

namespace conclave {

template <class T> void print(std::string& out, const T& value);

namespace detail {

template <class... Format> void print_number(std::string& out, auto number, Format... format) {
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number, format...).ptr);
}

inline void print_duration(std::string& out, Duration length) {
    struct Unit {
        Duration::rep size;
        std::string_view name;
    };
    constexpr Unit units[] = {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}};
    if (length == Duration::zero()) return out.push_back('0');
    for (const Unit& unit : units) {
        if (length.count() % unit.size != 0) continue;
        print_number(out, length.count() / unit.size);
        out += unit.name;
        return;
    }
}

inline void print_text(std::string& out, std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    out += '"';
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (byte < 0x20 || byte == 0x7f) {
            out += "\\x";
            out += hex[byte / 16];
            out += hex[byte % 16];
        } else {
            out += c;
        }
    }
    out += '"';
}

template <class Range> void print_range(std::string& out, const Range& range) {
    out += '[';
    bool first = true;
    for (const auto& element : range) {
        if (!std::exchange(first, false)) out += ' ';
        print(out, element);
    }
    out += ']';
}

template <class T> void print_table(std::string& out, const T& table) {
    out += '{';
    bool first = true;
    for (const auto& [key, mapped] : table) {
        if (!std::exchange(first, false)) out += ", ";
        print(out, key);
        out += ": ";
        print(out, mapped);
    }
    out += '}';
}

template <class T> void print_enumeration(std::string& out, T value) {
    const std::string_view name = name_of_value(value);
    // The + turns the character types, which to_chars does not take, into integers.
    name.empty() ? print_number(out, +static_cast<std::underlying_type_t<T>>(value))
                 : void(out += name);
}

template <Leaf T> void print_leaf(std::string& out, const T& leaf) {
    constexpr Shape shape = shape_of<T>;
    if constexpr (std::is_same_v<T, NodeId>)
        print_number(out, number(leaf));
    else if constexpr (shape == Shape::boolean)
        out += leaf ? "true" : "false";
    else if constexpr (shape == Shape::integer)
        print_number(out, +leaf);
    else if constexpr (shape == Shape::enumeration)
        print_enumeration(out, leaf);
    else if constexpr (shape == Shape::real)
        print_number(out, std::bit_cast<double>(bits_of(leaf)), std::chars_format::general, 6);
    else if constexpr (shape == Shape::duration)
        print_duration(out, leaf);
    else if constexpr (shape == Shape::instant)
        print_duration(out, leaf.time_since_epoch());
    else if constexpr (shape == Shape::counter)
        print_number(out, leaf.value);
    else if constexpr (shape == Shape::text)
        print_text(out, leaf);
    else
        print_range(out, leaf);
}

template <class T> void print_aggregate(std::string& out, const T& value) {
    out += name_of<T>();
    if constexpr (!std::is_empty_v<T>) {
        bool first = true;
        for_each_field(value, [&](const auto& field) {
            out += std::exchange(first, false) ? "(" : ", ";
            print(out, field);
        });
        out += ')';
    }
}

template <class A, class B> void print_pair(std::string& out, const A& first, const B& second) {
    print(out, first);
    out += ':';
    print(out, second);
}

}  // namespace detail

template <class T> void print(std::string& out, const T& value) {
    constexpr Shape shape = shape_of<T>;
    static_assert(shape != Shape::none, "not a value: neither a known type nor an aggregate");
    if constexpr (Leaf<T>) {
        detail::print_leaf(out, value);
    } else if constexpr (std::is_same_v<T, Key>) {
        value.attribute == 0 ? print(out, value.node)
                             : detail::print_pair(out, value.attribute, value.node);
    } else if constexpr (shape == Shape::nothing) {
        out += "none";
    } else if constexpr (shape == Shape::optional) {
        value ? print(out, *value) : void(out += "none");
    } else if constexpr (shape == Shape::variant) {
        std::visit([&](const auto& alternative) { print(out, alternative); }, value);
    } else if constexpr (shape == Shape::pair) {
        detail::print_pair(out, value.first, value.second);
    } else if constexpr (shape == Shape::array || shape == Shape::sequence) {
        detail::print_range(out, value);
    } else if constexpr (shape == Shape::table) {
        detail::print_table(out, value);
    } else {
        detail::print_aggregate(out, value);
    }
}

template <class T> std::string to_text(const T& value) {
    std::string out;
    print(out, value);
    return out;
}

}  // namespace conclave
