// core/names.h -- the names of types and enumerators, as text.
//
// Taken from what the compiler prints for a template's arguments; g++ and clang differ in
// everything around the argument, hence the measuring with a type whose name is known.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace conclave {

namespace detail {

template <class T> constexpr std::string_view signature_of() { return __PRETTY_FUNCTION__; }

template <class E, E... values> constexpr std::string_view signature_of_values() {
    return __PRETTY_FUNCTION__;
}

template <class T> constexpr std::string_view full_name_of() {
    constexpr std::string_view known = signature_of<double>();
    constexpr std::size_t before = known.find("double");
    constexpr std::size_t after = known.size() - before - std::string_view("double").size();
    const std::string_view whole = signature_of<T>();
    return whole.substr(before, whole.size() - before - after);
}

constexpr bool opens(char c) { return c == '<' || c == '(' || c == '[' || c == '{'; }
constexpr bool closes(char c) { return c == '>' || c == ')' || c == ']' || c == '}'; }

// a::B<c::D>::E<F> -> E: what follows the last :: that is inside no bracket, up to its own <.
constexpr std::string_view last_word(std::string_view name) {
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        depth += opens(name[i]) - closes(name[i]);
        if (depth == 0 && name[i] == ':') start = i + 1;
    }
    name.remove_prefix(start);
    return name.substr(0, name.find('<'));
}

// The signature lists values as {a::E::x, a::E::y, (a::E)2, ...}, clang with <>, and one signature
// names all of them: an instantiation per value would cost 32 times as much to compile.
template <class E, std::size_t... I> constexpr auto find_value_names(std::index_sequence<I...>) {
    std::array<std::string_view, sizeof...(I)> names{};
    constexpr std::string_view values = "values = ";
    std::string_view list = signature_of_values<E, static_cast<E>(I)...>();
    list.remove_prefix(list.find(values) + values.size() + 1);
    int depth = 0;
    for (std::size_t i = 0, start = 0, value = 0; value < names.size(); ++i) {
        if (depth == 0 && (list[i] == ',' || closes(list[i]))) {
            const std::string_view word = last_word(list.substr(start, i - start));
            names[value] = word[0] == '(' ? "" : word;  // (a::E)2: no enumerator has this value
            start = i + 2;
            ++value;
        }
        depth += opens(list[i]) - closes(list[i]);
    }
    return names;
}

template <class E> constexpr auto value_names = find_value_names<E>(std::make_index_sequence<32>());

}  // namespace detail

// The name of a type without namespaces, enclosing classes and template arguments.
template <class T> constexpr std::string_view name_of() {
    constexpr std::string_view full = detail::full_name_of<std::remove_cv_t<T>>();
    constexpr std::string_view name = detail::last_word(full);
    return name;  // found by the compiler: a node's journal asks for it at every step
}

// The enumerator's name; empty if it has none, is not scoped or not within 0..31. (Clang knows the
// names inside a class template only once something there has used one, such as `= Phase::idle`.)
template <class E> constexpr std::string_view name_of_value(E value) {
    if constexpr (!std::is_convertible_v<E, int>) {
        const auto index = static_cast<std::size_t>(value);
        if (index < detail::value_names<E>.size()) return detail::value_names<E>[index];
    }
    return {};
}

}  // namespace conclave
