// wire/packets_test.cc -- what a hello may say, and what is said about one that may not.
#include "wire/packets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "core/value.h"
#include "detect/heartbeat.h"
#include "elect/quorum.h"
#include "wire/messages.h"

namespace conclave::wire {
namespace {

Hello sample() {
    return {.version = 1,
            .cluster = "prod",
            .node = NodeId{3},
            .name = "three",
            .incarnation = {12},
            .store = "0123456789abcdef",
            .groups = {{"orders", "quorum"}, {"sites", "invitation"}}};
}

Bytes body_of(const auto& packet) {
    Bytes out;
    encode<Growing>(out, packet);
    return out;
}

std::string refusal(const Hello& hello) {
    const Result<Hello> read = read_hello(body_of(hello));
    Bytes out;
    const auto error = append_hello(out, hello);
    EXPECT_EQ(error.has_value(), !read) << "what we would not read we do not write";
    EXPECT_EQ(out.empty(), !read);
    return read ? "none" : read.error().what;
}

// The first frame in `out`; the reader is the caller's because the frame may lie in it.
Frame first_frame(FrameReader& reader, const Bytes& out) {
    reader.feed(out);
    const auto frame = reader.next();
    EXPECT_TRUE(frame);
    return frame.value_or(Frame{});
}

TEST(Hello, ComesBackAsItWent) {
    Bytes out;
    ASSERT_FALSE(append_hello(out, sample()));
    FrameReader reader(hello_limit);
    const Frame frame = first_frame(reader, out);
    EXPECT_EQ(frame.kind, Kind::hello);
    const Result<Hello> hello = read_hello(frame.body);
    ASSERT_TRUE(hello) << hello.error().what;
    EXPECT_EQ(to_text(*hello), to_text(sample()));
}

TEST(Hello, OfANewerVersionIsStillRead) {
    struct NewerOffer {
        std::string name, algorithm;
        bool learner = false;
    };
    struct NewerHello {
        std::uint32_t version = 2;
        std::string cluster;
        NodeId node{};
        std::string name;
        Incarnation incarnation;
        std::string store;
        std::vector<NewerOffer> groups;
        std::uint32_t ring = 24;
        std::string motto = "more";
    };
    const NewerHello sent{.cluster = "prod",
                          .node = NodeId{3},
                          .name = "three",
                          .incarnation = {1},
                          .store = "",
                          .groups = {{"orders", "quorum", true}}};
    const Result<Hello> hello = read_hello(body_of(sent));
    ASSERT_TRUE(hello) << hello.error().what;
    EXPECT_EQ(hello->version, 2U);
    EXPECT_EQ(to_text(hello->groups), "[Offer(\"orders\", \"quorum\")]");
    EXPECT_EQ(hello->ring, 24U);
}

TEST(Hello, OfAPeerThatKnowsOfNoRingIsStillRead) {
    struct OlderHello {
        std::uint32_t version = 1;
        std::string cluster;
        NodeId node{};
        std::string name;
        Incarnation incarnation;
        std::string store;
        std::vector<Offer> groups;
    };
    const OlderHello sent{1, "prod", NodeId{3}, "three", {1}, "", {}};
    const Result<Hello> hello = read_hello(body_of(sent));
    ASSERT_TRUE(hello) << hello.error().what;
    EXPECT_EQ(hello->ring, 0U);
}

TEST(Filler, IsAsLongAsItIsAskedForAndNothingElse) {
    for (std::size_t size = 2; size <= 128; ++size) {
        Bytes out;
        append_filler(out, size);
        EXPECT_EQ(out.size(), size);
        FrameReader reader;
        EXPECT_EQ(first_frame(reader, out).kind, Kind::filler);
        EXPECT_FALSE(reader.next());
        EXPECT_FALSE(reader.problem());
    }
}

TEST(Hello, NamesTheFieldThatIsWrong) {
    Hello hello = sample();
    EXPECT_EQ(refusal(hello), "none");
    hello.store.clear();
    EXPECT_EQ(refusal(hello), "none");
    hello = sample();
    hello.cluster.clear();
    EXPECT_EQ(refusal(hello), "hello: cluster is empty");
    hello = sample();
    hello.name = std::string(255, 'x');
    EXPECT_EQ(refusal(hello), "none");
    hello.name += 'x';
    EXPECT_EQ(refusal(hello), "hello: name is 256 bytes long, the limit is 255");
    hello = sample();
    hello.store = "ab\n";
    EXPECT_EQ(refusal(hello), "hello: store has a byte that is not printable ASCII, at 2");
    hello = sample();
    hello.groups[1].algorithm = "\x7f";
    EXPECT_EQ(refusal(hello),
              "hello: groups[1].algorithm has a byte that is not printable ASCII, at 0");
    hello.groups[1] = {"orders", "bully"};
    EXPECT_EQ(refusal(hello), "hello: groups has \"orders\" twice");
    hello.groups[1].name.clear();
    EXPECT_EQ(refusal(hello), "hello: groups[1].name is empty");
}

TEST(Hello, HasAtMost1024Groups) {
    Hello hello = sample();
    hello.groups.clear();
    for (std::size_t i = 0; i < group_limit; ++i)
        hello.groups.push_back({"g" + std::to_string(i), "quorum"});
    EXPECT_EQ(refusal(hello), "none");
    hello.groups.push_back({"last", "quorum"});
    EXPECT_EQ(refusal(hello), "hello: groups has 1025 entries, the limit is 1024");
}

TEST(Hello, ThatDoesNotFitIsNotWritten) {
    Hello hello = sample();
    for (std::size_t i = 0; i < 100; ++i)
        hello.groups.push_back({std::to_string(i) + std::string(200, 'x'), "quorum"});
    Bytes out;
    const auto error = append_hello(out, hello);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->what,
              "hello: groups has too many or too long names, the limit of a hello is 16384 bytes");
    EXPECT_TRUE(out.empty());
}

TEST(Hello, IsNotAnythingElse) {
    Bytes body = body_of(sample());
    body.push_back({});
    EXPECT_EQ(read_hello(body).error().what,
              "hello: these " + std::to_string(body.size()) + " bytes are none");
    body.pop_back();
    body.pop_back();
    EXPECT_FALSE(read_hello(body));
    EXPECT_FALSE(read_hello({}));
}

TEST(Letters, CarryAGroupAndAMessage) {
    Bytes message;
    write_message<Heartbeat>(message, Heartbeat::Beat{7, Duration(1), {2}});
    Bytes out;
    ASSERT_TRUE(append_letter(out, 300, message));
    FrameReader reader;
    const Frame frame = first_frame(reader, out);
    EXPECT_EQ(frame.kind, Kind::letter);
    const auto letter = read_letter(frame.body);
    ASSERT_TRUE(letter);
    EXPECT_EQ(letter->group, 300U);
    Heartbeat::Message read;
    ASSERT_TRUE(read_message<Heartbeat>(letter->message, read));
    EXPECT_EQ(std::get<0>(read).seq, 7U);
}

TEST(Letters, ThatCanWaitAreOfAKindOfTheirOwn) {
    Bytes loud, low;
    ASSERT_TRUE(append_letter(loud, 300, body_of(sample())));
    ASSERT_TRUE(append_murmur(low, 300, body_of(sample())));
    FrameReader loud_reader, low_reader;
    const Frame letter = first_frame(loud_reader, loud), murmur = first_frame(low_reader, low);
    EXPECT_EQ(murmur.kind, Kind::murmur);
    EXPECT_TRUE(std::ranges::equal(letter.body, murmur.body));
}

// Else they would wake their reader after all.
TEST(Letters, ThatCanWaitAreShorterThanARing) {
    const std::uint64_t year = 365ull * 24 * 3600 * 20;  // of renewals, twenty a second
    Bytes beat, renewed, out;
    write_message<Heartbeat>(beat, Heartbeat::Beat{year, std::chrono::milliseconds(166), {1000}});
    const quorum::Renewed answer{
        {1000}, {year}, std::chrono::milliseconds(200), Key{1'000'000, NodeId{100}}};
    write_message<Quorum>(renewed, answer);
    for (const Bytes* const message : {&beat, &renewed}) {
        out.clear();
        ASSERT_TRUE(append_murmur(out, 20, *message));
        EXPECT_LT(out.size(), ring_size);
    }
}

TEST(Letters, WithoutAGroupAreRefused) {
    EXPECT_FALSE(read_letter({}));
    const Bytes cut(1, std::byte{0x80});
    EXPECT_FALSE(read_letter(cut));
    const Bytes large{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                      std::byte{0x1f}};  // more than 32 bits
    EXPECT_FALSE(read_letter(large));
}

TEST(Letters, LargerThanTheLimitAreNotWritten) {
    Bytes out;
    EXPECT_TRUE(append_letter(out, 0, Bytes(frame_limit - 2)));
    out.clear();
    EXPECT_FALSE(append_letter(out, 0, Bytes(frame_limit - 1)));
    EXPECT_TRUE(out.empty());
}

TEST(Welcome, ComesBackAsItWent) {
    Bytes out;
    append_welcome(out, {"prod", "n1", std::chrono::seconds(2)});
    FrameReader reader;
    reader.feed(out);
    const auto frame = reader.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->kind, Kind::welcome);
    const auto welcome = read_welcome(frame->body);
    ASSERT_TRUE(welcome);
    EXPECT_EQ(welcome->cluster, "prod");
    EXPECT_EQ(welcome->node, "n1");
    EXPECT_EQ(welcome->longest_session, std::chrono::seconds(2));
    EXPECT_FALSE(read_welcome(frame->body.first(3)));
}

TEST(Bye, CanBeLoggedWhateverWasSent) {
    Bytes out;
    append_bye(out, "another cluster: \"test\"\r\n" + std::string(500, 'x'));
    FrameReader reader(hello_limit);
    const Frame frame = first_frame(reader, out);
    EXPECT_EQ(frame.kind, Kind::bye);
    const Result<Bye> bye = read_bye(frame.body);
    ASSERT_TRUE(bye) << bye.error().what;
    EXPECT_EQ(bye->why.substr(0, 27), "another cluster: \"test\"??xx");
    EXPECT_EQ(bye->why.size(), name_limit);

    const Result<Bye> raw = read_bye(body_of(Bye{std::string(5000, '\n')}));
    ASSERT_TRUE(raw);
    EXPECT_EQ(raw->why, std::string(name_limit, '?'));
    EXPECT_EQ(read_bye({}).error().what, "bye: these 0 bytes are none");
}

}  // namespace
}  // namespace conclave::wire
