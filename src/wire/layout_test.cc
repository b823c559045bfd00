// wire/layout_test.cc -- an older and a newer version of the same values read each other.
#include "wire/layout.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/samples_test.h"
#include "core/value.h"
#include "wire/messages.h"

namespace conclave::wire {
namespace {

template <class T> Bytes bytes_of(const T& value) {
    Bytes out;
    encode<Growing>(out, value);
    return out;
}

Bytes bytes(std::initializer_list<int> numbers) {
    Bytes out;
    for (int number : numbers) out.push_back(static_cast<std::byte>(number));
    return out;
}

template <class T> std::optional<T> read(ByteView in) {
    T value{};
    if (!decode<Growing>(in, value) || !in.empty()) return std::nullopt;
    return value;
}

// What a T looks like to somebody who takes it for a U.
template <class U, class T> std::string seen_as(const T& value) {
    const std::optional<U> seen = read<U>(bytes_of(value));
    return seen ? to_text(*seen) : "refused";
}

namespace older {

struct Ping {};
struct Vote {
    NodeId by{};
};
using Message = std::variant<Ping, Vote>;
struct Ballot {
    Vote first;
    std::optional<Vote> second;
    std::vector<Vote> others;
    std::pair<Vote, int> pair;
    Message message;
    Table<int, Vote> table;
    int last = 0;
};

}  // namespace older

namespace newer {

struct Ping {
    Nonce nonce;
};
struct Vote {
    NodeId by{};
    std::optional<Epoch> epoch;
    std::string comment;
    int weight = -1;
};
struct Retreat {
    int speed = 0;
};
using Message = std::variant<Ping, Vote, Retreat>;
struct Ballot {
    Vote first;
    std::optional<Vote> second;
    std::vector<Vote> others;
    std::pair<Vote, int> pair;
    Message message;
    Table<int, Vote> table;
    int last = 0;
    int added = 77;
};

}  // namespace newer

TEST(Growing, LooksLikeThis) {
    EXPECT_EQ(bytes_of(older::Ping{}), bytes({0}));
    EXPECT_EQ(bytes_of(older::Vote{NodeId{5}}), bytes({1, 5}));
    EXPECT_EQ(bytes_of(older::Message(older::Vote{NodeId{5}})), bytes({1, 1, 5}));
    EXPECT_EQ(bytes_of(std::vector<older::Vote>{{NodeId{5}}, {NodeId{6}}}), bytes({2, 1, 5, 1, 6}));
    EXPECT_EQ(bytes_of(newer::Vote{NodeId{5}, Epoch{9}, "x", 2}), bytes({6, 5, 1, 9, 1, 'x', 4}));
    EXPECT_EQ(bytes_of(std::pair(1U, older::Vote{NodeId{5}})), bytes({1, 1, 5}));
}

TEST(Growing, SkipsWhatANewerSenderHasAdded) {
    const newer::Vote vote{NodeId{1}, Epoch{2}, "three", 4};
    EXPECT_EQ(seen_as<older::Vote>(vote), "Vote(1)");
    EXPECT_EQ(seen_as<older::Ping>(newer::Ping{{7}}), "Ping");
    EXPECT_EQ(seen_as<older::Message>(newer::Message(vote)), "Vote(1)");
    EXPECT_EQ((seen_as<std::array<older::Vote, 2>>(std::array{vote, vote})), "[Vote(1) Vote(1)]");
    newer::Ballot ballot{vote, vote, {vote, vote}, {vote, 4}, vote, {}, 5, 88};
    ballot.table.insert(6, vote);
    const older::Vote left{NodeId{1}};
    older::Ballot seen{left, left, {left, left}, {left, 4}, left, {}, 5};
    seen.table.insert(6, left);
    EXPECT_EQ(seen_as<older::Ballot>(ballot), to_text(seen));
}

TEST(Growing, KeepsTheDefaultsOfWhatAnOlderSenderLacks) {
    const older::Vote vote{NodeId{1}};
    const newer::Vote filled{NodeId{1}, std::nullopt, "", -1};
    EXPECT_EQ(seen_as<newer::Vote>(vote), to_text(filled));
    EXPECT_EQ(seen_as<newer::Ping>(older::Ping{}), to_text(newer::Ping{}));
    EXPECT_EQ(seen_as<newer::Message>(older::Message(vote)), to_text(filled));
    older::Ballot ballot{vote, vote, {vote, vote}, {vote, 4}, vote, {}, 5};
    ballot.table.insert(6, vote);
    newer::Ballot seen{filled, filled, {filled, filled}, {filled, 4}, filled, {}, 5, 77};
    seen.table.insert(6, filled);
    EXPECT_EQ(seen_as<newer::Ballot>(ballot), to_text(seen));
}

TEST(Growing, RefusesAnAlternativeItDoesNotKnow) {
    EXPECT_EQ(seen_as<older::Message>(newer::Message(newer::Retreat{3})), "refused");
    EXPECT_EQ(seen_as<newer::Message>(newer::Message(newer::Retreat{3})), "Retreat(3)");
}

TEST(Growing, RefusesAFieldThatIsCutAndALengthThatLies) {
    EXPECT_TRUE(read<newer::Vote>(bytes({3, 5, 1, 9})));
    EXPECT_FALSE(read<newer::Vote>(bytes({2, 5, 1})));     // half of the optional
    EXPECT_FALSE(read<newer::Vote>(bytes({4, 5, 1, 9})));  // one byte more than there is
    EXPECT_FALSE(read<newer::Vote>(bytes({2, 5, 0, 0})));  // one byte that belongs to nobody
    EXPECT_FALSE(read<newer::Vote>(bytes({0x81, 0, 5})));  // a length longer than needed
    EXPECT_FALSE(read<newer::Vote>(bytes({1, 0x80})));     // the first field goes on outside
    EXPECT_FALSE(read<std::vector<newer::Vote>>(bytes({3, 0, 0})));
    EXPECT_FALSE(read<newer::Vote>({}));
}

// Whoever adds a field to a key must know that old readers refuse the table.
TEST(Growing, RefusesATableWhoseKeysDifferOnlyInANewField) {
    Table<newer::Vote, int> table;
    table.insert({NodeId{1}, Epoch{1}, "", 0}, 1);
    table.insert({NodeId{1}, Epoch{2}, "", 0}, 2);
    EXPECT_EQ((seen_as<Table<older::Vote, int>>(table)), "refused");
}

TEST(Growing, MovesWhatIsLongerThanItsLengthByte) {
    for (const std::size_t size :
         {120U, 121U, 122U, 123U, 124U, 16'370U, 16'378U, 16'379U, 16'380U, 70'000U}) {
        const std::pair<newer::Vote, int> value{{NodeId{3}, {}, std::string(size, 'x'), 0}, -1};
        Bytes out = bytes({42});
        encode<Growing>(out, value);
        EXPECT_EQ(out.front(), std::byte{42});
        const auto back = read<std::pair<newer::Vote, int>>(ByteView(out).subspan(1));
        ASSERT_TRUE(back) << size;
        EXPECT_TRUE(equal(*back, value)) << size;
    }
}

TEST(Growing, BringsEveryShapeBack) {
    EXPECT_TRUE(rc::check([] {
        const samples::Everything it = samples::any_everything();
        const Bytes encoded = bytes_of(it);
        const auto decoded = read<samples::Everything>(encoded);
        RC_ASSERT(decoded.has_value());
        RC_ASSERT(equal(it, *decoded));
        RC_ASSERT(bytes_of(*decoded) == encoded);
    }));
}

// Not the same bytes, as with Bare: what was skipped or missing is not written again. But the same
// value, and from then on the same bytes.
TEST(Growing, SurvivesNoise) {
    EXPECT_TRUE(rc::check([] {
        Bytes input = bytes_of(samples::any_everything());
        for (int i = 1 + samples::few(); i > 0; --i) {
            const auto at = *rc::gen::inRange<std::size_t>(0, input.size());
            input[at] = std::byte{samples::any<std::uint8_t>()};
        }
        const auto first = read<samples::Everything>(input);
        if (!first) return;
        const auto second = read<samples::Everything>(bytes_of(*first));
        RC_ASSERT(second.has_value());
        RC_ASSERT(equal(*first, *second));
    }));
}

struct OlderMachine {
    using Message = older::Message;
    using Durable = older::Vote;
};
struct NewerMachine {
    using Message = newer::Message;
    using Durable = newer::Vote;
};

TEST(Messages, AreTheWholeInputOrNothing) {
    Bytes out;
    write_message<NewerMachine>(out, newer::Vote{NodeId{3}, Epoch{4}, "x", 5});
    OlderMachine::Message message;
    EXPECT_TRUE(read_message<OlderMachine>(out, message));
    EXPECT_EQ(to_text(message), "Vote(3)");
    out.push_back({});
    EXPECT_FALSE(read_message<OlderMachine>(out, message));
    EXPECT_FALSE(read_message<OlderMachine>({}, message));
}

TEST(Messages, LeaveNothingOfWhatWasThereBefore) {
    Bytes out;
    write_message<OlderMachine>(out, older::Vote{NodeId{3}});
    NewerMachine::Message message = newer::Vote{NodeId{9}, Epoch{9}, "before", 9};
    ASSERT_TRUE(read_message<NewerMachine>(out, message));
    EXPECT_EQ(to_text(message), "Vote(3, none, \"\", -1)");
}

TEST(Records, SurviveAnUpgrade) {
    Bytes out;
    write_record<OlderMachine>(out, {NodeId{3}});
    NewerMachine::Durable durable{NodeId{9}, Epoch{9}, "before", 9};
    ASSERT_TRUE(read_record<NewerMachine>(out, durable));
    EXPECT_EQ(to_text(durable), "Vote(3, none, \"\", -1)");
    out.push_back({});
    EXPECT_FALSE(read_record<NewerMachine>(out, durable));
}

}  // namespace
}  // namespace conclave::wire
