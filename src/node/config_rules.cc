// node/config_rules.cc -- the rules between settings, each refused in words.
#include "node/config_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/nearest.h"
#include "node/config_engine.h"
#include "node/config_settings.h"
#include "node/duration_text.h"

namespace conclave::node {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_name = 63;  // of a label in a certificate's name
constexpr double largest_threshold = 100;
constexpr std::int64_t least_recorded = 1'000'000, most_recorded = 1'000'000'000'000;

// What the words of a group are good for depends on its algorithm.
constexpr std::array<std::string_view, 2> reorganising{"garcia-molina", "invitation"};
constexpr std::array<std::string_view, 1> leased{"quorum"};
constexpr std::array<std::string_view, 1> by_majority{"quorum"};
constexpr std::array<std::string_view, 1> never_preempting{"invitation"};

bool contains(const auto& list, const auto& name) { return std::ranges::count(list, name) > 0; }

bool is_name(std::string_view text) {
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return text.size() <= longest_name && text.find_first_not_of(allowed) == text.npos;
}

bool is_everywhere(const net::Address& address) {
    const auto* place = std::get_if<net::HostPort>(&address);
    return place && (place->host == "0.0.0.0" || place->host == "::");
}
bool has_port(const net::Address& address) {
    const auto* place = std::get_if<net::HostPort>(&address);
    return !place || place->port != 0;
}

class Checking {
public:
    Checking(const Config& config, const Known& known, Findings& findings)
        : config_(config), known_(known), findings_(findings) {}

    void all() {
        who_i_am();
        others();
        links();
        api();
        detector();
        within("locks.session_max", config_.locks.session_max, 100ms, 1h);
        within("locks.lease", config_.locks.lease, 10ms, 1h);
        record();
        for (const Group& group : config_.groups) check(group);
        for (const Group& group : config_.groups) {
            if (config_.locks.serve && group.name == lock_group)
                error("groups." + group.name, "the lock service's own group has this name");
        }
        for (const Mutex& mutex : config_.mutexes) check(mutex);
    }

private:
    bool given(const std::string& name) const { return config_.origins.places.contains(name); }
    // The setting's own place, else that of its section, else the file.
    Place place_of(std::string name) const {
        const auto& places = config_.origins.places;
        for (; !name.empty(); name = name.substr(0, name.rfind('.') + 1)) {
            if (name.ends_with('.')) name.pop_back();
            if (const auto found = places.find(name); found != places.end()) return found->second;
            if (name.find('.') == name.npos) break;
        }
        return {Place::Kind::file, config_.origins.file.string()};
    }
    void error(const std::string& name, std::string what) {
        findings_.errors.push_back({place_of(name), std::move(what)});
    }
    void warn(const std::string& name, std::string what) {
        findings_.warnings.push_back({place_of(name), std::move(what)});
    }

    void require(const std::string& section, const std::string& key) {
        const std::string name = section + "." + key;
        if (!given(name)) error(name, "'" + key + "' is missing in " + header_of(section));
    }
    void within(const std::string& name, Duration value, Duration least, Duration most) {
        if (value >= least && value <= most) return;
        error(name, name + " must be " + duration_text(least) + " to " + duration_text(most) +
                        ", not " + duration_text(value));
    }
    void check_name(const std::string& setting, const std::string& name) {
        if (auto wrong = wrong_name(name)) error(setting, std::move(*wrong));
    }
    void check_known(const std::string& setting, const std::string& kind, const std::string& name,
                     const std::vector<std::string>& all) {
        if (contains(all, name)) return;
        std::string what = "unknown " + kind + " '" + name + "'";
        if (const auto guess = nearest(name, all)) {
            what += "; did you mean '" + *guess + "'?";
        } else {
            std::string list;
            for (const std::string& each : all) list += (list.empty() ? "" : ", ") + each;
            what += "; there is " + (list.empty() ? "none" : list);
        }
        error(setting, std::move(what));
    }

