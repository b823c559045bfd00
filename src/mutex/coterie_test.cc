// mutex/coterie_test.cc -- fields, planes, and the voting sets for any number of nodes.
#include "mutex/coterie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mutex/plane.h"

namespace conclave {
namespace {

constexpr Sets kinds[] = {Sets::smallest, Sets::plane, Sets::grid, Sets::majority};

std::vector<Places> sets_of(const Coterie& coterie) {
    std::vector<Places> sets;
    for (std::uint32_t place = 0; place < coterie.nodes; ++place) {
        sets.push_back(coterie.set_of(place));
    }
    return sets;
}
std::size_t common(const Places& a, const Places& b) {
    return static_cast<std::size_t>(
        std::ranges::count_if(a, [&](std::uint32_t place) { return b.contains(place); }));
}

// --- Planes. -------------------------------------------------------------------------------------

TEST(Plane, FieldsObeyTheLawsOfArithmetic) {
    for (std::uint32_t q : {2U, 3U, 4U, 5U, 7U, 8U, 9U, 11U, 13U, 16U, 25U, 27U}) {
        const Field field(*as_prime_power(q));
        for (std::uint32_t a = 0; a < q; ++a) {
            bool inverse = a == 0;
            for (std::uint32_t b = 0; b < q; ++b) {
                inverse = inverse || field.multiply(a, b) == 1;
                EXPECT_EQ(field.multiply(a, b), field.multiply(b, a));
                const std::uint32_t c = (a * 7 + b * 3 + 1) % q;
                EXPECT_EQ(field.multiply(a, field.add(b, c)),
                          field.add(field.multiply(a, b), field.multiply(a, c)))
                    << q << ": " << a << " (" << b << " + " << c << ")";
                EXPECT_EQ(field.multiply(a, field.multiply(b, c)),
                          field.multiply(field.multiply(a, b), c));
            }
            EXPECT_TRUE(inverse) << a << " has no inverse among " << q;
        }
    }
}

// MX-16, MX-17: N = K(K-1) + 1, any two sets meet in exactly one node, and K = M.
TEST(Plane, LinesMeetOnceForEveryPrimePowerUpTo31) {
    for (std::uint32_t order = 1; order <= 31; ++order) {
        const auto line = line_of_plane(order);
        ASSERT_EQ(line.has_value(), order == 1 || as_prime_power(order)) << order;
        if (!line) continue;
        const std::uint32_t points = points_of_plane(order);
        EXPECT_EQ(line->size(), order + 1);
        EXPECT_EQ(line->front(), 0U) << "or line i would miss point i";
        std::vector<int> differences(points);
        for (std::uint32_t a : *line) {
            for (std::uint32_t b : *line) ++differences[(a + points - b) % points];
        }
        // Moved on by d it meets itself where two of its points are d apart.
        EXPECT_TRUE(std::all_of(differences.begin() + 1, differences.end(), [](int times) {
            return times == 1;
        })) << order;
    }
}

// MX-17: what the lecture's rule excludes below 40; 10, which it does not; and what nobody knows.
TEST(Plane, ExcludedOrdersAreThoseOfBruckAndRyser) {
    std::vector<std::uint32_t> excluded, unknown;
    for (std::uint32_t order = 2; order < 40; ++order) {
        if (plane_exists(order) == Existence::excluded) excluded.push_back(order);
        if (plane_exists(order) == Existence::unknown) unknown.push_back(order);
    }
    EXPECT_EQ(excluded, (std::vector<std::uint32_t>{6, 14, 21, 22, 30, 33, 38}));
    EXPECT_EQ(unknown, (std::vector<std::uint32_t>{12, 15, 18, 20, 24, 26, 28, 34, 35, 36, 39}));
    EXPECT_EQ(plane_exists(10), Existence::searched);
    EXPECT_EQ(points_of_plane(10), 111U);
    for (std::uint32_t order : {2U, 3U, 4U, 5U, 7U, 8U, 9U, 11U, 13U}) {
        EXPECT_EQ(plane_exists(order), Existence::exists);
    }
}

// --- Voting sets. --------------------------------------------------------------------------------

// MX-13: pair by pair, which the check at start does in its own way.
TEST(Coterie, AnyTwoSetsMeetForEveryNumberOfNodesUpTo200) {
    for (std::uint32_t nodes = 1; nodes <= 200; ++nodes) {
        for (Sets kind : kinds) {
            const Coterie coterie = make_coterie(kind, nodes);
            EXPECT_EQ(wrong_with(coterie, nodes), std::nullopt) << nodes;
            std::vector<std::bitset<200>> sets(nodes);
            for (std::uint32_t a = 0; a < nodes; ++a) {
                for (std::uint32_t voter : coterie.set_of(a)) sets[a].set(voter);
                ASSERT_TRUE(sets[a].test(a)) << nodes << " nodes, set " << a;
                ASSERT_LT(coterie.set_of(a).back(), nodes);
                for (std::uint32_t b = 0; b < a; ++b) {
                    ASSERT_TRUE((sets[a] & sets[b]).any()) << nodes << ": " << a << ", " << b;
                }
            }
        }
    }
}

// MX-16: 3, 7, 13, 21, ... nodes: equal effort, equal responsibility, K = M.
TEST(Coterie, PlaneIsFairWhereItFits) {
    for (std::uint32_t order : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 11U, 13U}) {
        const std::uint32_t nodes = points_of_plane(order);
        const Coterie coterie = make_coterie(Sets::smallest, nodes);
        EXPECT_EQ(coterie.kind, Sets::plane) << nodes;
        const Burden burden = burden_of(coterie);
        EXPECT_TRUE(burden.fair()) << nodes;
        EXPECT_EQ(burden.effort_most, order + 1);
        EXPECT_EQ(burden.responsibility_most, order + 1);
        EXPECT_EQ(burden.mean, order + 1);
    }
}

// MX-16: the solution for 7 that lecture 003 prints.
TEST(Coterie, SetsOfTheLectureMeetOnceAndAreFair) {
    const Coterie coterie = make_coterie(Sets::lecture, 7);
    EXPECT_EQ(wrong_with(coterie, 7), std::nullopt);
    const auto sets = sets_of(coterie);
    for (std::size_t a = 0; a < 7; ++a) {
        for (std::size_t b = 0; b < a; ++b) EXPECT_EQ(common(sets[a], sets[b]), 1U);
    }
    EXPECT_TRUE(burden_of(coterie).fair());
    EXPECT_EQ(burden_of(coterie).effort_most, 3U);
    EXPECT_EQ(wrong_with(make_coterie(Sets::lecture, 8), 8),
              "voting sets for 7 nodes do not serve 8");
}

// MX-19: 2 sqrt(N) - 1 where N is a square, and fair; 9 nodes ask 5 of them (S-23).
TEST(Coterie, GridIsFairWhereItIsSquare) {
    for (std::uint32_t side = 1; side <= 14; ++side) {
        const Burden burden = burden_of(make_coterie(Sets::grid, side * side));
        EXPECT_TRUE(burden.fair()) << side;
        EXPECT_EQ(burden.effort_most, 2 * side - 1);
        EXPECT_EQ(burden.responsibility_most, 2 * side - 1);
    }
    EXPECT_FALSE(burden_of(make_coterie(Sets::grid, 5)).fair());
}

// MX-18: without fairness, yet never more than one set of the larger plane asks.
TEST(Coterie, ReducedPlaneAsksNoMoreThanTheWholeOne) {
    for (std::uint32_t nodes = 1; nodes <= 200; ++nodes) {
        const Coterie coterie = make_coterie(Sets::plane, nodes);
        const Burden burden = burden_of(coterie);
        EXPECT_LE(burden.effort_most, coterie.steps.size()) << nodes;
        EXPECT_LE(burden.effort_least, burden.effort_most);
        EXPECT_LE(burden.responsibility_least, burden.responsibility_most);
        if (nodes == 1) continue;
        EXPECT_LE(coterie.cycle, 2 * nodes) << "a node stands in for at most one other";
    }
    const Burden six = burden_of(make_coterie(Sets::plane, 6));
    EXPECT_EQ(six.effort_most, 3U);
    EXPECT_FALSE(six.fair());
}

TEST(Coterie, SmallestAsksNoMoreThanAnyOtherKind) {
    for (std::uint32_t nodes = 1; nodes <= 200; ++nodes) {
        const std::uint32_t least = burden_of(make_coterie(Sets::smallest, nodes)).effort_most;
        for (Sets kind : kinds) {
            EXPECT_LE(least, burden_of(make_coterie(kind, nodes)).effort_most) << nodes;
        }
    }
}

// M-MX-9: 7 goes; 3 stands in for it in one set and 5 in another, and the two do not meet.
TEST(Coterie, InconsistentReplacementIsRefused) {
    const auto replaced = [](std::vector<std::uint32_t> by) {
        std::vector<Places> sets = sets_of(make_coterie(Sets::lecture, 7));
        sets.pop_back();
        for (Places& set : sets) {
            if (erase_if(set, [](std::uint32_t place) { return place == 6; }) == 0) continue;
            if (!set.contains(by.back())) set.push_back(by.back());
            by.pop_back();
        }
        return given_coterie(std::move(sets));
    };
    EXPECT_EQ(wrong_with(replaced({4, 2}), 6), "voting sets 4 and 6 do not meet");
    EXPECT_EQ(wrong_with(replaced({2, 2}), 6), std::nullopt) << "the same for both";
}

TEST(Coterie, NodeOutsideItsOwnSetIsRefused) {
    EXPECT_EQ(wrong_with(given_coterie({{0, 1}, {0}}), 2), "node 2 is not in its voting set");
    EXPECT_EQ(wrong_with(given_coterie({{0, 2}, {1, 2}}), 2), "voting set 1 has an unknown node");
}

// MX-23: whatever nodes are dead, the sets that are used instead meet all the others.
TEST(Coterie, SetsWithoutTheDeadMeetEachOther) {
    for (std::uint32_t nodes = 1; nodes <= 40; ++nodes) {
        for (Sets kind : kinds) {
            const Coterie coterie = make_coterie(kind, nodes);
            std::vector<Places> used = sets_of(coterie);
            for (std::uint32_t first = 0; first < nodes; ++first) {
                Places dead{first};
                if (first % 3 == 0 && first > 0) dead.push_back(first / 2);
                const std::uint32_t place = (first * 5 + 1) % nodes;
                const auto set = coterie.set_without(dead, place);
                if (!set) continue;
                EXPECT_EQ(common(*set, dead), 0U);
                used.push_back(*set);
            }
            for (const Places& a : used) {
                for (const Places& b : used) ASSERT_GT(common(a, b), 0U) << nodes;
            }
        }
    }
}

TEST(Coterie, AnyOneOfThreeOrMoreNodesCanBeDoneWithout) {
    for (std::uint32_t nodes = 3; nodes <= 100; ++nodes) {
        for (Sets kind : {Sets::smallest, Sets::plane, Sets::majority}) {
            const Coterie coterie = make_coterie(kind, nodes);
            for (std::uint32_t dead = 0; dead < nodes; ++dead) {
                ASSERT_TRUE(coterie.set_without({dead}, dead)) << nodes << " without " << dead;
            }
        }
    }
}

}  // namespace
}  // namespace conclave
