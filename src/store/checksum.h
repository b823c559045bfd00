// store/checksum.h -- CRC-64 over the fields of a row, to tell a rotten row from a good one.
//
// SQLite checks the structure of its pages, not what stands in them. Part of the file format: a
// change here makes every existing store look damaged.
#pragma once
#include <boost/crc.hpp>
#include <cstdint>
#include <string_view>

#include "core/leaf_bytes.h"

namespace conclave {

class Checksum {
public:
    template <class... Fields> static std::int64_t of(const Fields&... fields) {
        Checksum sum;
        (sum.add(fields), ...);
        return static_cast<std::int64_t>(sum.crc_.checksum());
    }

private:
    void add(std::uint64_t number) {
        for (unsigned shift = 0; shift < 64; shift += 8)
            crc_.process_byte(static_cast<unsigned char>(number >> shift));
    }
    void add(ByteView bytes) {  // with its length: "ab","c" is not "a","bc"
        add(std::uint64_t{bytes.size()});
        crc_.process_bytes(bytes.data(), bytes.size());
    }
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }

    // CRC-64/XZ.
    boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~0ULL, ~0ULL, true, true> crc_;
};

}  // namespace conclave
