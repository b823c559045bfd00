// detect/qos.h -- how good a failure detector is: predicted, configured and measured.
//
// Chen, Toueg, Aguilera, "On the quality of service of failure detectors", IEEE ToC 51(5) 2002.
// Of a crash: T_D, from the crash to the final suspicion. Of a live peer: T_MR from one mistake to
// the next, T_M how long a mistake lasts, T_G = T_MR - T_M the good time between two.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/types.h"

namespace conclave {

// Forecasts are real numbers: a recurrence of a million years does not fit into nanoseconds.
using Seconds = std::chrono::duration<double>;
constexpr Seconds endless{std::numeric_limits<double>::infinity()};

// Adaptive Simpson for a function that only falls (it may jump, as constant delays make it).
template <class Function> double integral_of_falling(const Function& f, double from, double to) {
    struct Panel {
        double left, width, f_left, f_mid, f_right;
        double area() const { return width / 6 * (f_left + 4 * f_mid + f_right); }
    };
    constexpr int panels = 64, depth = 40;
    const auto refine = [&f](const auto& self, const Panel& whole, double error, int left) {
        const double half = whole.width / 2;
        const Panel one{whole.left, half, whole.f_left, f(whole.left + half / 2), whole.f_mid};
        const Panel two{whole.left + half, half, whole.f_mid, f(whole.left + 1.5 * half),
                        whole.f_right};
        const double both = one.area() + two.area();
        const bool done = std::abs(both - whole.area()) <= 15 * error;
        if (done || left == 0) return both;
        return self(self, one, error / 2, left - 1) + self(self, two, error / 2, left - 1);
    };
    const double width = (to - from) / panels;
    const double error = 1e-10 * width * f(from);
    double sum = 0;
    for (int i = 0; i < panels; ++i) {
        const double left = from + i * width;
        const Panel panel{left, width, f(left), f(left + width / 2), f(left + width)};
        sum += refine(refine, panel, error, depth);
    }
    return sum;
}

struct Forecast {
    Seconds detection_most{};      // T_D never exceeds it
    Seconds mistake_recurrence{};  // E(T_MR)
    Seconds mistake_duration{};    // E(T_M)
    double accuracy = 1;           // P_A: the chance that an answer at a random moment is right
};

// NFD-S: heartbeat i is sent at i eta, and from i eta + delta on only i or a newer one will do.
// `tail(x)` is Pr(D > x), 1 for x < 0. Heartbeats are lost and delayed independently.
template <class Tail> Forecast forecast(Seconds eta, Seconds delta, double loss, const Tail& tail) {
    const auto k = static_cast<int>(std::ceil(delta / eta));
    const auto all_missing = [&](double x) {  // u(x): suspected x after a freshness point
        double product = 1;
        for (int j = 0; j <= k; ++j) {
            const Seconds age = delta + Seconds{x} - j * eta;
            product *= loss + (1 - loss) * tail(age);
        }
        return product;
    };
    const double u0 = all_missing(0);
    const double trusted_before = (1 - loss) * (1 - tail(delta + eta));  // q0
    const double mistake = trusted_before * u0;                          // at a freshness point
    const Seconds wrong{integral_of_falling(all_missing, 0, eta.count())};

    Forecast out{.detection_most = eta + delta, .mistake_recurrence = endless};
    out.accuracy = 1 - wrong / eta;
    if (mistake > 0) {
        out.mistake_recurrence = eta / mistake;
        out.mistake_duration = wrong / mistake;
    } else if (u0 > 0) {
        out.mistake_duration = endless;  // never trusted at all
    }
    return out;
}

struct Targets {
    Seconds detection{};           // T_D at most
    Seconds mistake_recurrence{};  // E(T_MR) at least
    Seconds mistake_duration{};    // E(T_M) at most
};
struct Channel {  // all one has to know of it; any distribution with these moments will do
    Seconds mean{};
    double variance = 0;  // s^2
    double loss = 0;
};
struct Setting {
    Seconds period{};  // eta
    Seconds delta{};   // for synchronized clocks
    Seconds alpha{};   // without: delta - E(D), what Chen wants
};

// ln of eta times the product over j of (V + s^2)/(V + p s^2), s = TD - E - j eta: by the one-sided
// Chebyshev inequality no channel of these moments has a shorter recurrence.
inline double log_recurrence(double eta, double room, const Channel& channel) {
    double sum = std::log(eta);
    const double factors = std::ceil(room / eta) - 1;
    for (double j = 1; j <= factors; ++j) {
        const double s = room - j * eta;
        sum += std::log(channel.variance + s * s);
        sum -= std::log(channel.variance + channel.loss * s * s);
    }
    return sum;
}

// The largest period, so the fewest messages, that keeps the targets whatever the distribution.
// Empty if the delay leaves no room, or only by more than `heartbeats_most` per detection time.
inline std::optional<Setting> configure(const Targets& targets, const Channel& channel) {
    constexpr double heartbeats_most = 1000;
    constexpr double shrink = 0.999;  // the bound is no monotone function: walk, then bisect
    const double room = (targets.detection - channel.mean).count();
    if (room <= 0 || channel.loss >= 1) return {};
    const double gamma = (1 - channel.loss) * room * room / (channel.variance + room * room);
    const double most = std::min(gamma * targets.mistake_duration.count(), room);
    const double wanted = std::log(targets.mistake_recurrence.count());
    const auto enough = [&](double eta) { return log_recurrence(eta, room, channel) >= wanted; };

    double good = most;
    while (good * heartbeats_most >= room && !enough(good)) good *= shrink;
    if (good * heartbeats_most < room) return {};
    double bad = std::min(good / shrink, most);
    for (int i = 0; i < 40 && good < bad; ++i) {
        const double middle = (good + bad) / 2;
        (enough(middle) ? good : bad) = middle;
    }
    const Seconds period{good};
    const Seconds delta = targets.detection - period;
    return Setting{period, delta, delta - channel.mean};
}

struct Verdict {  // from `at` on
    Instant at{};
    bool suspected = false;
};

struct Quality {
    std::optional<Duration> detection;  // T_D; empty if nothing crashed, or nobody noticed
    std::vector<Duration> recurrence;   // T_MR, each
    std::vector<Duration> mistake;      // T_M, each that ended
    std::vector<Duration> good;         // T_G, each between two mistakes
    double mistakes_per_second = 0;     // lambda
    double accuracy = 1;                // P_A: share of its life in which the peer was trusted
    Seconds forward_good = endless;     // E(T_FG): from a random good moment to the next mistake
};

inline Seconds forward_good_of(std::span<const Duration> good) {
    Seconds sum{};
    double squares = 0;
    for (const Seconds length : good) {
        sum += length;
        squares += length.count() * length.count();
    }
    return sum.count() > 0 ? Seconds{squares / (2 * sum.count())} : endless;
}

// What one observer thought of one peer between two moments, trusting it at first. Rates and shares
// count unfinished mistakes too: a history of one long mistake must not look flawless.
inline Quality measure(std::span<const Verdict> history, Instant from, Instant until,
                       std::optional<Instant> crash = {}) {
    const Instant life_end = crash ? std::min(*crash, until) : until;
    Quality out;
    std::optional<Instant> mistake_began, trust_began;
    bool suspected = false;
    Instant since{};  // when it became suspected
    std::size_t mistakes = 0;
    Duration wrong{};
    for (const Verdict& verdict : history) {
        if (verdict.at > until || verdict.suspected == suspected) continue;
        const bool alive = verdict.at < life_end;
        suspected = verdict.suspected;
        if (suspected) {
            since = verdict.at;
            if (!alive) continue;
            if (mistake_began) out.recurrence.push_back(since - *mistake_began);
            if (trust_began) out.good.push_back(since - *trust_began);
            mistake_began = since;
            ++mistakes;
        } else {
            if (since < life_end) wrong += std::min(verdict.at, life_end) - since;
            if (!alive) continue;
            out.mistake.push_back(verdict.at - since);
            trust_began = verdict.at;
        }
    }
    if (suspected && since < life_end) wrong += life_end - since;
    if (crash && suspected) out.detection = std::max(Duration{}, since - *crash);
    const Seconds life = life_end - from;
    if (life.count() > 0) {
        out.mistakes_per_second = static_cast<double>(mistakes) / life.count();
        out.accuracy = 1 - wrong / life;
    }
    out.forward_good = forward_good_of(out.good);
    return out;
}

struct Summary {
    std::size_t count = 0;
    Duration p50{}, p99{}, most{};
};

inline Summary summary(std::vector<Duration> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const auto rank = [&](std::size_t percent) {  // the nearest one: always a value that occurred
        return samples[(samples.size() * percent + 99) / 100 - 1];
    };
    return {samples.size(), rank(50), rank(99), samples.back()};
}

}  // namespace conclave
