// cli/replay.cc -- finds out what it was given, and tells what came of it.
#include "cli/replay.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "cli/catalogue.h"
#include "cli/report.h"
#include "cli/script_file.h"
#include "node/time_text.h"
#include "sim/recorded.h"
#include "sim/words.h"

namespace conclave {

namespace {

namespace fs = std::filesystem;

bool begins_like_a_recording(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string front(wire::recording_magic.size(), '\0');
    file.read(front.data(), static_cast<std::streamsize>(front.size()));
    return front == wire::recording_magic;
}

bool are_recordings(const std::vector<std::string>& paths) {
    return std::ranges::any_of(paths, [](const std::string& path) {
        return fs::is_directory(path) || begins_like_a_recording(path);
    });
}

// A folder stands for the recordings in it.
Result<std::vector<fs::path>> files_of(const std::vector<std::string>& paths) {
    std::vector<fs::path> files;
    for (const std::string& path : paths) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            files.emplace_back(path);
            continue;
        }
        const std::size_t before = files.size();
        for (const auto& entry : fs::directory_iterator(path, error)) {
            if (begins_like_a_recording(entry.path())) files.push_back(entry.path());
        }
        if (error) return Error{path + ": " + error.message()};
        if (files.size() == before) return Error{path + ": no recording is in this folder"};
    }
    return files;
}

Result<std::vector<RecordingFile>> read_files(const std::vector<std::string>& paths) {
    auto files = files_of(paths);
    if (!files) return files.error();
    std::vector<RecordingFile> read;
    for (const fs::path& path : *files) {
        std::ifstream file(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (!file.is_open() || file.bad()) return Error{path.string() + ": cannot be read"};
        const ByteView bytes = std::as_bytes(std::span(text));
        auto one = read_recording_file(path.string(), Bytes(bytes.begin(), bytes.end()));
        if (!one) return one.error();
        read.push_back(std::move(*one));
    }
    return read;
}

Result<Window> read_window(const ReplayOptions& options, Instant end) {
    Window window;
    window.drawn = !options.svg.empty();
    const auto read = [](const char* flag, const std::string& text, auto take) {
        const auto time = read_time(text);
        if (time) take(*time);
        const bool good = time || text.empty();
        return good ? std::optional<Error>{} : Error{must_be(flag, "a time, 200 or 5s", text)};
    };
    const auto from = [&](Duration time) { window.from = Instant(time); };
    const auto to = [&](Duration time) { window.to = Instant(time); };
    const auto last = [&](Duration time) { window.from = std::max(Instant{}, end - time); };
    if (auto wrong = read("--from", options.from, from)) return *wrong;
    if (auto wrong = read("--to", options.to, to)) return *wrong;
    if (auto wrong = read("--last", options.last, last)) return *wrong;
    return window;
}

std::string recorded_text(const RecordedGroup& group) {
    std::string names;
    for (const NodeId node : group.recorded) names += " " + std::to_string(number(node));
    const node::WallTime zero(std::chrono::duration_cast<node::WallTime::duration>(
        std::chrono::nanoseconds(group.wall_ns)));
    return "cluster " + group.cluster + ", group " + group.group + ": recorded by" + names +
           " of " + std::to_string(group.members.size()) + " nodes" +
           (group.one_clock ? "" : " on several machines, compared by their wall clocks") +
           "; milliseconds since " + node::time_text(zero);
}

void tell(const Terminal& terminal, const RecordedGroup& group, const Replayed& replayed) {
    const Report& report = replayed.report;
    if (!terminal.quiet) {
        std::fputs(replayed.story.c_str(), stdout);
        std::printf("\n%s, %s\n", terminal.bold(group.algorithm).c_str(),
                    recorded_text(group).c_str());
        std::fputs(outcome_text(terminal, report).c_str(), stdout);
    }
    std::fflush(stdout);
    for (const Difference& one : replayed.differences) {
        complain("at " + number_text(one.at) + " node " + std::to_string(number(one.node)) +
                 " differs from its recording (" + one.place + ")\n  event:    " + one.event +
                 "\n  recorded: " + one.recorded + "\n  replayed: " + one.replayed);
    }
    if (!terminal.quiet && replayed.differences.empty()) {
        std::printf("%llu steps, %s\n", static_cast<unsigned long long>(report.events),
                    terminal.good("all as recorded").c_str());
    }
}

boost::json::object as_json(const RecordedGroup& group, const Replayed& replayed) {
    Plan plan;
    plan.members = group.members;
    boost::json::object out = report_json(group.algorithm, plan, replayed.report);
    out.erase("seed");
    out["cluster"] = group.cluster;
    out["group"] = group.group;
    boost::json::array recorded, differences;
    for (const NodeId node : group.recorded) recorded.push_back(number(node));
    for (const Difference& one : replayed.differences) {
        differences.push_back(boost::json::object{{"node", number(one.node)},
                                                  {"at", json_number(one.at)},
                                                  {"place", one.place},
                                                  {"event", one.event},
                                                  {"recorded", one.recorded},
                                                  {"replayed", one.replayed}});
    }
    out["recorded"] = std::move(recorded);
    out["differences"] = std::move(differences);
    out["one_clock"] = group.one_clock;
    out["start_ns"] = group.wall_ns;
    return out;
}

Exit refuse(Exit how, const Error& error) {
    complain(error.what);
    return how;
}

Exit replay_recordings(const Terminal& terminal, const ReplayOptions& options) {
    const auto files = read_files(options.paths);
    if (!files) return refuse(Exit::no_input, files.error());
    const auto group = put_together(*files, options.group);
    if (!group) return refuse(Exit::usage, group.error());
    auto window = read_window(options, group->events.back().at);
    if (!window) return refuse(Exit::usage, window.error());
    window->told = terminal.format == Format::text && !terminal.quiet;
    const auto simulator = find_simulator(group->algorithm);
    if (!simulator) return refuse(Exit::usage, Error{unknown_algorithm(group->algorithm)});
    auto replayed = simulator->replay(*group, *window);
    if (!replayed) return refuse(Exit::no_input, replayed.error());
    replayed->report.diagram.subtitle = recorded_text(*group);
    if (!options.svg.empty() && !write_file(options.svg, to_svg(replayed->report.diagram))) {
        return Exit::cannot_create;
    }
    if (terminal.format == Format::text) {
        tell(terminal, *group, *replayed);
    } else {
        std::puts(boost::json::serialize(as_json(*group, *replayed)).c_str());
    }
    const bool well = replayed->differences.empty() && replayed->report.violations.empty();
    return well ? Exit::ok : Exit::violated;
}

}  // namespace

Exit run_replay(const Terminal& terminal, const ReplayOptions& options) {
    if (are_recordings(options.paths)) return replay_recordings(terminal, options);
    const bool window = !options.from.empty() || !options.to.empty() || !options.last.empty();
    if (options.paths.size() > 1 || window || !options.group.empty() || !options.svg.empty()) {
        complain("a trace is replayed alone and as a whole; this is for recordings of nodes");
        return Exit::usage;
    }
    return run_script_file(terminal, options.paths.front(), Script::judge);
}

}  // namespace conclave
