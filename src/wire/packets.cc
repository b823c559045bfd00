// wire/packets.cc -- hellos are checked field by field, so that a refusal can name the field.
#include "wire/packets.h"

#include <algorithm>
#include <cassert>

namespace conclave::wire {
namespace {

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

// Never quotes the text: it goes into logs.
std::optional<Error> wrong_with(const std::string& field, const std::string& text) {
    if (text.size() > name_limit) {
        return Error{field + " is " + std::to_string(text.size()) + " bytes long, the limit is " +
                     std::to_string(name_limit)};
    }
    const auto odd = std::ranges::find_if_not(text, is_printable);
    if (odd == text.end()) return std::nullopt;
    return Error{field + " has a byte that is not printable ASCII, at " +
                 std::to_string(odd - text.begin())};
}

std::optional<Error> wrong_with_name(const std::string& field, const std::string& text) {
    if (text.empty()) return Error{field + " is empty"};
    return wrong_with(field, text);
}

// Two numbers for one group: letters of two machines would reach one.
std::optional<Error> find_twin(const std::vector<Offer>& groups) {
    std::vector<std::string_view> names;
    for (const Offer& offer : groups) names.push_back(offer.name);
    std::ranges::sort(names);
    const auto twin = std::ranges::adjacent_find(names);
    if (twin == names.end()) return std::nullopt;
    return Error{"hello: groups has \"" + std::string(*twin) + "\" twice"};
}

std::optional<Error> wrong_with_groups(const std::vector<Offer>& groups) {
    if (groups.size() > group_limit) {
        return Error{"hello: groups has " + std::to_string(groups.size()) +
                     " entries, the limit is " + std::to_string(group_limit)};
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::string field = "hello: groups[" + std::to_string(i) + "]";
        if (auto error = wrong_with_name(field + ".name", groups[i].name)) return error;
        if (auto error = wrong_with_name(field + ".algorithm", groups[i].algorithm)) return error;
    }
    return find_twin(groups);
}

template <class T> bool read_whole(ByteView body, T& value) {
    return decode<Growing>(body, value) && body.empty();
}

bool append_message(Bytes& out, Kind kind, const Letter& letter, std::size_t limit) {
    const auto write = [&] {
        conclave::detail::write_varint(out, letter.group);
        out.insert(out.end(), letter.message.begin(), letter.message.end());
    };
    return append_frame(out, kind, write, limit);
}

Error not_a(const char* packet, ByteView body) {
    return {std::string(packet) + ": these " + std::to_string(body.size()) + " bytes are none"};
}

}  // namespace

std::optional<Error> wrong_with(const Hello& hello) {
    if (auto error = wrong_with_name("hello: cluster", hello.cluster)) return error;
    if (auto error = wrong_with_name("hello: name", hello.name)) return error;
    if (auto error = wrong_with("hello: store", hello.store)) return error;
    return wrong_with_groups(hello.groups);
}

std::optional<Error> append_hello(Bytes& out, const Hello& hello) {
    if (auto error = wrong_with(hello)) return error;
    const auto write = [&] { encode<Growing>(out, hello); };
    if (append_frame(out, Kind::hello, write, hello_limit)) return std::nullopt;
    return Error{"hello: groups has too many or too long names, the limit of a hello is " +
                 std::to_string(hello_limit) + " bytes"};
}

bool append_letter(Bytes& out, std::uint32_t group, ByteView message, std::size_t limit) {
    return append_message(out, Kind::letter, {group, message}, limit);
}

bool append_murmur(Bytes& out, std::uint32_t group, ByteView message, std::size_t limit) {
    return append_message(out, Kind::murmur, {group, message}, limit);
}

void append_bye(Bytes& out, std::string_view why) {
    const Bye bye{std::string(why.substr(0, name_limit))};
    const bool fits = append_frame(out, Kind::bye, [&] { encode<Growing>(out, bye); });
    assert(fits);
}

void append_filler(Bytes& out, std::size_t size) {
    constexpr std::size_t head = 2;  // the length and the kind
    assert(size >= head && size <= 128);
    const bool fits =
        append_frame(out, Kind::filler, [&] { out.resize(out.size() + size - head); });
    assert(fits);
}

void append_welcome(Bytes& out, const Welcome& welcome) {
    const bool fits = append_frame(out, Kind::welcome, [&] { encode<Growing>(out, welcome); });
    assert(fits);
}

Result<Hello> read_hello(ByteView body) {
    Hello hello;
    if (!read_whole(body, hello)) return not_a("hello", body);
    if (auto error = wrong_with(hello)) return *std::move(error);
    return hello;
}

std::optional<Letter> read_letter(ByteView body) {
    Letter letter;
    if (!decode(body, letter.group)) return std::nullopt;
    letter.message = body;
    return letter;
}

std::optional<Welcome> read_welcome(ByteView body) {
    Welcome welcome;
    if (!read_whole(body, welcome)) return std::nullopt;
    return welcome;
}

Result<Bye> read_bye(ByteView body) {
    Bye bye;
    if (!read_whole(body, bye)) return not_a("bye", body);
    if (bye.why.size() > name_limit) bye.why.resize(name_limit);
    std::ranges::replace_if(
        bye.why, [](char c) { return !is_printable(c); }, '?');
    return bye;
}

}  // namespace conclave::wire
