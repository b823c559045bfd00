// core/bytes_test.cc -- values as bytes: round trips, and nothing but them.
#include "core/bytes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "core/samples_test.h"

namespace conclave {
namespace {

using namespace samples;

template <class T> Bytes bytes_of(const T& value) {
    Bytes out;
    encode(out, value);
    return out;
}

Bytes bytes(std::initializer_list<int> numbers) {
    Bytes out;
    for (int number : numbers) out.push_back(static_cast<std::byte>(number));
    return out;
}

template <class T> bool accepts(const Bytes& input) {
    ByteView in(input);
    T value{};
    return decode(in, value) && in.empty();
}

template <class T> void expect_round_trip(const T& value) {
    const Bytes encoded = bytes_of(value);
    ByteView in(encoded);
    T decoded{};
    EXPECT_TRUE(decode(in, decoded));
    EXPECT_TRUE(in.empty());
    EXPECT_TRUE(equal(decoded, value)) << to_text(decoded);
}

TEST(Bytes, LookLikeThis) {
    EXPECT_EQ(bytes_of(true), bytes({1}));
    EXPECT_EQ(bytes_of(300U), bytes({0xac, 2}));
    EXPECT_EQ(bytes_of(-1), bytes({1}));
    EXPECT_EQ(bytes_of(std::byte{0xff}), bytes({0xff}));
    EXPECT_EQ(bytes_of(Phase::held), bytes({5}));
    EXPECT_EQ(bytes_of(1.0), bytes({0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
    EXPECT_EQ(bytes_of(std::string("ab")), bytes({2, 'a', 'b'}));
    EXPECT_EQ(bytes_of(NodeSet{NodeId{0}, NodeId{9}}), bytes({2, 1, 2}));
    EXPECT_EQ(bytes_of(std::optional<int>()), bytes({0}));
    EXPECT_EQ(bytes_of(Message(Vote{NodeId{3}, {7}})), bytes({1, 3, 7}));
    EXPECT_EQ(bytes_of(Small<Ping>{{}, {}}), bytes({2, 0, 0}));
    EXPECT_EQ(bytes_of(std::array<int, 2>{1, 2}), bytes({2, 4}));
}

TEST(Bytes, ReachTheLimits) {
    expect_round_trip(std::numeric_limits<std::int64_t>::min());
    expect_round_trip(std::numeric_limits<std::int64_t>::max());
    expect_round_trip(std::numeric_limits<std::uint64_t>::max());
    expect_round_trip(std::numeric_limits<std::int8_t>::min());
    expect_round_trip(Instant::max());
    expect_round_trip(std::numeric_limits<double>::infinity());
    expect_round_trip(-0.0);
    expect_round_trip(NodeSet{NodeId{63}, NodeId{64}, NodeId{127}, NodeId{128}, NodeId{5000}});
    expect_round_trip(std::vector<bool>{true, false});
}

TEST(Bytes, RefuseWhatTheyWouldNotWrite) {
    EXPECT_FALSE(accepts<bool>(bytes({2})));
    EXPECT_FALSE(accepts<bool>({}));
    EXPECT_FALSE(accepts<std::uint32_t>(bytes({0x80, 0})));  // longer than needed
    EXPECT_FALSE(accepts<std::uint8_t>(bytes({0x80, 2})));   // 256
    EXPECT_FALSE(accepts<std::int8_t>(bytes({0x80, 2})));    // 128
    EXPECT_FALSE(accepts<Phase>(bytes({0x80, 2})));
    Bytes wide(9, std::byte{0xff});
    wide.push_back(std::byte{1});
    EXPECT_TRUE(accepts<std::uint64_t>(wide));
    wide.back() = std::byte{2};  // the 65th bit
    EXPECT_FALSE(accepts<std::uint64_t>(wide));
    wide.back() = std::byte{0x81};
    wide.push_back(std::byte{0});
    EXPECT_FALSE(accepts<std::uint64_t>(wide));
    EXPECT_FALSE(accepts<double>(bytes({0, 0, 0, 0, 0, 0, 0})));
    EXPECT_FALSE(accepts<double>(bytes({0, 0, 0, 0, 0, 0, 0, 0x80})));  // -0
    EXPECT_FALSE(accepts<std::optional<int>>(bytes({2, 0})));
    EXPECT_FALSE(accepts<Message>(bytes({3})));
    EXPECT_FALSE(accepts<NodeSet>(bytes({1, 0})));
    EXPECT_FALSE(accepts<std::string>(bytes({2, 'a'})));
    EXPECT_FALSE(accepts<Small<Ping>>(bytes({1, 1})));
    EXPECT_FALSE((accepts<Table<int, int>>(bytes({2, 4, 0, 4, 0}))));  // the same key twice
}

TEST(Bytes, AllocateNoMoreThanTheInputHolds) {
    const Bytes huge = bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0});
    EXPECT_FALSE(accepts<std::string>(huge));
    EXPECT_FALSE(accepts<std::vector<double>>(huge));
    EXPECT_FALSE(accepts<std::vector<Ping>>(huge));
    EXPECT_FALSE(accepts<NodeSet>(huge));
    EXPECT_FALSE((accepts<Table<int, int>>(huge)));
    EXPECT_FALSE((accepts<Table<Ping, Ping>>(huge)));
}

TEST(Bytes, ComeBackAsTheyWent) {
    EXPECT_TRUE(rc::check([] {
        const Everything it = any_everything();
        const Bytes encoded = bytes_of(it);
        ByteView in(encoded);
        Everything decoded = any_everything();  // whatever was there before is gone
        RC_ASSERT(decode(in, decoded));
        RC_ASSERT(in.empty());
        RC_ASSERT(equal(it, decoded));
        RC_ASSERT(hash_value(it) == hash_value(decoded));
        for (std::size_t size = 0; size < encoded.size(); ++size) {
            ByteView cut(encoded.data(), size);
            RC_ASSERT(!decode(cut, decoded));
        }
    }));
}

// Whatever is accepted is exactly what its value would be written as.
template <class T> void expect_refused_or_exact(const Bytes& input) {
    ByteView in(input);
    T value{};
    if (!decode(in, value)) return;
    const Bytes taken(input.begin(), input.end() - static_cast<std::ptrdiff_t>(in.size()));
    RC_ASSERT(bytes_of(value) == taken);
}

TEST(Bytes, SurviveNoise) {
    EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& noise) {
        Bytes input;
        for (std::uint8_t byte : noise) input.push_back(std::byte{byte});
        expect_refused_or_exact<Everything>(input);
        expect_refused_or_exact<Message>(input);
        expect_refused_or_exact<Table<Key, NodeSet>>(input);
        expect_refused_or_exact<Small<std::optional<std::variant<bool, double, Ping>>>>(input);
    }));
    EXPECT_TRUE(rc::check([] {
        Bytes input = bytes_of(any_everything());
        for (int i = 1 + few(); i > 0; --i)
            input[*rc::gen::inRange<std::size_t>(0, input.size())] = std::byte{any<std::uint8_t>()};
        expect_refused_or_exact<Everything>(input);
    }));
}

