// sim/calendar_test.cc -- the bucketed queue against a plain ordered map.
#include "sim/calendar.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/dice.h"

namespace conclave {
namespace {

struct Item {
    Instant due;
    std::uint64_t name = 0;
};

// Mostly near, often equal, sometimes in the next bucket, sometimes far beyond the ring.
Duration some_delay(Dice& dice) {
    switch (dice.below(6)) {
        case 0:
            return {};
        case 1:
            return unit;
        case 2:
            return dice.between({}, unit / 4);
        case 3:
            return dice.between({}, 100 * unit);
        case 4:
            return dice.between(120 * unit, 140 * unit);  // about as far as the ring reaches
        default:
            return dice.between({}, 10'000 * unit);
    }
}

class Model {
public:
    explicit Model(std::uint64_t seed) : dice_(seed) {}

    void step() {
        const std::uint64_t what = dice_.below(10);
        if (what < 5 && calendar_.size() < 400) {
            const Instant due = now_ + some_delay(dice_);
            calendar_.push({due, ++names_});
            model_.emplace(due, names_);
        } else if (what < 7 && !model_.empty()) {
            // Looking does not commit: an earlier one may be pushed after it.
            ASSERT_EQ(calendar_.next_due(), model_.begin()->first);
        } else if (!model_.empty()) {
            const Item item = calendar_.pop();
            ASSERT_EQ(item.due, model_.begin()->first);
            ASSERT_EQ(item.name, model_.begin()->second);  // equal times keep their order
            now_ = item.due;
            model_.erase(model_.begin());
        }
        ASSERT_EQ(calendar_.size(), model_.size());
        ASSERT_EQ(calendar_.empty(), model_.empty());
    }
    void compare_content() const {
        std::multimap<Instant, std::uint64_t> seen;
        calendar_.each([&](const Item& item) { seen.emplace(item.due, item.name); });
        ASSERT_EQ(seen.size(), model_.size());
        for (const auto& [due, name] : model_)
            ASSERT_EQ(seen.count(due), model_.count(due)) << name;
    }

private:
    Dice dice_;
    Calendar<Item> calendar_;
    std::multimap<Instant, std::uint64_t> model_;
    Instant now_{};
    std::uint64_t names_ = 0;
};

TEST(Calendar, BehavesLikeAnOrderedMap) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Model model(seed);
        for (int i = 0; i < 1500; ++i) {
            model.step();
            if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
            if (i % 100 == 0) model.compare_content();
        }
    }
}

TEST(Calendar, EmptiesAndFillsAgainFarAway) {
    Calendar<Item> calendar;
    for (std::uint64_t i = 1; i <= 100; ++i) {
        const Instant due(static_cast<std::int64_t>(i) * 5'000 * unit);
        calendar.push({due, i});
        EXPECT_EQ(calendar.next_due(), due);
        EXPECT_EQ(calendar.pop().name, i);
        EXPECT_TRUE(calendar.empty());
    }
}

TEST(Calendar, EarlierPushAfterLookingFarAheadComesFirst) {
    Calendar<Item> calendar;
    calendar.push({Instant(90'000 * unit), 1});
    EXPECT_EQ(calendar.next_due(), Instant(90'000 * unit));
    calendar.push({Instant(3 * unit), 2});
    calendar.push({Instant(50'000 * unit), 3});
    EXPECT_EQ(calendar.pop().name, 2U);
    EXPECT_EQ(calendar.pop().name, 3U);
    EXPECT_EQ(calendar.pop().name, 1U);
}

}  // namespace
}  // namespace conclave
