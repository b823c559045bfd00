#include "node/messenger.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/value.h"
#include "net/links_test.h"

namespace conclave::node {
namespace {

using namespace std::chrono_literals;
using Answer = HostedGroup::Answer;

// Two of them and the ways between: what is sent arrives when the test delivers it.
class Messengers : public testing::Test {
protected:
    struct Post {
        NodeId from, to;
        Bytes letter;
    };
    static constexpr NodeId asker{1}, leader{2};

    Messenger::Office office(NodeId self) {
        Messenger::Office office;
        office.send = [this, self](NodeId to, ByteView letter) {
            post.push_back({self, to, Bytes(letter.begin(), letter.end())});
        };
        office.ask = [this](NodeId from, const std::string& group, const Resign& wish,
                            const Messenger::Told& tell) {
            EXPECT_EQ(from, asker);
            asked = {group, wish.to};
            tell(answer);
        };
        office.locks = [this] { return listed; };
        office.dismiss = [this](const locks::Name& lock) {
            dismissed = lock;
            return listed ? std::optional(listed->total) : std::nullopt;
        };
        office.reform = [this](NodeId, const std::string& group, const HostedGroup::Reform& wish,
                               const Messenger::Told& tell) {
            const auto* admit = std::get_if<quorum::Admit>(&wish);
            if (admit) asked = {group, admit->node};
            tell(answer);
        };
        office.cards = [this](NodeId, const std::vector<Card>& cards) { shown = cards; };
        office.patience = patience;
        return office;
    }
    void deliver() {
        for (const Post& one : std::exchange(post, {})) {
            EXPECT_TRUE((one.to == asker ? at_asker : at_leader).receive(one.from, one.letter));
        }
    }
    void ask() {
        at_asker.ask(leader, "main", Resign{NodeId{3}}, [this](const auto& given) {
            ++told;
            heard = given;
        });
    }

    net::TestLoop loop;
    Duration patience = 1h;
    std::vector<Post> post;
    std::pair<std::string, std::optional<NodeId>> asked;
    Answer answer;
    int told = 0;
    std::optional<Answer> heard;
    std::optional<locks::LockList> listed;
    locks::Name dismissed;
    std::vector<Card> shown;
    Messenger at_asker{loop, office(asker)}, at_leader{loop, office(leader)};
};

TEST_F(Messengers, CarryAWishThereAndTheAnswerBack) {
    answer = {true, Refused{Refused::Why::unreachable}};
    ask();
    deliver();
    EXPECT_EQ(asked.first, "main");
    EXPECT_EQ(asked.second, NodeId{3});
    EXPECT_EQ(told, 0);
    deliver();
    ASSERT_TRUE(heard);
    EXPECT_TRUE(heard->understood);
    ASSERT_TRUE(heard->refused);
    EXPECT_EQ(heard->refused->why, Refused::Why::unreachable);
    EXPECT_EQ(told, 1);
}

TEST_F(Messengers, KnowWhichAnswerIsToWhichWish) {
    ask();
    int other = 0;
    at_asker.ask(leader, "other", {},
                 [&](const auto& given) { other += given && !given->refused; });
    deliver();
    std::swap(post.front(), post.back());
    deliver();
    EXPECT_EQ(told, 1);
    EXPECT_EQ(other, 1);
}

TEST_F(Messengers, CarryAChangeOfTheMembers) {
    std::optional<Answer> given;
    at_asker.reform(leader, "main", quorum::Admit{NodeId{4}}, 1h,
                    [&](const auto& one) { given = one; });
    deliver();
    EXPECT_EQ(asked.first, "main");
    EXPECT_EQ(asked.second, NodeId{4});
    deliver();
    ASSERT_TRUE(given);
    EXPECT_FALSE(given->refused);
}

TEST_F(Messengers, ShowWhomTheyKnow) {
    at_asker.show_cards(leader, {{NodeId{4}, "n4", "127.0.0.1:9", 2, true}});
    deliver();
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(to_text(shown.front()), to_text(Card{NodeId{4}, "n4", "127.0.0.1:9", 2, true}));
}

TEST_F(Messengers, BringTheLocksOfWhoeverLeadsThem) {
    using List = std::optional<locks::LockList>;
    locks::LockView press{"press", {}, {}};
    press.holders.push_back({{NodeId{}, {7}, {1}}, "cron@host", {}, {Epoch{4}, 2}, 3ms, true});
    listed = locks::LockList{{press}, 9};
    List brought;
    at_asker.ask_for_locks(leader, [&](const List& list) { brought = list; });
    deliver();
    deliver();
    ASSERT_TRUE(brought);
    EXPECT_TRUE(equal(*brought, *listed));
    listed.reset();
    at_asker.ask_for_locks(leader, [&](const List& list) { brought = list; });
    deliver();
    deliver();
    EXPECT_FALSE(brought) << "it does not lead";
}

TEST_F(Messengers, PassOnWhoseTimeIsOver) {
    listed = locks::LockList{{}, 2};
    std::optional<std::uint64_t> holders;
    at_asker.dismiss(leader, "press", [&](std::optional<std::uint64_t> some) { holders = some; });
    deliver();
    EXPECT_EQ(dismissed, "press");
    deliver();
    EXPECT_EQ(holders, 2U);
}

TEST_F(Messengers, SayThatTheLinkIsLostAndTakeNoAnswerAfterIt) {
    ask();
    at_asker.unlinked(NodeId{3});
    EXPECT_EQ(told, 0) << "that was another link";
    at_asker.unlinked(leader);
    EXPECT_EQ(told, 1);
    EXPECT_FALSE(heard);
    deliver();
    deliver();
    EXPECT_EQ(told, 1);
}

TEST_F(Messengers, TakeNoAnswerFromAnybodyElse) {
    ask();
    deliver();
    EXPECT_TRUE(at_asker.receive(NodeId{3}, post.front().letter));
    EXPECT_EQ(told, 0);
    deliver();
    EXPECT_EQ(told, 1);
}

TEST_F(Messengers, RefuseWhatIsNoLetterOfTheirs) {
    ask();
    Bytes longer = post.front().letter;
    longer.push_back({});
    EXPECT_FALSE(at_leader.receive(asker, longer));
    EXPECT_FALSE(at_leader.receive(asker, {}));
}

class HastyMessengers : public Messengers {
protected:
    HastyMessengers() : hasty(loop, hasty_office()) {}
    Messenger::Office hasty_office() {
        patience = 1ms;
        return office(asker);
    }
    Messenger hasty;
};

TEST_F(HastyMessengers, WaitForAnAnswerAsLongAsTheirPatienceLasts) {
    std::optional<Answer> given = Answer{};
    hasty.ask(leader, "main", {}, [&](const auto& one) { given = one; });
    EXPECT_TRUE(given);
    EXPECT_TRUE(loop.until([&] { return !given; }));
}

TEST_F(HastyMessengers, TellNobodyAnythingOnceTheyHaveStopped) {
    bool called = false;
    hasty.ask(leader, "main", {}, [&](const auto&) { called = true; });
    hasty.stop();
    loop.run();
    EXPECT_FALSE(called);
}

}  // namespace
}  // namespace conclave::node
