// wire/layout.h -- values that travel between versions: each aggregate carries its length.
//
// A struct may get new fields at its end, and a variant new alternatives at its end; nothing else
// about a value that has ever been sent or stored may change. Who knows fewer fields skips the
// rest; who knows more keeps the defaults of what is missing, so decode into a fresh value. An
// alternative the reader does not know makes decode false, as garbage does.
//
// "Each value has exactly one encoding" (core/bytes.h) holds for the writer: one version writes one
// value in one way, and reads it back as it was. A reader takes more: the bytes of several versions
// may mean the same value to it, so bytes must not be compared in place of values, and what was
// skipped is gone when the value is written again. Input with exactly the reader's own fields still
// has no second form. A pair and an array have no length and cannot grow; neither may the key of a
// Table: two keys that differ only in a new field would be one key to an old reader, who refuses.
#pragma once
#include <cstddef>

#include "core/bytes.h"

namespace conclave::wire {

namespace detail {

// The length of all that follows out[start], written there; whatever needs more than that one byte
// is moved up, which is rare enough to be cheaper than measuring first.
inline std::size_t set_length(Bytes& out, std::size_t start) {
    const std::size_t length = out.size() - start - 1;
    std::size_t more = 0;
    for (std::size_t rest = length >> 7; rest > 0; rest >>= 7) ++more;
    const auto gap = out.begin() + static_cast<std::ptrdiff_t>(start);
    auto at = out.insert(gap, more, std::byte{});
    std::size_t rest = length;
    for (; rest >= 0x80; rest >>= 7) *at++ = static_cast<std::byte>(rest | 0x80);
    *at = static_cast<std::byte>(rest);
    return length;
}

}  // namespace detail

// Appends a varint length and what `write` appends. Returns the length.
template <class Write> std::size_t write_sized(Bytes& out, Write write) {
    const std::size_t start = out.size();
    out.push_back({});
    write();
    return detail::set_length(out, start);
}

// A Layout for encode and decode.
struct Growing {
    static void write(Bytes& out, auto write_fields) { write_sized(out, write_fields); }
    static bool read(ByteView& in, auto read_fields) {
        std::uint64_t length = 0;
        if (!conclave::detail::read_varint(in, length) || length > in.size()) return false;
        ByteView inside = in.first(length);
        in = in.subspan(length);
        return read_fields(inside);
    }
    static bool has_field(ByteView inside) { return !inside.empty(); }
    // Not `fields` more: an older sender may know none of them.
    static constexpr std::size_t least_size(std::size_t) { return 1; }
};

}  // namespace conclave::wire
