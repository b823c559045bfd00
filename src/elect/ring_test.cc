// elect/ring_test.cc -- the ring's exact prices.
#include "elect/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "elect/plans_test.h"

namespace conclave {
namespace {

using kit::node;
using kit::sent;

enum class Form { lecture_000, lecture_001 };  // 001: with initiators
constexpr Form forms[] = {Form::lecture_000, Form::lecture_001};

Plan ring_of(const std::vector<std::uint32_t>& ids, Form form = Form::lecture_000) {
    Plan plan = kit::in_ring_order(default_plan(ids.size()), ids);
    if (form == Form::lecture_001) plan.options.emplace_back("initiators", "on");
    return plan;
}
std::vector<std::uint32_t> up_to(std::uint32_t n) {
    std::vector<std::uint32_t> ids(n);
    std::iota(ids.begin(), ids.end(), 1U);
    return ids;
}
void expect_quiet_and_well(const Report& report, std::uint32_t leader, const std::string& what) {
    EXPECT_TRUE(report.violations.empty()) << what << "\n" << kit::text(report);
    EXPECT_EQ(report.leaders.front().second, node(leader)) << what;
    EXPECT_TRUE(report.agreed) << what;
    EXPECT_EQ(report.repairs(), 0U) << what;
}

// d: how many hops the initiator sits before the best node. 2N at best, 3N - 1 at worst.
TEST(Ring, OneInitiatorCostsTwoNPlusItsDistanceFromTheBest) {
    for (Form form : forms) {
        for (std::uint32_t n = 2; n <= 64; ++n) {
            std::uint64_t all = 0;
            for (std::uint32_t d = 0; d < n; ++d) {
                const Report report =
                    kit::run<Ring>(kit::started(ring_of(up_to(n), form), {n - d}));
                EXPECT_EQ(report.total(), 2 * n + d);
                EXPECT_EQ(report.time, 2 * n + d);
                EXPECT_EQ(sent(report, "Elected"), n);
                expect_quiet_and_well(report, n, std::to_string(n) + " nodes");
                all += report.total();
            }
            EXPECT_EQ(2 * all, n * (4 * n + n - 1)) << "the mean is 2N + (N-1)/2";
        }
    }
}

TEST(Ring, CostsThreeNMinusOneInTheWorstPlacementAndTwoNInTheBest) {
    for (std::uint32_t n = 2; n <= 64; ++n) {
        const std::uint32_t behind_the_best = 1;
        const Report worst = kit::run<Ring>(kit::started(default_plan(n), {behind_the_best}));
        EXPECT_EQ(worst.total(), 3 * n - 1);
        EXPECT_EQ(worst.time, 3 * n - 1);
        const Report best = kit::run<Ring>(kit::started(default_plan(n), {n}));
        EXPECT_EQ(best.total(), 2 * n);
        EXPECT_EQ(best.time, 2 * n);
    }
}

TEST(Ring, GoesTheOtherWayRound) {
    for (std::uint32_t n = 2; n <= 16; ++n) {
        for (std::uint32_t initiator = 1; initiator <= n; ++initiator) {
            Plan plan = kit::started(default_plan(n), {initiator});
            plan.settings.direction = Direction::previous;
            const Report report = kit::run<Ring>(plan);
            EXPECT_EQ(report.total(), 2 * n + initiator % n);
            EXPECT_EQ(report.time, 2 * n + initiator % n);
            expect_quiet_and_well(report, n, std::to_string(n) + " nodes");
        }
    }
}

// With each key running into a better one at once, or only at the very end.
TEST(Ring, AllInitiateTogetherAscendingAndDescending) {
    for (Form form : forms) {
        for (std::uint32_t n = 2; n <= 64; ++n) {
            for (Direction direction : {Direction::next, Direction::previous}) {
                Plan plan = kit::started(ring_of(up_to(n), form), up_to(n));
                plan.settings.direction = direction;
                const Report report = kit::run<Ring>(plan);
                const bool ascending = direction == Direction::next;
                EXPECT_EQ(sent(report, "Election"), ascending ? 2 * n - 1 : n * (n + 1) / 2);
                EXPECT_EQ(sent(report, "Elected"), n);
                EXPECT_EQ(report.time, 2 * n);
                expect_quiet_and_well(report, n, std::to_string(n) + " nodes");
            }
        }
    }
}

// Every ring once: the first node stays, the others take every order.
template <class F> void for_each_ring(std::uint32_t n, F visit) {
    std::vector<std::uint32_t> ids = up_to(n);
    do {
        visit(ids);
    } while (std::next_permutation(ids.begin() + 1, ids.end()));
}

// N * H_N: 3, 11/2, 25/3, 137/12, 147/10, 363/20 elections, and N messages more to announce it.
TEST(Ring, AllInitiateTogetherMeanOverAllRingsIsNTimesHarmonicN) {
    for (Form form : forms) {
        for (std::uint32_t n = 2; n <= 7; ++n) {
            std::uint64_t elections = 0, rings = 0, least = ~std::uint64_t{0}, most = 0;
            for_each_ring(n, [&](const std::vector<std::uint32_t>& ids) {
                const Report report = kit::run<Ring>(kit::started(ring_of(ids, form), ids));
                EXPECT_EQ(sent(report, "Elected"), n);
                EXPECT_EQ(report.time, 2 * n);
                EXPECT_EQ(report.leaders.front().second, node(n));
                elections += sent(report, "Election");
                least = std::min(least, sent(report, "Election"));
                most = std::max(most, sent(report, "Election"));
                ++rings;
            });
            std::uint64_t expected = 0;  // rings * N * H_N; all the quotients are whole
            for (std::uint64_t k = 1; k <= n; ++k) expected += rings * n * 420 / k;
            EXPECT_EQ(elections * 420, expected) << n << " nodes";
            EXPECT_EQ(least, 2 * n - 1);
            EXPECT_EQ(most, n * (n + 1) / 2);
        }
    }
}

// EL-15: whoever calls, and however many do.
TEST(Ring, ResultDoesNotDependOnWhoInitiates) {
    for (Form form : forms) {
        for (std::uint32_t n = 2; n <= 5; ++n) {
            for_each_ring(n, [&](const std::vector<std::uint32_t>& ids) {
                for (std::uint32_t subset = 1; subset < 1U << n; ++subset) {
                    std::vector<std::uint32_t> callers;
                    for (std::uint32_t id = 1; id <= n; ++id) {
                        if (subset >> (id - 1) & 1U) callers.push_back(id);
                    }
                    const Report report = kit::run<Ring>(kit::started(ring_of(ids, form), callers));
                    expect_quiet_and_well(report, n, std::to_string(n) + " nodes");
                    EXPECT_LE(report.total(), callers.size() * (3 * n - 1));
                }
            });
        }
    }
}

// Initiators that come in one after the other, some before they hear of the first.
TEST(Ring, KInitiatorsAtAnyTimeCostAtMostKTimesAsMuch) {
    const std::uint32_t n = 8;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Dice dice(seed);
        std::vector<std::uint32_t> ids = up_to(n);
        for (std::size_t at = n - 1; at > 0; --at) std::swap(ids[at], ids[dice.below(at + 1)]);
        Plan plan = kit::started(ring_of(ids, forms[seed % 2]), {});
        const std::uint64_t k = 1 + dice.below(n);
        for (std::uint64_t caller = 0; caller < k; ++caller) {
            plan.schedule.push_back(
                {kit::at(static_cast<double>(dice.below(n)) / 2), fault::Call{node(ids[caller])}});
        }
        std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
        const Report report = kit::run<Ring>(plan);
        EXPECT_LE(report.total(), k * (3 * n - 1)) << "seed " << seed;
        EXPECT_TRUE(report.violations.empty()) << "seed " << seed << kit::text(report);
    }
}

// 001: the ring N3 N32 N5 N80 N6 N12.
TEST(Ring, LectureExampleElectsN80) {
    const std::vector<std::uint32_t> ids{3, 32, 5, 80, 6, 12};
    const auto messages = [&](std::uint32_t initiator) {
        const Report report =
            kit::run<Ring>(kit::started(ring_of(ids, Form::lecture_001), {initiator}));
        expect_quiet_and_well(report, 80, "started by " + std::to_string(initiator));
        EXPECT_EQ(report.time, static_cast<double>(report.total()));
        return report.total();
    };
    EXPECT_EQ(messages(3), 15U);
    EXPECT_EQ(messages(6), 17U) << "the worst case: N6 follows N80, 3N - 1";
    EXPECT_EQ(messages(80), 12U) << "the best case: 2N";
}

// EL-10: by an attribute that may change between elections; ties go to the higher id.
TEST(Ring, BestAttributeWinsAndTiesGoToTheHigherId) {
    Plan plan = kit::started(default_plan(5), {1});
    plan.members[1].priority = plan.members[3].priority = 7;
    EXPECT_EQ(kit::run<Ring>(plan).leaders.front().second, node(4));

    plan.schedule.push_back({kit::at(40), fault::Attribute{node(3), 9}});
    plan.schedule.push_back({kit::at(41), fault::Call{node(5)}});
    const Report report = kit::run<Ring>(plan);
    EXPECT_EQ(report.leaders.front().second, node(3));
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
}

TEST(Ring, CallsAtMostOneElectionAtATime) {
    Plan plan = kit::started(default_plan(4), {1, 1, 1});
    plan.schedule.push_back({kit::at(1.5), fault::Call{node(2)}});  // takes part already
    const Report report = kit::run<Ring>(plan);
    EXPECT_EQ(report.total(), 11U);
}

TEST(Ring, IsSmallEnoughForAMillionNodes) {
    EXPECT_LE(make_simulator<Ring>("ring")->describe({}).bytes_per_node, 450U);
    Plan plan = default_plan(100'000);  // all call at boot
    const Report report = kit::run<Ring>(plan);
    EXPECT_EQ(report.total(), 3U * 100'000 - 1);
    EXPECT_TRUE(report.agreed);
}

TEST(Ring, SurvivesWhatItClaims) { kit::expect_claimed_seeds_hold<Ring>(300); }

// Also with the other settings, and when the detector lies and takes it back.
TEST(Ring, SurvivesCrashesRestartsAndLies) {
    const auto simulator = make_simulator<Ring>("ring");
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Plan plan = claimed_plan(Ring::assumes, Ring::claim.kind, seed);
        if (seed % 2 == 0) plan.options.emplace_back("initiators", "on");
        if (seed % 4 < 2) plan.options.emplace_back("watch", "neighbour");
        const Report report = simulator->run(kit::lied_to(plan));
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << "\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
