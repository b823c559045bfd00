// core/small_test.cc -- Small against std::vector, and the promises vector does not make.
#include "core/small.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

#include "core/types.h"

namespace conclave {
namespace {

static_assert(sizeof(Small<std::uint64_t, 2>) == 24);
static_assert(std::is_nothrow_move_constructible_v<Small<std::string, 2>>);

template <class T> std::vector<T> list(const Small<T, 4>& elements) {
    return {elements.begin(), elements.end()};
}

template <class T> bool inside(const Small<T, 4>& elements) {
    const auto* where = reinterpret_cast<const std::byte*>(elements.data());
    const auto* self = reinterpret_cast<const std::byte*>(&elements);
    return self <= where && where < self + sizeof elements;
}

int make(std::uint8_t seed, int) { return seed; }
std::string make(std::uint8_t seed, std::string) { return std::string(seed, 'x'); }
struct Plain {  // no ==, and something to leak
    int number = 0;
    std::vector<int> numbers;
};

struct Step {
    std::uint8_t what, which;
};

template <class T> void apply(Small<T, 4>& small, std::vector<T>& model, Step step) {
    const std::size_t at = model.empty() ? 0 : step.which % model.size();
    const auto offset = static_cast<std::ptrdiff_t>(at);
    const T element = make(step.which, T{});
    switch (step.what % 12) {
        case 0:
            small.push_back(element), model.push_back(element);
            break;
        case 1:
            small.emplace_back(element), model.emplace_back(element);
            break;
        case 2:
            small.insert(small.begin() + at, element),
                model.insert(model.begin() + offset, element);
            break;
        case 3:
            if (!model.empty())
                small.erase(small.begin() + at), model.erase(model.begin() + offset);
            break;
        case 4:
            if (!model.empty()) small.pop_back(), model.pop_back();
            break;
        case 5:
            small.resize(step.which % 12), model.resize(step.which % 12);
            break;
        case 6: {
            Small<T, 4> copy(small);
            small.clear();
            small = copy;
            break;
        }
        case 7: {
            Small<T, 4> taken(std::move(small));
            RC_ASSERT(small.empty());
            small = std::move(taken);
            break;
        }
        case 8: {
            Small<T, 4> other{element, element};
            other = small;
            small = std::move(other);
            break;
        }
        case 9: {
            Small<T, 4> other;
            other.resize(9);
            small = other = small;
            break;
        }
        case 10:
            if (!model.empty()) small.push_back(small[at]), model.push_back(T(model[at]));
            break;
        case 11:
            if (step.which % 4 == 0) small.clear(), model.clear();
            break;
    }
}

template <class T> bool behaves_like_vector() {
    return rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& steps) {
        Small<T, 4> small;
        std::vector<T> model;
        for (const auto& [what, which] : steps) {
            apply(small, model, {what, which});
            RC_ASSERT(list(small) == model);
            RC_ASSERT(small.size() == model.size());
            RC_ASSERT(small.empty() == model.empty());
            if (!model.empty()) RC_ASSERT(small.front() == model.front());
            if (!model.empty()) RC_ASSERT(small.back() == model.back());
            const T one = make(which, T{});
            RC_ASSERT(small.contains(one) ==
                      (std::find(model.begin(), model.end(), one) != model.end()));
        }
    });
}

TEST(Small, BehavesLikeVectorOfIntegers) { EXPECT_TRUE(behaves_like_vector<int>()); }
TEST(Small, BehavesLikeVectorOfStrings) { EXPECT_TRUE(behaves_like_vector<std::string>()); }

TEST(Small, StaysInsideUpToItsSize) {
    Small<int, 4> small{1, 2, 3, 4};
    EXPECT_TRUE(inside(small));
    small.push_back(5);
    EXPECT_FALSE(inside(small));
}

TEST(Small, KeepsItsHeapWhenCleared) {
    Small<int, 4> small{1, 2, 3, 4, 5};
    const int* before = small.data();
    small.clear();
    small.push_back(7);
    EXPECT_EQ(small.data(), before);
}

TEST(Small, StealsWhatHasGrown) {
    Small<int, 4> small{1, 2, 3, 4, 5};
    const int* before = small.data();
    const Small<int, 4> other(std::move(small));
    EXPECT_EQ(other.data(), before);
}

TEST(Small, ErasesInOrder) {
    Small<int, 4> small{1, 2, 3, 4, 5, 6};
    EXPECT_EQ(erase_if(small, [](int number) { return number % 2 == 0; }), 3U);
    EXPECT_EQ(small, (Small<int, 4>{1, 3, 5}));
    EXPECT_EQ(*small.erase(small.begin()), 3);
    EXPECT_NE(small, (Small<int, 4>{3}));
}

TEST(Small, HoldsAggregates) {
    Small<Plain, 4> small;
    for (int i = 0; i < 9; ++i) small.emplace_back(i, std::vector<int>{i, i});
    small.push_back({.number = 9, .numbers = {}});
    Small<Plain, 4> copy = small;
    copy.erase(copy.begin() + 1, copy.end() - 1);
    EXPECT_EQ(small.size(), 10U);
    EXPECT_EQ(copy.size(), 2U);
    EXPECT_EQ(copy.back().number, 9);
}

TEST(Small, HoldsWhatCanOnlyMove) {
    Small<std::unique_ptr<int>, 4> small;
    for (int i = 0; i < 6; ++i) small.push_back(std::make_unique<int>(i));
    auto taken = std::move(small);
    taken.erase(taken.begin());
    EXPECT_EQ(*taken.front(), 1);
}

}  // namespace
}  // namespace conclave
