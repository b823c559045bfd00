// mutex/coterie.h -- voting sets: one for every node, any two of which have a node in common.
//
// Sets are made of places in the member list, and computed when asked for from a few numbers: a
// whole coterie costs no more than one set.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/small.h"

namespace conclave {

using Places = Small<std::uint32_t, 16>;  // in the member list, from 0; ascending

enum class Sets : std::uint8_t {
    smallest,  // whichever of the next three asks the fewest
    plane,     // the lines of a projective plane, reduced to fewer nodes where none fits
    grid,      // a row and a column; the last row is filled up with the first nodes again
    majority,  // more than half
    lecture,   // the seven sets that lecture 003 lists
    given,     // somebody's own
};

struct Coterie {
    Sets kind = Sets::smallest;  // never left so
    std::uint32_t nodes = 0;
    // plane, majority: the set of place i is {i + s mod cycle}. Places without a node are stood in
    // for, each by the same node in all sets: that keeps what two sets had in common.
    std::uint32_t cycle = 0;
    std::vector<std::uint32_t> steps{};
    std::uint32_t columns = 0;    // grid
    std::vector<Places> given{};  // lecture, given

    Places set_of(std::uint32_t place) const;
    // Another set without any of these, as near to one's own as there is. All that this can ever
    // return, for anybody, have a place in common with each other.
    std::optional<Places> set_without(const Places& dead, std::uint32_t place) const;

    std::uint32_t rows() const { return (nodes + columns - 1) / columns; }
};

// For any number of nodes; a `plane` that would need an unknown field is the next larger one. The
// lecture's sets are for seven nodes, whatever is asked.
Coterie make_coterie(Sets kind, std::size_t nodes);
Coterie given_coterie(std::vector<Places> sets);

// Why these sets may not be voted with: two do not meet, or a node is not in its own. Checked
// before anybody votes, however the sets came about.
std::optional<std::string> wrong_with(const Coterie& coterie, std::size_t nodes);

// What the sets ask of the nodes: K votes to enter (effort), M sets to serve (responsibility). Fair
// if both are the same for all; then K = M.
struct Burden {
    std::uint32_t effort_least = 0, effort_most = 0;
    std::uint32_t responsibility_least = 0, responsibility_most = 0;
    double mean = 0;  // of both: each membership counts once for either

    bool fair() const {
        return effort_least == effort_most && responsibility_least == responsibility_most;
    }
};
Burden burden_of(const Coterie& coterie);

}  // namespace conclave
