// wire/fuzz/imagine.h -- a random value of any type, from its fields.
#pragma once
#include "core/table.h"
#include "core/value.h"
#include "sim/dice.h"

namespace conclave::wire::fuzz {

template <class T> T imagine(Dice& dice);

namespace detail {

inline std::uint64_t some_number(Dice& dice) { return dice.next() >> dice.below(64); }

template <Leaf T> T imagine_leaf(Dice& dice) {
    constexpr Shape shape = shape_of<T>;
    T leaf{};
    if constexpr (shape == Shape::boolean) {
        leaf = dice.below(2) == 1;
    } else if constexpr (shape == Shape::text) {
        for (auto size = dice.below(12); size > 0; --size)
            leaf.push_back(static_cast<char>('a' + dice.below(26)));
    } else if constexpr (shape == Shape::nodes) {
        for (auto size = dice.below(6); size > 0; --size)
            leaf.insert(static_cast<NodeId>(dice.below(100)));
    } else if constexpr (shape == Shape::counter) {
        leaf.value = some_number(dice);
    } else if constexpr (shape == Shape::duration || shape == Shape::instant) {
        leaf = T(Duration(static_cast<Duration::rep>(some_number(dice))));
    } else {
        leaf = static_cast<T>(some_number(dice));
    }
    return leaf;
}

template <class T> T imagine_variant(Dice& dice) {
    const auto index = dice.below(std::variant_size_v<T>);
    T variant;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto take = [&]<std::size_t i>() {
            variant.template emplace<i>(imagine<std::variant_alternative_t<i, T>>(dice));
        };
        ((index == I ? take.template operator()<I>() : void()), ...);
    }
    (std::make_index_sequence<std::variant_size_v<T>>());
    return variant;
}

}  // namespace detail

template <class T> T imagine(Dice& dice) {
    constexpr Shape shape = shape_of<T>;
    if constexpr (Leaf<T>) {
        return detail::imagine_leaf<T>(dice);
    } else if constexpr (shape == Shape::variant) {
        return detail::imagine_variant<T>(dice);
    } else {
        T value{};
        const auto fill = [&]<class Part>(Part& part) { part = imagine<Part>(dice); };
        if constexpr (shape == Shape::optional) {
            if (dice.below(2) == 1) value = imagine<typename T::value_type>(dice);
        } else if constexpr (shape == Shape::array) {
            for (auto& element : value) fill(element);
        } else if constexpr (shape == Shape::sequence) {
            for (auto size = dice.below(4); size > 0; --size)
                value.push_back(imagine<typename T::value_type>(dice));
        } else if constexpr (shape == Shape::pair || shape == Shape::aggregate) {
            for_each_field(value, fill);
        } else {
            static_assert(shape == Shape::nothing, "no message has a table so far");
        }
        return value;
    }
}

}  // namespace conclave::wire::fuzz
