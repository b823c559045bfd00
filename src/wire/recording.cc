#include "wire/recording.h"

#include <algorithm>
#include <utility>

#include "wire/frame.h"

namespace conclave::wire {

namespace {

// Kinds of frames; a file's own, not those of a link.
constexpr Kind head_kind{1}, machine_kind{2}, step_kind{3}, end_kind{4};

struct StepHead {
    std::uint32_t machine = 0;
    Instant at{};
    Attribute attribute = 0;
    Incarnation life{};
};

void append(Bytes& out, ByteView bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

template <class T> bool append_value(Bytes& out, Kind kind, const T& value) {
    return append_frame(
        out, kind, [&] { encode<Growing>(out, value); }, recorded_limit);
}

bool read_step(ByteView in, RecordedStep& step) {
    StepHead head;
    std::uint64_t size = 0;
    if (!decode<Growing>(in, head) || !conclave::detail::read_varint(in, size)) return false;
    if (size > in.size()) return false;
    step.machine = head.machine;
    step.at = head.at;
    step.attribute = head.attribute;
    step.life = head.life;
    step.event = in.first(size);
    step.effects = in.subspan(size);
    return true;
}

class Reading {
public:
    explicit Reading(ByteView file) : file_(file), good_(recording_magic.size()) {}

    Result<Recording> all() {
        FrameReader reader(recorded_limit);
        reader.feed(file_.subspan(good_));
        while (const auto frame = reader.next()) {
            if (auto wrong = take(*frame)) return wrong_at(good_, *wrong);
            good_ =
                static_cast<std::uint64_t>(frame->body.data() - file_.data()) + frame->body.size();
        }
        if (reader.problem() && !zeros_follow()) return wrong_at(good_, reader.problem()->what);
        if (!headed_) return wrong_at(good_, "it ends before its head is complete");
        return std::move(recording_);
    }

private:
    static Error wrong_at(std::uint64_t byte, const std::string& what) {
        return {"at byte " + std::to_string(byte) + ": " + what};
    }
    bool zeros_follow() const {
        return std::ranges::all_of(file_.subspan(good_),
                                   [](std::byte b) { return b == std::byte{}; });
    }
    std::optional<std::string> take(const Frame& frame) {
        if (frame.kind == head_kind) return take_head(frame.body);
        if (!headed_) return "no head comes first";
        if (frame.kind == machine_kind) return take_machine(frame.body);
        if (frame.kind == step_kind) return take_step(frame.body);
        if (frame.kind == end_kind) recording_.ended = true;
        return std::nullopt;
    }
    std::optional<std::string> take_head(ByteView body) {
        if (headed_) return "a second head";
        if (!decode<Growing>(body, recording_.head)) return "the head cannot be read";
        if (recording_.head.version != recording_version) {
            return "version " + std::to_string(recording_.head.version) + ", this program reads " +
                   std::to_string(recording_version);
        }
        headed_ = true;
        return std::nullopt;
    }
    std::optional<std::string> take_machine(ByteView body) {
        if (!recording_.steps.empty()) return "a machine after the first step";
        if (decode<Growing>(body, recording_.machines.emplace_back())) return std::nullopt;
        return "a machine cannot be read";
    }
    std::optional<std::string> take_step(ByteView body) {
        RecordedStep step;
        if (!read_step(body, step)) return "a step cannot be read";
        if (step.machine >= recording_.machines.size()) return "a step of an unknown machine";
        step.offset = good_;
        recording_.steps.push_back(step);
        return std::nullopt;
    }

    ByteView file_;
    std::uint64_t good_;  // bytes of whole frames
    bool headed_ = false;
    Recording recording_;
};

}  // namespace

bool append_recording(Bytes& out, const RecordingHead& head,
                      std::span<const RecordedMachine> machines) {
    const std::size_t start = out.size();
    append(out, std::as_bytes(std::span(recording_magic)));
    bool fits = append_value(out, head_kind, head);
    for (const RecordedMachine& machine : machines) {
        fits = fits && append_value(out, machine_kind, machine);
    }
    if (!fits) out.resize(start);
    return fits;
}

bool append_step(Bytes& out, const RecordedStep& step) {
    const auto write = [&] {
        encode<Growing>(out, StepHead{step.machine, step.at, step.attribute, step.life});
        write_sized(out, [&] { append(out, step.event); });
        append(out, step.effects);
    };
    return append_frame(out, step_kind, write, recorded_limit);
}

void append_end(Bytes& out) {
    [[maybe_unused]] const bool fits = append_frame(
        out, end_kind, [] {}, recorded_limit);
}

bool is_recording(ByteView file) {
    const ByteView magic = std::as_bytes(std::span(recording_magic));
    return file.size() >= magic.size() && std::ranges::equal(file.first(magic.size()), magic);
}

Result<Recording> read_recording(ByteView file) {
    if (!is_recording(file)) return Error{"at byte 0: this is no recording of a node"};
    return Reading(file).all();
}

}  // namespace conclave::wire
