// node/config_values.cc -- reads and writes the types of settings.
#include "node/config_values.h"

#include <charconv>
#include <limits>
#include <string_view>

#include "node/duration_text.h"

namespace conclave::node {

namespace {

using Kind = Value::Kind;

constexpr std::string_view command_prefix = "command:";
constexpr std::string_view planned_by_application = "application";

bool is_text(const Value& value) { return value.kind == Kind::text || value.kind == Kind::word; }

template <class Number> bool read_number(std::string_view text, Number& into) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, into);
    return error == std::errc() && stop == end;
}

// How many bytes the sequence that begins with this one has; 0 if none begins so.
std::size_t sequence_length(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return 2;
    if (first >= 0xe0 && first < 0xf0) return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// The TOML library looks after the file; the environment and the flags may hold anything. Overlong
// forms and surrogates are told by the second byte.
bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
        const std::size_t length = sequence_length(byte(i));
        if (length == 0 || length > text.size() - i) return false;
        for (std::size_t at = i + 1; at < i + length; ++at) {
            if ((byte(at) & 0xc0) != 0x80) return false;
        }
        const unsigned char second = length > 1 ? byte(i + 1) : 0;
        if (byte(i) == 0xe0 && second < 0xa0) return false;
        if (byte(i) == 0xed && second > 0x9f) return false;
        if (byte(i) == 0xf0 && second < 0x90) return false;
        if (byte(i) == 0xf4 && second > 0x8f) return false;
        i += length;
    }
    return true;
}

bool is_printable(std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) return false;
    }
    return is_utf8(text);
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        text.remove_prefix(comma == text.npos ? text.size() : comma + 1);
    }
    return parts;
}

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

template <class T> std::string list_text(const std::vector<T>& list) {
    std::string out = "[";
    for (const T& each : list) out += (out.size() > 1 ? ", " : "") + *toml_text(each);
    return out + "]";
}

}  // namespace

Complaint must_be(const std::string& wanted, const Value& value) {
    if (is_text(value) && !is_printable(value.text)) {
        return "must be plain text, without control characters";
    }
    return "must be " + wanted + ", not " + describe(value);
}

Complaint read_value(const Value& value, std::string& into) {
    if (!is_text(value) || !is_printable(value.text)) return must_be("a text", value);
    if (value.text.empty()) return "must not be empty";
    into = value.text;
    return std::nullopt;
}

Complaint read_value(const Value& value, std::int64_t& into) {
    const bool fits = value.kind == Kind::integer || value.kind == Kind::word;
    std::int64_t read = 0;
    if (!fits || !read_number(value.text, read)) return must_be("a whole number", value);
    into = read;
    return std::nullopt;
}

Complaint read_value(const Value& value, double& into) {
    const bool fits =
        value.kind == Kind::integer || value.kind == Kind::real || value.kind == Kind::word;
    double read = 0;
    if (!fits || !read_number(value.text, read)) return must_be("a number", value);
    into = read;
    return std::nullopt;
}

Complaint read_value(const Value& value, bool& into) {
    const bool fits = value.kind == Kind::truth || value.kind == Kind::word;
    if (!fits || (value.text != "true" && value.text != "false")) {
        return must_be("true or false", value);
    }
    into = value.text == "true";
    return std::nullopt;
}

Complaint read_value(const Value& value, NodeId& into) {
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    std::int64_t id = 0;
    if (read_value(value, id) || id < 1 || id > most) {
        return must_be("a whole number from 1 to " + std::to_string(most), value);
    }
    into = static_cast<NodeId>(id);
    return std::nullopt;
}

Complaint read_value(const Value& value, Duration& into) {
    const std::string wanted = "a duration such as \"200ms\", \"2s\" or \"1m\"";
    if (!is_text(value)) return must_be(wanted, value);
    const Result<Duration> length = parse_duration(value.text);
    if (!length) return must_be(wanted, value);
    into = *length;
    return std::nullopt;
}

