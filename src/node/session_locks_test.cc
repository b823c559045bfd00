#include "node/session_locks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wire/packets.h"

namespace conclave::node {
namespace {

using namespace std::chrono_literals;
using How = SessionLocks::Verdict::How;
using locks::Acquire;
using locks::ForGuest;
using locks::FromGuest;
using locks::KeepAlive;
using locks::Release;

// A node whose time passes when the test says so, and a leader whose words are the test's.
class LocksOfSessions : public testing::Test {
protected:
    LocksOfSessions() : locks(house()) { locks.led(Epoch{5}); }

    SessionLocks::House house() {
        SessionLocks::House house;
        house.now = [this] { return now; };
        house.say = [this](FromGuest one) { said.push_back(std::move(one)); };
        house.wake = [this](Instant due) { alarm = due; };
        house.session = 2s;
        return house;
    }
    SessionLocks::Ticket asks(const std::string& lock, Duration wait = 0s,
                              locks::Terms terms = {}) {
        return locks.acquire({"s1", "cron@host", lock, terms, wait},
                             [this](const auto& one) { heard.push_back(one); });
    }
    template <class W> std::optional<W> last_said() const {
        for (auto one = said.rbegin(); one != said.rend(); ++one) {
            if (const auto* word = std::get_if<W>(&one->word)) return *word;
        }
        return std::nullopt;
    }
    void keep() {
        const KeepAlive asked = *last_said<KeepAlive>();
        locks.hear(ForGuest{locks::Kept{Epoch{5}, asked.word.session, asked.nonce}});
    }
    void grant(const std::string& lock, std::uint64_t number, Round request) {
        const locks::SessionId session = last_said<KeepAlive>()->word.session;
        locks.hear(ForGuest{locks::Grant{Epoch{5}, session, lock, request, {Epoch{5}, number}}});
    }
    void has(const std::string& lock) {
        asks(lock);
        keep();
        grant(lock, 7, last_said<KeepAlive>()->wanted.front().request);
        ASSERT_EQ(heard.size(), 1U);
        ASSERT_EQ(heard.front().how, How::granted);
        heard.clear();
    }
    void pass(Duration length) {
        const Instant end = now + length;
        while (alarm && *alarm <= end) {
            now = std::max(now, *std::exchange(alarm, std::nullopt));
            locks.tick();
        }
        now = end;
    }

