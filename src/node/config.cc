// node/config.cc -- what follows from a configuration.
#include "node/config.h"

#include <algorithm>

namespace conclave::node {

std::string to_text(const Place& place) {
    switch (place.kind) {
        case Place::Kind::fallback:
            return "default";
        case Place::Kind::environment:
            return place.name;
        case Place::Kind::flag:
            return "--set " + place.name;
        case Place::Kind::file:
            break;
    }
    if (place.line == 0) return place.name;
    return place.name + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

std::string to_text(const Problem& problem) { return to_text(problem.where) + ": " + problem.what; }

std::vector<Peer> roster(const Config& config) {
    std::vector<Peer> everybody{{config.node.id, config.node.name,
                                 config.peer.advertise.value_or(config.peer.listen),
                                 config.node.role}};
    for (const Peer& peer : config.peers) {
        if (peer.id != config.node.id) everybody.push_back(peer);
    }
    std::ranges::sort(everybody, {}, &Peer::id);
    return everybody;
}

std::vector<Peer> members(const Config& config, const Group& group) {
    std::vector<Peer> chosen = roster(config);
    if (!group.members) return chosen;
    std::erase_if(chosen, [&](const Peer& peer) {
        return std::ranges::count(*group.members, peer.name) == 0;
    });
    return chosen;
}

const Classic* find_classic(std::string_view name) {
    const auto found = std::ranges::find(classics, name, &Classic::name);
    return found == classics.end() ? nullptr : &*found;
}

namespace {
constexpr std::string_view mutex_prefix = "mutex.";  // as its section in the file
}

std::string group_of_mutex(std::string_view mutex) {
    return std::string(mutex_prefix).append(mutex);
}

std::optional<std::string> mutex_of_group(std::string_view group) {
    if (!group.starts_with(mutex_prefix)) return std::nullopt;
    return std::string(group.substr(mutex_prefix.size()));
}

// Three heartbeats per window: after the last one that was heard two more are due before the window
// ends, so one may be lost or late and nobody is suspected. Links lose nothing, and a fourth would
// wake every pair of nodes for little. The learning rules suspect after 1.6 periods of a steady
// link (accrual, phi 8) and use the rest of the window for links that are not.
DetectorSettings detector_settings(Duration detect_within) {
    constexpr int beats = 3;
    const Duration period = std::chrono::floor<std::chrono::milliseconds>(detect_within / beats);
    return {period, detect_within - period};
}

DetectorSettings detector_settings(const Detector& detector) {
    DetectorSettings chosen = detector_settings(detector.detect_within);
    if (detector.period) chosen.period = *detector.period;
    if (detector.margin && !detector.period) {  // what is left, unless three beats are more often
        chosen.period = std::min(chosen.period, detector.detect_within - *detector.margin);
    }
    chosen.margin = detector.margin.value_or(detector.detect_within - chosen.period);
    return chosen;
}

Duration longest_silence(const Config& config) {
    return std::min(config.locks.session_max, detector_settings(config.detector).margin / 2);
}

}  // namespace conclave::node
