// wire/frame_test.cc -- frames come out of a stream as they went in, however it was chopped.
#include "wire/frame.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace conclave::wire {
namespace {

Bytes bytes(std::initializer_list<int> numbers) {
    Bytes out;
    for (int number : numbers) out.push_back(static_cast<std::byte>(number));
    return out;
}

void append(Bytes& out, Kind kind, const Bytes& body) {
    const auto write = [&] { out.insert(out.end(), body.begin(), body.end()); };
    ASSERT_TRUE(append_frame(out, kind, write));
}

using Frames = std::vector<std::pair<Kind, Bytes>>;

void drain(FrameReader& reader, Frames& frames) {
    while (const auto frame = reader.next())
        frames.emplace_back(frame->kind, Bytes(frame->body.begin(), frame->body.end()));
}

// Each chunk dies before the next one is fed: a view kept too long is seen by the sanitizers.
Frames read_in_chunks(FrameReader& reader, ByteView stream, std::size_t size) {
    Frames frames;
    while (!stream.empty()) {
        const ByteView front = stream.first(std::min(size, stream.size()));
        const Bytes chunk(front.begin(), front.end());
        reader.feed(chunk);
        drain(reader, frames);
        stream = stream.subspan(front.size());
    }
    return frames;
}

std::string complaint(const Bytes& stream, std::size_t limit = frame_limit) {
    FrameReader reader(limit);
    const Frames frames = read_in_chunks(reader, stream, stream.size());
    EXPECT_TRUE(frames.empty());
    FrameReader slow(limit);
    EXPECT_TRUE(read_in_chunks(slow, stream, 1).empty());
    const std::string what = reader.problem() ? reader.problem()->what : "none";
    EXPECT_EQ(slow.problem() ? slow.problem()->what : "none", what);
    return what;
}

TEST(Frames, LookLikeThis) {
    Bytes out = bytes({9});
    append(out, Kind::letter, bytes({7, 8}));
    append(out, Kind::bye, {});
    EXPECT_EQ(out, bytes({9, 3, 2, 7, 8, 1, 3}));
}

TEST(Frames, AreTheSameInAnyChunks) {
    EXPECT_TRUE(rc::check([] {
        Frames sent;
        Bytes stream;
        for (int i = *rc::gen::inRange(0, 8); i > 0; --i) {
            const auto size = *rc::gen::element<std::size_t>(0, 1, 2, 125, 126, 127, 128, 300);
            sent.emplace_back(*rc::gen::element(Kind::hello, Kind::letter, Kind{200}),
                              Bytes(size, std::byte{*rc::gen::arbitrary<std::uint8_t>()}));
            append(stream, sent.back().first, sent.back().second);
        }
        FrameReader reader;
        Frames got;
        for (ByteView rest = stream; !rest.empty();) {
            const auto size = *rc::gen::inRange<std::size_t>(1, rest.size() + 1);
            const Bytes chunk(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
            reader.feed(chunk);
            drain(reader, got);
            rest = rest.subspan(size);
        }
        RC_ASSERT(got == sent);
        RC_ASSERT(reader.waiting() == 0U);
        RC_ASSERT(!reader.problem());
    }));
}

TEST(Frames, WithinOneChunkAreNotCopied) {
    Bytes stream;
    append(stream, Kind::letter, Bytes(200, std::byte{1}));
    append(stream, Kind::letter, bytes({2}));
    FrameReader reader;
    reader.feed(stream);
    EXPECT_EQ(reader.next()->body.data(), stream.data() + 3);
    EXPECT_EQ(reader.next()->body.data(), stream.data() + 205);
    EXPECT_FALSE(reader.next());
}

TEST(Frames, SpanningChunksDoNotHarmTheNextOne) {
    Bytes stream;
    append(stream, Kind::letter, Bytes(200, std::byte{1}));
    append(stream, Kind::bye, bytes({2}));
    FrameReader reader;
    reader.feed(ByteView(stream).first(100));
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.waiting(), 100U);
    const ByteView rest = ByteView(stream).subspan(100);
    reader.feed(rest);
    EXPECT_EQ(reader.next()->body.size(), 200U);
    EXPECT_EQ(reader.waiting(), 0U);
    EXPECT_EQ(reader.next()->body.data(), rest.data() + rest.size() - 1);
    EXPECT_FALSE(reader.next());
}

TEST(Frames, OfExactlyTheLimitPassAndOneByteMoreDoesNot) {
    Bytes stream;
    append(stream, Kind::letter, Bytes(99, std::byte{1}));
    EXPECT_EQ(complaint(stream, 99), "a frame of 100 bytes, the limit is 99");
    FrameReader reader(100);
    EXPECT_EQ(read_in_chunks(reader, stream, 7).size(), 1U);
    EXPECT_FALSE(reader.problem());
}

TEST(Frames, AnEmptyFrameIsRefused) {
    EXPECT_EQ(complaint(bytes({0})), "a frame of 0 bytes, without a kind");
}

TEST(Frames, AHugeLengthIsRefusedAtOnce) {
    EXPECT_EQ(complaint(bytes({0xc0, 0x96, 0xb1, 2})),
              "a frame of 5000000 bytes, the limit is 1048576");
    Bytes most(9, std::byte{0xff});
    most.push_back(std::byte{1});
    EXPECT_EQ(complaint(most), "a frame of 18446744073709551615 bytes, the limit is 1048576");
}

TEST(Frames, ALengthThatIsNoVarintIsRefused) {
    const std::string what = "a frame whose length is no number as we write them";
    EXPECT_EQ(complaint(Bytes(10, std::byte{0xff})), what);
    EXPECT_EQ(complaint(Bytes(30, std::byte{0x80})), what);
    EXPECT_EQ(complaint(bytes({0x81, 0, 2})), what);  // longer than needed
}

TEST(Frames, OfABadStreamStayBad) {
    Bytes good;
    append(good, Kind::letter, {});
    Bytes stream = good;
    stream.push_back({});
    FrameReader reader;
    EXPECT_EQ(read_in_chunks(reader, stream, stream.size()).size(), 1U) << "the good one before";
    ASSERT_TRUE(reader.problem());
    EXPECT_TRUE(read_in_chunks(reader, good, 1).empty());
    EXPECT_TRUE(reader.problem());
}

TEST(Frames, BehindTheHelloMayBeLargerEvenInTheSameChunk) {
    Bytes stream;
    append(stream, Kind::hello, Bytes(10, std::byte{1}));
    append(stream, Kind::letter, Bytes(500, std::byte{2}));
    FrameReader reader(20);
    reader.feed(stream);
    ASSERT_TRUE(reader.next());
    reader.set_limit(frame_limit);
    ASSERT_TRUE(reader.next());
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.problem());
}