    void who_i_am() {
        require("cluster", "name");
        for (const char* key : {"id", "name", "state_dir"}) require("node", key);
        check_name("cluster.name", config_.cluster.name);
        check_name("node.name", config_.node.name);
        if (config_.peers.empty() && config_.node.role != Role::voter) {
            error("node.role", "a node without [[peers]] must be a voter: nobody else could lead");
        }
    }

    void others() {
        for (std::size_t i = 0; i < config_.peers.size(); ++i) {
            const std::string section = "peers." + std::to_string(i);
            for (const char* key : {"id", "name", "address"}) require(section, key);
            check_name(section + ".name", config_.peers[i].name);
            reachable(section + ".address", config_.peers[i].address);
            compare_with_self(section, config_.peers[i]);
            for (std::size_t j = 0; j < i; ++j) compare(section, config_.peers[i], j);
        }
    }
    void compare_with_another(const std::string& section, const Peer& peer) {
        const std::string here = "this node's own, whose id is " +
                                 std::to_string(number(config_.node.id)) + ", not " +
                                 std::to_string(number(peer.id));
        if (!peer.name.empty() && peer.name == config_.node.name) {
            error(section + ".name", "name '" + peer.name + "' is " + here);
        }
        if (given(section + ".address") && peer.address == config_.peer.advertise) {
            error(section + ".address", "address " + net::to_text(peer.address) + " is " + here);
        }
    }
    void compare_with_self(const std::string& section, const Peer& peer) {
        const Self& self = config_.node;
        const std::string id = std::to_string(number(self.id));
        if (peer.id != self.id) return compare_with_another(section, peer);
        if (self.id == NodeId{}) return;  // both are missing, and were complained about
        if (peer.name != self.name) {
            error(section + ".name", "id " + id + " is this node, whose name is '" + self.name +
                                         "', not '" + peer.name + "'");
        }
        if (config_.peer.advertise && peer.address != *config_.peer.advertise) {
            error(section + ".address", "id " + id + " is this node, which advertises " +
                                            net::to_text(*config_.peer.advertise) + ", not " +
                                            net::to_text(peer.address));
        }
        if (given(section + ".role") && peer.role != self.role) {
            error(section + ".role",
                  "id " + id + " is this node, which has another role in [node]");
        }
    }
    void compare(const std::string& section, const Peer& peer, std::size_t earlier) {
        const Peer& other = config_.peers[earlier];
        const std::string id = std::to_string(number(peer.id));
        if (peer.id == other.id && peer.id != NodeId{}) {
            error(section + ".id", "two peers have the id " + id);
        }
        if (peer.name == other.name && !peer.name.empty()) {
            error(section + ".name", "two peers have the name '" + peer.name + "'");
        }
        if (peer.address == other.address && given(section + ".address")) {
            error(section + ".address", "two peers have the address " + net::to_text(peer.address));
        }
    }

    void reachable(const std::string& setting, const net::Address& address) {
        if (!given(setting) && address == net::Address{}) return;  // missing
        if (auto wrong = wrong_place(address)) error(setting, std::move(*wrong));
    }

    void whole(const std::string& section, const Tls& tls) {
        const std::array files{std::pair{"ca", &tls.ca}, std::pair{"cert", &tls.cert},
                               std::pair{"key", &tls.key}};
        for (const auto& [key, path] : files) {
            const std::string name = section + "." + key;
            if (tls.given() && path->empty() && !given(name)) {
                error(name, "tls needs ca, cert and key; '" + std::string(key) + "' is missing");
            }
        }
    }
    void links() {
        const Listening& own = config_.peer;
        whole("peer.tls", own.tls);
        if (!config_.peers.empty()) find_me();
        if (own.tls.given()) return;
        plaintext("peer.listen", own.listen);
        for (std::size_t i = 0; i < config_.peers.size(); ++i) {
            const std::string name = "peers." + std::to_string(i) + ".address";
            if (given(name) && config_.peers[i].id != config_.node.id) {
                plaintext(name, config_.peers[i].address);
            }
        }
    }
    void find_me() {
        const Listening& own = config_.peer;
        if (given("peer.advertise") || !is_everywhere(own.listen)) {
            return reachable("peer.advertise", own.advertise.value_or(own.listen));
        }
        error("peer.listen", "with listen = \"" + net::to_text(own.listen) +
                                 "\" the peers need an 'advertise' address to find this node");
    }
    void plaintext(const std::string& name, const net::Address& address) {
        if (net::is_loopback(address)) return;
        error(name, net::to_text(address) +
                        " is not on this machine, and without [peer] tls everything would be sent "
                        "in plaintext");
    }
    void api() {
        const Api& own = config_.api;
        whole("api.tls", own.tls);
        for (const net::Address& address : own.listen) {
            if (net::is_loopback(address)) continue;
            warn("api.listen", net::to_text(address) + " lets other machines read the state");
            if (own.token_file.empty() || own.tls.given()) continue;
            error("api.token_file", net::to_text(address) +
                                        " is not on this machine, and without [api] tls the token "
                                        "would be sent in plaintext");
        }
    }

