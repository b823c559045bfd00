// node/config_values.h -- each type of setting: how it is read, and how it is written as TOML.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/names.h"
#include "node/config.h"
#include "node/config_entries.h"

namespace conclave::node {

// What is wrong with the value, as the end of a sentence that begins with the setting's name
// ("must be ..., not ..."); nothing if it was taken.
using Complaint = std::optional<std::string>;

Complaint read_value(const Value& value, std::string& into);
Complaint read_value(const Value& value, std::int64_t& into);
Complaint read_value(const Value& value, double& into);
Complaint read_value(const Value& value, bool& into);
Complaint read_value(const Value& value, NodeId& into);
Complaint read_value(const Value& value, Duration& into);
Complaint read_value(const Value& value, Path& into);
Complaint read_value(const Value& value, Command& into);
Complaint read_value(const Value& value, Planner& into);
Complaint read_value(const Value& value, Measure& into);
Complaint read_value(const Value& value, net::Address& into);
Complaint read_value(const Value& value, std::vector<std::string>& into);
Complaint read_value(const Value& value, std::vector<net::Address>& into);

Complaint must_be(const std::string& wanted, const Value& value);

template <class Enum>
requires std::is_enum_v<Enum> Complaint read_value(const Value& value, Enum& into) {
    std::string word, all;
    const Complaint no_text = read_value(value, word);
    const auto& names = detail::value_names<Enum>;
    for (std::size_t i = 0; i < names.size() && !names[i].empty(); ++i) {
        all += (all.empty() ? "" : ", ") + std::string(names[i]);
        if (no_text || names[i] != word) continue;
        into = static_cast<Enum>(i);
        return std::nullopt;
    }
    return must_be("one of " + all, value);
}

template <class T> Complaint read_value(const Value& value, std::optional<T>& into) {
    T read{};
    Complaint complaint = read_value(value, read);
    if (!complaint) into = std::move(read);
    return complaint;
}

// Paths are written as people have them in mind, and kept from the file's folder on.
template <class T> void resolve(T&, const Path&) {}
inline void resolve(Path& path, const Path& folder) {
    if (!path.empty()) path = (folder / path).lexically_normal();
}
inline void resolve(Command& command, const Path& folder) { resolve(command.path, folder); }
inline void resolve(Planner& planner, const Path& folder) { resolve(planner.command, folder); }
inline void resolve(Measure& measure, const Path& folder) { resolve(measure.command, folder); }
template <class T> void resolve(std::optional<T>& value, const Path& folder) {
    if (value) resolve(*value, folder);
}

// Nothing where there is no value to write: a path or a list of names that is not given.
using Toml = std::optional<std::string>;

Toml toml_text(const std::string& value);
Toml toml_text(std::int64_t value);
Toml toml_text(double value);
Toml toml_text(bool value);
Toml toml_text(NodeId value);
Toml toml_text(Duration value);
Toml toml_text(const Path& value);
Toml toml_text(const Command& value);
Toml toml_text(const Planner& value);
Toml toml_text(const Measure& value);
Toml toml_text(const net::Address& value);
Toml toml_text(const std::vector<std::string>& value);
Toml toml_text(const std::vector<net::Address>& value);

template <class Enum>
requires std::is_enum_v<Enum> Toml toml_text(Enum value) {
    return toml_text(std::string(name_of_value(value)));
}

template <class T> Toml toml_text(const std::optional<T>& value) {
    return value ? toml_text(*value) : std::nullopt;
}

}  // namespace conclave::node
