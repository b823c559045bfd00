// mutex/coterie.cc -- makes voting sets, and judges them.
#include "mutex/coterie.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/node_set.h"
#include "mutex/plane.h"

namespace conclave {

namespace {

// Judging takes a bit for every pair.
constexpr std::size_t most_nodes = 4096;

// Each place once, in order.
Places as_set(Places places) {
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}
bool meet(const Places& a, const Places& b) {
    return std::ranges::any_of(a, [&](std::uint32_t place) { return b.contains(place); });
}

// --- How the sets of each kind are made. ---

Places moved_on(const Coterie& coterie, std::uint32_t by) {
    Places set;
    for (std::uint32_t step : coterie.steps) {
        set.push_back((by + step) % coterie.cycle % coterie.nodes);
    }
    return as_set(std::move(set));
}
Places row_of(const Coterie& grid, std::uint32_t row) {
    Places set;
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
        set.push_back((row * grid.columns + column) % grid.nodes);
    }
    return set;
}
Places column_of(const Coterie& grid, std::uint32_t column) {
    Places set;
    for (std::uint32_t row = 0; row < grid.rows(); ++row) {
        set.push_back((row * grid.columns + column) % grid.nodes);
    }
    return set;
}
Places both(Places one, const Places& other) {
    for (std::uint32_t place : other) one.push_back(place);
    return as_set(std::move(one));
}

Coterie plane(std::uint32_t nodes) {
    std::uint32_t order = 1;
    while (points_of_plane(order) < nodes || (order > 1 && !as_prime_power(order))) ++order;
    return {Sets::plane, nodes, points_of_plane(order), *line_of_plane(order)};
}
Coterie grid(std::uint32_t nodes) {
    std::uint32_t columns = 1;
    while (columns * columns < nodes) ++columns;
    return {.kind = Sets::grid, .nodes = nodes, .columns = columns};
}
Coterie majority(std::uint32_t nodes) {
    Coterie coterie{Sets::majority, nodes, nodes};
    for (std::uint32_t step = 0; step <= nodes / 2; ++step) coterie.steps.push_back(step);
    return coterie;
}
Coterie lecture() {
    Coterie coterie = given_coterie(
        {{0, 1, 2}, {1, 3, 4}, {2, 3, 5}, {0, 3, 6}, {0, 4, 5}, {1, 5, 6}, {2, 4, 6}});
    coterie.kind = Sets::lecture;
    return coterie;
}
// By the size they should have: a plane's sets shrink where a node stands in for another.
Coterie smallest(std::uint32_t nodes) {
    Coterie lines = plane(nodes);
    if (lines.cycle == nodes) return lines;
    const Coterie cross = grid(nodes);
    const std::size_t cross_size = cross.columns + cross.rows() - 1;
    const std::size_t half = nodes / 2 + 1;
    if (half <= std::min(cross_size, lines.steps.size())) return majority(nodes);
    return cross_size <= lines.steps.size() ? cross : lines;
}

// --- How they are made without the dead. ---

std::optional<Places> majority_without(const Coterie& coterie, const Places& dead,
                                       std::uint32_t place) {
    Places set;
    for (std::uint32_t i = 0; i < coterie.nodes && set.size() < coterie.steps.size(); ++i) {
        const std::uint32_t next = (place + i) % coterie.nodes;
        if (!dead.contains(next)) set.push_back(next);
    }
    if (set.size() < coterie.steps.size()) return std::nullopt;
    return as_set(std::move(set));
}
// The first that is whole among `count`, beginning with one's own.
template <class Make>
std::optional<Places> first_whole(const Places& dead, std::uint32_t own, std::size_t count,
                                  Make make) {
    for (std::size_t i = 0; i < count; ++i) {
        Places set = make(static_cast<std::uint32_t>((own + i) % count));
        if (!meet(set, dead)) return set;
    }
    return std::nullopt;
}
std::optional<Places> cross_without(const Coterie& coterie, const Places& dead,
                                    std::uint32_t place) {
    const auto row = [&](std::uint32_t at) { return row_of(coterie, at); };
    const auto column = [&](std::uint32_t at) { return column_of(coterie, at); };
    const auto across = first_whole(dead, place / coterie.columns, coterie.rows(), row);
    const auto down = first_whole(dead, place % coterie.columns, coterie.columns, column);
    return across && down ? std::optional(both(*across, *down)) : std::nullopt;
}

}  // namespace

