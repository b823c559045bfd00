// node/log_line.cc -- escapes, and the two formats.
#include "node/log_line.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>

namespace conclave::node {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view cut_here = "...";

struct Letter {
    char32_t code = 0;
    std::size_t size = 0;  // 0: no UTF-8 here
};

// One letter of UTF-8; neither overlong, nor a surrogate, nor beyond Unicode.
Letter first_letter(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
    char32_t code = lead & (0x7Fu >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3F);
    }
    constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < least[size] || code > 0x10FFFF || surrogate) return {};
    return {code, size};
}

// Controls old and new, line ends of Unicode, and marks that turn the direction of a line.
bool unprintable(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

void append_escape(std::string& into, char32_t code) {
    if (code == '\n') {
        into += "\\n";
    } else if (code == '\t') {
        into += "\\t";
    } else if (code == '\r') {
        into += "\\r";
    } else {
        std::array<char, 16> text{};
        std::snprintf(text.data(), text.size(), "\\u%04x", static_cast<unsigned>(code));
        into += text.data();
    }
}

void append_quoted(std::string& into, std::string_view text) {
    into += '"';
    for (std::size_t at = 0; at < text.size();) {
        const Letter letter = first_letter(text.substr(at));
        if (at + letter.size > log_value_max) {
            into += cut_here;
            break;
        }
        if (letter.size == 0) {
            into += replacement;
        } else if (letter.code == '"' || letter.code == '\\') {
            into += '\\';
            into += static_cast<char>(letter.code);
        } else if (unprintable(letter.code)) {
            append_escape(into, letter.code);
        } else {
            into += text.substr(at, letter.size);
        }
        at += std::max<std::size_t>(letter.size, 1);
    }
    into += '"';
}

bool is_plain(char c) { return c > ' ' && c <= '~' && c != '=' && c != '"' && c != '\\'; }

void append_logfmt(std::string& into, std::string_view name, std::string_view value) {
    if (!into.empty()) into += ' ';
    for (char c : name) into += is_plain(c) ? c : '_';
    into += '=';
    const bool bare = !value.empty() && value.size() <= log_value_max &&
                      std::all_of(value.begin(), value.end(), is_plain);
    if (bare) {
        into += value;
    } else {
        append_quoted(into, value);
    }
}

void append_json(std::string& into, std::string_view name, std::string_view value) {
    if (!into.empty()) into += ',';
    append_quoted(into, name);
    into += ':';
    append_quoted(into, value);
}

void append(LogFormat format, std::string& into, std::string_view name, std::string_view value) {
    if (format == LogFormat::json) {
        append_json(into, name, value);
    } else {
        append_logfmt(into, name, value);
    }
}

// Ours, and twice in one JSON object is once too often.
bool is_taken(std::string_view name) {
    constexpr std::array taken{"time", "level", "event", "repeated"};
    return std::find(taken.begin(), taken.end(), name) != taken.end();
}

}  // namespace

std::string as_utf8(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const std::size_t size = first_letter(bytes).size;
        text += size == 0 ? replacement : bytes.substr(0, size);
        bytes.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return text;
}

std::string_view level_text(Level level) {
    constexpr std::array<std::string_view, 4> names{"debug", "info", "warning", "error"};
    const auto place = static_cast<std::size_t>(level);
    assert(place < names.size());
    return names[place];
}

std::string log_body(LogFormat format, Level level, std::string_view event,
                     std::span<const LogField> fields) {
    std::string body;
    append(format, body, "level", level_text(level));
    append(format, body, "event", event);
    for (const LogField& field : fields) {
        const std::string name = std::string(field.name) + (is_taken(field.name) ? "_" : "");
        append(format, body, name, field.value);
    }
    return body;
}

std::string with_count(LogFormat format, std::string body, std::uint64_t repeated) {
    body += format == LogFormat::json ? ",\"repeated\":" : " repeated=";
    return body + std::to_string(repeated);
}

std::string log_line(LogFormat format, WallTime when, std::string_view body) {
    const std::string time = time_text(when);
    std::string line =
        format == LogFormat::json ? "{\"time\":\"" + time + "\"," : "time=" + time + " ";
    line += body;
    if (format == LogFormat::json) line += '}';
    return line;
}

}  // namespace conclave::node
