// wire/frame.cc -- cutting a stream into frames.
#include "wire/frame.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>

namespace conclave::wire {
namespace {

constexpr std::size_t kept = 16 * 1024;  // a link that once had a large frame gives the rest back
constexpr std::size_t varint_limit = 10;

Frame cut(ByteView frame, std::size_t head) {
    return {static_cast<Kind>(frame[head]), frame.subspan(head + 1)};
}

}  // namespace

void FrameReader::feed(ByteView chunk) {
    assert(chunk_.empty() || problem_);
    chunk_ = chunk;
}

std::optional<Frame> FrameReader::next() {
    if (given_) {
        given_ = false;
        partial_.clear();
        if (partial_.capacity() > kept) Bytes().swap(partial_);
    }
    if (partial_.empty() && !problem_) {
        const Extent extent = measure(chunk_);
        if (extent.whole <= chunk_.size()) {
            const ByteView frame = chunk_.first(extent.whole);
            chunk_ = chunk_.subspan(extent.whole);
            return cut(frame, extent.head);
        }
    }
    while (!problem_) {
        const Extent extent = measure(partial_);
        if (extent.whole <= partial_.size()) {
            given_ = true;
            return cut(partial_, extent.head);
        }
        if (chunk_.empty() || problem_) break;
        take(extent.whole - partial_.size());
    }
    return std::nullopt;
}

// With too few bytes to know, one more than there are.
FrameReader::Extent FrameReader::measure(ByteView front) {
    const auto head = front.first(std::min(front.size(), varint_limit));
    const auto last = std::ranges::find_if(head, [](std::byte b) { return b < std::byte{0x80}; });
    if (last == head.end() && head.size() < varint_limit) return {0, front.size() + 1};
    ByteView rest = front;
    std::uint64_t length = 0;
    if (!conclave::detail::read_varint(rest, length))
        return fail("a frame whose length is no number as we write them");
    if (length == 0) return fail("a frame of 0 bytes, without a kind");
    if (length > limit_) {
        return fail("a frame of " + std::to_string(length) + " bytes, the limit is " +
                    std::to_string(limit_));
    }
    const std::size_t size = front.size() - rest.size();
    return {size, size + static_cast<std::size_t>(length)};
}

FrameReader::Extent FrameReader::fail(std::string what) {
    problem_ = Error{std::move(what)};
    return {0, std::numeric_limits<std::size_t>::max()};
}

// The vector's own growth would let it get twice as large as the frame.
void FrameReader::take(std::size_t count) {
    const auto piece = chunk_.first(std::min(count, chunk_.size()));
    const std::size_t needed = partial_.size() + piece.size(), whole = partial_.size() + count;
    if (needed > partial_.capacity())
        partial_.reserve(std::min(std::max(needed, 2 * partial_.capacity()), whole));
    partial_.insert(partial_.end(), piece.begin(), piece.end());
    chunk_ = chunk_.subspan(piece.size());
}

}  // namespace conclave::wire
