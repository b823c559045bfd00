// detect/arrivals_test.cc -- what all five estimators share: outages, stalls, bursts, loss,
// mistakes.
#include "detect/arrivals.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "core/value.h"
#include "detect/estimator.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;
constexpr Duration T = 1s;

Instant at(Duration since_origin) { return Instant{since_origin}; }

struct Named {
    const char* name;
    Estimator estimator;
};
std::array<Named, 5> all_kinds() {
    return {{{"Fixed", Fixed{.margin = 300ms}},
             {"Jacobson", Jacobson{}},
             {"Chen", Chen{.alpha = 300ms}},
             {"Bertier", Bertier{}},
             {"Accrual", Accrual{}}}};
}

struct Arrival {
    Instant when;
    std::uint64_t seq;
};

// Heartbeats 0, 1, ... sent at 0, T, 2T, ... with a small regular jitter.
void hear_regularly(Estimator& estimator, std::uint64_t first, std::uint64_t last,
                    Duration late = {}) {
    for (std::uint64_t seq = first; seq <= last; ++seq) {
        const Duration jitter = seq % 2 == 0 ? 10ms : 30ms;
        heard(estimator, at(T * static_cast<int>(seq) + jitter + late), seq, T);
    }
}

Duration wait_after(const Estimator& estimator, Instant now) { return deadline(estimator) - now; }

// A detector in a few lines: how often it was wrong about a peer that never crashed.
int mistakes_of(Estimator& estimator, const std::vector<Arrival>& arrivals) {
    int mistakes = 0;
    bool suspected = false;
    for (const Arrival& arrival : arrivals) {
        suspected = suspected || arrival.when > deadline(estimator);
        heard(estimator, arrival.when, arrival.seq, T);
        if (!suspected || deadline(estimator) <= arrival.when) continue;
        suspected = false;
        mistaken(estimator);
        ++mistakes;
    }
    return mistakes;
}

std::vector<Arrival> delayed_at_random(int count, Duration most, double loss, unsigned seed) {
    std::mt19937_64 dice(seed);
    const auto chance = [&] { return static_cast<double>(dice() >> 11) * 0x1p-53; };
    std::vector<Arrival> arrivals;
    for (int i = 0; i < count; ++i) {
        const Duration delay = nanoseconds(chance() * nanoseconds(most));
        if (chance() < loss) continue;
        arrivals.push_back({at(T * i + delay), static_cast<std::uint64_t>(i)});
    }
    std::sort(arrivals.begin(), arrivals.end(),
              [](const Arrival& a, const Arrival& b) { return a.when < b.when; });
    return arrivals;
}

TEST(Estimator, AllSuspectAPeerThatNeverSpoke) {
    for (auto& [name, estimator] : all_kinds()) {
        watch(estimator, at(10s), T);
        EXPECT_GT(deadline(estimator), at(10s + T)) << name;
        EXPECT_LT(deadline(estimator), at(10s + 4 * T)) << name;
    }
}

TEST(Estimator, AllIgnoreRepeatedAndOvertakenHeartbeats) {
    for (auto& [name, estimator] : all_kinds()) {
        hear_regularly(estimator, 0, 20);
        const Estimator before = estimator;
        heard(estimator, at(21 * T), 20, T);
        heard(estimator, at(21 * T), 3, T);
        EXPECT_EQ(estimator, before) << name;
    }
}

TEST(Estimator, AllTellLossFromDelay) {
    for (auto& [name, lossy] : all_kinds()) {
        Estimator lossless = lossy;
        hear_regularly(lossless, 0, 200);
        for (std::uint64_t seq = 0; seq <= 200; ++seq) {
            if (seq % 10 != 5) hear_regularly(lossy, seq, seq);
        }
        const Duration difference = deadline(lossy) - deadline(lossless);
        EXPECT_LT(std::chrono::abs(difference), 60ms) << name;
    }
}

TEST(Estimator, AllForgetTheGapOfAnOutageInWhichHeartbeatsWereLost) {
    for (auto& [name, estimator] : all_kinds()) {
        hear_regularly(estimator, 0, 100);
        const Duration before = wait_after(estimator, at(T * 100));
        hear_regularly(estimator, 160, 163);
        const Duration after = wait_after(estimator, at(T * 163));
        EXPECT_LT(std::chrono::abs(after - before), 60ms) << name;
    }
}

