// wire/fuzz/frames.cc -- any stream, in any chunks.
//
// The first byte of the input chooses the limit and the chunks, the others are the stream.
#include <algorithm>

#include "sim/dice.h"
#include "wire/frame.h"
#include "wire/fuzz/target.h"

namespace conclave::wire::fuzz {
namespace {

constexpr std::size_t head_limit = 10;  // bytes of a length
constexpr std::uint64_t per_byte = 4;

struct Outcome {
    Bytes frames;  // what came out, written as a stream again
    std::string problem;
    std::size_t waiting = 0;
};

void drain(FrameReader& reader, std::size_t limit, Outcome& outcome) {
    while (const auto frame = reader.next()) {
        const auto write = [&] {
            outcome.frames.insert(outcome.frames.end(), frame->body.begin(), frame->body.end());
        };
        require(append_frame(outcome.frames, frame->kind, write, limit), "frames keep the limit");
    }
    require(reader.waiting() <= limit + head_limit, "what waits keeps the limit");
}

Outcome run(ByteView stream, std::size_t limit, auto chunk_size) {
    Outcome outcome;
    outcome.frames.reserve(stream.size());
    FrameReader reader(limit);
    within_memory(stream, per_byte, [&] {
        for (ByteView rest = stream; !rest.empty() && !reader.problem();) {
            const ByteView chunk = rest.first(std::min<std::size_t>(chunk_size(), rest.size()));
            reader.feed(chunk);
            drain(reader, limit, outcome);
            rest = rest.subspan(chunk.size());
        }
        return true;
    });
    if (reader.problem()) outcome.problem = reader.problem()->what;
    outcome.waiting = reader.waiting();
    return outcome;
}

}  // namespace

bool examine(ByteView input) {
    if (input.empty()) return false;
    const auto choice = std::to_integer<unsigned>(input.front());
    const ByteView stream = input.subspan(1);
    const std::size_t limit = std::size_t{16} << (choice % 18);
    Dice dice(choice);
    const Outcome whole = run(stream, limit, [&] { return stream.size(); });
    const Outcome pieces = run(stream, limit, [&] { return 1 + dice.below(1 + choice / 8); });
    require(whole.frames == pieces.frames, "chunks do not matter to the frames");
    require(whole.problem == pieces.problem, "chunks do not matter to the problem");
    require(whole.frames.size() <= stream.size(), "there are no more bytes than came");
    require(std::ranges::equal(whole.frames, stream.first(whole.frames.size())),
            "the frames are the stream");
    if (!whole.problem.empty()) return false;
    require(whole.frames.size() + whole.waiting == stream.size(), "nothing is lost");
    require(whole.waiting == pieces.waiting, "chunks do not matter to what waits");
    return whole.waiting == 0;
}

std::vector<Seed> seeds() {
    Seed few{"few", {std::byte{7}}}, many{"many", {std::byte{0x97}}};
    const auto add = [](Seed& seed, Kind kind, std::size_t size) {
        const auto write = [&] { seed.bytes.resize(seed.bytes.size() + size, std::byte{'x'}); };
        require(append_frame(seed.bytes, kind, write), "a seed fits");
    };
    add(few, Kind::hello, 40);
    add(few, Kind::letter, 5);
    add(few, Kind::bye, 0);
    for (std::size_t size = 0; size < 200; size += 13) add(many, Kind::letter, size);
    Seed cut{"bad-cut", few.bytes}, empty{"bad-empty", few.bytes}, large{"bad-large", few.bytes};
    cut.bytes.pop_back();
    empty.bytes.push_back({});
    large.bytes.insert(large.bytes.end(), 4, std::byte{0xff});
    large.bytes.push_back(std::byte{1});
    // Much is announced and little comes, within a limit of a megabyte.
    const Seed announced{"bad-announced",
                         {std::byte{16}, std::byte{0xc0}, std::byte{0x84}, std::byte{0x3d},
                          std::byte{2}, std::byte{0}}};
    return {few, many, cut, empty, large, announced};
}

}  // namespace conclave::wire::fuzz
