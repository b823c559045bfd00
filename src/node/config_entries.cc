// node/config_entries.cc -- from TOML text and from flags to entries.
#include "node/config_entries.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>

namespace conclave::node {

namespace {

// No setting has as many dots in its name. What is deeper is inside of something unknown, which is
// complained about as a whole; following it down would overflow the stack.
constexpr std::ptrdiff_t deepest = 4;

// A key of thousands of parts makes as many nested tables, and the library takes them apart by
// recursion, too.
constexpr std::size_t longest_line = 4096;

bool may_stand_in_a_key(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}
bool is_key(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, may_stand_in_a_key);
}

Value value_of(const toml::array& array) {
    const auto tables = [](const toml::node& node) { return node.is_table(); };
    const auto texts = [](const toml::node& node) { return node.is_string(); };
    if (!array.empty() && std::ranges::all_of(array, tables)) {
        return {.kind = Value::Kind::tables, .tables = array.size()};
    }
    if (!std::ranges::all_of(array, texts)) return {};
    Value value{.kind = Value::Kind::list};
    for (const toml::node& node : array) value.list.push_back(node.as_string()->get());
    return value;
}

std::string number_text(double number) {
    char digits[64];
    return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

Value value_of(const toml::node& node) {
    using Kind = Value::Kind;
    if (node.is_table()) return {.kind = Kind::table};
    if (const auto* array = node.as_array()) return value_of(*array);
    if (const auto* text = node.as_string()) return {.kind = Kind::text, .text = text->get()};
    if (const auto* whole = node.as_integer()) {
        return {.kind = Kind::integer, .text = std::to_string(whole->get())};
    }
    if (const auto* real = node.as_floating_point()) {
        return {.kind = Kind::real, .text = number_text(real->get())};
    }
    if (const auto* truth = node.as_boolean()) {
        return {.kind = Kind::truth, .text = truth->get() ? "true" : "false"};
    }
    return {};
}

class Flattening {
public:
    Flattening(const Path& file, Entries& entries, std::vector<Problem>& problems)
        : file_(file.string()), entries_(entries), problems_(problems) {}

    void take(const std::string& prefix, const toml::table& table) {
        for (const auto& [key, node] : table) {
            const Place place = at(key.source().begin);
            if (!is_key(key.str())) {
                problems_.push_back({place, "key \"" + std::string(key.str()) +
                                                "\" may have only letters, digits, '-' and '_'"});
                continue;
            }
            take_node(prefix + std::string(key.str()), node, place);
        }
    }
    Place at(toml::source_position position) const {
        return {Place::Kind::file, file_, position.line, position.column};
    }

private:
    void take_node(const std::string& name, const toml::node& node, const Place& place) {
        Value value = value_of(node);
        const bool deep = std::ranges::count(name, '.') >= deepest;
        if (const auto* table = node.as_table(); table && !deep) take(name + ".", *table);
        for (std::size_t i = 0; i < value.tables && !deep; ++i) {
            const toml::node& element = (*node.as_array())[i];
            take_node(name + "." + std::to_string(i), element, at(element.source().begin));
        }
        entries_.insert_or_assign(name, Entry{std::move(value), place});
    }

    std::string file_;
    Entries& entries_;
    std::vector<Problem>& problems_;
};

bool lines_are_short(std::string_view text, const Path& file, std::vector<Problem>& problems) {
    std::uint32_t line = 1;
    for (std::size_t start = 0; start < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        if (end - start > longest_line) {
            const Place place{Place::Kind::file, file.string(), line, 1};
            const std::string limit = std::to_string(longest_line);
            problems.push_back({place, "a line has at most " + limit + " bytes"});
            return false;
        }
        start = end + 1;
    }
    return true;
}

}  // namespace

std::string describe(const Value& value) {
    using Kind = Value::Kind;
    switch (value.kind) {
        case Kind::text:
        case Kind::word:
            return "\"" + value.text + "\"";
        case Kind::integer:
        case Kind::real:
            return "the number " + value.text;
        case Kind::truth:
            return value.text;
        case Kind::list:
            return "a list";
        case Kind::table:
            return "a table";
        case Kind::tables:
            return "a list of tables";
        case Kind::other:
            return "a date, a time or a list of something else";
    }
    return {};
}

Entries read_entries(std::string_view text, const Path& file, std::vector<Problem>& problems) {
    Entries entries;
    if (!lines_are_short(text, file, problems)) return entries;
    Flattening flattening(file, entries, problems);
    try {
        flattening.take("", toml::parse(text));
    } catch (const toml::parse_error& error) {  // the library's only way to say it
        problems.push_back({flattening.at(error.source().begin), std::string(error.description())});
    }
    return entries;
}

void lay_over(Entries& entries, const std::vector<std::string>& flags,
              std::vector<Problem>& problems) {
    for (const std::string& each : flags) {
        const std::size_t equals = each.find('=');
        const std::string name = each.substr(0, equals);
        const Place place{Place::Kind::flag, name};
        const bool dotted = name.find('.') != name.npos && !section_of(name).empty();
        if (equals == each.npos || !dotted || !is_key(key_of(name))) {
            problems.push_back({place, "expected section.key=value"});
            continue;
        }
        const Value value{.kind = Value::Kind::word, .text = each.substr(equals + 1)};
        entries.insert_or_assign(name, Entry{value, place});
    }
}

std::string section_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return std::string(dot == name.npos ? "" : name.substr(0, dot));
}
std::string key_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return std::string(dot == name.npos ? name : name.substr(dot + 1));
}

}  // namespace conclave::node