TEST(Estimator, AllForgetTheGapOfAnOutageThatEndsInABurst) {
    for (auto& [name, estimator] : all_kinds()) {
        hear_regularly(estimator, 0, 100);
        const Duration before = wait_after(estimator, at(T * 100));
        for (std::uint64_t seq = 101; seq <= 160; ++seq) heard(estimator, at(T * 160), seq, T);
        hear_regularly(estimator, 161, 163);
        const Duration after = wait_after(estimator, at(T * 163));
        EXPECT_LT(std::chrono::abs(after - before), 60ms) << name;
    }
}

TEST(Estimator, AllForgetTheGapOfASenderThatSlept) {
    for (auto& [name, estimator] : all_kinds()) {
        hear_regularly(estimator, 0, 100);
        const Duration before = wait_after(estimator, at(T * 100));
        hear_regularly(estimator, 101, 140, 60s);  // the numbers went on where they had stopped
        const Duration after = wait_after(estimator, at(T * 140 + 60s));
        EXPECT_LT(std::chrono::abs(after - before), 60ms) << name;
    }
}

TEST(Estimator, AllBearABacklogAtTheStart) {
    for (auto& [name, estimator] : all_kinds()) {
        Estimator calm = estimator;
        hear_regularly(calm, 20, 23);
        for (std::uint64_t seq = 0; seq <= 19; ++seq) heard(estimator, at(T * 19 + 900ms), seq, T);
        EXPECT_LT(deadline(estimator), at(T * 19 + 900ms + 4 * T)) << name;
        hear_regularly(estimator, 20, 23);
        EXPECT_LT(deadline(estimator), deadline(calm) + T / 2) << name;
        EXPECT_GT(deadline(estimator), deadline(calm) - T / 2) << name;
    }
}

TEST(Estimator, ThoseThatMeasureGapsGetUsedToASenderSlowerThanItSays) {
    std::vector<Arrival> arrivals;
    for (int i = 0; i < 500; ++i) {
        arrivals.push_back({at(3 * T * i), static_cast<std::uint64_t>(i)});
    }
    Estimator jacobson = Jacobson{}, accrual = Accrual{};
    EXPECT_LE(mistakes_of(jacobson, arrivals), 2);
    EXPECT_LE(mistakes_of(accrual, arrivals), 2);
}

TEST(Estimator, AllStayBoundedIfASleepySenderIsLateByHours) {
    for (auto& [name, estimator] : all_kinds()) {
        hear_regularly(estimator, 0, 20);
        for (std::uint64_t i = 1; i < 5; ++i) heard(estimator, at(1h * i), 20 + i, T);
        EXPECT_LT(deadline(estimator), at(4h + 20 * T)) << name;
    }
}

TEST(Estimator, AllShiftTheDeadlineByAnOwnStall) {
    for (auto& [name, estimator] : all_kinds()) {
        hear_regularly(estimator, 0, 20);
        const Instant before = deadline(estimator);
        shift(estimator, 3s);
        shift(estimator, 4s);
        EXPECT_EQ(deadline(estimator), before + 7s) << name;
    }
}

TEST(Estimator, AllKeepTheirMarginInTheBurstAfterAnOwnStall) {
    for (auto& [name, estimator] : all_kinds()) {
        hear_regularly(estimator, 0, 100);
        const Duration before = wait_after(estimator, at(T * 100));
        const Instant woken = at(T * 105 + 500ms);
        shift(estimator, 5s);
        for (std::uint64_t seq = 101; seq <= 105; ++seq) {
            EXPECT_LE(woken, deadline(estimator)) << name << ": accused of our own pause";
            heard(estimator, woken, seq, T);
            EXPECT_GT(deadline(estimator), woken) << name << ": accused while the rest waits";
        }
        EXPECT_LE(deadline(estimator), woken + before + 60ms) << name << ": pardon must end";
        hear_regularly(estimator, 106, 108);
        const Duration after = wait_after(estimator, at(T * 108));
        EXPECT_LT(after, before + 60ms) << name;
        EXPECT_GT(after, before - 60ms) << name << ": the burst made it hasty";
    }
}

