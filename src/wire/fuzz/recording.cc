// wire/fuzz/recording.cc -- any file as the recording of a node.
#include "wire/recording.h"

#include <algorithm>

#include "core/hash.h"
#include "wire/fuzz/target.h"

namespace conclave::wire::fuzz {
namespace {

// A frame of three bytes may be a machine, and each is a struct of some size in a growing list.
constexpr std::uint64_t per_byte = 256;

Bytes written(const Recording& recording) {
    Bytes out;
    require(append_recording(out, recording.head, recording.machines), "what was read fits");
    for (const RecordedStep& step : recording.steps) {
        require(append_step(out, step), "a step that was read fits");
    }
    if (recording.ended) append_end(out);
    return out;
}

bool same(const RecordedStep& a, const RecordedStep& b) {
    return a.machine == b.machine && a.at == b.at && a.attribute == b.attribute &&
           a.life == b.life && std::ranges::equal(a.event, b.event) &&
           std::ranges::equal(a.effects, b.effects);
}

Bytes file(std::uint32_t steps) {
    const Bytes event(5, std::byte{'e'}), effects(9, std::byte{'f'}), state(30, std::byte{'s'});
    const std::vector<RecordedMachine> machines{
        {"(detector)", "heartbeat", {{NodeId{1}}, {NodeId{2}}}, state, state},
        {"main", "quorum", {{NodeId{1}}, {NodeId{2}}}, state, std::nullopt}};
    RecordingHead head;
    head.cluster = "prod";
    head.node = NodeId{1};
    head.name = "n1";
    head.clock = "clock";
    Bytes out;
    require(append_recording(out, head, machines), "a seed fits");
    for (std::uint32_t at = 0; at < steps; ++at) {
        const RecordedStep step{at % 2, Instant(Duration(at)), 0, {}, event, effects, 0};
        require(append_step(out, step), "a seed fits");
    }
    return out;
}

}  // namespace

bool examine(ByteView input) {
    const auto first = within_memory(input, per_byte, [&] { return read_recording(input); });
    if (!first) return false;
    std::uint64_t last = 0;
    for (const RecordedStep& step : first->steps) {
        require(step.offset > last && step.offset < input.size(), "steps are in their places");
        require(step.machine < first->machines.size(), "a step has its machine");
        last = step.offset;
    }
    const Bytes bytes = written(*first);
    const auto second = read_recording(bytes);
    require(static_cast<bool>(second), "what we write we read");
    require(equal(first->head, second->head), "the head is the same");
    require(equal(first->machines, second->machines), "the machines are the same");
    require(std::ranges::equal(first->steps, second->steps, same), "the steps are the same");
    require(first->ended == second->ended, "so is the end");
    require(written(*second) == bytes, "equal recordings are the same bytes");
    return true;
}

std::vector<Seed> seeds() {
    Seed whole{"whole", file(4)}, torn{"torn", file(3)}, zeros{"zeros", file(2)};
    append_end(whole.bytes);
    torn.bytes.pop_back();
    zeros.bytes.resize(zeros.bytes.size() + 20);
    Seed headless{"bad-headless", file(0)}, garbage{"bad-garbage", file(1)};
    headless.bytes.resize(recording_magic.size() + 3);
    garbage.bytes.insert(garbage.bytes.end(), {std::byte{2}, std::byte{3}, std::byte{0xff}});
    return {whole, torn, zeros, headless, garbage};
}

}  // namespace conclave::wire::fuzz
