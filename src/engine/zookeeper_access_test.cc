// Who may, who can see, and what is said if nobody answers: with three real servers.
#include <gmock/gmock.h>

#include "engine/zookeeper_test.h"

namespace conclave::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using zookeeper::Session;

constexpr Duration session = 4s;
using Mode = locks::Terms::Mode;

std::vector<std::string> names(const Standing& standing) {
    std::vector<std::string> all;
    for (const Holder& holder : standing.holders) all.push_back(holder.name);
    return all;
}

TEST_F(KeptByZooKeeper, ARecipeOfCuratorsAndWeStandInOneQueue) {
    const auto curator = stranger();
    answer([&](auto done) { curator->create(path(), "", Session::Node::folder, done); });
    const std::string latch = path() + "/_c_0a1b2c3d-0123-4567-89ab-0123456789ab-latch-";
    const auto made =
        answer([&](auto done) { curator->create(latch, "curator", Session::Node::ticket, done); });
    ASSERT_EQ(made.code, 0);
    const auto engine = connect();
    Party party;
    party.contend(*engine, leadership(), "ours", session);
    ASSERT_TRUE(waits([&] { return party.diary.is_busy; }));
    std::optional<Found<Standing>> found;
    engine->look(leadership(), 10s, [&](auto what) { found = std::move(what); });
    ASSERT_TRUE(waits([&] { return found.has_value(); }));
    ASSERT_TRUE(std::holds_alternative<Standing>(*found)) << std::get<net::Failure>(*found).what;
    const Standing& standing = std::get<Standing>(*found);
    EXPECT_THAT(names(standing), ElementsAre("curator"));
    EXPECT_EQ(standing.holders[0].token.epoch.value, static_cast<std::uint64_t>(made.czxid));
    EXPECT_THAT(standing.waiting, ElementsAre("ours"));
    curator->close();
    ASSERT_TRUE(waits([&] { return party.holds(); }));
    EXPECT_GT(party.diary.token->epoch.value, static_cast<std::uint64_t>(made.czxid));
}

TEST_F(KeptByZooKeeper, ReadersShareAndSlotsAreCounted) {
    const auto engine = connect();
    Party readers[2], writer;
    for (Party& reader : readers) reader.contend(*engine, lock(), "r", session, {Mode::shared, 1});
    ASSERT_TRUE(waits([&] { return readers[0].holds() && readers[1].holds(); }));
    writer.contend(*engine, lock(), "w", session);
    ASSERT_TRUE(waits([&] { return writer.diary.is_busy; }));
    for (Party& reader : readers) reader.contest->leave();
    ASSERT_TRUE(waits([&] { return writer.holds(); }));

    const Thing slots{Thing::Kind::lock, path() + "/slots"};
    Party users[4];
    for (Party& user : users) user.contend(*engine, slots, "u", session, {Mode::slot, 2});
    const auto held = [&] {
        return std::ranges::count_if(users, [](const Party& user) { return user.holds(); });
    };
    const auto busy = [&] {
        return std::ranges::count_if(users, [](const Party& user) { return user.diary.is_busy; });
    };
    ASSERT_TRUE(waits([&] { return held() == 2 && busy() >= 2; }));
    for (int left = 0; left < 2; ++left) {  // whoever goes: the next one comes in
        const auto who = std::ranges::find_if(users, [](const Party& u) { return u.holds(); });
        who->contest->leave();
        ASSERT_TRUE(waits([&] { return who->diary.has_left && held() == 2; }));
    }
    ASSERT_TRUE(waits([&] { return nodes(slots.name + "/locks").empty(); }));
    EXPECT_THAT(nodes(slots.name + "/leases"), SizeIs(2));
}

// users.md 29: nobody leads is something to be told, too.
TEST_F(KeptByZooKeeper, AWatcherSeesEveryHolderAndThatThereIsNone) {
    const auto engine = connect();
    std::vector<std::string> seen;
    const auto watch = engine->watch(leadership(), [&](const Found<Standing>& found) {
        const auto* standing = std::get_if<Standing>(&found);
        if (!standing) return seen.push_back("failed");
        const std::string who = standing->holders.empty() ? "nobody" : standing->holders[0].name;
        if (seen.empty() || seen.back() != who) seen.push_back(who);
    });
    ASSERT_TRUE(waits([&] { return seen.size() == 1; }));
    for (const std::string name : {"n1", "n2"}) {
        Party party;
        party.contend(*engine, leadership(), name, session);
        ASSERT_TRUE(waits([&] { return seen.back() == name; }));
        party.contest->leave();
        ASSERT_TRUE(waits([&] { return seen.back() == "nobody"; }));
    }
    EXPECT_THAT(seen, ElementsAre("nobody", "n1", "nobody", "n2", "nobody"));
}