Complaint read_value(const Value& value, Path& into) {
    std::string text;
    if (Complaint complaint = read_value(value, text)) return complaint;
    into = text;
    return std::nullopt;
}

Complaint read_value(const Value& value, Command& into) {
    std::string text;
    const bool fits = !read_value(value, text) && text.starts_with(command_prefix) &&
                      text.size() > command_prefix.size();
    if (!fits) return must_be("\"command:\" and the path of a program", value);
    into.path = text.substr(command_prefix.size());
    return std::nullopt;
}

Complaint read_value(const Value& value, Planner& into) {
    std::string text;
    if (!read_value(value, text) && text == planned_by_application) {
        into = {};
    } else if (read_value(value, into.command)) {
        return must_be("\"application\" or \"command:/path\"", value);
    }
    return std::nullopt;
}

Complaint read_value(const Value& value, Measure& into) {
    std::string text;
    Command command;
    const Complaint no_text = read_value(value, text);
    if (!no_text && text == "load") {
        into = {Measure::Kind::load};
    } else if (!no_text && text == "disk") {
        into = {Measure::Kind::disk};
    } else if (!read_value(value, command)) {
        into = {Measure::Kind::command, command};
    } else {
        return must_be("\"load\", \"disk\" or \"command:/path\"", value);
    }
    return std::nullopt;
}

Complaint read_value(const Value& value, net::Address& into) {
    std::string text;
    if (read_value(value, text)) return must_be("an address such as \"n1.example:7420\"", value);
    Result<net::Address> address = net::parse_address(text);
    if (!address) return "is no address: " + address.error().what;
    into = std::move(*address);
    return std::nullopt;
}

Complaint read_value(const Value& value, std::vector<std::string>& into) {
    const bool word = value.kind == Kind::word;
    if (!word && value.kind != Kind::list) return must_be("a list of texts", value);
    std::vector<std::string> read;
    for (const std::string& each : word ? split(value.text) : value.list) {
        if (Complaint bad = read_value(Value{Kind::text, each}, read.emplace_back())) {
            return "has an element that " + *bad;
        }
    }
    into = std::move(read);
    return std::nullopt;
}

Complaint read_value(const Value& value, std::vector<net::Address>& into) {
    std::vector<std::string> texts;
    if (Complaint complaint = read_value(value, texts)) return complaint;
    std::vector<net::Address> read;
    for (const std::string& each : texts) {
        if (Complaint bad = read_value(Value{Kind::text, each}, read.emplace_back())) {
            return "has an element that " + *bad;
        }
    }
    into = std::move(read);
    return std::nullopt;
}

Toml toml_text(const std::string& value) { return in_quotes(value); }
Toml toml_text(std::int64_t value) { return std::to_string(value); }
Toml toml_text(double value) {
    char digits[32];
    std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return text;
}
Toml toml_text(bool value) { return value ? "true" : "false"; }
Toml toml_text(NodeId value) { return std::to_string(number(value)); }
Toml toml_text(Duration value) { return in_quotes(duration_text(value)); }
Toml toml_text(const Path& value) {
    return value.empty() ? std::nullopt : Toml(in_quotes(value.string()));
}
Toml toml_text(const Command& value) {
    return in_quotes(std::string(command_prefix) + value.path.string());
}
Toml toml_text(const Planner& value) {
    return value.application() ? in_quotes(planned_by_application) : toml_text(value.command);
}
Toml toml_text(const Measure& value) {
    if (value.kind == Measure::Kind::command) return toml_text(value.command);
    return in_quotes(name_of_value(value.kind));
}
Toml toml_text(const net::Address& value) { return in_quotes(net::to_text(value)); }
Toml toml_text(const std::vector<std::string>& value) {
    return value.empty() ? std::nullopt : Toml(list_text(value));
}
Toml toml_text(const std::vector<net::Address>& value) { return list_text(value); }

}  // namespace conclave::node
