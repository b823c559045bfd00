#include "node/config_engine.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string_view>

#include "core/nearest.h"
#include "node/duration_text.h"

namespace conclave::node {

namespace {

using namespace std::chrono_literals;

// All that there are, built in or not.
constexpr std::array<std::string_view, 2> engines{"etcd", "zookeeper"};

// An etcd is known by its URL, as everywhere else where one is configured.
struct Scheme {
    std::string_view engine, name;
    bool secure;
};
constexpr std::array schemes{
    Scheme{"etcd", "http", false},           Scheme{"etcd", "https", true},
    Scheme{"etcd", "etcd", false},           Scheme{"etcd", "etcds", true},
    Scheme{"zookeeper", "zookeeper", false}, Scheme{"zookeeper", "zookeepers", true},
};

std::string words_for(const std::string& engine) {
    return engine == "etcd" ? "http://HOST:PORT, https://HOST:PORT or HOST:PORT"
                            : "zookeeper://HOST:PORT or HOST:PORT";
}

// Without a scheme it is secure if there is something to be secure with.
Result<engine::Place> read_endpoints(const Group& group) {
    std::string hosts;
    std::optional<bool> secure;
    for (const std::string& endpoint : group.endpoints) {
        const auto colon = endpoint.find("://");
        const bool bare = colon == endpoint.npos;
        std::string_view host = std::string_view(endpoint).substr(bare ? 0 : colon + 3);
        const auto scheme = std::ranges::find_if(schemes, [&](const Scheme& one) {
            return one.engine == *group.engine && one.name == endpoint.substr(0, colon);
        });
        if (host.find('@') != host.npos) {  // and is not repeated, for a password may be in it
            return Error{"an endpoint names no user: there are 'user' and 'password_file'"};
        }
        while (host.ends_with('/')) host.remove_suffix(1);
        const bool strange = !bare && scheme == schemes.end();
        if (strange || host.empty() || host.find_first_of("/,") != host.npos) {
            return Error{"'" + endpoint + "' is no endpoint of " + *group.engine + ": " +
                         words_for(*group.engine)};
        }
        const bool wanted = bare ? group.tls.given() : scheme->secure;
        if (secure.value_or(wanted) != wanted) {
            return Error{"either all endpoints are under TLS, or none"};
        }
        secure = wanted;
        hosts.append(hosts.empty() ? "" : ",").append(host);
    }
    std::string text = *group.engine + (secure.value_or(false) ? "s://" : "://") + hosts;
    const std::string root = group.root.value_or("");
    if (!root.empty() && !root.starts_with('/')) text += '/';
    return engine::read_place(text + root);
}

Result<std::string> read_password(const Path& file) {
    std::ifstream stream(file);
    std::string password;
    if (!stream || !std::getline(stream, password)) {
        return Error{"password_file " + file.string() + ": there is no password in it"};
    }
    return password;
}

}  // namespace

std::vector<std::string> known_engines() {
    std::vector<std::string> known{"etcd"};
#ifdef CONCLAVE_ZOOKEEPER
    known.emplace_back("zookeeper");
#endif
    return known;
}

std::vector<EngineError> engine_errors(const Group& group, const Known& known) {
    const std::string& engine = *group.engine;
    const std::string named = "engine '" + engine + "'";
    if (std::ranges::count(engines, engine) == 0) {
        const auto guess = nearest(engine, {engines.begin(), engines.end()});
        return {{"engine",
                 "unknown " + named +
                     (guess ? "; did you mean '" + *guess + "'?" : "; there is etcd, zookeeper")}};
    }
    if (std::ranges::count(known.engines, engine) == 0) {
        return {{"engine", named + " is not built in"}};
    }
    std::vector<EngineError> wrong;
    const auto add = [&](std::string key, std::string what) {
        wrong.push_back({std::move(key), std::move(what)});
    };
    if (group.algorithm) add("algorithm", named + " brings its own algorithm");
    if (group.preempt) add("preempt", named + " serves in the order of asking: no preempt");
    if (group.lease < 1s) {
        add("lease",
            named + " counts in seconds: lease = " + duration_text(group.lease) + " is too short");
    }
    if (group.user.has_value() == group.password_file.empty()) {
        add(group.user ? "user" : "password_file", "'user' and 'password_file' go together");
    }
    if (group.tls.cert.empty() != group.tls.key.empty()) add("tls", "tls needs both cert and key");
    if (group.endpoints.empty()) {
        add("endpoints", named + " needs endpoints");
        return wrong;
    }
    const auto place = read_endpoints(group);
    if (!place) {
        add("endpoints", place.error().what);
    } else if (group.tls.given() && !place->secure) {
        add("tls", "these endpoints are without TLS");
    } else if (place->secure && place->kind == engine::Place::Kind::zookeeper) {
        add("endpoints", "the ZooKeeper client has no TLS");
    }
    return wrong;
}

Result<engine::Place> engine_place(const Group& group) {
    auto place = read_endpoints(group);
    if (!place) return place;
    place->tls = {group.tls.ca.string(), group.tls.cert.string(), group.tls.key.string()};
    if (!group.user) return place;
    const auto password = read_password(group.password_file);
    if (!password) return password.error();
    place->user = *group.user;
    place->password = *password;
    return place;
}

}  // namespace conclave::node
