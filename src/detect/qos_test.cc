// detect/qos_test.cc -- the quality-of-service formulas against hand values and against histories.
#include "detect/qos.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "detect/estimator.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;

Instant at(Duration since_origin) { return Instant{since_origin}; }
Duration nanos(Seconds length) { return nanoseconds(length.count() * 1e9); }

struct Exponential {
    Seconds mean{};
    double operator()(Seconds x) const { return x.count() < 0 ? 1 : std::exp(-(x / mean)); }
};
struct Constant {
    Seconds delay{};
    double operator()(Seconds x) const { return x < delay ? 1 : 0; }
};

struct Dice {
    std::mt19937_64 engine{42};
    double chance() { return (static_cast<double>(engine() >> 11) + 0.5) * 0x1p-53; }
    Seconds exponential(Seconds mean) { return -std::log(chance()) * mean; }
};

TEST(Qos, ForecastOfInstantDeliveryMatchesTheHandValues) {
    const Seconds eta{2};
    for (const double p : {0.01, 0.1, 0.5}) {
        for (int c = 0; c <= 4; ++c) {
            const auto out = forecast(eta, c * eta + Seconds{1e-9}, p, Constant{});
            const double missing = std::pow(p, c + 1);
            EXPECT_NEAR(out.accuracy, 1 - missing, 1e-8);
            EXPECT_NEAR(out.mistake_recurrence / eta * (1 - p) * missing, 1, 1e-8);
            EXPECT_NEAR(out.mistake_duration / eta * (1 - p), 1, 1e-8);
        }
    }
    const auto out = forecast(eta, eta + Seconds{1e-9}, 0.1, Constant{});
    EXPECT_NEAR(out.accuracy, 0.99, 1e-8);
    EXPECT_NEAR(out.mistake_recurrence / eta, 111.1, 0.05);
    EXPECT_NEAR(out.mistake_duration / eta, 1.11, 0.005);
}

TEST(Qos, ForecastKnowsTheFlawlessAndTheUseless) {
    const auto flawless = forecast(1s, 500ms, 0, Constant{100ms});
    EXPECT_EQ(flawless.mistake_recurrence, endless);
    EXPECT_EQ(flawless.accuracy, 1);
    EXPECT_EQ(flawless.detection_most, 1500ms);
    const auto useless = forecast(1s, 500ms, 0, Constant{10s});
    EXPECT_EQ(useless.accuracy, 0);
    EXPECT_EQ(useless.mistake_duration, endless);
}

TEST(Qos, ForecastIntegratesJumpsAndSteepFalls) {
    // Sent every 1 s, needed after 0.5 s, there after 0.75 s: wrong for a quarter of each second.
    EXPECT_NEAR(forecast(1s, 500ms, 0, Constant{750ms}).accuracy, 0.75, 1e-9);
    // One heartbeat matters, exponential: the integral of exp(-(delta + x)/m) over eta.
    const double m = 0.01, delta = 0.02, eta = 1;
    const double wrong = m * (std::exp(-delta / m) - std::exp(-(delta + eta) / m));
    const auto out = forecast(Seconds{eta}, Seconds{delta}, 0, Exponential{Seconds{m}});
    // The next heartbeat arrives within this one's interval and takes over for its last 20 ms.
    EXPECT_NEAR(out.accuracy, 1 - wrong, 1e-9);
}

// The verdicts of NFD-S, straight from its definition, over `count` freshness points.
std::vector<Verdict> history_of_nfd_s(Seconds eta, Seconds delta, double loss, Seconds mean,
                                      int count) {
    Dice dice;
    std::vector<Seconds> arrival;
    const int ahead = static_cast<int>(std::ceil(delta / eta)) + 2;
    for (int i = 0; i < count + ahead; ++i) {
        const Seconds delay = dice.exponential(mean);
        arrival.push_back(dice.chance() < loss ? endless : i * eta + delay);
    }
    std::vector<Verdict> history;
    for (int i = 0; i < count; ++i) {
        const Seconds begin = i * eta + delta, end = begin + eta;
        Seconds first = endless;
        for (int j = i; j < i + ahead; ++j) {
            first = std::min(first, arrival[static_cast<std::size_t>(j)]);
        }
        if (first > begin) history.push_back({at(nanos(begin)), true});
        if (first < end) history.push_back({at(nanos(std::max(first, begin))), false});
    }
    return history;
}

double mean_seconds(const std::vector<Duration>& samples) {
    Seconds sum{};
    for (const Seconds sample : samples) sum += sample;
    return sum.count() / static_cast<double>(samples.size());
}

