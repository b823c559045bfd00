// mutex/path_counts_test.cc -- what a turn costs with path compression, exactly and on average.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mutex/path_group_test.h"
#include "sim/dice.h"
#include "sim/test_kit.h"

namespace conclave {
namespace {

double harmonic(std::uint32_t n) {
    double sum = 0;
    for (std::uint32_t k = 1; k <= n; ++k) sum += 1.0 / k;
    return sum;
}

// Of the length of a path: as if each k up to N were met with chance 1/k, independently.
double spread(std::uint32_t n) {
    double sum = 0;
    for (std::uint32_t k = 2; k <= n; ++k) sum += (1.0 - 1.0 / k) / k;
    return sum;
}

TEST(PathTokenCounts, LeafOfAnIdleStarPaysTwo) {
    for (std::uint32_t n = 2; n <= 20; ++n) {
        PathGroup group(n);
        group.visit(n);
        EXPECT_EQ(group.asks, 1U);
        EXPECT_EQ(group.tokens, 1U);
    }
}

TEST(PathTokenCounts, WhoHasTheTokenPaysNothing) {
    PathGroup group(5);
    for (int again = 0; again < 3; ++again) group.visit(1);
    EXPECT_EQ(group.asks + group.tokens, 0U);
    EXPECT_EQ(group.entered, (std::vector<std::uint32_t>{1, 1, 1}));
}

// All in a row, 1 farthest from the end: N - 1 requests and the token, and no way is long after it.
TEST(PathTokenCounts, LongestPathPaysN) {
    for (std::uint32_t n = 2; n <= 20; ++n) {
        PathGroup group(n);
        group.stand_in_a_row();
        group.visit(1);
        EXPECT_EQ(group.asks, n - 1);
        EXPECT_EQ(group.tokens, 1U);
        for (std::uint32_t id = 2; id <= n; ++id) EXPECT_EQ(group.guess(id), 1U) << "compressed";
    }
}

// The tree of guesses is all that the price of the next request depends on, and among uniform
// requesters only its shape: the chain over shapes is small, and its stationary mean exact.
class Shapes {
public:
    explicit Shapes(std::uint32_t nodes) : nodes_(nodes) {
        explore(PathGroup(nodes));
        weights_.assign(count(), 1.0 / static_cast<double>(count()));
    }

    std::size_t count() const { return shapes_.size(); }
    std::uint64_t worst() const {
        std::uint64_t most = 0;
        each_way([&](double, const Way& way) { most = std::max(most, way.asks + way.tokens); });
        return most;
    }
    // How a long time of requests, each by anybody, spreads over the shapes.
    void settle() {
        for (int round = 0; round < 4000; ++round) {
            std::vector<double> after(count(), 0.0);
            each_way([&](double chance, const Way& way) { after[way.to] += chance; });
            weights_ = after;
        }
    }
    template <class F> double mean(F price) const {
        double sum = 0;
        each_way([&](double chance, const Way& way) { sum += chance * price(way); });
        return sum;
    }

    struct Way {  // what a request by one of the nodes makes of a shape
        std::size_t to;
        std::uint64_t asks, tokens;
    };

private:
    template <class F> void each_way(F f) const {
        for (std::size_t at = 0; at < count(); ++at) {
            for (const Way& way : shapes_[at]) f(weights_[at] / nodes_, way);
        }
    }
    // The node with the token, and in brackets those who guess it, smallest text first.
    std::string shape(PathGroup& group, std::optional<std::uint32_t> root) {
        std::vector<std::string> below;
        for (std::uint32_t id = 1; id <= nodes_; ++id) {
            if (group.guess(id) == root) below.push_back(shape(group, id));
        }
        std::ranges::sort(below);
        std::string text = "(";
        for (const std::string& one : below) text += one;
        return text + ")";
    }
    std::size_t explore(PathGroup group) {
        const auto [known, fresh] = places_.try_emplace(shape(group, std::nullopt), count());
        const std::size_t place = known->second;
        if (!fresh) return place;
        shapes_.emplace_back();
        for (std::uint32_t id = 1; id <= nodes_; ++id) {
            PathGroup after = group;
            after.asks = after.tokens = 0;
            after.visit(id);
            const Way way{explore(after), after.asks, after.tokens};
            shapes_[place].push_back(way);
        }
        return place;
    }

