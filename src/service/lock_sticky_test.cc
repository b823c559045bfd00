// service/lock_sticky_test.cc -- a lock that was let go of stays until somebody else wants it.
#include <gtest/gtest.h>

#include "service/lock_hands_test.h"

namespace conclave {
namespace {

using locks::Acquire;
using locks::AskedBack;
using locks::KeepAlive;
using locks::Release;
using locks::Terms;
using locks::Wanted;

struct StickyClient : LockClient {
    StickyClient() {
        config.sticky = true;
        wants();
        is_kept();
        is_granted();
    }
    void is_wanted() {
        const auto& wish = asked.wanted.front();
        receives(3, Wanted{Epoch{5}, asked.word.session, wish.lock, wish.request});
    }
};

TEST(StickyLock, IsEnteredAgainWithoutAWord) {
    StickyClient one;
    EXPECT_TRUE(one.asked.wanted.front().terms.told) << "or nobody would ask for it";
    for (int again = 0; again < 3; ++again) {
        one.is_asked(Leave{});
        EXPECT_TRUE(one.effects().empty());
        EXPECT_EQ(one.where(), Section::outside);
        one.is_asked(Enter{});
        EXPECT_EQ(one.effects().size(), 1U);
        EXPECT_NE(one.tells<Entered>(), nullptr);
        EXPECT_EQ(one.where(), Section::inside);
    }
}

TEST(StickyLock, IsGivenBackWhenSomebodyElseWantsIt) {
    StickyClient one;
    one.is_asked(Leave{});
    one.is_wanted();
    EXPECT_NE(one.sends<Release>(), nullptr);
    one.is_asked(Enter{});
    EXPECT_EQ(one.where(), Section::waiting);
    EXPECT_NE(one.sends<Acquire>(), nullptr);
}

TEST(StickyLock, ThatIsInUseIsGivenBackAfterwards) {
    StickyClient one;
    one.is_wanted();
    EXPECT_NE(one.tells<AskedBack>(), nullptr);
    EXPECT_EQ(one.where(), Section::inside);
    one.is_wanted();
    EXPECT_EQ(one.tells<AskedBack>(), nullptr) << "once is enough";
    one.is_asked(Leave{});
    EXPECT_NE(one.sends<Release>(), nullptr);
}

TEST(StickyLock, ThatIsIdleEndsWithItsSessionAndDisturbsNobody) {
    StickyClient one;
    one.is_asked(Leave{});
    one.now = Instant(one.config.session);
    one.is_asked(Enter{});
    EXPECT_EQ(one.tells<Ousted>(), nullptr);
    EXPECT_EQ(one.tells<Entered>(), nullptr);
    EXPECT_EQ(one.where(), Section::waiting);
    ASSERT_NE(one.sends<KeepAlive>(), nullptr);
    EXPECT_TRUE(one.sends<KeepAlive>()->opening);
}

TEST(StickyLock, IsStillHeldInTheEyesOfTheLeader) {
    StickyClient one;
    one.is_asked(Leave{});
    one.now += one.config.keep_alive;
    one.expires(locks::KeepAliveDue{});
    ASSERT_NE(one.sends<KeepAlive>(), nullptr);
    EXPECT_EQ(one.sends<KeepAlive>()->held.size(), 1U);
}

TEST(StickyLock, OnOtherTermsIsAskedForAnew) {
    StickyClient one;
    one.is_asked(Leave{});
    one.is_asked(locks::Obtain{"section", {Terms::Mode::shared, 1, true}});
    EXPECT_NE(one.sends<Release>(), nullptr);
    EXPECT_NE(one.sends<Acquire>(), nullptr);
}

TEST(StickyLock, OnlyWhoWishesToBeToldIsTold) {
    for (const bool told : {true, false}) {
        LockServer four(Epoch{1});
        for (std::uint32_t client : {1U, 2U}) four.opens(client);
        four.asks(1, 2, {Terms::Mode::exclusive, 1, told});
        EXPECT_EQ(four.sends<Wanted>(), nullptr);
        four.asks(2, 2);
        EXPECT_EQ(four.sends<Wanted>() != nullptr, told);
        KeepAlive still = four.call(2, 3, false);
        still.wanted.push_back({"x", {2}, {}, {}});
        four.receives(2, still);
        EXPECT_EQ(four.sends<Wanted>() != nullptr, told) << "again: the first may be lost";
    }
}

TEST(StickyLock, IsAskedBackAtOnceIfOthersWaitAlready) {
    LockServer four(Epoch{1});
    for (std::uint32_t client : {1U, 2U, 3U}) four.opens(client);
    four.asks(1, 2);
    four.asks(2, 2, {Terms::Mode::exclusive, 1, true});
    four.asks(3, 2);
    four.releases(1, 3, 2);
    ASSERT_NE(four.sends<Wanted>(), nullptr);
    EXPECT_EQ(four.sends<Wanted>()->session, LockServer::session(2));
}

}  // namespace
}  // namespace conclave
