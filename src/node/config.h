// node/config.h -- what a person decides about a node: the TOML file, and what overrides it.
//
//     flag (--set section.key=value)  >  CONCLAVE_SECTION_KEY  >  file  >  default
//
// A Config exists only if nothing is wrong with it: reading reports everything that is, each with
// its place, and not just the first. Every setting remembers where it came from. Relative paths
// start at the folder of the file, wherever the process happens to run.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "net/address.h"
#include "net/log.h"
#include "node/log_line.h"

namespace conclave::node {

using Path = std::filesystem::path;

struct Place {
    enum class Kind : std::uint8_t { fallback, file, environment, flag };
    Kind kind = Kind::fallback;
    std::string name;  // the file's path, the variable's name, or the setting that the flag names
    std::uint32_t line = 0, column = 0;  // of a file, from 1; zero: the file as a whole
};
std::string to_text(const Place& place);  // "conclave.toml:12:1", "CONCLAVE_NODE_ID", ...

struct Problem {
    Place where;
    std::string what;
};
std::string to_text(const Problem& problem);

// Where each setting came from, by its full name, "groups.billing.lease" or "peers.0.id"; who is
// not listed has its default. It is no part of what a configuration says, so it compares as equal.
struct Origins {
    std::map<std::string, Place> places;
    Path file;
    friend bool operator==(const Origins&, const Origins&) { return true; }
};

enum class Role : std::uint8_t { voter, witness, learner };

struct Command {  // "command:/path"
    Path path;
    friend bool operator==(const Command&, const Command&) = default;
};

struct Planner {  // "command:/path", or "application": the one that embeds this node
    Command command{};
    bool application() const { return command.path.empty(); }
    friend bool operator==(const Planner&, const Planner&) = default;
};

struct Measure {  // what makes a node better than another, where that is not a fixed priority
    enum class Kind : std::uint8_t { load, disk, command };
    Kind kind = Kind::load;
    Command command{};
    friend bool operator==(const Measure&, const Measure&) = default;
};

struct Tls {
    Path ca, cert, key;  // all of them, or none: plaintext
    bool given() const { return !ca.empty() || !cert.empty() || !key.empty(); }
    friend bool operator==(const Tls&, const Tls&) = default;
};

struct Cluster {
    std::string name;  // a hello from another cluster is refused
    friend bool operator==(const Cluster&, const Cluster&) = default;
};

struct Self {
    NodeId id{};  // the order; fixed for life
    std::string name;
    Role role = Role::voter;
    Path state_dir;
    friend bool operator==(const Self&, const Self&) = default;
};

struct Listening {  // for the other nodes
    net::Address listen = net::HostPort{"127.0.0.1", 7420};
    std::optional<net::Address> advertise;  // else as `listen`
    Tls tls;
    friend bool operator==(const Listening&, const Listening&) = default;
};

struct Peer {
    NodeId id{};
    std::string name;
    net::Address address;
    Role role = Role::voter;
    friend bool operator==(const Peer&, const Peer&) = default;
};

struct Detector {
    std::string kind = "accrual";
    Duration detect_within = std::chrono::milliseconds(500);
    std::optional<Duration> period, margin;  // else they follow from detect_within
    double threshold = 8;                    // phi of the accrual rule
    friend bool operator==(const Detector&, const Detector&) = default;
};

struct Group {
    std::string name;
    std::optional<std::string> algorithm;  // one of our own,
    std::optional<std::string> engine;     // or somebody else's: exactly one of the two
    std::vector<std::string> endpoints;    // of the engine,
    std::optional<std::string> root;       //   whose names are below this,
    std::optional<std::string> user;       //   and who we are to it
    Path password_file;
    Tls tls;
    std::optional<std::int64_t> priority;  // exactly one of
    std::optional<Measure> attribute;      //   these two
    bool preempt = false;
    Duration lease = std::chrono::milliseconds(200);
    Duration tm = std::chrono::milliseconds(50);  // longest message time, and
    Duration tp = std::chrono::milliseconds(50);  //   longest handling time, for who needs bounds
    bool candidate = false;                       // stands without a session
    std::optional<Command> health, on_stop;
    std::optional<Planner> plan;
    std::optional<std::vector<std::string>> members;  // by name; else everybody
    friend bool operator==(const Group&, const Group&) = default;
};

struct Mutex {
    std::string name;
    std::string algorithm;
    Duration lease = std::chrono::milliseconds(500);  // of its leader, if it stands on an election
    friend bool operator==(const Mutex&, const Mutex&) = default;
};

struct Api {
    std::vector<net::Address> listen{net::UnixPath{"/run/conclave/api.sock"}};
    Path token_file;  // who knows what is in it may change something; empty: there is none
    Tls tls;          // of its ports
    friend bool operator==(const Api&, const Api&) = default;
};

struct Locks {
    bool serve = false;                               // true if there is a [locks] section
    Duration session_max = std::chrono::seconds(2);   // caps every ttl
    Duration lease = std::chrono::milliseconds(500);  // of the leader that grants
    friend bool operator==(const Locks&, const Locks&) = default;
};

struct Logging {
    Level level = Level::info;
    LogFormat format = LogFormat::logfmt;
    friend bool operator==(const Logging&, const Logging&) = default;
};

struct Record {  // of every step of every machine, for `conclave replay`
    Path dir;    // empty: nothing is recorded
    std::int64_t bytes = std::int64_t{64} << 20;  // of all its files together
    friend bool operator==(const Record&, const Record&) = default;
};

struct Config {
    Cluster cluster;
    Self node;
    Listening peer;
    std::vector<Peer> peers;  // in the order of the file; may list this node, too
    Detector detector;
    Api api;
    std::vector<Group> groups;  // by name
    Locks locks;
    std::vector<Mutex> mutexes;  // by name
    Logging log;
    Record record;
    Origins origins;
    friend bool operator==(const Config&, const Config&) = default;
};

// Of a group on an engine, unless one is given: engines count in seconds.
inline constexpr Duration engine_lease = std::chrono::seconds(10);

// The group whose leader is the lock server. A user's group cannot have its name.
inline constexpr std::string_view lock_group = "locks", lock_algorithm = "locks-on-quorum";

// The classic mutual exclusions, and what runs under their names: those that survive nothing alone
// stand on the election that survives a real network.
struct Classic {
    std::string_view name, stack;
    bool led() const { return name != stack; }
};
inline constexpr std::array classics{
    Classic{"central", "central-on-quorum"},       Classic{"token-ring", "token-ring-on-quorum"},
    Classic{"ricart-agrawala", "ricart-agrawala"}, Classic{"maekawa", "maekawa"},
    Classic{"path-token", "path-token-on-quorum"},
};
const Classic* find_classic(std::string_view name);  // none: there is no such algorithm

// A mutex is hosted like a group. A user's group has no dot in its name.
std::string group_of_mutex(std::string_view mutex);
std::optional<std::string> mutex_of_group(std::string_view group);  // none: it is no mutex

// Everybody, this node included, by id; `members` are those that take part in the group.
std::vector<Peer> roster(const Config& config);
std::vector<Peer> members(const Config& config, const Group& group);

// What the detector runs with. A crash is noticed at most period + margin after the last heartbeat
// arrived, and that is never more than detect_within.
struct DetectorSettings {
    Duration period{}, margin{};
    friend bool operator==(const DetectorSettings&, const DetectorSettings&) = default;
};
DetectorSettings detector_settings(Duration detect_within);
DetectorSettings detector_settings(const Detector& detector);  // the same, with what was overridden

// How long whoever is inside a mutex for a client may go on without a word from its node. By then
// nobody can have found out that the node is dead: the other half of the detector's margin is for
// messages on their way.
Duration longest_silence(const Config& config);

// The names that this binary can make something of.
struct Known {
    std::vector<std::string> elections, mutexes, detectors, engines;
};

struct Overrides {  // of what the file says
    std::map<std::string, std::string> environment;
    std::vector<std::string> flags;  // "section.key=value"; the last one wins
};
std::map<std::string, std::string> environment();  // of this process

struct Loaded {
    std::optional<Config> config;  // nothing if there are errors
    std::vector<Problem> errors, warnings;
};
[[nodiscard]] Loaded load_config(const Path& file, const Overrides& overrides, const Known& known);

// `text` as if it stood in `file`, which need not exist.
[[nodiscard]] Loaded parse_config(std::string_view text, const Path& file,
                                  const Overrides& overrides, const Known& known);

// The whole configuration as TOML, each line with where it came from; parse_config reads it back.
// `bound` knows how long a group may be without a leader after a crash, if its algorithm says so.
// `words` are what follows from the choice of a mutex, a line each.
using FailoverBound = std::function<std::optional<Duration>(const Group&, const Config&)>;
using MutexWords = std::function<std::vector<std::string>(const Mutex&, const Config&)>;
std::string print_effective(const Config& config, const FailoverBound& bound = {},
                            const MutexWords& words = {});

}  // namespace conclave::node
