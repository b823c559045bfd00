// node/config_print.cc -- the effective configuration, as TOML that says where each line came from.
#include <algorithm>

#include "node/config.h"
#include "node/config_settings.h"
#include "node/config_values.h"
#include "node/duration_text.h"
#include "service/lock_words.h"

namespace conclave::node {

namespace {

constexpr std::size_t comment_column = 44;

std::string origin_text(const Place& place) {
    switch (place.kind) {
        case Place::Kind::fallback:
            return "default";
        case Place::Kind::environment:
            return "environment " + place.name;
        case Place::Kind::flag:
            return "flag --set";
        case Place::Kind::file:
            return place.name + ":" + std::to_string(place.line);
    }
    return {};
}

class Printing {
public:
    Printing(const Config& config, const FailoverBound& bound, const MutexWords& words)
        : config_(config), bound_(bound), words_(words) {}

    std::string all() {
        each_setting(config_, [this](const std::string& section, std::string_view key,
                                     const auto& value) { add(section, key, toml_text(value)); });
        return std::move(out_);
    }

private:
    void add(const std::string& section, std::string_view key, const Toml& value) {
        if (!value) return add_derived(section, key);
        open(section);
        const auto& places = config_.origins.places;
        const auto place = places.find(section + "." + std::string(key));
        add_line(key, *value, origin_text(place == places.end() ? Place{} : place->second));
    }
    // What nobody has set, and yet has a value; a comment, or it would be set the next time.
    void add_derived(const std::string& section, std::string_view key) {
        if (section == "record") return add_line("# dir", "\"\"", "nothing is recorded");
        if (section != "detector") return;
        const auto [period, margin] = detector_settings(config_.detector);
        add_line("# " + std::string(key), *toml_text(key == "period" ? period : margin),
                 "follows from detect_within");
    }
    void add_line(std::string_view key, const std::string& value, std::string comment) {
        std::string line = std::string(key) + " = " + value;
        line.resize(std::max(line.size(), comment_column), ' ');
        // The name of a file may hold anything, even the end of this line.
        std::ranges::replace_if(
            comment, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
        out_ += line + "  # " + comment + "\n";
    }
    void open(const std::string& section) {
        if (section == section_) return;
        section_ = section;
        out_ += (out_.empty() ? "" : "\n") + header_of(section) + "\n";
        for (const Group& group : config_.groups) {
            if (bound_ && section == "groups." + group.name) add_bound(group);
        }
        if (bound_ && section == "locks" && config_.locks.serve) add_lock_bound();
        for (const Mutex& mutex : config_.mutexes) {
            if (!words_ || section != "mutex." + mutex.name) continue;
            for (const std::string& line : words_(mutex, config_)) out_ += "# " + line + "\n";
        }
    }
    // The next leader waits until every session that it was not told of is over.
    void add_lock_bound() {
        Group server;
        server.algorithm = "quorum";
        server.lease = config_.locks.lease;
        const std::optional<Duration> bound = bound_(server, config_);
        if (!bound) return;
        const Duration wait = *bound + locks::Config{}.outlives(config_.locks.session_max);
        out_ += "# after a crash of its leader locks are granted again within " +
                duration_text(std::chrono::ceil<std::chrono::milliseconds>(wait)) + "\n";
    }
    void add_bound(const Group& group) {
        if (group.engine) {
            out_ +=
                "# kept by " + *group.engine + ": after a crash its lease has to run out there\n";
            return;
        }
        const std::optional<Duration> bound = bound_(group, config_);
        out_ += bound ? "# after a crash there is a leader again within " + duration_text(*bound)
                      : "# how long it takes until there is a leader again has no bound";
        out_ += "\n";
    }

    const Config& config_;
    const FailoverBound& bound_;
    const MutexWords& words_;
    std::string out_, section_;
};

}  // namespace

std::string print_effective(const Config& config, const FailoverBound& bound,
                            const MutexWords& words) {
    return Printing(config, bound, words).all();
}

}  // namespace conclave::node