TEST(Estimator, AllWidenTheMarginByEachMistakeUpToALimit) {
    for (auto& [name, estimator] : all_kinds()) {
        hear_regularly(estimator, 0, 20);
        for (int i = 0; i < 5; ++i) {
            const Instant before = deadline(estimator);
            mistaken(estimator);
            EXPECT_GT(deadline(estimator), before) << name;
        }
        for (int i = 0; i < 100'000; ++i) mistaken(estimator);
        EXPECT_LE(deadline(estimator), at(20 * T + 61s)) << name;
    }
}

TEST(Estimator, AllStopMakingMistakesIfDelaysStayBounded) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const auto arrivals = delayed_at_random(4000, 3 * T, 0, seed);
        const auto half = arrivals.begin() + 3000;
        for (auto& [name, estimator] : all_kinds()) {
            const int mistakes = mistakes_of(estimator, {arrivals.begin(), half});
            EXPECT_LE(mistakes, 14) << name << " seed " << seed;  // 12 quarters make 3 T
            EXPECT_LE(mistakes_of(estimator, {half, arrivals.end()}), 1) << name << seed;
        }
    }
}

TEST(Estimator, AllLearnToBearLossByMistakes) {
    const auto arrivals = delayed_at_random(20'000, 20ms, 0.05, 7);
    for (auto& [name, estimator] : all_kinds()) {
        EXPECT_LE(mistakes_of(estimator, arrivals), 20) << name;  // of 1000 lost heartbeats
    }
}

TEST(Estimator, AllStartAgainWithANewPeriodOrANewIncarnation) {
    for (auto& [name, estimator] : all_kinds()) {
        hear_regularly(estimator, 0, 50);
        heard(estimator, at(51 * T), 51, 10 * T);
        EXPECT_GT(deadline(estimator), at(61 * T)) << name;
        heard(estimator, at(52 * T), 52, T);
        EXPECT_LT(deadline(estimator), at(56 * T)) << name;
        watch(estimator, at(53 * T), T);
        heard(estimator, at(53 * T), 0, T);
        EXPECT_GT(deadline(estimator), at(54 * T)) << name;
        EXPECT_LT(deadline(estimator), at(57 * T)) << name;
    }
}

TEST(Estimator, AllTakeALeapOfTheNumbersForAnotherSequence) {
    for (const std::uint64_t number : {std::uint64_t{1'000'000'000}, ~std::uint64_t{0}}) {
        for (auto& [name, estimator] : all_kinds()) {
            hear_regularly(estimator, 0, 20);
            heard(estimator, at(21 * T), number, T);
            EXPECT_GT(deadline(estimator), at(22 * T)) << name;
            EXPECT_LT(deadline(estimator), at(25 * T)) << name;
        }
    }
}

RC_GTEST_PROP(Estimator, AllDependOnDifferencesOfOneClockOnly, ()) {
    const Duration origin{*rc::gen::inRange<std::int64_t>(-1'000'000'000'000, 1'000'000'000'000)};
    auto here = all_kinds(), there = all_kinds();
    const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4000));
    for (std::size_t kind = 0; kind < here.size(); ++kind) {
        auto& one = here[kind].estimator;
        auto& other = there[kind].estimator;
        Duration now{};
        std::uint64_t seq = 0;
        watch(one, at(now), T);
        watch(other, at(now + origin), T);
        for (const int step : steps) {
            now += 1ms * step;
            seq += static_cast<std::uint64_t>(1 + step % 3);
            if (step % 10 == 0) shift(one, 1s), shift(other, 1s);
            if (step % 7 == 0) mistaken(one), mistaken(other);
            heard(one, at(now), seq, T);
            heard(other, at(now + origin), seq, T);
            RC_ASSERT(deadline(one) + origin == deadline(other));
        }
    }
}

TEST(Estimator, AllAreSmallPlainValues) {
    EXPECT_LE(sizeof(Estimator), 96U);  // a mesh of 1000 nodes: a million of them, 96 MB
    static_assert(std::is_trivially_copyable_v<Estimator>);
    static_assert(Value<Estimator>);
    Estimator one = Accrual{}, other = Accrual{};
    hear_regularly(one, 0, 50);
    EXPECT_FALSE(equal(one, other));
    hear_regularly(other, 0, 50);
    EXPECT_TRUE(equal(one, other));
    EXPECT_EQ(hash_value(one), hash_value(other));
}

}  // namespace
}  // namespace conclave