    void record() {
        if (config_.record.bytes < least_recorded || config_.record.bytes > most_recorded) {
            error("record.bytes", "record.bytes must be " + std::to_string(least_recorded) +
                                      " to " + std::to_string(most_recorded) + ", not " +
                                      std::to_string(config_.record.bytes));
        }
        if (given("record.bytes") && config_.record.dir.empty()) {
            warn("record.bytes", "nothing is recorded without record.dir");
        }
    }

    void detector() {
        const Detector& own = config_.detector;
        check_known("detector.kind", "detector", own.kind, known_.detectors);
        within("detector.detect_within", own.detect_within, 20ms, 10min);
        const auto [period, margin] = detector_settings(own);
        if (own.period && (period <= 0s || period > 1h)) {
            error("detector.period", "detector.period must be more than 0 and at most 1h");
        } else if (period <= 0s || margin < 0s || margin > own.detect_within - period) {
            const std::string name = own.margin ? "detector.margin" : "detector.period";
            error(name,
                  "a crash is noticed after period + margin: they do not fit into "
                  "detect_within = " +
                      duration_text(own.detect_within));
        }
        if (margin < period && own.kind != "ping") {
            warn("detector", "margin = " + duration_text(margin) + " is less than period = " +
                                 duration_text(period) + ": one lost heartbeat is a suspicion");
        }
        if (!(own.threshold > 0) || own.threshold > largest_threshold) {
            error("detector.threshold", "detector.threshold must be more than 0 and at most 100");
        }
        if (given("detector.threshold") && own.kind != "accrual") {
            warn("detector.threshold", "only the accrual detector has a threshold");
        }
    }

