// node/config_read.cc -- from a file, the environment and flags to a Config, or to all that is
// wrong.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <tuple>
#include <utility>

#include "core/nearest.h"
#include "node/config.h"
#include "node/config_entries.h"
#include "node/config_rules.h"
#include "node/config_settings.h"
#include "node/config_values.h"

namespace conclave::node {

namespace {

constexpr std::size_t largest_file = 1 << 20;
constexpr std::string_view variable_prefix = "CONCLAVE_";

Place whole(const Path& file) { return {Place::Kind::file, file.string()}; }

Path folder_of(const Path& file) {
    std::error_code error;  // no current directory any more: then paths stay as they are
    const Path absolute = std::filesystem::absolute(file, error);
    return (error ? file : absolute).parent_path();
}

// A variable names a section and a key; it cannot say which of many groups it means.
bool exists_once(const std::string& section) {
    return !section.starts_with("peers") && !section.starts_with("groups") &&
           !section.starts_with("mutex");
}

std::string variable_of(const std::string& section, std::string_view key) {
    std::string name = std::string(variable_prefix) + section + "_" + std::string(key);
    for (char& c : name) {
        c = c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return name;
}

std::string did_you_mean(std::string_view written, const std::set<std::string>& names) {
    const auto guess = nearest(written, {names.begin(), names.end()});
    return guess ? "; did you mean '" + *guess + "'?" : "";
}

// What may stand where: the keys of every section, and the sections within a section.
class Vocabulary {
public:
    Vocabulary() {
        for (const char* section : {"peers", "groups", "mutex"}) add_section(section);
    }
    void add(const std::string& section, std::string_view key) {
        add_section(section);
        words_[section].emplace(key);
    }
    bool is_section(const std::string& name) const { return words_.contains(name); }
    bool is_setting(const std::string& name) const {
        const auto section = words_.find(section_of(name));
        return section != words_.end() && section->second.contains(key_of(name));
    }
    // `name` is neither a section nor a setting.
    std::string unknown(const std::string& name) const {
        const std::string section = section_of(name), key = key_of(name);
        const auto found = words_.find(section);
        if (found == words_.end()) {
            std::set<std::string> sections;
            for (const auto& [each, words] : words_) sections.insert(each);
            return "unknown section [" + section + "]" + did_you_mean(section, sections);
        }
        const std::string in = section.empty() ? "" : " in " + header_of(section);
        return "unknown key '" + key + "'" + in + did_you_mean(key, found->second);
    }

private:
    void add_section(const std::string& section) {
        if (!words_.try_emplace(section).second || section.empty()) return;
        add_section(section_of(section));
        words_[section_of(section)].insert(key_of(section));
    }
    std::map<std::string, std::set<std::string>> words_;
};

class Reading {
public:
    Reading(const Path& file, const Overrides& overrides)
        : folder_(folder_of(file)), overrides_(overrides) {
        config.origins.file = file;
    }

    void read(std::string_view text, const Known& known) {
        entries_ = read_entries(text, config.origins.file, findings.errors);
        // Whatever is missing now is missing for one and the same reason.
        if (entries_.empty() && !findings.errors.empty()) return;
        lay_over(entries_, overrides_.flags, findings.errors);
        make_room();
        each_setting(config, [this](const std::string& section, std::string_view key, auto& value) {
            take(section, key, value);
        });
        complain_about_strangers();
        warn_of_unused_variables();
        fill_in();
        check_rules(config, known, findings);
    }

    Config config;
    Findings findings;

private:
    // One peer, group and mutex for each table, so that their settings have somewhere to go.
    void make_room() {
        for (const auto& [name, entry] : entries_) {
            if (name == "peers") config.peers.resize(entry.value.tables);
            if (entry.value.kind != Value::Kind::table) continue;
            config.origins.places.emplace(name, entry.place);
            if (section_of(name) == "groups") config.groups.emplace_back().name = key_of(name);
            if (section_of(name) == "mutex") config.mutexes.emplace_back().name = key_of(name);
        }
    }

    template <class T> void take(const std::string& section, std::string_view key, T& value) {
        vocabulary_.add(section, key);
        const std::string name = section + "." + std::string(key);
        const auto entry = entries_.find(name);
        const bool flagged =
            entry != entries_.end() && entry->second.place.kind == Place::Kind::flag;
        if (!flagged && exists_once(section)) {
            const std::string variable = variable_of(section, key);
            variables_.insert(variable);
            const auto found = overrides_.environment.find(variable);
            if (found != overrides_.environment.end() && !found->second.empty()) {
                const Value word{.kind = Value::Kind::word, .text = found->second};
                return assign(name, {word, {Place::Kind::environment, variable}}, value);
            }
        }
        if (entry != entries_.end()) assign(name, entry->second, value);
    }

    template <class T> void assign(const std::string& name, const Entry& entry, T& value) {
        config.origins.places.insert_or_assign(name, entry.place);
        if (const Complaint complaint = read_value(entry.value, value)) {
            findings.errors.push_back({entry.place, "'" + key_of(name) + "' " + *complaint});
        } else {
            resolve(value, folder_);
        }
    }

    // Inside of what nobody knows nobody needs to look.
    void complain_about_strangers() {
        for (const auto& [name, entry] : entries_) {
            if (vocabulary_.is_setting(name) && !vocabulary_.is_section(name)) continue;
            const std::string section = section_of(name);
            if (entries_.contains(section) && !vocabulary_.is_section(section)) continue;
            if (!vocabulary_.is_section(name)) {
                findings.errors.push_back({entry.place, vocabulary_.unknown(name)});
            } else if (const std::string wanted = shape(name, entry.value); !wanted.empty()) {
                findings.errors.push_back({entry.place, wanted});
            }
        }
    }
    static std::string shape(const std::string& section, const Value& value) {
        if (section == "peers") {
            const bool none = value.kind == Value::Kind::list && value.list.empty();
            if (none || value.kind == Value::Kind::tables) return {};
            return "'peers' must be written as [[peers]], once for each peer";
        }
        if (value.kind == Value::Kind::table) return {};
        return "'" + key_of(section) + "' must be a section, [" + section + "], not " +
               describe(value);
    }

    // Not an error: whoever starts a node from a child of another one inherits CONCLAVE_NODE.
    void warn_of_unused_variables() {
        for (const auto& variable : overrides_.environment) {
            const std::string& name = variable.first;
            const auto begins = [&](const std::string& known) {
                const std::size_t section = known.find('_', variable_prefix.size()) + 1;
                return name.size() > section && name.compare(0, section, known, 0, section) == 0;
            };
            if (variables_.contains(name) || std::ranges::none_of(variables_, begins)) continue;
            const Place place{Place::Kind::environment, name};
            const std::string hint = did_you_mean(name, variables_);
            findings.warnings.push_back({place, "no setting has this name; it is ignored" + hint});
        }
    }

    // Defaults that depend on what else is there.
    void fill_in() {
        const auto& places = config.origins.places;
        if (!places.contains("locks.serve")) config.locks.serve = places.contains("locks");
        if (!config.peer.advertise) config.peer.advertise = config.peer.listen;
        for (Group& group : config.groups) {
            if (!group.algorithm && !group.engine) group.algorithm = "quorum";
            if (!group.priority && !group.attribute) group.priority = 0;
            const bool leased = places.contains("groups." + group.name + ".lease");
            if (group.engine && !leased) group.lease = engine_lease;
        }
    }

    Path folder_;
    const Overrides& overrides_;
    Entries entries_;
    Vocabulary vocabulary_;
    std::set<std::string> variables_;
};

void sort(std::vector<Problem>& problems) {
    std::ranges::stable_sort(problems, {}, [](const Problem& problem) {
        return std::tuple(problem.where.kind, problem.where.line, problem.where.column);
    });
}

Result<std::string> read_file(const Path& file) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) {
        return Error{error && error != std::errc::no_such_file_or_directory
                         ? "cannot be read: " + error.message()
                         : "there is no such file"};
    }
    if (std::filesystem::is_directory(status)) return Error{"is a directory, not a file"};
    if (!std::filesystem::is_regular_file(status)) return Error{"is not a regular file"};
    std::ifstream stream(file, std::ios::binary);
    std::string text(largest_file + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad() || (!stream && !stream.eof())) {
        return Error{"cannot be read: " + std::string(std::strerror(errno))};
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest_file) return Error{"has more than 1 MiB"};
    return text;
}

}  // namespace

std::map<std::string, std::string> environment() {
    std::map<std::string, std::string> variables;
    for (char** each = environ; each && *each; ++each) {
        const std::string_view line = *each;
        const std::size_t equals = line.find('=');
        if (equals == line.npos || !line.starts_with(variable_prefix)) continue;
        variables.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    return variables;
}

Loaded parse_config(std::string_view text, const Path& file, const Overrides& overrides,
                    const Known& known) {
    Reading reading(file, overrides);
    reading.read(text, known);
    auto& [errors, warnings] = reading.findings;
    sort(errors);
    sort(warnings);
    if (!errors.empty()) return {std::nullopt, std::move(errors), std::move(warnings)};
    return {std::move(reading.config), {}, std::move(warnings)};
}

Loaded load_config(const Path& file, const Overrides& overrides, const Known& known) {
    const Result<std::string> text = read_file(file);
    if (!text) return {std::nullopt, {{whole(file), text.error().what}}, {}};
    return parse_config(*text, file, overrides, known);
}

}  // namespace conclave::node
