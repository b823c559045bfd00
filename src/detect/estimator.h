// detect/estimator.h -- the E of "suspect after T + E": five ways to say when silence is too long.
//
// Shape    watch(now, T) once; heard(now, seq, T) per heartbeat; suspect when now > deadline().
//          After a wrong suspicion mistaken(), behind heard(). After an own pause shift(pause).
// Ensures  deadline() depends on what was heard before it, so a crashed peer is suspected for ever;
//          a repeated or overtaken heartbeat moves nothing; no clock of another node is looked at.
// Breaks   if delays exceed what Arrivals::mistakes_most or a ceiling allows: mistakes go on.
//
// A heartbeat too old to be fresh can leave the deadline in the past (Chen, Bertier): then it is no
// reason to trust again. Loss never widens an estimate; tolerance of lost heartbeats is the margin
// (alpha, pause), chosen or gained by mistakes.
//
// Windows are running moments: the plain mean of the first `memory` samples, from there on old
// samples fade with gain 1/memory. A ring of the last 32 would be exact and five times as large,
// and a full mesh of 1000 nodes holds a million estimators.
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "detect/arrivals.h"

namespace conclave {

inline double nanoseconds(Duration length) { return static_cast<double>(length.count()); }
inline Duration nanoseconds(double count) {  // saturates early: an instant plus it stays defined
    return Duration{static_cast<Duration::rep>(std::clamp(count, -1e18, 1e18))};
}

// Restart a timer of T + E at each arrival. A slow last heartbeat delays detection.
struct Fixed {
    Duration margin{};  // E
    Arrivals arrivals{};

    Duration wait() const { return arrivals.period + margin + arrivals.grace(); }
    Instant deadline() const { return arrivals.at + wait() + arrivals.pardon; }

    void watch(Instant now, Duration period) { arrivals.watch(now, period); }
    void heard(Instant now, std::uint64_t seq, Duration period) {
        if (arrivals.stale(seq)) return;
        arrivals.take(now, seq, period, deadline());
    }
    void mistaken() { arrivals.mistaken(); }
    void shift(Duration stall) { arrivals.shift(stall); }
    friend bool operator==(const Fixed&, const Fixed&) = default;
};

// A gap can teach at most this many periods. A sender that is slower than that does not do what it
// announced, and an outage must not become the habit.
constexpr int habit_most = 4;

inline Duration step_between(const Arrivals::Beat& beat, Duration usual, Duration period) {
    return std::clamp(beat.gap - usual * beat.lost, Duration{}, period * habit_most);
}

// Jacobson 1988, as in RFC 6298, on the gaps between arrivals. A mistake doubles the wait.
struct Jacobson {
    Duration granularity{};  // G: the least that stands in for 4 var
    Duration floor{}, ceiling = std::chrono::seconds(60);
    Duration srtt{}, var{};
    bool sampled = false;
    Arrivals arrivals{};

    Duration wait() const {
        const Duration spread = sampled ? var : arrivals.period / 2;
        Duration wait = usual() + std::max(granularity, 4 * spread);
        wait = std::max(wait, floor);
        for (int i = 0; i < arrivals.mistakes && wait < ceiling; ++i) wait *= 2;
        return std::min(wait, ceiling);
    }
    Instant deadline() const { return arrivals.at + wait() + arrivals.pardon; }

    void watch(Instant now, Duration period) {
        arrivals.watch(now, period);
        sampled = false;
    }
    void heard(Instant now, std::uint64_t seq, Duration period) {
        using Lesson = Arrivals::Lesson;
        if (arrivals.stale(seq)) return;
        const auto beat = arrivals.take(now, seq, period, deadline());
        if (beat.lesson == Lesson::forget) sampled = false;
        if (beat.lesson == Lesson::renew || beat.lesson == Lesson::sample) learn(beat);
    }
    void mistaken() { arrivals.mistaken(); }
    void shift(Duration stall) { arrivals.shift(stall); }
    friend bool operator==(const Jacobson&, const Jacobson&) = default;

private:
    Duration usual() const { return sampled ? srtt : arrivals.period; }
    void learn(const Arrivals::Beat& beat) {
        const Duration x = step_between(beat, usual(), arrivals.period);
        if (!sampled || beat.lesson == Arrivals::Lesson::renew) {
            srtt = x;
            var = x / 2;
            sampled = true;
            return;
        }
        var += (std::chrono::abs(x - srtt) - var) / 4;  // with the srtt that predicted x
        srtt += (x - srtt) / 8;
    }
};

// EA, the expected arrival: the sum over A_j - T seq_j of the paper, kept relative to the newest
// heartbeat. So T may change, and only differences of our own clock occur.
struct Expected {
    Instant newest{};  // when the newest heartbeat would have come with the mean delay
    std::uint16_t samples = 0;
    std::uint16_t memory = 32;  // n

