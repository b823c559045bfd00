#include "sim/recorded.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/hash.h"

namespace conclave {

namespace {

using wire::RecordedMachine;
using wire::RecordedStep;

// Names that no configuration can give are the node's own machines.
bool is_own(const std::string& group) { return group.starts_with('('); }

Result<std::string> only_group(const std::vector<RecordingFile>& files) {
    std::vector<std::string> groups;
    for (const RecordingFile& file : files) {
        for (const RecordedMachine& machine : file.recording.machines) {
            const bool known = std::ranges::find(groups, machine.group) != groups.end();
            if (!known && !is_own(machine.group)) groups.push_back(machine.group);
        }
    }
    if (groups.size() == 1) return groups.front();
    std::string names;
    for (const std::string& group : groups) names += (names.empty() ? "" : ", ") + group;
    return Error{names.empty() ? "no group is recorded here"
                               : "several groups are recorded here, choose one: " + names};
}

// One file, as far as it is about the group.
struct Part {
    const RecordingFile* file = nullptr;
    std::uint32_t machine = 0;
    Duration shift{};  // from the node's clock to that of the first file

    const wire::RecordingHead& head() const { return file->recording.head; }
    const RecordedMachine& place() const { return file->recording.machines[machine]; }
    auto key() const { return std::tuple(head().node, head().incarnation, head().segment); }
    Instant begin() const { return head().at + shift; }
    Instant end() const {
        const auto& steps = file->recording.steps;
        return steps.empty() ? begin() : steps.back().at + shift;
    }
    // Whether `next` goes on where this one ends.
    bool continues_in(const Part& next) const {
        return head().node == next.head().node && head().incarnation == next.head().incarnation &&
               head().steps + file->recording.steps.size() == next.head().steps;
    }
};

std::vector<Part> parts_of(const std::vector<RecordingFile>& files, std::string_view group) {
    std::vector<Part> parts;
    for (const RecordingFile& file : files) {
        const auto& machines = file.recording.machines;
        const auto found = std::ranges::find(machines, group, &RecordedMachine::group);
        if (found == machines.end()) continue;
        parts.push_back({&file, static_cast<std::uint32_t>(found - machines.begin()), {}});
    }
    std::ranges::sort(parts, {}, &Part::key);
    return parts;
}

std::optional<Error> contradiction(const Part& one, const Part& other) {
    const std::string names = one.file->name + " and " + other.file->name;
    if (one.head().cluster != other.head().cluster) {
        return Error{names + " are of two clusters, '" + one.head().cluster + "' and '" +
                     other.head().cluster + "'"};
    }
    if (one.place().algorithm != other.place().algorithm) {
        return Error{names + ": the group runs two algorithms, " + one.place().algorithm + " and " +
                     other.place().algorithm};
    }
    if (!equal(one.place().members, other.place().members)) {
        return Error{names + ": the group has other members"};
    }
    return std::nullopt;
}

// Instants of two machines have nothing to do with each other; what their wall clocks showed has,
// as far as somebody keeps those together.
void align(std::vector<Part>& parts, RecordedGroup& group) {
    const auto wall = [](const Part& part) {
        return Duration(part.head().wall_ns) - part.head().at.time_since_epoch();
    };
    for (Part& part : parts) {
        if (!part.head().clock.empty() && part.head().clock == parts.front().head().clock) continue;
        part.shift = wall(part) - wall(parts.front());
        group.one_clock = false;
    }
}

// A node is never silent for long: its detector beats. One that is, compared with itself, has
// crashed, or cannot record any more; nobody knows what it does then.
bool fell_silent(const Part& part, Instant end_of_all) {
    Duration longest{};
    Instant last = part.begin();
    for (const RecordedStep& step : part.file->recording.steps) {
        longest = std::max(longest, step.at + part.shift - last);
        last = step.at + part.shift;
    }
    return end_of_all - last > 2 * longest;
}

class Merging {
public:
    Merging(RecordedGroup& group, const std::vector<Part>& parts) : group_(group), parts_(parts) {
        origin_ = std::ranges::min(parts_, {}, &Part::begin).begin();
        end_ = std::ranges::max(parts_, {}, &Part::end).end();
        const Part& first = parts_.front();
        group_.wall_ns = first.head().wall_ns + (origin_ - first.begin()).count();
    }

