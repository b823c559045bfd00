// mutex/central_flaws_test.cc -- one client or server told by hand what happens; every fix off
// once.
#include <gtest/gtest.h>

#include "elect/hand.h"
#include "mutex/central.h"

namespace conclave {
namespace {

using central::Census;
using central::Grant;
using central::Here;
using central::Outdated;
using central::Reign;
using central::Release;
using central::Ticket;

constexpr Epoch first{1};
Ticket ticket(std::uint64_t number, std::uint64_t life = 1) {
    return {Incarnation{life}, Round{number}};
}
central::Request request(std::uint64_t number) { return {first, ticket(number), {}}; }
Release release(std::uint64_t number) { return {first, ticket(number), {}}; }

// ---- Numbered requests: MXT-2, M-MX-2 ----

TEST(CentralClient, ReturnsAGrantForARequestThatIsOver) {
    Hand<Central> client(1, 2);
    client.is_asked(Enter{});
    client.receives(2, Grant{first, ticket(1), {}, {}});
    EXPECT_TRUE(client.tells<Entered>());
    client.is_asked(Leave{});
    client.receives(2, Grant{first, ticket(1), {}, {}});
    ASSERT_TRUE(client.sends<Release>());
    EXPECT_EQ(client.sends<Release>()->ticket, ticket(1));
    EXPECT_EQ(client.state.section({}), Section::outside);
}

TEST(CentralClient, KeepsAGrantThatIsSaidTwice) {
    Hand<Central> client(1, 2);
    client.is_asked(Enter{});
    client.receives(2, Grant{first, ticket(1), {}, {}});
    client.receives(2, Grant{first, ticket(1), {}, {}});
    EXPECT_FALSE(client.sends<Release>());
    EXPECT_EQ(client.state.section({}), Section::inside);
}

TEST(CentralClient, TakesNoGrantMeantForItsFormerLife) {
    Hand<Central> client(1, 2);
    client.is_asked(Enter{});
    client.receives(2, Grant{first, ticket(1, 0), {}, {}});
    EXPECT_EQ(client.state.section({}), Section::waiting);
}

TEST(CentralServer, GrantsADoubledRequestOnlyOnce) {
    Hand<Central> server(3, 3);
    server.receives(1, request(1));
    EXPECT_TRUE(server.sends<Grant>());
    server.receives(1, request(1));
    server.receives(1, release(1));
    EXPECT_FALSE(server.sends<Grant>()) << "it is out";
    server.receives(1, request(1));
    EXPECT_FALSE(server.sends<Grant>()) << "and stays out";
    EXPECT_FALSE(server.state.office->holder);
}

TEST(CentralServer, HasAGhostHolderWithoutNumbers) {
    Hand<Central> server(3, 3, {central::rid});
    server.receives(1, request(1));
    server.receives(1, release(1));
    server.receives(1, request(1));
    EXPECT_TRUE(server.sends<Grant>());
    ASSERT_TRUE(server.state.office->holder);
    EXPECT_EQ(server.state.office->holder->client, NodeId{1});
}

TEST(CentralServer, TakesARequestThatOvertakesTheReleaseBeforeIt) {
    Hand<Central> server(3, 3);
    server.receives(1, request(1));
    server.receives(1, request(2));
    server.receives(1, release(1));
    ASSERT_TRUE(server.sends<Grant>());
    EXPECT_EQ(server.sends<Grant>()->ticket, ticket(2));
}

// ---- Deaths: MX-04 ----

TEST(CentralServer, TellsTheNextThatTheHolderDied) {
    Hand<Central> server(3, 3);
    server.receives(1, request(1));
    server.receives(2, request(1));
    server.happens(Failed{NodeId{1}});
    ASSERT_TRUE(server.sends<Grant>());
    EXPECT_EQ(server.sends<Grant>()->died, NodeId{1});

    Hand<Central> client(2, 3);
    client.is_asked(Enter{});
    client.receives(3, *server.sends<Grant>());
    ASSERT_TRUE(client.tells<HolderDied>());
    EXPECT_EQ(client.tells<HolderDied>()->node, NodeId{1});
    EXPECT_TRUE(client.tells<Entered>());
}

TEST(CentralServer, WaitsForADeadHolderAsPrinted) {
    Hand<Central> server(3, 3, {central::failures});
    server.receives(1, request(1));
    server.receives(2, request(1));
    server.happens(Failed{NodeId{1}});
    EXPECT_FALSE(server.sends<Grant>());
}

TEST(CentralServer, TakesAnOpinionForNoVerdict) {
    Hand<Central> server(3, 3);
    server.receives(1, request(1));
    server.receives(2, request(1));
    server.happens(Suspected{NodeId{1}});
    EXPECT_FALSE(server.sends<Grant>()) << "1 may be inside";
}

// ---- From one server to the next: MXT-3 ----

using Led = Hand<ElectedCentral>;
Here here(Epoch epoch, Section section, std::uint64_t number) {
    return {epoch, section, ticket(number), {}, {}};
}

TEST(CentralServer, ServesNobodyBeforeAllWhoLiveHaveAnswered) {
    Led server(3, 4);
    server.happens(LeaderIs{NodeId{3}, Epoch{7}});
    EXPECT_TRUE(server.sends<Census>());
    server.receives(2, here(Epoch{7}, Section::waiting, 1));
    EXPECT_FALSE(server.sends<Grant>()) << "1 and 4 have not answered";
    server.happens(Failed{NodeId{4}});
    EXPECT_FALSE(server.sends<Grant>());
    server.receives(1, here(Epoch{7}, Section::inside, 5));
    EXPECT_FALSE(server.sends<Grant>()) << "1 is inside";
    server.receives(1, Release{Epoch{7}, ticket(5), {}});
    EXPECT_TRUE(server.sends<Grant>());

    Led hasty(3, 4, {central::census});
    hasty.happens(LeaderIs{NodeId{3}, Epoch{7}});
    hasty.receives(2, here(Epoch{7}, Section::waiting, 1));
    EXPECT_TRUE(hasty.sends<Grant>());
}

// A new server hears only with the answer that 1 is in its second life, and has been for long.
TEST(CentralServer, LetsNobodyInOnTheNewsOfARestart) {
    Led server(3, 3);
    server.happens(LeaderIs{NodeId{3}, Epoch{7}});
    server.receives(2, here(Epoch{7}, Section::waiting, 1));
    server.happens(Restarted{NodeId{1}});
    EXPECT_FALSE(server.sends<Grant>());
    EXPECT_TRUE(server.sends<Census>());
    server.receives(1, Here{Epoch{7}, Section::inside, ticket(1, 2), {}, {}});
    EXPECT_FALSE(server.sends<Grant>());
}

TEST(CentralServer, KnowsThatAReleaseMayOvertakeTheAnswer) {
    Led server(3, 3);
    server.happens(LeaderIs{NodeId{3}, Epoch{7}});
    server.receives(1, Release{Epoch{7}, ticket(5), {}});
    server.receives(1, here(Epoch{7}, Section::inside, 5));
    EXPECT_FALSE(server.state.office->holder) << "it has left since it answered";
}

TEST(CentralClient, TakesNoGrantOfAnOlderServer) {
    for (const bool promises : {true, false}) {
        Led client(1, 4);
        if (!promises) client.config.fixes.drop(central::promise);
        client.receives(4, Census{Epoch{1}, {}});
        client.expires(central::Quiet{});
        client.is_asked(Enter{});
        client.receives(3, Census{Epoch{2}, {}});
        ASSERT_TRUE(client.sends<Here>());
        EXPECT_EQ(client.sends<Here>()->section, Section::waiting);
        client.receives(4, Grant{Epoch{1}, ticket(1), {}, {}});
        EXPECT_EQ(client.tells<Entered>() == nullptr, promises);
    }
}

TEST(CentralClient, AsksForNothingUntilEverybodyKnowsThatItIsBack) {
    Led client(1, 3);
    client.receives(3, Census{Epoch{1}, {}});
    client.is_asked(Enter{});
    EXPECT_FALSE(client.sends<central::Request>());
    client.receives(3, Census{Epoch{1}, {}});
    EXPECT_EQ(client.sends<Here>()->section, Section::outside);
    client.expires(central::Quiet{});
    EXPECT_TRUE(client.sends<central::Request>());
}

// A bully that lost its disk, or never heard of the others' elections, leads in an old epoch.
TEST(CentralServer, TakesALargerNumberThanAnybodyIsBoundTo) {
    Led server(2, 3);
    server.receives(3, Census{Epoch{5}, {}});
    server.happens(LeaderIs{NodeId{2}, Epoch{4}});
    EXPECT_EQ(server.sends<Census>()->epoch, Epoch{6});
    server.receives(1, Outdated{Reign{Epoch{8}, NodeId{3}}});
    EXPECT_EQ(server.sends<Census>()->epoch, Epoch{9});
    server.receives(1, Outdated{Reign{Epoch{8}, NodeId{3}}});
    EXPECT_FALSE(server.sends<Census>()) << "old news";
}

TEST(CentralClient, TellsAServerThatItIsOutdated) {
    for (const bool tells : {true, false}) {
        Led client(1, 3);
        if (!tells) client.config.fixes.drop(central::renumber);
        client.receives(3, Census{Epoch{5}, {}});
        client.receives(2, Census{Epoch{4}, {}});
        EXPECT_FALSE(client.sends<Here>());
        EXPECT_EQ(client.sends<Outdated>() != nullptr, tells);
        client.happens(LeaderIs{NodeId{2}, Epoch{4}});
        EXPECT_EQ(client.sends<Outdated>() != nullptr, tells) << "whom its own election names";
    }
}

// 2 was elected, but 3, which thought so too, had the larger number; then 3 dies.
TEST(CentralServer, SucceedsWhoeverCameInBetween) {
    Led server(2, 3);
    server.happens(LeaderIs{NodeId{2}, Epoch{4}});
    server.receives(3, Census{Epoch{5}, {}});
    EXPECT_FALSE(server.state.office);
    server.happens(Failed{NodeId{3}});
    ASSERT_TRUE(server.sends<Census>());
    EXPECT_EQ(server.sends<Census>()->epoch, Epoch{6});
}

}  // namespace
}  // namespace conclave
