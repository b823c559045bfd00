// wire/frame.h -- frames on a stream: a varint length, one byte that says what kind, the body.
//
// The length counts the kind and the body. A frame of an unknown kind is for the reader to pass
// over: a newer peer may have more of them. A stream that breaks a rule is bad for good, because
// nobody can tell where its next frame begins.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/result.h"
#include "wire/layout.h"

namespace conclave::wire {

enum class Kind : std::uint8_t {
    hello = 1,
    letter = 2,
    bye = 3,
    welcome = 4,
    filler = 5,
    murmur = 6
};

inline constexpr std::size_t frame_limit = 1024 * 1024;  // bytes of kind and body

struct Frame {
    Kind kind{};    // perhaps none of the enumerators
    ByteView body;  // of somebody else's bytes
};

// Appends a frame whose body is what `write_body` appends to `out`. False, with nothing appended,
// if the frame is larger than its reader's limit: the reader would close the link for it.
template <class WriteBody>
[[nodiscard]] bool append_frame(Bytes& out, Kind kind, WriteBody write_body,
                                std::size_t limit = frame_limit) {
    const std::size_t start = out.size();
    const std::size_t length = write_sized(out, [&] {
        out.push_back(static_cast<std::byte>(kind));
        write_body();
    });
    if (length > limit) out.resize(start);
    return length <= limit;
}

// Cuts a stream into frames:
//
//     reader.feed(chunk);
//     while (const auto frame = reader.next()) take(*frame);
//     if (reader.problem()) close(reader.problem()->what);
//
// A frame that lies within one chunk is a view into that chunk; only one that spans chunks is
// copied together. It is good until the next call of next or feed. Memory is taken for bytes that
// have come, never for bytes that are merely announced.
class FrameReader {
public:
    explicit FrameReader(std::size_t limit = frame_limit) : limit_(limit) {}

    // Holds from the next frame on, also for one that is in the chunk already: a link accepts
    // little before the hello and more behind it.
    void set_limit(std::size_t limit) { limit_ = limit; }

    // Once next() has nothing more to give. The chunk stays the caller's, and must stay as it is
    // until then.
    void feed(ByteView chunk);

    [[nodiscard]] std::optional<Frame> next();

    // One line that says why the stream is bad, once next() has found out.
    const std::optional<Error>& problem() const { return problem_; }

    // How many bytes wait for the rest of their frame: at most the limit, and the length before it.
    std::size_t waiting() const { return given_ ? 0 : partial_.size(); }

private:
    struct Extent {
        std::size_t head = 0;   // bytes of the length
        std::size_t whole = 0;  // bytes of the frame, head included; more than are there: at least
    };
    Extent measure(ByteView front);
    Extent fail(std::string what);
    void take(std::size_t count);

    std::size_t limit_;
    ByteView chunk_;      // not looked at yet
    Bytes partial_;       // the beginning of a frame whose end is still to come
    bool given_ = false;  // partial_ is whole, and out as a frame
    std::optional<Error> problem_;
};

}  // namespace conclave::wire
