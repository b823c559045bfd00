// check/graph.cc -- Tarjan's components, without recursion: the graph may be deep.
#include "check/graph.h"

#include <algorithm>
#include <utility>

namespace conclave {

// Numbers components so that an edge never leads to a higher number.
struct Graph::Components {
    static constexpr std::uint32_t none = UINT32_MAX;

    // Only states that `within` accepts, and edges between them, count.
    template <class F> Components(const Graph& graph, F within) : of(graph.expanded(), none) {
        const auto states = static_cast<std::uint32_t>(graph.expanded());
        index.assign(states, none);
        low.assign(states, 0);
        for (std::uint32_t root = 0; root < states; ++root) {
            if (index[root] == none && within(root)) search(graph, root, within);
        }
    }

    std::vector<std::uint32_t> of;  // by state
    std::uint32_t count = 0;

private:
    struct Frame {
        std::uint32_t state;
        std::uint64_t edge;
    };
    template <class F> void search(const Graph& graph, std::uint32_t root, F within) {
        enter(graph, root);
        while (!frames.empty()) {
            Frame& frame = frames.back();
            if (frame.edge == graph.edges_end(frame.state)) {
                leave();
                continue;
            }
            const std::uint32_t to = graph.targets_[frame.edge++];
            if (to >= index.size() || !within(to)) continue;
            if (index[to] == none) {
                enter(graph, to);
            } else if (of[to] == none) {
                low[frame.state] = std::min(low[frame.state], index[to]);
            }
        }
    }
    void enter(const Graph& graph, std::uint32_t state) {
        index[state] = low[state] = next++;
        stack.push_back(state);
        frames.push_back({state, graph.edges_begin(state)});
    }
    void leave() {
        const std::uint32_t state = frames.back().state;
        frames.pop_back();
        if (!frames.empty()) {
            std::uint32_t& above = low[frames.back().state];
            above = std::min(above, low[state]);
        }
        if (low[state] != index[state]) return;
        std::uint32_t member = none;
        do {
            member = stack.back();
            stack.pop_back();
            of[member] = count;
        } while (member != state);
        ++count;
    }

    std::vector<std::uint32_t> index, low, stack;
    std::vector<Frame> frames;
    std::uint32_t next = 0;
};

Graph::Ends Graph::ends() const {
    Components components(*this, [](std::uint32_t) { return true; });
    std::vector<std::uint32_t> bottom(components.count, 0);
    for (std::uint32_t state = 0; state < expanded(); ++state) {
        const std::uint32_t mine = components.of[state];
        if (open(state)) bottom[mine] = Ends::none;
        for (std::uint64_t edge = edges_begin(state); edge < edges_end(state); ++edge) {
            const std::uint32_t to = targets_[edge];
            if (to >= expanded() || components.of[to] != mine) bottom[mine] = Ends::none;
        }
    }
    Ends ends{std::move(components.of)};
    for (std::uint32_t& number : bottom) {
        if (number != Ends::none) number = ends.count++;
    }
    for (std::uint32_t& component : ends.of) component = bottom[component];
    return ends;
}

std::optional<std::uint32_t> Graph::find_unrecoverable(const Ends& ends,
                                                       std::size_t property) const {
    std::vector<char> has_good(ends.count, false);
    for (std::uint32_t state = 0; state < expanded(); ++state) {
        if (ends.of[state] == Ends::none || is_broken(state, property)) continue;
        has_good[ends.of[state]] = true;
    }
    for (std::uint32_t state = 0; state < expanded(); ++state) {
        if (ends.of[state] != Ends::none && !has_good[ends.of[state]]) return state;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> Graph::find_unsettled(const Ends& ends, std::size_t property) const {
    for (std::uint32_t state = 0; state < expanded(); ++state) {
        if (ends.of[state] != Ends::none && is_broken(state, property)) return state;
    }
    return std::nullopt;
}

// A component of broken states is an endless run if it has an edge inside, and a fair one if every
// actor either moves in it or cannot always move. A broken state that leads nowhere is one, too.
std::optional<std::uint32_t> Graph::find_fair_cycle(std::size_t property) const {
    const auto bad = [&](std::uint32_t state) {
        return !open(state) && is_broken(state, property);
    };
    const Components components(*this, bad);
    std::vector<std::uint64_t> always(components.count, ~std::uint64_t{0});
    std::vector<std::uint64_t> moves(components.count, 0);
    for (std::uint32_t state = 0; state < expanded(); ++state) {
        const std::uint32_t mine = components.of[state];
        if (mine == Components::none) continue;
        std::uint64_t enabled = 0;
        for (std::uint64_t edge = edges_begin(state); edge < edges_end(state); ++edge) {
            const std::uint64_t actor = std::uint64_t{1} << actors_[edge];
            const std::uint32_t to = targets_[edge];
            enabled |= actor;
            if (to < expanded() && components.of[to] == mine) moves[mine] |= actor;
        }
        always[mine] &= enabled;
    }
    for (std::uint32_t state = 0; state < expanded(); ++state) {
        const std::uint32_t mine = components.of[state];
        if (mine == Components::none) continue;
        const bool ends_here = edges_begin(state) == edges_end(state);
        if (ends_here || (moves[mine] != 0 && (always[mine] & ~moves[mine]) == 0)) return state;
    }
    return std::nullopt;
}

}  // namespace conclave