// A layout with a length before the fields, which lets structs grow at the end.
struct Sized {
    static void write(Bytes& out, auto write_fields) {
        const std::size_t start = out.size();
        write_fields();
        Bytes length;
        encode(length, out.size() - start);
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(start), length.begin(), length.end());
    }
    static bool read(ByteView& in, auto read_fields) {
        std::size_t length = 0;
        if (!decode(in, length) || length > in.size()) return false;
        ByteView inside = in.first(length);
        in = in.subspan(length);
        return read_fields(inside);
    }
    static bool has_field(ByteView in) { return !in.empty(); }
    static constexpr std::size_t least_size(std::size_t) { return 1; }
};

struct Old {
    int first = 0;
};
struct New {
    int first = 0;
    std::optional<int> second;
    std::string third = "unset";
};

TEST(Bytes, LeaveRoomForALayoutThatGrows) {
    Bytes sent;
    encode<Sized>(sent, std::vector<Old>{{1}, {2}});
    ByteView in(sent);
    std::vector<New> grown;
    ASSERT_TRUE(decode<Sized>(in, grown));
    EXPECT_EQ(to_text(grown), "[New(1, none, \"unset\") New(2, none, \"unset\")]");

    sent.clear();
    encode<Sized>(sent, std::vector<New>{{1, 3, "x"}, {2, {}, ""}});
    in = sent;
    std::vector<Old> shrunk;
    ASSERT_TRUE(decode<Sized>(in, shrunk));
    EXPECT_EQ(to_text(shrunk), "[Old(1) Old(2)]");
    EXPECT_TRUE(in.empty());
}

}  // namespace
}  // namespace conclave