TEST(Qos, ForecastAgreesWithAMeasuredHistory) {
    const Seconds eta{1}, delta{1.3}, mean{0.4};
    const double loss = 0.1;
    const int count = 400'000;
    const auto history = history_of_nfd_s(eta, delta, loss, mean, count);
    const auto seen = measure(history, at(0s), at(nanos(count * eta)));
    const auto expected = forecast(eta, delta, loss, Exponential{mean});
    EXPECT_NEAR(mean_seconds(seen.recurrence) / expected.mistake_recurrence.count(), 1, 0.03);
    EXPECT_NEAR(mean_seconds(seen.mistake) / expected.mistake_duration.count(), 1, 0.03);
    EXPECT_NEAR((1 - seen.accuracy) / (1 - expected.accuracy), 1, 0.03);
    EXPECT_NEAR(seen.mistakes_per_second * expected.mistake_recurrence.count(), 1, 0.03);
}

// ---- The configurator ----

TEST(Qos, ConfiguratorReproducesThePublishedExample) {
    const Targets targets{Seconds{30}, Seconds{30 * 24h}, Seconds{60}};
    const auto setting =
        configure(targets, {.mean = Seconds{0.02}, .variance = 0.02, .loss = 0.01});
    ASSERT_TRUE(setting);
    EXPECT_NEAR(setting->period.count(), 9.71, 0.005);
    EXPECT_NEAR(setting->delta.count(), 20.29, 0.005);
    EXPECT_NEAR(setting->alpha.count(), 20.27, 0.005);
}

TEST(Qos, ConfiguratorKeepsItsTargetsUnderTheExactFormulas) {
    for (const double mean : {0.001, 0.02, 0.2}) {
        for (const double loss : {0.0, 0.01, 0.2}) {
            for (const double recurrence : {60.0, 3600.0, 2.6e6}) {
                const Targets targets{Seconds{5}, Seconds{recurrence}, Seconds{2}};
                const auto setting = configure(targets, {Seconds{mean}, mean * mean, loss});
                ASSERT_TRUE(setting);
                const auto exact =
                    forecast(setting->period, setting->delta, loss, Exponential{Seconds{mean}});
                EXPECT_LE(exact.detection_most.count(), targets.detection.count() + 1e-9);
                EXPECT_GE(exact.mistake_recurrence, targets.mistake_recurrence);
                EXPECT_LE(exact.mistake_duration, targets.mistake_duration);
            }
        }
    }
}

TEST(Qos, ConfiguratorAsksForMoreHeartbeatsWhenMoreIsWanted) {
    const Targets base{Seconds{5}, Seconds{3600}, Seconds{2}};
    const Channel channel{Seconds{0.05}, 0.01, 0.05};
    const auto period = [&](const Targets& targets, const Channel& over) {
        const auto setting = configure(targets, over);
        return setting ? setting->period.count() : 0;
    };
    double before = period(base, channel);
    for (double recurrence = 7200; recurrence < 1e9; recurrence *= 2) {
        Targets more = base;
        more.mistake_recurrence = Seconds{recurrence};
        EXPECT_LE(period(more, channel), before);
        before = period(more, channel);
    }
    EXPECT_GT(before, 0);
    const double tolerance = 1e-6;
    before = period(base, channel);
    for (double detection = 6; detection < 60; ++detection) {
        Targets slower = base;
        slower.detection = Seconds{detection};
        EXPECT_GE(period(slower, channel), before - tolerance);
        before = period(slower, channel);
    }
    before = period(base, channel);
    for (double loss = 0.1; loss < 0.9; loss += 0.1) {
        Channel worse = channel;
        worse.loss = loss;
        EXPECT_LE(period(base, worse), before + tolerance);
        before = period(base, worse);
    }
}

TEST(Qos, ConfiguratorRefusesWhatNoPeriodCanKeep) {
    const Targets targets{Seconds{1}, Seconds{3600}, Seconds{1}};
    EXPECT_FALSE(configure(targets, {Seconds{1}, 0.1, 0})) << "the mean delay eats the time";
    EXPECT_FALSE(configure(targets, {Seconds{0.1}, 0.1, 1})) << "nothing arrives";
    EXPECT_FALSE(configure(targets, {Seconds{0.1}, 100, 0.9})) << "a flood of heartbeats";
}