    std::optional<Error> all() {
        for (std::size_t at = 0; at < parts_.size(); ++at) {
            const Part* before = at > 0 ? &parts_[at - 1] : nullptr;
            const Part* after = at + 1 < parts_.size() ? &parts_[at + 1] : nullptr;
            if (auto error = add(before, parts_[at], after)) return error;
        }
        std::ranges::stable_sort(group_.events, {}, &Recorded::at);
        return std::nullopt;
    }

private:
    Instant in_world(const Part& part, Instant at) const {
        return Instant(at + part.shift - origin_);
    }
    std::optional<Error> add(const Part* before, const Part& part, const Part* after) {
        const auto& members = group_.members;
        const auto self = std::ranges::find(members, part.head().node, &Member::node);
        if (self == members.end()) return Error{part.file->name + ": the node is no member"};
        const auto place = static_cast<std::uint32_t>(self - members.begin());
        const bool same_node = before && before->head().node == part.head().node;
        if (before && before->key() == part.key()) {
            return Error{before->file->name + " and " + part.file->name + " are the same segment"};
        }
        if (!same_node) group_.recorded.push_back(part.head().node);
        begin(place, part, before && before->continues_in(part));
        for (const RecordedStep& step : part.file->recording.steps) {
            if (step.machine == part.machine) add(place, part, step);
        }
        const bool last_of_node = !after || after->head().node != part.head().node;
        const bool last_of_life =
            last_of_node || after->head().incarnation != part.head().incarnation;
        const bool stopped = part.file->recording.ended;
        const auto how = stopped ? "stops" : last_of_node ? "falls silent" : "crashes";
        const bool over = stopped || !last_of_node || fell_silent(part, end_);
        if (last_of_life && over) end(place, part, how);
        return std::nullopt;
    }
    void begin(std::uint32_t place, const Part& part, bool continued) {
        Recorded begun = blank(Recorded::What::segment, place, part);
        begun.at = in_world(part, part.head().at);
        begun.life = part.head().incarnation;
        begun.config = part.place().config;
        begun.clock = origin_.time_since_epoch() - part.shift;
        begun.booted = part.place().state.has_value();
        if (begun.booted) begun.bytes = *part.place().state;
        begun.complete = continued || (part.head().steps == 0);
        group_.events.push_back(begun);
    }
    void add(std::uint32_t place, const Part& part, const RecordedStep& step) {
        Recorded stepped = blank(Recorded::What::step, place, part);
        stepped.at = in_world(part, step.at);
        stepped.life = step.life;
        stepped.attribute = step.attribute;
        stepped.bytes = step.event;
        stepped.effects = step.effects;
        stepped.offset = step.offset;
        group_.events.push_back(stepped);
    }
    void end(std::uint32_t place, const Part& part, std::string_view how) {
        Recorded ended = blank(Recorded::What::end, place, part);
        ended.at = Instant(part.end() - origin_);
        ended.how = how;
        group_.events.push_back(ended);
    }
    static Recorded blank(Recorded::What what, std::uint32_t place, const Part& part) {
        Recorded one;
        one.what = what;
        one.place = place;
        one.file = part.file;
        return one;
    }

    RecordedGroup& group_;
    const std::vector<Part>& parts_;
    Instant origin_, end_;
};

}  // namespace

Result<RecordingFile> read_recording_file(std::string name, Bytes bytes) {
    RecordingFile file{std::move(name), std::move(bytes), {}};
    auto recording = wire::read_recording(file.bytes);
    if (!recording) return Error{file.name + ": " + recording.error().what};
    file.recording = std::move(*recording);
    return file;
}

Result<RecordedGroup> put_together(const std::vector<RecordingFile>& files,
                                   std::string_view group) {
    RecordedGroup merged;
    merged.group = group;
    if (group.empty()) {
        auto only = only_group(files);
        if (!only) return only.error();
        merged.group = *only;
    }
    std::vector<Part> parts = parts_of(files, merged.group);
    if (parts.empty()) return Error{"no group '" + merged.group + "' is recorded here"};
    for (const Part& part : parts) {
        if (auto error = contradiction(parts.front(), part)) return *error;
    }
    merged.cluster = parts.front().head().cluster;
    merged.algorithm = parts.front().place().algorithm;
    merged.members = parts.front().place().members;
    align(parts, merged);
    if (auto error = Merging(merged, parts).all()) return *error;
    return merged;
}

}  // namespace conclave
