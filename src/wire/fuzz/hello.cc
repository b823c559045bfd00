// wire/fuzz/hello.cc -- any body of a hello; the same bytes as a bye and as a letter, too.
#include <algorithm>

#include "core/value.h"
#include "wire/fuzz/target.h"
#include "wire/packets.h"

namespace conclave::wire::fuzz {
namespace {

// An Offer may take as little as one byte, and a vector that grows moves a few times.
constexpr std::uint64_t per_byte = 4 * sizeof(Offer) + 16;

bool is_printable(const std::string& text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

bool examine_hello(ByteView input) {
    const Result<Hello> hello = within_memory(input, per_byte, [&] { return read_hello(input); });
    if (!hello) {
        require(is_printable(hello.error().what), "an error is one line of text");
        require(hello.error().what.size() < 400, "an error is short");
        return false;
    }
    require(hello->groups.size() <= group_limit, "there are not too many groups");
    Bytes bytes;
    encode<Growing>(bytes, *hello);
    const Result<Hello> again = read_hello(bytes);
    require(bool(again), "what we write we read");
    require(equal(*hello, *again), "what is read again is the same value");
    return true;
}

void examine_others(ByteView input) {
    const Result<Bye> bye = within_memory(input, per_byte, [&] { return read_bye(input); });
    if (bye)
        require(is_printable(bye->why) && bye->why.size() <= name_limit, "a bye can be logged");
    const auto letter = read_letter(input);
    if (!letter) return;
    Bytes bytes;
    if (!append_letter(bytes, letter->group, letter->message)) return;
    require(std::ranges::equal(ByteView(bytes).last(input.size()), input), "a letter is its bytes");
}

Bytes body_of(const auto& packet) {
    Bytes out;
    encode<Growing>(out, packet);
    return out;
}

}  // namespace

bool examine(ByteView input) {
    examine_others(input);
    return examine_hello(input);
}

std::vector<Seed> seeds() {
    Hello hello{.version = 1,
                .cluster = "prod",
                .node = NodeId{3},
                .name = "three",
                .incarnation = {12},
                .store = "0123456789abcdef",
                .groups = {{"orders", "quorum"}, {"sites", "invitation"}},
                .ring = ring_size};
    Seed newer{"newer", body_of(hello)};
    newer.bytes.push_back(std::byte{'+'});
    newer.bytes.front() = static_cast<std::byte>(newer.bytes.size() - 1);
    std::vector<Seed> seeds{{"usual", body_of(hello)}, newer, {"bad-bye", body_of(Bye{"why"})}};
    hello.groups.clear();
    seeds.push_back({"alone", body_of(hello)});
    hello.name.clear();
    seeds.push_back({"bad-nameless", body_of(hello)});
    hello.name = std::string(name_limit + 1, 'x');
    seeds.push_back({"bad-long", body_of(hello)});
    return seeds;
}

}  // namespace conclave::wire::fuzz
