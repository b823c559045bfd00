// detect/estimator_test.cc -- the timing statements behind the estimators, each as a test.
#include "detect/estimator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace conclave {
namespace {

using namespace std::chrono_literals;
constexpr Duration T = 1s;

Instant at(Duration since_origin) { return Instant{since_origin}; }

// Heartbeats 0, 1, ... sent at 0, T, 2T, ... with a small regular jitter.
void hear_regularly(Chen& rule, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t seq = first; seq <= last; ++seq) {
        const Duration jitter = seq % 2 == 0 ? 10ms : 30ms;
        rule.heard(at(T * static_cast<int>(seq) + jitter), seq, T);
    }
}

RC_GTEST_PROP(Estimator, FixedIsAccurateIffTheWaitCoversPeriodPlusJitter, ()) {
    const Duration period{*rc::gen::inRange(1'000, 1'000'000)};
    const Duration drift = period * *rc::gen::inRange(0, 50) / 1000;  // T rho
    const Duration least{*rc::gen::inRange(0, 100'000)};              // Dmin
    const Duration jitter{*rc::gen::inRange(0, 2'000'000)};           // A - Dmin
    const Duration enough = drift + jitter;                           // E = W - T

    // The worst pair: one as fast as can be, the next sent late and as slow as can be.
    const Instant first = at(least), second = at(period + drift + least + jitter);
    Fixed accurate{.margin = enough}, hasty{.margin = enough - Duration{1}};
    accurate.heard(first, 0, period);
    hasty.heard(first, 0, period);
    RC_ASSERT(second <= accurate.deadline());
    RC_ASSERT(second > hasty.deadline());

    // And no other pair is worse.
    Fixed any{.margin = enough};
    Instant sent = at(0s);
    for (std::uint64_t seq = 0; seq < 50; ++seq) {
        const Duration delay = least + jitter * *rc::gen::inRange(0, 101) / 100;
        RC_ASSERT(seq == 0 || sent + delay <= any.deadline());
        any.heard(sent + delay, seq, period);
        sent += period + drift * *rc::gen::inRange(-100, 101) / 100;
    }
}

TEST(Estimator, FixedNeedsTheDriftOfBothClocks) {
    // Rates in [1 - rho, 1 + rho]: the sender's T lasts T/(1 - rho), we count (1 + rho) of that.
    // T(1 + rho) would cover only one of the two.
    const double rho = 0.01, jitter = 0.1e9;
    const double seen = (1 + rho) * (nanoseconds(T) / (1 - rho) + jitter);
    Fixed one_clock{.margin = nanoseconds(rho * nanoseconds(T) + jitter)};
    Fixed both{.margin = nanoseconds(seen) - T};
    one_clock.heard(at(0s), 0, T);
    both.heard(at(0s), 0, T);
    EXPECT_GT(at(nanoseconds(seen)), one_clock.deadline());
    EXPECT_LE(at(nanoseconds(seen)), both.deadline());
}

TEST(Estimator, FixedDetectsACrashAfterLastDelayPlusWaitMinusPhase) {
    const Duration bound = 200ms, wait = T + bound;  // A, W = T + A
    Duration worst{};
    for (Duration delay = 0ms; delay <= bound; delay += 50ms) {
        for (Duration phase = 0ms; phase < T; phase += 50ms) {
            Fixed rule{.margin = bound};
            const Instant sent = at(10s), crash = sent + phase;
            rule.heard(sent - T + 20ms, 9, T);
            rule.heard(sent + delay, 10, T);
            const Duration detection = rule.deadline() - crash;
            EXPECT_EQ(detection, delay + wait - phase);
            EXPECT_GT(detection, bound + delay);
            EXPECT_LE(detection, T + bound + delay);
            worst = std::max(worst, detection);
        }
    }
    EXPECT_EQ(worst, T + 2 * bound);
}

// ---- Jacobson ----

TEST(Estimator, JacobsonFollowsTheRecurrenceByHand) {
    Jacobson rule;
    rule.heard(at(0ms), 1, T);
    EXPECT_EQ(rule.wait(), T + 4 * (T / 2));  // nothing measured: as if the period had been
    rule.heard(at(800ms), 2, T);              // first: srtt = x, var = x/2
    EXPECT_EQ(rule.srtt, 800ms);
    EXPECT_EQ(rule.var, 400ms);
    EXPECT_EQ(rule.wait(), 2400ms);
    rule.heard(at(2400ms), 3, T);  // x = 1600: var += (800 - 400)/4, srtt += 800/8
    EXPECT_EQ(rule.var, 500ms);
    EXPECT_EQ(rule.srtt, 900ms);
    EXPECT_EQ(rule.wait(), 2900ms);
    rule.heard(at(3300ms), 4, T);  // x = 900: var += (0 - 500)/4
    EXPECT_EQ(rule.var, 375ms);
    EXPECT_EQ(rule.srtt, 900ms);
    EXPECT_EQ(rule.deadline(), at(3300ms + 2400ms));
}

TEST(Estimator, JacobsonStaysBetweenFloorAndCeilingAndDoublesOnAMistake) {
    Jacobson rule{.granularity = 50ms, .floor = 1500ms, .ceiling = 10s};
    for (int i = 0; i < 200; ++i) rule.heard(at(T * i), static_cast<std::uint64_t>(i), T);
    EXPECT_EQ(rule.wait(), 1500ms) << "1050 ms would do, the floor says no";
    rule.mistaken();
    EXPECT_EQ(rule.wait(), 3s);
    rule.mistaken();
    EXPECT_EQ(rule.wait(), 6s);
    for (int i = 0; i < 1000; ++i) rule.mistaken();
    EXPECT_EQ(rule.wait(), 10s);
}

// ---- Chen ----

TEST(Estimator, ChenExpectsTheMeanOfTheArrivalsSoFar) {
    Chen rule{.alpha = 300ms, .expected = {.memory = 64}};
    const std::vector<std::uint64_t> numbers{7, 8, 9, 11, 12, 15, 16};  // 10, 13, 14 are lost
    Duration sum{};
    int count = 0;
    for (std::uint64_t seq : numbers) {
        const Duration delay = 5ms * static_cast<int>(seq * 7 % 11);
        const Duration arrival = T * static_cast<int>(seq) + delay;
        rule.heard(at(arrival), seq, T);
        sum += arrival - T * static_cast<int>(seq);
        const Duration mean = sum / ++count + T * static_cast<int>(seq + 1);  // EA of the next
        EXPECT_LE(std::chrono::abs(rule.deadline() - at(mean + 300ms)), Duration{count});
    }
}

TEST(Estimator, ChenForgetsArrivalsOlderThanItsMemory) {
    Chen rule{.alpha = 300ms, .expected = {.memory = 8}};
    hear_regularly(rule, 0, 999);
    for (std::uint64_t seq = 1000; seq < 1080; ++seq) {  // a longer route, within the margin
        rule.heard(at(T * static_cast<int>(seq) + 200ms), seq, T);
    }
    EXPECT_GT(rule.deadline(), at(T * 1080 + 199ms + 300ms));
}

TEST(Estimator, ChenDetectsWithinPeriodPlusAlphaPlusMeanDelayWhateverTheLastDelay) {
    const Duration alpha = 400ms, mean_delay = 20ms;
    const std::uint16_t memory = 32;
    for (Duration last = 0ms; last <= 5s; last += 50ms) {
        Chen rule{.alpha = alpha, .expected = {.memory = memory}};
        hear_regularly(rule, 0, 99);
        const Instant sent = at(T * 100);  // and crashed at once: the longest detection
        const Instant before = rule.deadline();
        rule.heard(sent + last, 100, T);
        // Suspected for good from the deadline before if the last one came too late to matter.
        const bool revived = sent + last > before && rule.deadline() > sent + last;
        EXPECT_FALSE(revived && last > T + alpha + mean_delay) << last.count();
        const Duration detection = rule.deadline() - sent;
        const Duration weight = sent + last > before ? 1ms : last / memory;
        EXPECT_LE(detection, T + alpha + mean_delay + weight) << last.count();

        Fixed timer{.margin = alpha};  // a restarted timer, for comparison
        timer.heard(sent + last, 100, T);
        EXPECT_EQ(timer.deadline() - sent, T + alpha + last);
    }
}

TEST(Estimator, ChenBelievesANewScheduleWhenTwoLateHeartbeatsKeepTheirDistance) {
    Chen rule{.alpha = 300ms};
    hear_regularly(rule, 0, 50);
    rule.heard(at(T * 51 + 5s), 51, T);
    EXPECT_LT(rule.deadline(), at(T * 51 + 5s)) << "one is a delay";
    rule.heard(at(T * 52 + 5s), 52, T);
    EXPECT_EQ(rule.deadline(), at(T * 53 + 5s + 300ms)) << "two are a habit";
}

// ---- Bertier ----

TEST(Estimator, BertierFollowsTheRecurrenceByHand) {
    Bertier rule{.inverse_gamma = 2, .beta = 1, .phi = 4, .expected = {.memory = 2}};
    rule.heard(at(0ms), 0, T);
    EXPECT_EQ(rule.alpha(), T) << "4 var, var = T/4";
    rule.heard(at(1100ms), 1, T);  // EA 1000, err 100: delay 50, var (100 + 250)/2
    EXPECT_EQ(rule.delay, 50ms);
    EXPECT_EQ(rule.var, 175ms);
    EXPECT_EQ(rule.deadline(), at(2050ms + 50ms + 700ms));
    rule.heard(at(2050ms), 2, T);  // EA 2050, err 0 - 50: delay 25, var (50 + 175)/2
    EXPECT_EQ(rule.delay, 25ms);
    EXPECT_EQ(rule.var, 112'500us);
    EXPECT_EQ(rule.deadline(), at(3050ms + 25ms + 450ms));
}

// ---- Accrual ----

TEST(Estimator, AccrualLevelsOneTwoThreeMeanTenOneAndATenthPercent) {
    for (const double level : {1.0, 2.0, 3.0}) {
        const double y = deviations_until(level);
        const double chance = std::erfc(y / std::sqrt(2.0)) / 2;  // of the true normal
        EXPECT_NEAR(chance / std::pow(10, -level), 1, 0.12) << level;
    }
    EXPECT_NEAR(phi_after(0), std::log10(2.0), 1e-12) << "at the mean: one half";
}

TEST(Estimator, AccrualLevelNeitherUnderflowsNorEndsInTheTails) {
    EXPECT_EQ(phi_after(-1e6), 0);
    EXPECT_GT(phi_after(-5), 0);
    double before = phi_after(-6);
    for (double y = -5.99; y < 1000; y += 0.01) {
        const double level = phi_after(y);
        ASSERT_TRUE(std::isfinite(level)) << y;
        ASSERT_GT(level, before) << y;
        before = level;
    }
    Accrual rule;
    rule.heard(at(0s), 0, T);
    EXPECT_TRUE(std::isfinite(rule.phi(at(24h * 365))));
}

RC_GTEST_PROP(Estimator, AccrualDeadlineIsWherePhiCrossesTheThreshold, ()) {
    const auto tenths = *rc::gen::inRange(2, 400);
    const double threshold = tenths / 10.0;
    Accrual rule{.reach = deviations_until(threshold)};
    Instant now = at(0s);
    for (std::uint64_t seq = 0; seq < 20; ++seq) {
        rule.heard(now, seq, T);
        now += T + Duration{1ms} * *rc::gen::inRange(-200, 200);
    }
    const Instant crossing = rule.deadline();
    RC_ASSERT(std::abs(rule.phi(crossing) - threshold) < 1e-3);
    RC_ASSERT(rule.phi(crossing - 1ms) < threshold);
    RC_ASSERT(rule.phi(crossing + 1ms) > threshold);
    RC_ASSERT(deviations_until(threshold) <= deviations_until(threshold + 0.1));
}

TEST(Estimator, AccrualLearnsMeanAndVarianceOfTheGaps) {
    Accrual rule{.memory = 1000};
    std::vector<double> gaps{0.75e9, 1.25e9};  // the seed: mean T, deviation T/4
    Duration now{};
    rule.heard(at(now), 0, T);
    for (int i = 1; i < 200; ++i) {
        const Duration gap = T + 1ms * (i * 37 % 101 - 50);
        rule.heard(at(now += gap), static_cast<std::uint64_t>(i), T);
        gaps.push_back(nanoseconds(gap));
    }
    const auto n = static_cast<double>(gaps.size());
    double sum = 0, squares = 0;
    for (double gap : gaps) sum += gap;
    for (double gap : gaps) squares += (gap - sum / n) * (gap - sum / n);
    EXPECT_NEAR(nanoseconds(rule.mean), sum / n, 1e3);
    EXPECT_NEAR(rule.variance / (squares / n), 1, 1e-4);
}

TEST(Estimator, AccrualKeepsALeastDeviationHoweverRegularThePeer) {
    Accrual rule{.least_deviation = 0.1};
    for (int i = 0; i < 5000; ++i) rule.heard(at(T * i), static_cast<std::uint64_t>(i), T);
    EXPECT_NEAR(nanoseconds(rule.deadline() - at(T * 4999)),
                nanoseconds(T) * (1 + 0.1 * deviations_until(8)), 1e5);
}

}  // namespace
}  // namespace conclave