TEST_F(KeptByZooKeeper, ThereIsAListOfWhatHasAName) {
    const auto engine = connect();
    Party party, other;
    party.contend(*engine, {Thing::Kind::lock, "a/b"}, "n1", session);
    other.contend(*engine, {Thing::Kind::leadership, "c"}, "n2", session);
    ASSERT_TRUE(waits([&] { return party.holds() && other.holds(); }));
    std::optional<Found<std::vector<Standing>>> found;
    engine->list(Thing::Kind::lock, 10s, [&](auto what) { found = std::move(what); });
    ASSERT_TRUE(waits([&] { return found.has_value(); }));
    const auto& all = std::get<std::vector<Standing>>(*found);
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].thing, (Thing{Thing::Kind::lock, "a/b"}));
    EXPECT_THAT(names(all[0]), ElementsAre("n1"));
}

TEST_F(KeptByZooKeeper, WithCredentialsOthersAreRefused) {
    const auto ours = connect(servers(), "ann:right@"), wrong = connect(servers(), "ann:wrong@"),
               nobody = connect();
    Party party, thief, stranger;
    party.contend(*ours, lock(), "n1", session);
    ASSERT_TRUE(waits([&] { return party.holds(); }));
    thief.contend(*wrong, lock(), "n2", session);
    stranger.contend(*nobody, lock(), "n3", session);
    ASSERT_TRUE(waits([&] { return thief.diary.is_final && stranger.diary.is_final; }));
    EXPECT_EQ(thief.diary.failures.back().trouble, net::Trouble::refused);
    EXPECT_THAT(thief.diary.failures.back().what, HasSubstr("not allowed with these credentials"));
    EXPECT_THAT(thief.diary.failures.back().what, testing::Not(HasSubstr("wrong")));
    EXPECT_FALSE(thief.diary.token);
    std::optional<Found<Standing>> found;
    wrong->look(lock(), 10s, [&](auto what) { found = std::move(what); });
    ASSERT_TRUE(waits([&] { return found.has_value(); }));
    EXPECT_EQ(std::get<net::Failure>(*found).trouble, net::Trouble::refused);
}

TEST_F(KeptByZooKeeper, WhoeverIsThrownAwayAtAnyMomentIsGone) {
    const auto engine = connect();
    for (int i = 0; i < 40; ++i) {
        Party party;
        party.contend(*engine, lock(), "n", session);
        loop.run_for(std::chrono::milliseconds(i));
        if (i % 4 == 0) party.contest->leave();
    }
    ASSERT_TRUE(waits([&] { return nodes(path()).empty(); }));
    Party last;
    last.contend(*engine, lock(), "last", session);
    ASSERT_TRUE(waits([&] { return last.holds(); }));
}

// --- Nobody there. ---

class NoZooKeeper : public testing::Test {
protected:
    Result<std::unique_ptr<Engine>> open(const std::string& text) {
        return open_zookeeper(loop, *read_place(text));
    }
    net::TestLoop loop;
};

TEST_F(NoZooKeeper, IsSaidInOneLineAndNotToStandardError) {
    const std::string where = "127.0.0.1:" + std::to_string(free_ports(1)[0]);
    const auto engine = open("zookeeper://" + where);
    ASSERT_TRUE(engine);
    testing::internal::CaptureStderr();
    Party party;
    party.contend(**engine, {Thing::Kind::lock, "a"}, "n1", 2s);
    ASSERT_TRUE(loop.until([&] { return !party.diary.failures.empty(); }));
    EXPECT_THAT(party.diary.failures[0].what, HasSubstr(where + ": no ZooKeeper server answers"));
    EXPECT_EQ(party.diary.failures[0].trouble, net::Trouble::unreachable);
    EXPECT_FALSE(party.diary.is_final);
    std::optional<Found<Standing>> found;
    (*engine)->look({Thing::Kind::lock, "a"}, 200ms, [&](auto what) { found = std::move(what); });
    ASSERT_TRUE(loop.until([&] { return found.has_value(); }));
    EXPECT_EQ(std::get<net::Failure>(*found).trouble, net::Trouble::unreachable);
    party.contest->leave();
    ASSERT_TRUE(loop.until([&] { return party.diary.has_left; }));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(NoZooKeeper, AHostWithoutAnAddressIsFinal) {
    const auto engine = open("zookeeper://no-such-host.invalid:2181");
    ASSERT_TRUE(engine);
    Party party;
    party.contend(**engine, {Thing::Kind::lock, "a"}, "n1", 2s);
    ASSERT_TRUE(loop.until([&] { return party.diary.is_final; }));
    EXPECT_THAT(party.diary.failures.back().what, HasSubstr("no-such-host.invalid"));
}

TEST_F(NoZooKeeper, TlsIsSaidToBeMissing) {
    const auto engine = open("zookeepers://127.0.0.1:2281");
    ASSERT_FALSE(engine);
    EXPECT_THAT(engine.error().what, HasSubstr("has no TLS"));
}

}  // namespace
}  // namespace conclave::engine