    void check_candidate(const std::string& section, const Group& group) {
        const bool joins = config_.node.role == Role::learner && group.algorithm == "quorum";
        if (joins) {
            warn(section + ".candidate", "this node stands once it is admitted: `members add`");
        } else if (config_.node.role != Role::voter) {
            error(section + ".candidate", "only a voter can stand, and this node is none");
        }
    }
    void check(const Group& group) {
        const std::string section = "groups." + group.name;
        check_name(section, group.name);
        if (group.priority && group.attribute) {
            error(section + ".attribute", "a group goes by priority or by attribute, not by both");
        }
        if (group.candidate) check_candidate(section, group);
        within(section + ".lease", group.lease, 10ms, 1h);
        within(section + ".tm", group.tm, 1ms, 1h);
        within(section + ".tp", group.tp, 1ms, 1h);
        if (group.engine) return check_engine(section, group);
        for (const char* key : {"endpoints", "root", "user", "password_file", "tls"}) {
            const std::string name = section + "." + key;
            if (given(name)) error(name, "'" + std::string(key) + "' is for groups with an engine");
        }
        check_known(section + ".algorithm", "algorithm", *group.algorithm, known_.elections);
        check_algorithm(section, group);
        check_members(section, group);
    }
    void check_engine(const std::string& section, const Group& group) {
        for (const EngineError& wrong : engine_errors(group, known_)) {
            error(section + "." + wrong.key, wrong.what);
        }
        for (const char* key : {"plan", "on_stop", "members"}) {
            const std::string name = section + "." + key;
            if (given(name))
                error(name, "a group with an engine has no '" + std::string(key) + "'");
        }
        if (group.priority.value_or(0) != 0 || group.attribute) {
            warn(section + (group.attribute ? ".attribute" : ".priority"),
                 *group.engine + " serves in the order of asking");
        }
    }
    void check_algorithm(const std::string& section, const Group& group) {
        const std::string& algorithm = *group.algorithm;
        if (group.preempt && contains(never_preempting, algorithm)) {
            error(section + ".preempt",
                  algorithm + " merges groups and deposes nobody: no preempt");
        }
        if (group.plan && !contains(reorganising, algorithm)) {
            error(section + ".plan", algorithm +
                                         " does not reorganise, so nobody would ask for a "
                                         "plan; garcia-molina and invitation do");
        }
        if (!contains(leased, algorithm)) {
            if (given(section + ".lease")) warn(section + ".lease", algorithm + " has no leases");
            if (group.health) {
                warn(section + ".health", "in " + algorithm + " every node stands, however it is");
            }
            return;
        }
        outlasts_a_heartbeat(section, group.lease);
    }
    // Between two heartbeats nothing is heard: the leader would be out of office by then.
    void outlasts_a_heartbeat(const std::string& section, Duration lease) {
        const Duration period = detector_settings(config_.detector).period;
        if (lease >= period) return;
        error(section + ".lease",
              "lease = " + duration_text(lease) + " is shorter than the detector's period of " +
                  duration_text(period) + "; a longer lease or a smaller detect_within is needed");
    }
    void check_members(const std::string& section, const Group& group) {
        const std::vector<Peer> everybody = roster(config_);
        const std::vector<std::string> named = group.members.value_or(std::vector<std::string>{});
        if (group.members && named.empty()) error(section + ".members", "a group needs members");
        for (auto name = named.begin(); name != named.end(); ++name) {
            if (std::count(named.begin(), name, *name) > 0) {
                error(section + ".members", "member '" + *name + "' is listed twice");
            } else if (std::ranges::count(everybody, *name, &Peer::name) == 0) {
                error(section + ".members", "member '" + *name +
                                                "' is neither this node nor one "
                                                "of the [[peers]]");
            }
        }
        const auto count = [in = members(config_, group)](Role role) {
            return std::ranges::count(in, role, &Peer::role);
        };
        const auto voters = count(Role::voter);
        if (voters == 0) error(section + ".members", "none of the members is a voter");
        if (voters == 2 && count(Role::witness) == 0 && contains(by_majority, *group.algorithm)) {
            warn(section, "two voters and no witness: if either fails, nobody can be elected");
        }
    }

    void check(const Mutex& mutex) {
        const std::string section = "mutex." + mutex.name;
        check_name(section, mutex.name);
        require(section, "algorithm");
        if (mutex.algorithm.empty()) return;
        check_known(section + ".algorithm", "algorithm", mutex.algorithm, known_.mutexes);
        within(section + ".lease", mutex.lease, 10ms, 1h);
        const Classic* classic = find_classic(mutex.algorithm);
        if (classic && classic->led()) return outlasts_a_heartbeat(section, mutex.lease);
        if (given(section + ".lease")) {
            warn(section + ".lease", mutex.algorithm + " has no leader, and so no lease");
        }
    }

    const Config& config_;
    const Known& known_;
    Findings& findings_;
};

}  // namespace

void check_rules(const Config& config, const Known& known, Findings& findings) {
    Checking(config, known, findings).all();
}

std::optional<std::string> wrong_name(const std::string& name) {
    if (is_name(name)) return std::nullopt;
    return "name '" + name + "' must have at most " + std::to_string(longest_name) +
           " letters, digits, '-', '_' and '.'";
}

std::optional<std::string> wrong_place(const net::Address& address) {
    if (is_everywhere(address))
        return net::to_text(address) + " is where one listens, not where one is found";
    if (!has_port(address)) return net::to_text(address) + " needs a port that others can know";
    return std::nullopt;
}

}  // namespace conclave::node
