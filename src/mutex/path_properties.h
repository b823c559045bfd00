// mutex/path_properties.h -- what must hold of a waiting list that is made of pointers.
#pragma once
#include <array>
#include <optional>
#include <string>

#include "core/node_set.h"
#include "mutex/mutex.h"
#include "mutex/path_list.h"

namespace conclave::path {

// Of which list a node's pointers are: there is one, or one for each generation of the token.
template <class P> bool of_one_list(const P& a, const P& b) {
    if constexpr (requires { a.generation; }) {
        return a.generation == b.generation;
    } else {
        return true;
    }
}

// What can be seen of it: while the token is under way, nobody has it.
template <class P> std::optional<std::string> one_token(const View<P>& view) {
    for (const auto& a : view.nodes) {
        if (!a.up || !a.state->list.token) continue;
        for (const auto& b : view.nodes) {
            if (!b.up || !b.state->list.token || b.node <= a.node) continue;
            if (!of_one_list(*a.state, *b.state)) continue;
            return to_text(a.node) + " and " + to_text(b.node) + " have a token";
        }
    }
    return std::nullopt;
}

template <class P> std::optional<std::string> listed_once(const View<P>& view) {
    for (const auto& a : view.nodes) {
        if (!a.up || !a.state->list.next) continue;
        for (const auto& b : view.nodes) {
            if (!b.up || b.state->list.next != a.state->list.next || b.node <= a.node) continue;
            if (!of_one_list(*a.state, *b.state)) continue;
            return to_text(*a.state->list.next) + " comes after both " + to_text(a.node) + " and " +
                   to_text(b.node);
        }
    }
    return std::nullopt;
}

// One gets a next at most once for each wait: only the last gets one, and is last no more.
template <class P> std::optional<std::string> last_has_no_next(const View<P>& view) {
    for (const auto& node : view.nodes) {
        const PathList& list = node.state->list;
        if (!node.up || !list.next || list.dir) continue;
        return to_text(node.node) + " takes itself for the last and has a next";
    }
    return std::nullopt;
}

template <class P>
inline constexpr std::array properties{
    Property<P>{"one-inside", Demand::always, mutex::one_inside<P>},
    Property<P>{"nobody-waits", Demand::settled, mutex::nobody_waits<P>},
    Property<P>{"somebody-enters", Demand::sometimes, mutex::somebody_enters<P>},
    Property<P>{"one-token", Demand::always, one_token<P>},
    Property<P>{"listed-once", Demand::always, listed_once<P>},
    Property<P>{"last-has-no-next", Demand::always, last_has_no_next<P>},
};

}  // namespace conclave::path