    void watch(Instant now) { newest = now; }

    // How far the arrival was behind its EA.
    Duration follow(const Arrivals::Beat& beat, Arrivals& arrivals) {
        using Lesson = Arrivals::Lesson;
        if (beat.lesson == Lesson::forget || beat.lesson == Lesson::renew) {
            newest = arrivals.at;
            samples = 1;
            return {};
        }
        newest += arrivals.period * (beat.lost + 1);
        const Duration error = arrivals.at - newest;
        if (beat.lesson != Lesson::nothing) {
            if (samples < memory) ++samples;
            newest += error / samples;
        } else {
            newest = std::min(newest, arrivals.at);  // late is an opinion, early is a proof
            // The first we read after a stall may be long overdue while its followers still wait
            // in the socket: the pardon ends with the backlog, not with its first message.
            arrivals.pardon = std::clamp(error, Duration{}, beat.pardoned);
        }
        return error;
    }
    friend bool operator==(const Expected&, const Expected&) = default;
};

// Chen, Toueg, Aguilera 2002 (NFD-E): a freshness point per heartbeat, EA + alpha. The last delay
// does not lengthen detection, except by its 1/n in the mean. Breaks if the sender is slower than
// it says by more than alpha/n per period: EA follows the numbers, not the gaps.
struct Chen {
    Duration alpha{};  // qos.h chooses it
    Expected expected{};
    Arrivals arrivals{};

    Instant deadline() const {
        return expected.newest + arrivals.period + alpha + arrivals.grace() + arrivals.pardon;
    }
    void watch(Instant now, Duration period) {
        arrivals.watch(now, period);
        expected.watch(now);
    }
    void heard(Instant now, std::uint64_t seq, Duration period) {
        if (arrivals.stale(seq)) return;
        const auto beat = arrivals.take(now, seq, period, deadline());
        expected.follow(beat, arrivals);
    }
    void mistaken() { arrivals.mistaken(); }
    void shift(Duration stall) { arrivals.shift(stall); }
    friend bool operator==(const Chen&, const Chen&) = default;
};

// Bertier, Marin, Sens 2002: Chen's EA with Jacobson's idea of a margin. The paper starts with none
// and so with a mistake; we start with var = T/4.
struct Bertier {
    std::uint16_t inverse_gamma = 10, beta = 1, phi = 4;
    Duration delay{}, var{};
    Expected expected{};
    Arrivals arrivals{};

