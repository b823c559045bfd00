// core/fields.h -- what a value is made of: its shape, its fields, its leaves.
//
// Everything a struct gets from its fields (equal, hash_value, print, encode, decode) asks here,
// and nowhere else, what kind of thing it has before it. A struct needs nothing for this but to be
// an aggregate without bases and C arrays: Boost.PFR counts its fields by trying how many things
// that convert to anything it can be made of. That works for every member type below, because
// copying ours from such a thing fits their copy constructor only; a type with a greedy constructor
// template (one that takes anything, as std::any does) would be miscounted, so constrain it.
#pragma once
#include <array>
#include <bit>
#include <boost/pfr/core.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/node_set.h"
#include "core/types.h"

namespace conclave {

template <class K, class V> class Table;

enum class Shape {
    none,  // not a value
    boolean,
    integer,
    enumeration,
    real,
    duration,
    instant,
    counter,
    text,
    nodes,
    nothing,  // std::monostate; from here on, shapes that have parts
    optional,
    variant,
    pair,
    array,
    sequence,
    table,
    aggregate,
};

namespace detail {

template <class T, template <class...> class Template> constexpr bool is_a = false;
template <template <class...> class Template, class... Args>
constexpr bool is_a<Template<Args...>, Template> = true;

template <class T> constexpr bool is_array = false;
template <class T, std::size_t N> constexpr bool is_array<std::array<T, N>> = true;

template <class T>
concept Sequence = requires(T sequence, typename T::value_type element) {
    sequence.clear();
    sequence.push_back(std::move(element));
    sequence.begin() != sequence.end();
    sequence.size();
};

template <class T>
concept Enumeration = std::is_enum_v<T> && requires {
    T{0};
};  // with a fixed underlying type

template <class T> constexpr Shape shape_of_leaf() {
    if (std::same_as<T, bool>) return Shape::boolean;
    if (std::integral<T>) return Shape::integer;
    if (Enumeration<T>) return Shape::enumeration;
    if (std::same_as<T, double>) return Shape::real;
    if (std::same_as<T, Duration>) return Shape::duration;
    if (std::same_as<T, Instant>) return Shape::instant;
    if (is_a<T, Counter>) return Shape::counter;
    if (std::same_as<T, std::string>) return Shape::text;
    if (std::same_as<T, NodeSet>) return Shape::nodes;
    return Shape::none;
}

template <class T> constexpr Shape shape_of_whole() {
    if (std::same_as<T, std::monostate>) return Shape::nothing;
    if (is_a<T, std::optional>) return Shape::optional;
    if (is_a<T, std::variant>) return Shape::variant;
    if (is_a<T, std::pair>) return Shape::pair;
    if (is_array<T>) return Shape::array;
    if (is_a<T, Table>) return Shape::table;
    if (Sequence<T>) return Shape::sequence;
    if (std::is_class_v<T> && std::is_aggregate_v<T>) return Shape::aggregate;
    return Shape::none;
}

template <class T> constexpr Shape find_shape() {
    constexpr Shape leaf = shape_of_leaf<T>();
    if constexpr (leaf != Shape::none)
        return leaf;
    else
        return shape_of_whole<T>();
}

}  // namespace detail

template <class T> constexpr Shape shape_of = detail::find_shape<std::remove_cv_t<T>>();

template <class T>
concept Leaf = shape_of<T> > Shape::none && shape_of<T> < Shape::nothing;

namespace detail {

// What stands for a double in comparison, hash, text and bytes: all of them take -0 for 0.
inline std::uint64_t bits_of(double value) {
    return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
}

}  // namespace detail

// References to the fields of an aggregate (or to the halves of a pair), as a std::tuple.
template <class T> constexpr auto fields(T& value) {
    if constexpr (shape_of<T> == Shape::pair)
        return std::tie(value.first, value.second);
    else if constexpr (std::is_empty_v<T>)
        return std::tuple<>();
    else
        return boost::pfr::structure_tie(value);
}

template <class T, class F> constexpr void for_each_field(T& value, F&& f) {
    std::apply([&](auto&... field) { (f(field), ...); }, fields(value));
}

namespace detail {

template <class T> constexpr bool is_value();

template <class T> struct Parts : std::bool_constant<shape_of<T> != Shape::none> {};
template <class... T>
struct Parts<std::tuple<T&...>> : std::bool_constant<(is_value<std::remove_const_t<T>>() && ...)> {
};
template <template <class...> class Whole, class... T>
requires(shape_of<Whole<T...>> == Shape::optional || shape_of<Whole<T...>> == Shape::variant ||
         shape_of<Whole<T...>> == Shape::pair ||
         shape_of<Whole<T...>> == Shape::table) struct Parts<Whole<T...>>
    : std::bool_constant<(is_value<T>() && ...)> {
};

template <class T> constexpr bool is_value() {
    if constexpr (shape_of<T> == Shape::sequence || shape_of<T> == Shape::array)
        return is_value<typename T::value_type>();
    else if constexpr (shape_of<T> == Shape::aggregate)
        return Parts<decltype(fields(std::declval<T&>()))>::value;
    else
        return Parts<T>::value;
}

}  // namespace detail

// Made of known shapes all the way down: can be compared, hashed, printed, encoded.
template <class T>
concept Value = detail::is_value<std::remove_cv_t<T>>();

// Shows f every leaf inside, by reference, at any depth; leaves that f does not take are passed
// over, so [](Instant& at) {...} sees exactly the instants. The keys of a Table may be changed as
// well, as long as they stay distinct.
template <class T, class F> constexpr void for_each_leaf(T& value, F&& f) {
    constexpr Shape shape = shape_of<T>;
    static_assert(shape != Shape::none, "not a value: neither a known type nor an aggregate");
    if constexpr (Leaf<T>) {
        if constexpr (std::is_invocable_v<F&, T&>) f(value);
    } else if constexpr (shape == Shape::optional) {
        if (value) for_each_leaf(*value, f);
    } else if constexpr (shape == Shape::variant) {
        std::visit([&](auto& alternative) { for_each_leaf(alternative, f); }, value);
    } else if constexpr (shape == Shape::array || shape == Shape::sequence) {
        for (auto& element : value) for_each_leaf(element, f);
    } else if constexpr (shape == Shape::table) {
        const auto visit = [&](auto& key, auto& mapped) {
            for_each_leaf(key, f);
            for_each_leaf(mapped, f);
        };
        if constexpr (std::is_const_v<T>) {
            for (const auto& [key, mapped] : value) visit(key, mapped);
        } else {
            value.rewrite(visit);
        }
    } else if constexpr (shape == Shape::aggregate || shape == Shape::pair) {
        for_each_field(value, [&](auto& field) { for_each_leaf(field, f); });
    }
}

}  // namespace conclave