    Instant now{1h};
    std::optional<Instant> alarm;
    std::vector<FromGuest> said;
    std::vector<SessionLocks::Verdict> heard;
    SessionLocks locks;
};

TEST_F(LocksOfSessions, AreTheNodesAsAGuestUnderTheSessionsName) {
    const Instant asked = now;
    asks("press");
    ASSERT_TRUE(last_said<KeepAlive>());
    EXPECT_TRUE(is_guest(last_said<KeepAlive>()->word.session));
    EXPECT_EQ(last_said<KeepAlive>()->name, "cron@host");
    now += 300ms;
    keep();
    grant("press", 7, Round{1});
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_EQ(heard.front().how, How::granted);
    EXPECT_EQ(heard.front().held.token, (locks::Token{Epoch{5}, 7}));
    EXPECT_EQ(heard.front().held.until, asked + 2s) << "from the question, not from the answer";
    ASSERT_TRUE(locks.held("s1", "press"));
    EXPECT_EQ(locks.held("s1", "press")->until, asked + 2s);
    EXPECT_EQ(locks.held("s1").size(), 1U);
    EXPECT_FALSE(locks.held("s2", "press"));
}

TEST_F(LocksOfSessions, AreKeptAsLongAsTheLeaderAnswers) {
    has("press");
    const Instant begun = now;
    pass(500ms);
    keep();
    EXPECT_EQ(locks.held("s1", "press")->until, begun + 500ms + 2s);
    pass(2s);
    EXPECT_FALSE(locks.held("s1", "press")) << "it does not answer any more";
}

TEST_F(LocksOfSessions, AreGivenBackWhenTheSessionEnds) {
    has("press");
    locks.ended("s1");
    ASSERT_TRUE(last_said<Release>());
    EXPECT_EQ(last_said<Release>()->lock, "press");
    EXPECT_FALSE(locks.held("s1", "press"));
    said.clear();
    pass(600ms);
    EXPECT_TRUE(last_said<KeepAlive>()) << "until the leader knows";
    EXPECT_TRUE(last_said<KeepAlive>()->held.empty());
    keep();
    pass(600ms);
    said.clear();
    pass(10s);
    EXPECT_TRUE(said.empty());
}

TEST_F(LocksOfSessions, WhoAsksAgainHearsTheSame) {
    has("press");
    asks("press", 5s);
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_EQ(heard.back().held.token, (locks::Token{Epoch{5}, 7}));
    asks("press", 5s, {locks::Terms::Mode::shared, 1});
    EXPECT_EQ(heard.back().how, How::other_terms);
    asks("book", 5s);
    asks("book", 5s);
    EXPECT_EQ(heard.back().how, How::asked_again);
    EXPECT_EQ(heard.size(), 3U) << "the second goes on";
}

TEST_F(LocksOfSessions, WhoDoesNotWaitIsToldThatOthersAreFirst) {
    has("press");
    asks("book");
    const auto wish = last_said<Acquire>()->wish;
    const locks::SessionId session = last_said<KeepAlive>()->word.session;
    locks.hear(ForGuest{locks::Queued{Epoch{5}, session, wish.request, {Epoch{5}, 1}}});
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_EQ(heard.front().how, How::busy);
    EXPECT_EQ(last_said<Release>()->lock, "book") << "it wants it no more";
}

TEST_F(LocksOfSessions, WhoWaitsIsToldWhyItWasInVain) {
    has("press");
    asks("book", 1s);
    asks("desk", 1s);
    const auto wish = last_said<Acquire>()->wish;
    const locks::SessionId session = last_said<KeepAlive>()->word.session;
    locks.hear(ForGuest{locks::Queued{Epoch{5}, session, wish.request, {Epoch{5}, 1}}});
    EXPECT_TRUE(heard.empty());
    pass(1s);
    ASSERT_EQ(heard.size(), 2U);
    EXPECT_EQ(heard[0].how, How::unanswered);
    EXPECT_EQ(heard[1].how, How::busy);
    asks("book", 1s);
    locks.ended("s1");
    EXPECT_EQ(heard.back().how, How::session_gone);
}

TEST_F(LocksOfSessions, WhoHasGoneHearsNothingAndWantsNothing) {
    const auto ticket = asks("press", 1min);
    keep();
    locks.withdraw(ticket);
    EXPECT_EQ(last_said<Release>()->lock, "press");
    grant("press", 7, Round{1});
    EXPECT_TRUE(heard.empty());
    EXPECT_FALSE(locks.held("s1", "press"));
    locks.withdraw(ticket);
}

TEST_F(LocksOfSessions, TakenAwayByAnAdministratorAreGoneAndNotConfirmed) {
    has("press");
    const locks::SessionId session = last_said<KeepAlive>()->word.session;
    locks.hear(ForGuest{locks::SessionGone{Epoch{5}, session, true}});
    EXPECT_FALSE(locks.held("s1", "press"));
    locks.ended("s1");
    pass(10s);
    EXPECT_FALSE(last_said<locks::Farewell>()) << "whoever was told over HTTP may still act";
}

TEST_F(LocksOfSessions, HaveALimitThatIsNamed) {
    for (std::size_t at = 0; at < locks::most_locks; ++at) asks("lock " + std::to_string(at), 1s);
    EXPECT_TRUE(heard.empty());
    asks("one more", 1s);
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_EQ(heard.front().how, How::turned_down);
    EXPECT_EQ(heard.front().limit, locks::Limit::locks);
}

TEST_F(LocksOfSessions, TheNextLeaderHearsOfThem) {
    has("press");
    said.clear();
    locks.led(std::nullopt);
    locks.led(Epoch{6});
    ASSERT_TRUE(last_said<KeepAlive>());
    EXPECT_EQ(last_said<KeepAlive>()->word.epoch, Epoch{6});
    EXPECT_EQ(last_said<KeepAlive>()->held.size(), 1U);
}

// Whoever keeps to the limits is not shut out for what it says.
TEST(LockLimits, AllThatASessionMaySayFitsIntoOneFrame) {
    const std::uint64_t large = ~std::uint64_t{0};
    const locks::Terms terms{locks::Terms::Mode::slot, 1'000'000};
    KeepAlive call{{{NodeId{}, {large}, {large}}, {large}, {large}},
                   {large},
                   std::chrono::hours(24),
                   false,
                   {},
                   {},
                   std::string(locks::longest_name, 'n')};
    const locks::Holding holding{
        std::string(locks::longest_name, 'x'), {large}, terms, {{large}, large}};
    for (std::size_t at = 0; at < locks::most_locks; ++at) call.held.push_back(holding);
    Bytes word, frame;
    encode<wire::Growing>(word, locks::Message(call));
    EXPECT_TRUE(wire::append_letter(frame, 0, word, locks::longest_word)) << word.size();
}

}  // namespace
}  // namespace conclave::node
