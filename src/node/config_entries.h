// node/config_entries.h -- a configuration as a flat list of names and values, before anybody knows
// what they mean.
//
// The file, the environment and the flags say the same things in different ways; here they are
// laid over each other. Only config_entries.cc sees the TOML library.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "node/config.h"

namespace conclave::node {

struct Value {
    enum class Kind : std::uint8_t {
        text,
        integer,
        real,
        truth,
        list,    // of texts
        table,   // [name], or { ... }
        tables,  // [[name]]
        word,    // from the environment or a flag: whatever the setting wants it to be
        other,   // a date, a list of numbers: no setting wants one
    };
    Kind kind = Kind::other;
    std::string text{};               // of whatever is not made of parts
    std::vector<std::string> list{};  // the elements of a list
    std::size_t tables = 0;           // how many, of tables
};
std::string describe(const Value& value);  // "the number 5", for a complaint

struct Entry {
    Value value;
    Place place;
};

// By full name: "node.id", "groups.billing" (the table itself), "peers.0.id". Keys consist of the
// characters of TOML's bare keys, so a dot always separates; whatever else is in the file is a
// problem already here.
using Entries = std::map<std::string, Entry>;

Entries read_entries(std::string_view text, const Path& file, std::vector<Problem>& problems);
void lay_over(Entries& entries, const std::vector<std::string>& flags,
              std::vector<Problem>& problems);

// "groups.billing" and "lease" of "groups.billing.lease".
std::string section_of(std::string_view name);
std::string key_of(std::string_view name);

}  // namespace conclave::node