    Duration alpha() const { return std::max(Duration{}, beta * delay + phi * var); }
    Instant deadline() const {
        return expected.newest + arrivals.period + alpha() + arrivals.grace() + arrivals.pardon;
    }
    void watch(Instant now, Duration period) {
        arrivals.watch(now, period);
        expected.watch(now);
        seed();
    }
    void heard(Instant now, std::uint64_t seq, Duration period) {
        using Lesson = Arrivals::Lesson;
        if (arrivals.stale(seq)) return;
        const auto beat = arrivals.take(now, seq, period, deadline());
        const Duration error = expected.follow(beat, arrivals) - delay;
        if (beat.lesson == Lesson::forget || beat.lesson == Lesson::renew) seed();
        if (beat.lesson != Lesson::sample && beat.lesson != Lesson::arrival) return;
        delay += error / inverse_gamma;
        var += (std::chrono::abs(error) - var) / inverse_gamma;
    }
    void mistaken() { arrivals.mistaken(); }
    void shift(Duration stall) { arrivals.shift(stall); }
    friend bool operator==(const Bertier&, const Bertier&) = default;

private:
    void seed() {
        delay = {};
        var = arrivals.period / 4;
    }
};

// phi of a silence `y` deviations longer than the mean: -log10 of the normal tail, by the logistic
// fit 1/(1 + exp(g)). Written as log(1 + exp(g)) it neither underflows nor ends: exp(-g) alone is 0
// from y = 22 on. (Far out the fit is thinner than the normal: at phi = 8 nearly by a factor of
// ten.)
inline double phi_after(double y) {
    const double g = y * (1.5976 + 0.070566 * y * y);
    return (std::max(g, 0.0) + std::log1p(std::exp(-std::abs(g)))) / std::numbers::ln10;
}

// Its inverse: g = ln(10^phi - 1), then the one real root of the cubic. Rounded, because the last
// bit of a library function may differ between processors and a replayed run must not.
inline double deviations_until(double phi) {
    constexpr double p = 1.5976 / 0.070566;
    const double z = std::max(phi, 0.01) * std::numbers::ln10;
    const double q = (z + std::log(-std::expm1(-z))) / 0.070566;
    const double root = std::asinh(1.5 * q / p * std::sqrt(3 / p)) / 3;
    const double y = 2 * std::sqrt(p / 3) * std::sinh(root);
    return std::round(y * (1 << 20)) / (1 << 20);
}

// Hayashibara et al. 2004: suspicion as a level, phi = 1, 2, 3 for a 10 %, 1 %, 0.1 % chance to be
// wrong. The level crosses a threshold at a moment known in advance, so a timer is enough.
struct Accrual {
    double reach = deviations_until(8);  // of deadline(): the threshold, in deviations
    double least_deviation = 0.1;        // sigma_min, of a period: some jitter is always allowed
    Duration pause{};                    // acceptable on top of the mean
    Duration mean{};
    double variance = 0;  // ns^2
    std::uint16_t samples = 0;
    std::uint16_t memory = 100;
    Arrivals arrivals{};

    double phi(Instant now) const {
        const Duration over = now - (arrivals.at + allowed());
        return phi_after(nanoseconds(over) / deviation());
    }
    Instant deadline() const { return arrivals.at + allowed() + nanoseconds(reach * deviation()); }

    void watch(Instant now, Duration period) {
        arrivals.watch(now, period);
        seed(period);
    }
    void heard(Instant now, std::uint64_t seq, Duration period) {
        using Lesson = Arrivals::Lesson;
        if (arrivals.stale(seq)) return;
        const auto beat = arrivals.take(now, seq, period, deadline());
        const Duration step = step_between(beat, mean, period);
        if (beat.lesson == Lesson::forget) seed(period);
        if (beat.lesson == Lesson::renew) seed(step);
        if (beat.lesson == Lesson::sample) learn(step);
    }
    void mistaken() { arrivals.mistaken(); }
    void shift(Duration stall) { arrivals.shift(stall); }
    friend bool operator==(const Accrual&, const Accrual&) = default;

private:
    Duration allowed() const { return mean + pause + arrivals.grace() + arrivals.pardon; }
    double deviation() const {
        const double least = least_deviation * nanoseconds(arrivals.period);
        return std::max({std::sqrt(variance), least, 1.0});
    }
    void seed(Duration length) {  // as if two samples had come, one deviation of T/4 off each
        const double sigma = nanoseconds(length) / 4;
        mean = length;
        variance = sigma * sigma;
        samples = 2;
    }
    void learn(Duration x) {
        if (samples < memory) ++samples;
        const double off = nanoseconds(x - mean);
        mean += (x - mean) / samples;
        variance += (off * off * (1 - 1.0 / samples) - variance) / samples;
    }
};

using Estimator = std::variant<Fixed, Jacobson, Chen, Bertier, Accrual>;
static_assert(sizeof(Estimator) <= 96);

inline void watch(Estimator& estimator, Instant now, Duration period) {
    std::visit([&](auto& rule) { rule.watch(now, period); }, estimator);
}
inline void heard(Estimator& estimator, Instant now, std::uint64_t seq, Duration period) {
    std::visit([&](auto& rule) { rule.heard(now, seq, period); }, estimator);
}
inline Instant deadline(const Estimator& estimator) {
    return std::visit([](const auto& rule) { return rule.deadline(); }, estimator);
}
inline void mistaken(Estimator& estimator) {
    std::visit([](auto& rule) { rule.mistaken(); }, estimator);
}
inline void shift(Estimator& estimator, Duration stall) {
    std::visit([&](auto& rule) { rule.shift(stall); }, estimator);
}

}  // namespace conclave