TEST(Qos, ChenKeepsTheConfiguredTargetsInARun) {
    const Targets targets{Seconds{3}, Seconds{1000}, Seconds{3}};
    const Channel channel{Seconds{0.1}, 0.01, 0.05};  // exponential
    const auto setting = configure(targets, channel);
    ASSERT_TRUE(setting);
    const Duration eta = nanos(setting->period);
    Chen rule{.alpha = nanos(setting->alpha), .expected = {.memory = 1000}};
    rule.watch(at(0s), eta);

    Dice dice;
    std::vector<std::pair<Instant, std::uint64_t>> arrivals;
    const int count = 300'000;
    for (int i = 0; i < count; ++i) {
        const Instant arrival = at(i * eta + nanos(dice.exponential(channel.mean)));
        if (dice.chance() > channel.loss) arrivals.emplace_back(arrival, i);
    }
    std::sort(arrivals.begin(), arrivals.end());
    std::vector<Verdict> history;
    for (const auto& [when, seq] : arrivals) {
        const bool suspected = when > rule.deadline();
        if (suspected && (history.empty() || !history.back().suspected)) {
            history.push_back({rule.deadline(), true});
        }
        rule.heard(when, seq, eta);
        if (suspected && rule.deadline() > when) history.push_back({when, false});
    }
    const Instant crash = at(count * eta);  // the moment the next would have left
    history.push_back({rule.deadline(), true});
    const auto seen = measure(history, at(0s), crash + 10s, crash);
    EXPECT_GE(mean_seconds(seen.recurrence), targets.mistake_recurrence.count());
    EXPECT_LE(mean_seconds(seen.mistake), targets.mistake_duration.count());
    ASSERT_TRUE(seen.detection);
    EXPECT_LE(*seen.detection, nanos(targets.detection));
}

// ---- Measuring ----

TEST(Qos, QualityOfAHandWrittenHistory) {
    const std::vector<Verdict> history{
        {at(10s), true}, {at(12s), false}, {at(30s), true},  {at(30s), true},   {at(36s), false},
        {at(80s), true}, {at(81s), false}, {at(105s), true}, {at(106s), false}, {at(110s), true}};
    const auto seen = measure(history, at(0s), at(200s), at(100s));
    EXPECT_EQ(seen.recurrence, (std::vector<Duration>{20s, 50s}));
    EXPECT_EQ(seen.mistake, (std::vector<Duration>{2s, 6s, 1s}));
    EXPECT_EQ(seen.good, (std::vector<Duration>{18s, 44s}));
    EXPECT_EQ(seen.detection, 10s) << "up to the final suspicion";
    EXPECT_DOUBLE_EQ(seen.accuracy, 0.91);
    EXPECT_DOUBLE_EQ(seen.mistakes_per_second, 0.03);
    const double mean = 31, variance = 13 * 13;  // E(T_G)/2 (1 + V(T_G)/E(T_G)^2)
    EXPECT_DOUBLE_EQ(seen.forward_good.count(), mean / 2 * (1 + variance / (mean * mean)));
}

TEST(Qos, QualityOfAPeriodicHistoryObeysTheIdentities) {
    std::vector<Verdict> history;
    for (int i = 0; i < 1000; ++i) {
        history.push_back({at(i * 10s + 8s), true});
        history.push_back({at(i * 10s + 10s), false});
    }
    const auto seen = measure(history, at(0s), at(10'000s));
    EXPECT_DOUBLE_EQ(seen.accuracy, 1 - mean_seconds(seen.mistake) / mean_seconds(seen.recurrence));
    EXPECT_DOUBLE_EQ(seen.mistakes_per_second, 1 / mean_seconds(seen.recurrence));
    EXPECT_DOUBLE_EQ(seen.forward_good.count(), 4);  // equal good periods: half of one
    EXPECT_FALSE(seen.detection);
}

TEST(Qos, QualityOfSuspicionsThatOutliveACrash) {
    const std::vector<Verdict> wrong_then_right{{at(5s), true}};
    const auto seen = measure(wrong_then_right, at(0s), at(60s), at(10s));
    EXPECT_EQ(seen.detection, 0s) << "already suspected";
    EXPECT_DOUBLE_EQ(seen.accuracy, 0.5);
    EXPECT_TRUE(seen.mistake.empty()) << "it never ended as a mistake";
    EXPECT_FALSE(measure({}, at(0s), at(60s), at(10s)).detection) << "nobody noticed";
    EXPECT_EQ(measure({}, at(0s), at(60s)).forward_good, endless);
}

RC_GTEST_PROP(Qos, SummaryGivesValuesThatCutTheSamplesRight, ()) {
    const auto raw =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 99)));
    std::vector<Duration> samples;
    for (int value : raw) samples.emplace_back(value);
    const auto out = summary(samples);
    const auto covers = [&](Duration cut, std::size_t percent) {
        const auto upto = std::count_if(samples.begin(), samples.end(),
                                        [&](Duration sample) { return sample <= cut; });
        return static_cast<std::size_t>(upto) * 100 >= percent * samples.size();
    };
    RC_ASSERT(out.count == samples.size());
    RC_ASSERT(covers(out.p50, 50) && !covers(out.p50 - Duration{1}, 50));
    RC_ASSERT(covers(out.p99, 99) && !covers(out.p99 - Duration{1}, 99));
    RC_ASSERT(covers(out.most, 100) && out.p50 <= out.p99 && out.p99 <= out.most);
}

}  // namespace
}  // namespace conclave
