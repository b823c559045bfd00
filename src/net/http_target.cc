#include "net/http_target.h"

#include <algorithm>
#include <cstdint>

namespace conclave::net {
namespace {

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

// The length of the UTF-8 sequence at the front; 0 if there is none. Overlong forms and surrogates
// are none: two spellings of one name would be two names to us and one to somebody else.
std::size_t utf8_length(std::string_view text) {
    auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    if (byte(0) < 0x80) return 1;
    std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
    if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    bool overlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
    bool surrogate = byte(0) == 0xED && byte(1) >= 0xA0;
    bool too_large = byte(0) == 0xF4 && byte(1) >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

bool is_text(std::string_view bytes) {
    while (!bytes.empty()) {
        std::size_t length = utf8_length(bytes);
        if (length == 0 || bytes[0] == '\0') return false;
        bytes.remove_prefix(length);
    }
    return true;
}

enum class Plus : bool { is_plus, is_space };  // forms write a space of the query as "+"

std::optional<std::string> decoded(std::string_view text, Plus plus) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i] == '+' && plus == Plus::is_space ? ' ' : text[i];
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        auto high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
        if (!high || !low) return std::nullopt;
        plain += static_cast<char>(*high << 4 | *low);
        i += 2;
    }
    if (!is_text(plain)) return std::nullopt;
    return plain;
}

// Calls visit with each piece between the marks; false as soon as visit says so.
template <class Visit> bool split(std::string_view text, char mark, Visit visit) {
    for (;;) {
        std::size_t end = text.find(mark);
        if (!visit(text.substr(0, end))) return false;
        if (end == text.npos) return true;
        text.remove_prefix(end + 1);
    }
}

// A proxy may send the absolute form, http://host/path; only the path is ours.
std::string_view without_authority(std::string_view text) {
    std::size_t mark = text.find("://");
    if (text.starts_with('/') || mark == text.npos) return text;
    std::size_t path = text.find_first_of("/?", mark + 3);
    return path == text.npos ? "/" : text.substr(path);
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
    Target target;
    if (text == "*") return target;
    if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; })) return {};
    text = without_authority(text);
    std::size_t mark = text.find('?');
    std::string_view path = text.substr(0, mark);
    if (!path.starts_with('/')) return {};
    bool sound = path == "/" || split(path.substr(1), '/', [&target](std::string_view piece) {
                     auto segment = decoded(piece, Plus::is_plus);
                     if (segment) target.path.push_back(*std::move(segment));
                     return segment.has_value();
                 });
    if (!sound) return {};
    if (mark == text.npos) return target;
    sound = split(text.substr(mark + 1), '&', [&target](std::string_view piece) {
        if (piece.empty()) return true;
        std::size_t equals = piece.find('=');
        auto name = decoded(piece.substr(0, equals), Plus::is_space);
        auto value = decoded(equals == piece.npos ? "" : piece.substr(equals + 1), Plus::is_space);
        if (name && value) target.query.emplace(*std::move(name), *std::move(value));
        return name && value;
    });
    if (!sound) return {};
    return target;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (char c : text) {
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     std::string_view("-._~").find(c) != std::string_view::npos;
        auto byte = static_cast<std::uint8_t>(c);
        if (plain)
            encoded += c;
        else
            encoded += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return encoded;
}

}  // namespace conclave::net
