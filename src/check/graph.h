// check/graph.h -- the explored graph without its faults, and what can be said of endless runs.
//
// A run without further faults that is fair ends in a component that it cannot leave (a bottom
// component) and comes by everything in it again and again. So:
//
//     recoverable   every bottom component has a good state: from everywhere it can be reached
//     settled       ... and where time counts, nothing but good states
//     eventually    no fair cycle without a good state: fair to every node that could always act
//
// A state that was not expanded, because of a bound or a limit, may lead anywhere: it counts as
// good.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "check/steady.h"

namespace conclave {

class Graph {
public:
    // States are added in the order of their numbers, each followed by where it leads.
    void add_state(std::uint64_t broken, bool cut) {
        starts_.push_back(targets_.size());
        broken_.push_back(static_cast<std::uint32_t>(broken));
        cut_.push_back(cut);
    }
    void add_edge(std::uint32_t to, std::uint8_t actor) {
        targets_.push_back(to);
        actors_.push_back(actor);
    }
    std::size_t bytes() const {
        return starts_.bytes() + targets_.bytes() + broken_.bytes() + actors_.bytes() +
               cut_.bytes();
    }

    // The bottom components. To find them takes as long as a good part of the exploration, so it is
    // done once for all properties.
    struct Ends {
        static constexpr std::uint32_t none = UINT32_MAX;

        std::vector<std::uint32_t> of{};  // by state; none: it can be left
        std::uint32_t count = 0;
    };
    Ends ends() const;

    // Each finds a state that is the beginning of the end, nearest to the start, or nothing.
    std::optional<std::uint32_t> find_unrecoverable(const Ends& ends, std::size_t property) const;
    std::optional<std::uint32_t> find_unsettled(const Ends& ends, std::size_t property) const;
    std::optional<std::uint32_t> find_fair_cycle(std::size_t property) const;

private:
    struct Components;

    std::size_t expanded() const { return starts_.size(); }
    bool open(std::uint32_t state) const { return state >= expanded() || cut_[state]; }
    bool is_broken(std::uint32_t state, std::size_t property) const {
        return (broken_[state] >> property & 1U) != 0;
    }
    std::uint64_t edges_begin(std::uint32_t state) const { return starts_[state]; }
    std::uint64_t edges_end(std::uint32_t state) const {
        return state + 1 < expanded() ? starts_[state + 1] : targets_.size();
    }
    Steady<std::uint64_t> starts_;
    Steady<std::uint32_t> targets_;
    Steady<std::uint8_t> actors_;
    Steady<std::uint32_t> broken_;  // by property: there are never many
    Steady<char> cut_;
};

}  // namespace conclave