    std::uint32_t nodes_;
    std::map<std::string, std::size_t> places_;
    std::vector<std::vector<Way>> shapes_;
    std::vector<double> weights_;
};

// All sequences of requests, by way of the shapes that they lead to. The chain forgets where it
// began long before 4000 rounds are over, so only rounding is left.
TEST(PathTokenCounts, OneAfterTheOtherPaysHarmonicNumbersOnAverage) {
    constexpr std::array<std::size_t, 9> rooted_trees{0, 1, 1, 2, 4, 9, 20, 48, 115};
    for (std::uint32_t n = 2; n <= 8; ++n) {
        Shapes shapes(n);
        shapes.settle();
        EXPECT_EQ(shapes.count(), rooted_trees[n]) << "every shape of a tree comes up";
        EXPECT_EQ(shapes.worst(), n);
        const auto asks = [](const Shapes::Way& way) { return static_cast<double>(way.asks); };
        const auto tokens = [](const Shapes::Way& way) { return static_cast<double>(way.tokens); };
        const double mean = shapes.mean(asks);
        EXPECT_NEAR(mean, harmonic(n) - 1, 1e-12) << n << " nodes";
        EXPECT_NEAR(mean + shapes.mean(tokens), harmonic(n) - 1.0 / n, 1e-12) << n << " nodes";
        const double square = shapes.mean([&](const auto& way) { return asks(way) * asks(way); });
        EXPECT_NEAR(square - mean * mean, spread(n), 1e-12) << n << " nodes";
    }
}

// A sample of M requests is off by more than five times the deviation sqrt(spread / M) once in a
// million: neighbours in time are if anything opposed to each other (a long path makes short ones).
TEST(PathTokenCounts, MeanOfManyRequestsIsHarmonicForThousandsOfNodes) {
    constexpr std::uint64_t sample = 100'000;
    for (std::uint32_t n : {16U, 256U, 4096U}) {
        PathGroup group(n);
        Dice dice(n);
        const auto visits = [&](std::uint64_t times) {
            group.asks = group.tokens = 0;
            while (times-- > 0) group.visit(1 + static_cast<std::uint32_t>(dice.below(n)));
        };
        visits(20ULL * n);  // until all have asked, and nothing is left of the star
        visits(sample);
        const double allowed = 5 * std::sqrt(spread(n) / sample);
        EXPECT_NEAR(static_cast<double>(group.asks) / sample, harmonic(n) - 1, allowed);
        // Who has the token already pays nothing at all: one in N.
        EXPECT_NEAR(static_cast<double>(group.asks + group.tokens) / sample, harmonic(n) - 1.0 / n,
                    allowed + 5 * std::sqrt(1.0 / n / sample));
    }
}

// In time: a leaf is asked for and answered; who waits is one message away.
TEST(PathTokenCounts, ClientDelayIsTwoAndSynchronizationDelayOne) {
    for (std::uint32_t n = 2; n <= 20; ++n) {
        Plan alone = default_plan(n);
        alone.workload.askers = {kit::node(n)};
        const Report leaf = kit::run<PathToken>(alone);
        EXPECT_EQ(leaf.turns->client_delay, 2.0);
        EXPECT_EQ(leaf.total(), 2U);

        Plan together = default_plan(n);
        together.workload.requests = 3;
        together.workload.hold_least = together.workload.hold_most = n * unit;
        const Report busy = kit::run<PathToken>(together);
        EXPECT_EQ(busy.turns->entries, 3 * n);
        EXPECT_EQ(busy.turns->least_synchronization, 1.0) << n << " nodes";
        EXPECT_EQ(busy.turns->most_synchronization, 1.0) << n << " nodes";
        EXPECT_EQ(busy.repairs(), 0U) << "two numbers in the messages are all that is added";
        EXPECT_TRUE(busy.violations.empty()) << kit::text(busy);
    }
}

}  // namespace
}  // namespace conclave
