// node/config_settings.h -- every setting once: the section, the key, and where the value is kept.
//
// Reading, printing, the names of environment variables and the hints for typing errors all follow
// this one list, so none of them can forget a setting. `setting(section, key, value)` is called for
// each, in the order in which print_effective shows them.
#pragma once
#include <string>
#include <string_view>

#include "node/config.h"

namespace conclave::node {

template <class Group, class F>
void each_group_setting(const std::string& section, Group& group, F& setting) {
    setting(section, "algorithm", group.algorithm);
    setting(section, "engine", group.engine);
    setting(section, "endpoints", group.endpoints);
    setting(section, "root", group.root);
    setting(section, "user", group.user);
    setting(section, "password_file", group.password_file);
    setting(section, "priority", group.priority);
    setting(section, "attribute", group.attribute);
    setting(section, "preempt", group.preempt);
    setting(section, "lease", group.lease);
    setting(section, "tm", group.tm);
    setting(section, "tp", group.tp);
    setting(section, "candidate", group.candidate);
    setting(section, "health", group.health);
    setting(section, "plan", group.plan);
    setting(section, "on_stop", group.on_stop);
    setting(section, "members", group.members);
    setting(section + ".tls", "ca", group.tls.ca);  // a section of its own, and so the last
    setting(section + ".tls", "cert", group.tls.cert);
    setting(section + ".tls", "key", group.tls.key);
}

// `Configuration` is Config or const Config.
template <class Configuration, class F> void each_setting(Configuration& config, F setting) {
    setting("cluster", "name", config.cluster.name);
    setting("node", "id", config.node.id);
    setting("node", "name", config.node.name);
    setting("node", "role", config.node.role);
    setting("node", "state_dir", config.node.state_dir);
    setting("peer", "listen", config.peer.listen);
    setting("peer", "advertise", config.peer.advertise);
    setting("peer.tls", "ca", config.peer.tls.ca);
    setting("peer.tls", "cert", config.peer.tls.cert);
    setting("peer.tls", "key", config.peer.tls.key);
    for (std::size_t i = 0; i < config.peers.size(); ++i) {
        const std::string section = "peers." + std::to_string(i);
        setting(section, "id", config.peers[i].id);
        setting(section, "name", config.peers[i].name);
        setting(section, "address", config.peers[i].address);
        setting(section, "role", config.peers[i].role);
    }
    setting("detector", "kind", config.detector.kind);
    setting("detector", "detect_within", config.detector.detect_within);
    setting("detector", "period", config.detector.period);
    setting("detector", "margin", config.detector.margin);
    setting("detector", "threshold", config.detector.threshold);
    setting("api", "listen", config.api.listen);
    setting("api", "token_file", config.api.token_file);
    setting("api.tls", "ca", config.api.tls.ca);
    setting("api.tls", "cert", config.api.tls.cert);
    setting("api.tls", "key", config.api.tls.key);
    for (auto& group : config.groups) each_group_setting("groups." + group.name, group, setting);
    setting("locks", "serve", config.locks.serve);
    setting("locks", "session_max", config.locks.session_max);
    setting("locks", "lease", config.locks.lease);
    for (auto& mutex : config.mutexes) {
        setting("mutex." + mutex.name, "algorithm", mutex.algorithm);
        setting("mutex." + mutex.name, "lease", mutex.lease);
    }
    setting("log", "level", config.log.level);
    setting("log", "format", config.log.format);
    setting("record", "bytes", config.record.bytes);
    setting("record", "dir", config.record.dir);
}

// As it stands in the file: [groups.billing], and [[peers]] for "peers.0".
inline std::string header_of(const std::string& section) {
    return section.starts_with("peers.") ? "[[peers]]" : "[" + section + "]";
}

}  // namespace conclave::node