Places Coterie::set_of(std::uint32_t place) const {
    assert(place < nodes);
    if (!given.empty()) return given[place];
    if (kind != Sets::grid) return moved_on(*this, place);
    return both(row_of(*this, place / columns), column_of(*this, place % columns));
}

std::optional<Places> Coterie::set_without(const Places& dead, std::uint32_t place) const {
    if (kind == Sets::majority) return majority_without(*this, dead, place);
    if (kind == Sets::grid) return cross_without(*this, dead, place);
    const std::size_t count = given.empty() ? cycle : given.size();
    return first_whole(dead, place, count, [this](std::uint32_t at) {
        return given.empty() ? moved_on(*this, at) : given[at];
    });
}

Coterie make_coterie(Sets kind, std::size_t nodes) {
    const auto count = static_cast<std::uint32_t>(std::clamp<std::size_t>(nodes, 1, most_nodes));
    switch (kind) {
        case Sets::plane:
            return plane(count);
        case Sets::grid:
            return grid(count);
        case Sets::majority:
            return majority(count);
        case Sets::lecture:
            return lecture();
        case Sets::given:
            return given_coterie({});
        case Sets::smallest:
            break;
    }
    return smallest(count);
}

Coterie given_coterie(std::vector<Places> sets) {
    Coterie coterie{.kind = Sets::given, .nodes = static_cast<std::uint32_t>(sets.size())};
    coterie.given = std::move(sets);
    return coterie;
}

std::optional<std::string> wrong_with(const Coterie& coterie, std::size_t nodes) {
    const auto set_name = [](std::uint32_t place) { return std::to_string(place + 1); };
    if (coterie.nodes != nodes) {
        return "voting sets for " + std::to_string(coterie.nodes) + " nodes do not serve " +
               std::to_string(nodes);
    }
    std::vector<NodeSet> served(nodes);  // by each place: the sets that it is in
    for (std::uint32_t place = 0; place < nodes; ++place) {
        const Places set = coterie.set_of(place);
        if (!set.contains(place)) return "node " + set_name(place) + " is not in its voting set";
        for (std::uint32_t voter : set) {
            if (voter >= nodes) return "voting set " + set_name(place) + " has an unknown node";
            served[voter].insert(NodeId{place});
        }
    }
    for (std::uint32_t place = 0; place < nodes; ++place) {
        NodeSet met;
        for (std::uint32_t voter : coterie.set_of(place)) {
            met |= served[voter];
            if (met.size() == nodes) break;
        }
        for (std::uint32_t other = 0; other < nodes && met.size() < nodes; ++other) {
            if (met.contains(NodeId{other})) continue;
            return "voting sets " + set_name(place) + " and " + set_name(other) + " do not meet";
        }
    }
    return std::nullopt;
}

Burden burden_of(const Coterie& coterie) {
    std::vector<std::uint32_t> effort, responsibility(coterie.nodes);
    std::uint64_t memberships = 0;
    for (std::uint32_t place = 0; place < coterie.nodes; ++place) {
        const Places set = coterie.set_of(place);
        for (std::uint32_t voter : set) ++responsibility[voter];
        effort.push_back(static_cast<std::uint32_t>(set.size()));
        memberships += set.size();
    }
    const auto [k_least, k_most] = std::ranges::minmax(effort);
    const auto [m_least, m_most] = std::ranges::minmax(responsibility);
    return {k_least, k_most, m_least, m_most,
            static_cast<double>(memberships) / static_cast<double>(coterie.nodes)};
}

}  // namespace conclave
