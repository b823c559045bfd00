// sim/order.h -- which waiting requests happened before which: what ME3 is judged by.
//
// Messages of the algorithm and words between applications carry it; a detector's do not. Nobody
// inside the world can know it. Each node and each message in flight carries the set of
// requests in its past that still wait; a request that is granted or gone leaves all those sets,
// so a node stands for its one open request and a world stays a small value.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/section.h"

namespace conclave {

struct Past {  // of a message, or of a node: a bit for each place whose request is in it
    std::uint64_t requests = 0;
    void drop(std::uint64_t bit) { requests &= ~bit; }
};

struct Order {
    static constexpr std::size_t most = 64;  // larger worlds are not followed
    struct Place {
        Section section = Section::outside;
        Past past{};    // what its node has heard of, itself included
        Past before{};  // its own request's past
    };
    std::vector<Place> places;

    bool followed() const { return places.size() <= most; }
    std::uint64_t bit(std::uint32_t at) const {
        return followed() ? std::uint64_t{1} << at : std::uint64_t{0};
    }
    void learn(std::uint32_t at, Past past) { places[at].past.requests |= past.requests; }
    void ask(std::uint32_t at) {
        places[at].before = places[at].past;
        places[at].past.requests |= bit(at);
    }
    // A request that happened before this one and still waits.
    std::optional<std::uint32_t> passed_by(std::uint32_t at) const {
        const std::uint64_t passed = places[at].before.requests;
        if (passed == 0) return std::nullopt;
        return static_cast<std::uint32_t>(std::countr_zero(passed));
    }
    void close(std::uint32_t at) {
        for (Place& place : places) {
            place.past.drop(bit(at));
            place.before.drop(bit(at));
        }
    }
};

}  // namespace conclave