TEST(Frames, NoMoreThanTheLimitWaits) {
    Bytes stream;
    append(stream, Kind::letter, Bytes(5000, std::byte{1}));
    FrameReader reader(5001);
    for (const std::byte& byte : ByteView(stream).first(stream.size() - 1)) {
        reader.feed({&byte, 1});
        EXPECT_FALSE(reader.next());
    }
    EXPECT_EQ(reader.waiting(), stream.size() - 1);
    reader.feed(ByteView(stream).last(1));
    EXPECT_EQ(reader.next()->body.size(), 5000U);
}

TEST(Frames, TooLargeForTheirReaderAreNotWritten) {
    Bytes out = bytes({9});
    const auto write = [&] { out.resize(out.size() + 100); };
    EXPECT_FALSE(append_frame(out, Kind::letter, write, 100));
    EXPECT_EQ(out, bytes({9}));
    EXPECT_TRUE(append_frame(out, Kind::letter, write, 101));
    EXPECT_EQ(out.size(), 103U);
}

TEST(Frames, AreWrittenIntoAWarmBatchWithoutAllocating) {
    Bytes batch;
    batch.reserve(4096);
    const std::byte* const before = batch.data();
    for (int i = 0; i < 100; ++i) append(batch, Kind::letter, bytes({1, 2, 3}));
    EXPECT_EQ(batch.data(), before);
}

}  // namespace
}  // namespace conclave::wire
